"""The numeric attributes by which mentions are compared, and the row of each in the table of a document."""

from __future__ import annotations

from typing import Final

NUMERIC: Final = (
    "type gender number animacy person entity string head lemma modifier first_name initials governor sentence"
    " speaker turn quote said_by head_token subject start end"
).split()
"""In the order of the constants below."""

(
    TYPE,
    GENDER,
    NUMBER,
    ANIMACY,
    PERSON,
    ENTITY,
    STRING,
    HEAD,
    LEMMA,
    MODIFIER,
    FIRST_NAME,
    INITIALS,
    GOVERNOR,
    SENTENCE,
    SPEAKER,
    TURN,
    QUOTE,
    SAID_BY,
    HEAD_TOKEN,
    SUBJECT,
    START,
    END,
) = range(len(NUMERIC))

NAME: Final = 1
"""The type of a name; 0 is a pronoun, 2 a common noun."""
