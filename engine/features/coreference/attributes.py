"""The attributes of each mention, as readable text ("" is unknown).

Templates combine these by name; `comparisons` reads the numeric view of them. Nothing here looks at gold clusters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from engine.arrays import Ints
from engine.features.coreference.mentions import TokenSpan
from engine.features.coreference.texts import Texts

ATTRIBUTES: Final = {
    "type": "pronoun P, name N, common noun C",
    "kind": "pronoun by its base form; name; definite, indefinite, demonstrative, possessive or bare noun phrase",
    "form": "the words of a short mention, in lower case",
    "head": "head word, in lower case",
    "lemma": "lemma of the head, or its singular by its ending",
    "first": "first word",
    "last": "last word",
    "before": "word before the mention",
    "after": "word after the mention",
    "pos": "part-of-speech tag of the head",
    "around": "tags before and after the mention",
    "relation": "dependency relation of the head, or its place in the sentence",
    "governor": "lemma of the word that governs the head",
    "role": "relation and governor together",
    "path": "labels from the mention up to the nearest S",
    "gender": "male, female, neutral",
    "number": "singular, plural",
    "animacy": "animate, inanimate",
    "agree": "gender, number and animacy together",
    "entity": "entity type of the mention, given or from the named-entity column",
    "length": "number of words",
    "seen": "whether the same words, or the same head, occurred before in the document",
    "again": "whether the same words, or the same head, occur later in the document",
    "place": "place of the sentence in the document, and of the mention in the sentence",
    "modifier": "the word before the head",
    "suffix": "last three letters of the head",
    "shape": "capitals of the mention",
    "nested": "inside another mention, or around one",
    "quoted": "inside quotation marks",
    "possessed": "the pronoun that owns it: his in 'his mother'",
}
"""Attribute -> what it means."""

GENDERS: Final = ("", "male", "female", "neutral")
NUMBERS: Final = ("", "singular", "plural")
ANIMACIES: Final = ("", "animate", "inanimate")
TYPES: Final = ("P", "N", "C")


@dataclass(frozen=True, eq=False)
class MentionTable:
    """The mentions of one document, in order, with the attributes of each."""

    spans: tuple[TokenSpan, ...]
    text: Mapping[str, Texts]
    """Attribute -> one text per mention."""
    numeric: Mapping[str, Ints]
    """The numeric attributes that `comparisons` reads."""
    words: Ints = field(repr=False)
    """The numbers of the content words of all mentions, concatenated."""
    word_offsets: Ints = field(repr=False)

    @property
    def n(self) -> int:
        return len(self.spans)
