"""What is known of each mention alone: its attributes, as readable text ("" is unknown).

Templates combine these by name; `pairs` compares the numeric view of them. Nothing here looks at gold clusters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.features.coreference.languages import Language
from engine.features.coreference.mentions import TokenSpan
from engine.features.coreference.syntax import constituents, governors, head_of

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
"""Attribute -> what it says."""

_SPEAKER_UNKNOWN: Final = frozenset({"-", "_", "", "*", None})
GENDERS: Final = ("", "male", "female", "neutral")
NUMBERS: Final = ("", "singular", "plural")
ANIMACIES: Final = ("", "animate", "inanimate")
PERSONS: Final = ("", "1", "2", "3")
TYPES: Final = ("P", "N", "C")


@lru_cache(maxsize=1 << 18)
def code(text: str) -> int:
    """A stable 63-bit number for a text; 0 is the empty one."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> 1 if text else 0


@dataclass(frozen=True, eq=False)
class MentionTable:
    """The mentions of one document, in order, with what is known of each."""

    spans: tuple[TokenSpan, ...]
    heads: tuple[int, ...]
    text: Mapping[str, list[str]]
    """Attribute -> one text per mention."""
    numeric: Mapping[str, NDArray[np.int64]]
    """What `pairs` compares."""
    words: NDArray[np.int64] = field(repr=False)
    """Codes of the content words of all mentions, one after another."""
    word_offsets: NDArray[np.int64] = field(repr=False)

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
    """The table of a document's mentions. `given` holds (entity type, P/N/C) of spans whose source states them."""
    reader = _Reader(document, language, gender_of or {}, given or {})
    rows = [reader.row(start, end) for start, end in spans]
    text = {name: [row[name] for row in rows] for name in ATTRIBUTES if name not in ("seen", "again", "nested")}
    text["seen"] = _seen(rows)
    text["again"] = _seen(rows[::-1])[::-1]
    text["nested"] = _nested(spans)
    words = [reader.content(start, end) for start, end in spans]
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in words], out=offsets[1:])
    numeric = {name: np.array([get(row) for row in rows], dtype=np.int64) for name, get in _NUMERIC.items()}
    numeric["start"] = np.array([start for start, _ in spans], dtype=np.int64)
    numeric["end"] = np.array([end for _, end in spans], dtype=np.int64)
    return MentionTable(
        spans=tuple(spans),
        heads=tuple(int(row["_head"]) for row in rows),
        text=text,
        numeric=numeric,
        words=np.array([word for one in words for word in one], dtype=np.int64),
        word_offsets=offsets,
    )


_NUMERIC: Final[dict[str, Callable[[dict[str, str]], int]]] = {
    "type": lambda row: TYPES.index(row["type"]),
    "gender": lambda row: GENDERS.index(row["gender"]),
    "number": lambda row: NUMBERS.index(row["number"]),
    "animacy": lambda row: ANIMACIES.index(row["animacy"]),
    "person": lambda row: PERSONS.index(row["_person"]),
    "entity": lambda row: code(row["entity"]),
    "string": lambda row: code(row["_string"]),
    "head": lambda row: code(row["head"]),
    "lemma": lambda row: code(row["lemma"]),
    "modifier": lambda row: code(row["modifier"]),
    "last": lambda row: code(row["last"]),
    "first_name": lambda row: code(row["_first_name"]),
    "initials": lambda row: code(row["_initials"]),
    "governor": lambda row: int(row["_governor"]),
    "sentence": lambda row: int(row["_sentence"]),
    "speaker": lambda row: code(row["_speaker"]),
    "turn": lambda row: int(row["_turn"]),
    "quote": lambda row: int(row["_quote"]),
    "said_by": lambda row: int(row["_said_by"]),
    "head_token": lambda row: int(row["_head"]),
    "subject": lambda row: int(row["relation"].startswith(("nsubj", "S-"))),
    "definite": lambda row: int(row["kind"] in ("definite", "demonstrative")),
    "name_head": lambda row: code(row["head"]) if row["type"] == "N" else 0,
    "possessed": lambda row: code(row["possessed"]),
}


