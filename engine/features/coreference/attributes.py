"""The attributes of each mention, as readable text ("" is unknown).

Templates combine these by name; `comparisons` reads the numeric view of them. Nothing here looks at gold clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.data.document import Document
from engine.features.coreference.languages import Language
from engine.features.coreference.mentions import TokenSpan
from engine.features.coreference.reading import PERSONS, Reader

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
    heads: tuple[int, ...]
    text: Mapping[str, list[str]]
    """Attribute -> one text per mention."""
    numeric: Mapping[str, Ints]
    """The numeric attributes that `comparisons` reads."""
    words: Ints = field(repr=False)
    """The numbers of the content words of all mentions, concatenated."""
    word_offsets: Ints = field(repr=False)

    @property
    def n(self) -> int:
        return len(self.spans)


def describe(
    document: Document,
    spans: Sequence[TokenSpan],
    language: Language,
    *,
    gender_of: Mapping[str, str] | None = None,
    given: Mapping[TokenSpan, tuple[str, str]] | None = None,
) -> MentionTable:
    """The table of a document's mentions. `given` holds (entity type, P/N/C) of spans for which the source states
    them."""
    reader = Reader(document, language, gender_of or {}, given or {})
    rows = [reader.row(start, end) for start, end in spans]
    text = {name: [row[name] for row in rows] for name in ATTRIBUTES if name not in ("seen", "again", "nested")}
    text["seen"] = _seen(rows)
    text["again"] = _seen(rows[::-1])[::-1]
    text["nested"] = _nested(spans)
    words = [reader.content(start, end) for start, end in spans]
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in words], out=offsets[1:])
    return MentionTable(
        spans=tuple(spans),
        heads=tuple(int(row["_head"]) for row in rows),
        text=text,
        numeric=_numeric(rows, spans),
        words=_ids([word for one in words for word in one]),
        word_offsets=offsets,
    )


_CHOICES: Final = {
    "type": ("type", TYPES),
    "gender": ("gender", GENDERS),
    "number": ("number", NUMBERS),
    "animacy": ("animacy", ANIMACIES),
    "person": ("_person", PERSONS),
}
_NAMES: Final = {
    "entity": "entity",
    "string": "_string",
    "head": "head",
    "lemma": "lemma",
    "modifier": "modifier",
    "first_name": "_first_name",
    "initials": "_initials",
    "speaker": "_speaker",
}
_COUNTS: Final = {
    "governor": "_governor",
    "sentence": "_sentence",
    "turn": "_turn",
    "quote": "_quote",
    "said_by": "_said_by",
    "head_token": "_head",
}


def _numeric(rows: Sequence[Mapping[str, str]], spans: Sequence[TokenSpan]) -> dict[str, Ints]:
    """The values by which mentions are compared: indices in lists of choices, ids of texts, and numbers."""
    numeric: dict[str, Ints] = {}
    for name, (key, choices) in _CHOICES.items():
        place = {choice: number for number, choice in enumerate(choices)}
        numeric[name] = np.array([place[row[key]] for row in rows], dtype=np.int64)
    for name, key in _NAMES.items():
        numeric[name] = _ids([row[key] for row in rows])
    for name, key in _COUNTS.items():
        numeric[name] = np.array([int(row[key]) for row in rows], dtype=np.int64)
    numeric["subject"] = np.array([row["relation"].startswith(("nsubj", "S-")) for row in rows], dtype=np.int64)
    numeric["start"] = np.array([start for start, _ in spans], dtype=np.int64)
    numeric["end"] = np.array([end for _, end in spans], dtype=np.int64)
    return numeric


def _ids(texts: Sequence[str]) -> Ints:
    """A number for each text, equal for equal texts; 0 for the empty one."""
    known = {"": 0}
    return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def _seen(rows: list[dict[str, str]]) -> list[str]:
    strings: set[str] = set()
    heads: dict[str, int] = defaultdict(int)
    out = []
    for row in rows:
        if row["type"] == "P":
            out.append("")
            continue
        out.append("words" if row["_string"] in strings else "head" if heads[row["lemma"]] else "new")
        strings.add(row["_string"])
        heads[row["lemma"]] += 1
    return out


def _nested(spans: Sequence[TokenSpan]) -> list[str]:
    """Whether each mention is nested. Spans are in order, so those around a mention are among the ones before it."""
    out = [""] * len(spans)
    open_: list[int] = []
    for position, (start, end) in enumerate(spans):
        open_ = [other for other in open_ if spans[other][1] > start]
        if any(spans[other][1] >= end for other in open_):
            out[position] = "inside"
            for other in open_:
                out[other] = out[other] or "around"
        open_.append(position)
    return out
