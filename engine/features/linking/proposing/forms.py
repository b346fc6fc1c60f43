"""The forms under which an n-gram may be found, as bits, and common affixes of user names and hashtags."""

from __future__ import annotations

from typing import Final

FORMS: Final = (
    "plain",
    "folded",
    "camel",
    "trimmed",
    "possessive",
    "plural",
    "bare",
    "spaceless",
    "affix",
    "memory",
    "guess",
    "echo",
)
FORM: Final = {name: 1 << i for i, name in enumerate(FORMS)}
AS_WRITTEN: Final = sum(FORM[name] for name in ("plain", "folded", "camel", "possessive", "plural", "bare"))
"""Forms that keep all letters and digits of the name; the others leave some out, or are guesses."""

PREFIXES: Final = tuple("real the official mr its iam im go via team op ask my its by".split())
SUFFIXES: Final = tuple("official music news live online help tv mp hq fc uk usa now".split())