class _Reader:
    """One document, prepared for reading many mentions of it."""

    def __init__(
        self,
        document: Document,
        language: Language,
        gender_of: Mapping[str, str],
        given: Mapping[TokenSpan, tuple[str, str]],
    ) -> None:
        self.language = language
        self.gender_of = gender_of
        self.given = given
        self.words = document.words
        self.lower = [word.lower() for word in document.words]
        columns = document.columns
        self.pos = _usable(columns.get("pos")) or _usable(columns.get("upos"))
        self.lemmas = _usable(columns.get("deplemma")) or _usable(columns.get("lemma_all"))
        self.relations = _usable(columns.get("deprel"))
        self.governors = governors(document)
        self.entities = _entity_types(columns.get("ner"))
        speakers = columns.get("speaker")
        self.speakers = (
            ["" if speaker in _SPEAKER_UNKNOWN else str(speaker) for speaker in speakers]
            if speakers is not None
            else [""] * len(self.words)
        )
        self.sentence_of = [0] * len(self.words)
        self.sentences = document.sentences
        for number, (first, last) in enumerate(document.sentences):
            for token in range(first, last):
                self.sentence_of[token] = number
        self.turns = self._turns()
        self.quotes, self.said_by = self._quotes()
        self.paths, self.starts_path = self._paths(document)

    def row(self, start: int, end: int) -> dict[str, str]:
        words, lower, language = self.words, self.lower, self.language
        head = head_of(start, end, lower, self.pos, self.governors, language)
        pronoun = language.pronouns.get(lower[start]) if end - start == 1 else None
        entity, stated = self.given.get((start, end), ("", ""))
        entity = entity or self.entities.get((start, end), "") or self.entities.get((head,), "")
        kind_of_word = stated or self._type(start, end, head, pronoun is not None)
        if kind_of_word != "P":
            pronoun = None
        elif pronoun is None:
            pronoun = language.pronouns.get(lower[start])
        tag = self.pos[head] if self.pos else ""
        kind = self._kind(start, end, kind_of_word, lower[start] if pronoun is None else pronoun.base)
        lemma = self._lemma(head)
        person = gender = number = animacy = ""
        if pronoun is not None:
            person, gender, number, animacy = pronoun.person, pronoun.gender, pronoun.number, pronoun.animacy
        else:
            person = "3"
            gender, number, animacy = self._agreement(start, end, head, tag, entity, kind_of_word)
        first, last = self.sentences[self.sentence_of[start]]
        before = lower[start - 1] if start > first else "<s>"
        after = lower[end] if end < last else "</s>"
        content = [word for word in lower[start:end] if word not in language.stopwords]
        governor = self.governors[head] if self.governors is not None else -1
        relation, governor_lemma = self._role(head, start, governor, before, after)
        capitals = [word for word in words[start:end] if word[:1].isupper()]
        return {
            "type": kind_of_word,
            "kind": kind,
            "form": " ".join(lower[start:end]) if end - start <= 3 else "",
            "head": lower[head],
            "lemma": lemma,
            "first": lower[start],
            "last": lower[end - 1],
            "before": before,
            "after": after,
            "pos": tag,
            "around": f"{self.pos[start - 1] if start > first else '<s>'} {self.pos[end] if end < last else '</s>'}"
            if self.pos
            else "",
            "relation": relation,
            "governor": governor_lemma,
            "role": f"{relation} {governor_lemma}",
            "path": self._path(start, end),
            "gender": gender,
            "number": number,
            "animacy": animacy,
            "agree": f"{gender or '?'} {number or '?'} {animacy or '?'}",
            "entity": entity,
            "length": str(min(end - start, 8)),
            "place": f"{min(self.sentence_of[start], 3)} {_bucket(start - first)}",
            "modifier": lower[head - 1] if head > start and lower[head - 1] not in language.stopwords else "",
            "suffix": lower[head][-3:],
            "shape": f"{min(len(capitals), 3)}/{min(end - start, 3)}",
            "quoted": "quoted" if self.quotes[start] else "",
            "possessed": language.pronouns[lower[start]].base
            if end - start > 1 and lower[start] in language.possessive and lower[start] in language.pronouns
            else "",
            "_head": str(head),
            "_person": person if person in PERSONS else "3",
            "_string": " ".join(content) or " ".join(lower[start:end]),
            "_first_name": lower[start] if kind_of_word == "N" else "",
            "_initials": "".join(word[0] for word in capitals).lower() if len(capitals) > 1 else lower[head],
            "_governor": str(governor),
            "_sentence": str(self.sentence_of[start]),
            "_speaker": self.speakers[start],
            "_turn": str(self.turns[start]),
            "_quote": str(self.quotes[start]),
            "_said_by": str(self.said_by.get(self.quotes[start], -1)),
        }

    def content(self, start: int, end: int) -> list[int]:
        stop = self.language.stopwords
        return sorted(
            {code(word) for word in self.lower[start:end] if word not in stop and any(map(str.isalnum, word))}
        )

    def _type(self, start: int, end: int, head: int, is_pronoun: bool) -> str:
        if is_pronoun:
            return "P"
        if self.pos:
            if self.pos[head] in self.language.pronoun_tags and end - start == 1:
                return "P"
            return "N" if self.pos[head] in self.language.name_tags or self.pos[head] == "PROPN" else "C"
        return "N" if self.words[head][:1].isupper() and (end - start > 1 or start == head) else "C"

    def _kind(self, start: int, end: int, type_: str, base: str) -> str:
        if type_ == "P":
            return base
        language, first = self.language, self.lower[start]
        if type_ == "N":
            return "name" if first not in language.definite else "the name"
        if self.pos and self.pos[start].startswith("V"):
            return "verb"
        if end - start > 1:
            for kind in ("definite", "indefinite", "demonstrative", "possessive"):
                if first in getattr(language, kind):
                    return kind
            if first in language.quantifiers:
                return "quantified"
            if self.pos and self.pos[start] == "CD":
                return "counted"
            if "'s" in self.lower[start:end] or "’s" in self.lower[start:end]:
                return "genitive"
        return "bare"

    def _lemma(self, head: int) -> str:
        if self.lemmas:
            return self.lemmas[head].lower()
        word = self.lower[head]
        if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
            return word[:-3] + "y" if word.endswith("ies") else word[:-1]
        return word

    def _agreement(self, start: int, end: int, head: int, tag: str, entity: str, type_: str) -> tuple[str, str, str]:
        """Gender, number and animacy of a name or noun, from tags, entity type and lists."""
        language, lower = self.language, self.lower
        person = entity.upper() in ("PER", "PERSON")
        listed = ""
        # A title or first name tells more than a surname, a head noun more than its modifiers.
        order = [*range(start, end)] if type_ == "N" else [head, *range(start, head)]
        for token in order:
            word = lower[token]
            if type_ != "N" and token != head and word not in ("mr.", "mrs.", "male", "female"):
                continue
            listed = language.gender.get(word, "") or (self.gender_of.get(word, "") if token in (start, head) else "")
            if listed:
                break
        coordinated = any(lower[token] == "and" for token in range(start + 1, end - 1))
        plural_tag = tag in language.plural_tags or (not self.pos and lower[head] != self._lemma(head) and type_ == "C")
        number = "plural" if listed == "plural" or plural_tag or (coordinated and type_ != "C") else "singular"
        gender = listed if listed in ("male", "female", "neutral") else ""
        if person and gender == "neutral":
            gender = ""
        animacy = "animate" if person or gender in ("male", "female") else "inanimate" if gender == "neutral" else ""
        if entity and not person and entity.upper() not in ("ANIMAL",):
            animacy = "inanimate"
            gender = "" if number == "plural" else "neutral"
        return gender, number, animacy

    def _role(self, head: int, start: int, governor: int, before: str, after: str) -> tuple[str, str]:
        if self.relations and self.governors is not None:
            relation = self.relations[head]
            return relation, (
                self.lemmas[governor].lower() if self.lemmas else self.lower[governor]
            ) if governor >= 0 else ""
        # Without a parse the neighbours stand in: a verb tends to follow a subject, a preposition to precede an object.
        if after in ("'s", "’s", "'"):
            return "owner", before
        if before in self.language.prepositions:
            return "after preposition", before
        if before == "<s>" or before in ("and", "but", ",", '"', ";"):
            return "S-initial", after
        return "inside", before

    def _turns(self) -> list[int]:
        """Number of the speaker's turn of every token."""
        turns, turn = [0] * len(self.words), 0
        for token in range(1, len(self.words)):
            if self.speakers[token] != self.speakers[token - 1]:
                turn += 1
            turns[token] = turn
        return turns

    def _quotes(self) -> tuple[list[int], dict[int, int]]:
        """Number of the quotation around every token (0 outside), and the token that names its speaker where found."""
        quotes, number, inside = [0] * len(self.words), 0, False
        ranges: list[tuple[int, int, int]] = []
        begun = 0
        for token, word in enumerate(self.words):
            opening = word in ("``", "“") or (word == '"' and not inside)
            closing = word in ("''", "”") or (word == '"' and inside)
            if opening and not inside:
                inside, number, begun = True, number + 1, token
            elif closing and inside:
                inside = False
                ranges.append((number, begun, token))
            elif inside:
                quotes[token] = number
        if inside:
            # A quotation that never closes would swallow the rest of the document.
            for token in range(begun, len(self.words)):
                quotes[token] = 0
        return quotes, self._speakers_of(ranges)

    def _speakers_of(self, ranges: list[tuple[int, int, int]]) -> dict[int, int]:
        said_by: dict[int, int] = {}
        verbs = self.language.speech_verbs
        for number, begun, ended in ranges:
            # "..." said Tom / "..." he said; else Tom said, "..."
            for token in range(ended + 1, min(ended + 6, len(self.lower))):
                if self.lower[token] in verbs:
                    said_by[number] = token - 1 if token > ended + 1 and self.lower[token - 1].isalpha() else token + 1
                    break
                if self.words[token] in ('"', "``", "“", "."):
                    break
            else:
                continue
            if number in said_by:
                continue
            for token in range(begun - 1, max(begun - 7, -1), -1):
                if self.lower[token] in verbs:
                    said_by[number] = token - 1
                    break
                if self.words[token] in (".", '"', "''", "”"):
                    break
        return said_by

    def _paths(self, document: Document) -> tuple[dict[TokenSpan, str], dict[int, str]]:
        """Labels from a constituent up to the nearest S, by span, and by start for spans that are no constituent."""
        tree = constituents(document)
        by_span: dict[TokenSpan, str] = {}
        by_start: dict[int, str] = {}
        for node in tree:
            labels: list[str] = []
            at = node
            while at.parent >= 0 and len(labels) < 6:
                labels.append(at.label)
                if at.label in ("S", "SBAR", "SINV", "SQ", "TOP"):
                    break
                at = tree[at.parent]
            path = ">".join(labels)
            by_span.setdefault((node.start, node.end), path)
            by_start[node.start] = path
        return by_span, by_start

    def _path(self, start: int, end: int) -> str:
        return self.paths.get((start, end)) or self.starts_path.get(start, "")


def _usable(column: Sequence[object] | None) -> list[str] | None:
    if column is None or all(value in ("-", "_", None, "*") for value in column):
        return None
    return [str(value) for value in column]


def _entity_types(column: Sequence[object] | None) -> dict[tuple[int, ...], str]:
    """Entity type by span and by each token in it."""
    types: dict[tuple[int, ...], str] = {}
    if column is None:
        return types
    start, label = -1, ""
    for token, bits in enumerate(column):
        if not isinstance(bits, str):
            continue
        if bits.startswith("("):
            start, label = token, bits.strip("()*")
        if start >= 0:
            types[(token,)] = label
        if bits.endswith(")") and start >= 0:
            types[start, token + 1] = label
            start = -1
    return types


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
    """Spans come in order, so those around a mention are among the ones before it."""
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


def _bucket(n: int) -> str:
    return str(n) if n < 3 else "3-5" if n < 6 else "6-11" if n < 12 else "12+"
