"""Local features: how a mention and its document's words fit a candidate, one row per candidate.

Counts come from `knowledge` with the document itself left out in training. The mention type is that of the corpus (gold
types in AIDA-CoNLL, which are better than a tagger's). Yang, Irsoy and Rahman 2018, section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from engine.arrays import Array, Ints, Singles
from engine.features.disambiguation.knowledge import KEYS, Knowledge, keys_of, rates
from engine.features.disambiguation.strings import FUNCTION_WORDS, SIMILARITIES, WORD, similarity, take_apart
from engine.features.disambiguation.table import ENTITY_TYPES, NER_TYPES, Table
from engine.kernels import kernel


@dataclass(frozen=True)
class Named:
    """A column: its name, the group the app lists it under, and what it means."""

    name: str
    group: str
    help: str


PRIOR: Final = "prior"
"""The column that holds p(entity | name)."""

_KEY_WORDS: Final = {
    "link": "this surface with this entity",
    "expanded": "the expanded surface with this entity",
    "entity": "this entity",
    "pattern": "this mention type with this title pattern",
    "shape": "this mention type and place with this form of title and entity type",
    "tail": "this mention type with this last word of the title",
    "type": "this mention type with this entity type",
    "kind": "this mention type with this description",
    "fit": "this mention type with what the title adds to the mention, and whether the document has it,",
}


def local_features(table: Table, knowledge: Knowledge, weights: Singles) -> tuple[list[Named], Singles]:
    """Names and values of all local columns."""
    columns = _Columns(table)
    _counted(columns, table, knowledge, weights)
    _told(columns, table, knowledge)
    _document(columns, table)
    _place(columns, table)
    _size(columns, table)
    return columns.names, columns.matrix()


def portable_features(table: Table, knowledge: Knowledge) -> tuple[list[Named], Singles]:
    """The columns whose meaning does not change with the corpus: no rates in training, no place in the document."""
    columns = _Columns(table)
    _told(columns, table, knowledge)
    _document(columns, table)
    return columns.names, columns.matrix()


def _told(columns: _Columns, table: Table, knowledge: Knowledge) -> None:
    """The features of mention, candidate and words that need no training."""
    _popular(columns, table)
    _typed(columns, table)
    _strings(columns, table)
    _context(columns, table, knowledge)


class _Columns:
    def __init__(self, table: Table) -> None:
        self.names: list[Named] = []
        self.values: list[Singles] = []
        self.offsets = table.row_offsets

    def add(self, name: str, group: str, help: str, values: Array, *, compare: bool = False) -> None:
        """Add one column; with `compare`, also its lead over the best other candidate of the mention."""
        column = np.ascontiguousarray(values, dtype=np.float32)
        self.names.append(Named(name, group, help))
        self.values.append(column)
        if compare:
            self.names.append(Named(f"{name}, lead", group, f"{help} Lead over the mention's best other candidate."))
            self.values.append(lead(column, self.offsets))

    def matrix(self) -> Singles:
        return np.stack(self.values, axis=1)


def _counted(columns: _Columns, table: Table, knowledge: Knowledge, weights: Singles) -> None:
    keys = keys_of(table, knowledge.descriptions)
    for kind in KEYS:
        what = _KEY_WORDS[kind]
        counted = rates(table, knowledge, keys[kind], kind, weights)
        offered, right, near_offered, near_right, highest, sharp_offered, sharp_right = counted.T
        smooth = 0.5 if kind in ("link", "expanded") else 2.0
        columns.add(
            f"{kind} rate",
            "prior",
            f"How often {what} was right in training.",
            (right + smooth * 0.1) / (offered + smooth),
            compare=True,
        )
        columns.add(
            f"{kind} offered", "prior", f"How often {what} was a candidate in training (log).", np.log1p(offered)
        )
        if kind != "type":
            columns.add(f"{kind} right", "prior", f"How often {what} was right (log count).", np.log1p(right))
        if kind in ("link", "entity"):
            columns.add(
                f"{kind} nearest",
                "context",
                f"Word similarity of the nearest training document in which {what} was right.",
                highest,
                compare=True,
            )
        near_smooth = 0.02
        columns.add(
            f"{kind} rate nearby",
            "context",
            f"How often {what} was right in training documents like this one.",
            (near_right + near_smooth * 0.1) / (near_offered + near_smooth),
            compare=True,
        )

        if kind in ("link", "pattern", "shape"):
            columns.add(
                f"{kind} rate nearest",
                "context",
                f"How often {what} was right in the training documents most like this one.",
                (sharp_right + 1e-4) / (sharp_offered + 1e-3),
                compare=True,
            )


def _popular(columns: _Columns, table: Table) -> None:
    columns.add(
        "in-links", "popularity", "Links to the entity's article (log).", np.log1p(table.in_count), compare=True
    )
    columns.add("out-links", "popularity", "Links from the entity's article (log).", np.log1p(table.out_count))
    columns.add("popularity", "popularity", "Popularity score of the candidate source.", table.popularity, compare=True)
    columns.add(
        "in-link share", "popularity", "Share of the candidates' in-links.", shares(table.in_count, table.row_offsets)
    )
    columns.add(PRIOR, "prior", "Averaged prior of the lexicon's sources.", table.priors, compare=True)


def _typed(columns: _Columns, table: Table) -> None:
    mention = table.mention_of_row()
    ner = table.ner[mention]
    for code, name in enumerate(NER_TYPES):
        columns.add(f"mention is {name}", "type", f"The mention has the type {name}.", ner == code)
    for code, name in enumerate(ENTITY_TYPES):
        columns.add(f"entity is {name}", "type", f"The candidate has the type {name}.", table.type == code)
    columns.add("candidates", "type", "Number of candidates of the mention.", np.diff(table.row_offsets)[mention])


def _strings(columns: _Columns, table: Table) -> None:
    mention = table.mention_of_row()
    for source, texts in (("surface", table.surfaces), ("expanded", table.expanded)):
        names = tuple(texts[m] for m in mention)
        cells = _numbers(texts)[mention] * len(table.titles) + table.entity
        rows = _once(cells, partial(_similar, names, table), len(SIMILARITIES))
        for i, (name, help) in enumerate(SIMILARITIES):
            if source == "expanded" and i >= 7:
                continue
            columns.add(f"{name}, {source}", "string", help, rows[:, i], compare=name == "letters")


def _similar(names: Sequence[str], table: Table, row: int) -> tuple[float, ...]:
    return similarity(names[row], table.titles[table.entity[row]])


def _numbers(texts: Sequence[str]) -> Ints:
    index: dict[str, int] = {}
    return np.array([index.setdefault(text, len(index)) for text in texts], dtype=np.int64)


def _once(cells: Ints, values: Callable[[int], tuple[float, ...]], width: int) -> Singles:
    """`values` (`width` numbers) of every row, computed only once for each distinct cell."""
    _, first, inverse = np.unique(cells, return_index=True, return_inverse=True)
    found = [values(int(row)) for row in first]
    return np.array(found, dtype=np.float32).reshape(len(first), width)[inverse]


def _context(columns: _Columns, table: Table, knowledge: Knowledge) -> None:
    """Features of the words of the title (and description) that the document has but the mention does not."""
    mention = table.mention_of_row()
    document = table.document_of_mention()[mention]
    idf = {word: float(knowledge.idf[i]) for word, i in knowledge.vocabulary.items()}
    rare = float(knowledge.idf.max()) if len(knowledge.idf) else 1.0
    titles = [[w for w in take_apart(t).all_words if w not in FUNCTION_WORDS] for t in table.titles]
    described = [
        [w for w in WORD.findall(knowledge.descriptions.get(t, "").lower()) if w not in FUNCTION_WORDS]
        for t in table.titles
    ]
    mention_words = [
        set(WORD.findall(text)) | set(WORD.findall(surface))
        for text, surface in zip(table.expanded, table.surfaces, strict=True)
    ]

    def values(row: int) -> tuple[float, ...]:
        entity, own, bow = int(table.entity[row]), mention_words[mention[row]], table.bows[document[row]]
        left = [w for w in titles[entity] if w not in own]
        present = [w for w in left if w in bow]
        said = [w for w in described[entity] if w in bow and w not in own]
        return (
            float(len(left)),
            len(present) / len(left) if left else 1.0,
            sum(idf.get(w, rare) for w in present),
            len(said) / len(described[entity]) if described[entity] else -1.0,
            sum(idf.get(w, rare) for w in said) if described[entity] else -1.0,
        )

    names = [f"{text}\t{surface}" for text, surface in zip(table.expanded, table.surfaces, strict=True)]
    cells = (_numbers(names)[mention] * table.n_documents + document) * len(table.titles) + table.entity
    found = _once(cells, values, 5)
    columns.add("title words left", "context", "Words of the title that the mention does not have.", found[:, 0])
    columns.add(
        "title words found", "context", "Share of those words that the document has.", found[:, 1], compare=True
    )
    columns.add(
        "title words weight", "context", "Weight (idf) of those that the document has.", found[:, 2], compare=True
    )
    columns.add("description found", "context", "Share of the description's words that the document has.", found[:, 3])
    columns.add("description weight", "context", "Weight (idf) of those words.", found[:, 4], compare=True)


def _document(columns: _Columns, table: Table) -> None:
    """Features of other occurrences of the candidate's and the mention's name in the document, without any
    decisions."""
    mention = table.mention_of_row()
    other = np.zeros((table.n_rows, 4), dtype=np.float32)
    for d in range(table.n_documents):
        first, last = table.document_offsets[d], table.document_offsets[d + 1]
        names = [*table.surfaces[first:last], *table.expanded[first:last]]
        known = set(names)
        same: dict[str, int] = {}
        for name in table.surfaces[first:last]:
            same[name] = same.get(name, 0) + 1
        offered: dict[int, int] = {}
        rows = range(int(table.row_offsets[first]), int(table.row_offsets[last]))
        for row in rows:
            offered[int(table.entity[row])] = offered.get(int(table.entity[row]), 0) + 1
        for row in rows:
            m = int(mention[row])
            title = take_apart(table.titles[table.entity[row]])
            own = table.surfaces[m]
            other[row, 0] = title.base != own and title.base in known
            other[row, 1] = bool(title.suffix) and title.suffix in known
            other[row, 2] = offered[int(table.entity[row])] - same[own]
            other[row, 3] = same[own]
    columns.add("title elsewhere", "context", "Another mention of the document is this title.", other[:, 0])
    columns.add("suffix elsewhere", "context", "Another mention is the title's comma part.", other[:, 1])
    columns.add(
        "offered elsewhere",
        "context",
        "Mentions of other surfaces that have this candidate.",
        other[:, 2],
        compare=True,
    )
    columns.add("repeated", "context", "Mentions of the document with the same surface.", other[:, 3])


def _size(columns: _Columns, table: Table) -> None:
    mention = table.mention_of_row()
    size = np.diff(table.document_offsets)[table.document_of_mention()][mention]
    columns.add("mentions", "context", "Mentions in the document (log).", np.log1p(size))


def _place(columns: _Columns, table: Table) -> None:
    """Features of the mention's position: tables of results and datelines use names in their own way."""
    mention = table.mention_of_row()
    document = table.document_of_mention()
    sentence = table.sentences
    columns.add(
        "sentence", "place", "Sentence of the mention, up to 10; -1 if unknown.", np.minimum(sentence, 10)[mention]
    )
    columns.add("capitals", "place", "The mention is written in capitals.", table.upper[mention])
    number = np.arange(table.n_mentions) - table.document_offsets[document]
    columns.add("number", "place", "How many mentions stand before it (log).", np.log1p(number)[mention])
    before = np.full(table.n_mentions, 50)
    after = np.full(table.n_mentions, 50)
    same = document[1:] == document[:-1]
    gap = np.clip(table.token_starts[1:] - table.token_ends[:-1], 0, 50)
    before[1:][same] = gap[same]
    after[:-1][same] = gap[same]
    columns.add("gap before", "place", "Tokens between the previous mention and this one, up to 50.", before[mention])
    columns.add("gap after", "place", "Tokens between this mention and the next, up to 50.", after[mention])
    spot = document * (sentence.max(initial=0) + 2) + sentence + 1
    _, inverse, counts = np.unique(spot, return_inverse=True, return_counts=True)
    columns.add("in sentence", "place", "Mentions in the same sentence.", counts[inverse][mention])
    type_before = np.full(table.n_mentions, len(NER_TYPES))
    type_after = np.full(table.n_mentions, len(NER_TYPES))
    type_before[1:][same] = table.ner[:-1][same]
    type_after[:-1][same] = table.ner[1:][same]
    columns.add("type before", "place", "Type of the previous mention (as a number).", type_before[mention])
    columns.add("type after", "place", "Type of the next mention (as a number).", type_after[mention])


@kernel
def lead(values: Singles, offsets: Ints) -> Singles:
    """Each value minus the largest other value of its group; 0 in a group of one."""
    out = np.zeros_like(values)
    for g in range(len(offsets) - 1):
        first, last = offsets[g], offsets[g + 1]
        if last - first < 2:
            continue
        best = -np.inf
        second = -np.inf
        at = -1
        for i in range(first, last):
            if values[i] > best:
                second = best
                best = values[i]
                at = i
            elif values[i] > second:
                second = values[i]
        for i in range(first, last):
            out[i] = values[i] - (second if i == at else best)
    return out


@kernel
def shares(values: Singles, offsets: Ints) -> Singles:
    """Each value over the sum of its group."""
    out = np.zeros_like(values)
    for g in range(len(offsets) - 1):
        total = 0.0
        for i in range(offsets[g], offsets[g + 1]):
            total += values[i]
        if total > 0:
            for i in range(offsets[g], offsets[g + 1]):
                out[i] = values[i] / total
    return out
