"""DyGIE++: {"doc_key", "sentences", "predicted_ner": [[[0, 1, "PER", 8.1, 0.99]]], "predicted_relations": [...]}.

Per sentence its decisions, each with logit and softmax; the logit of none is fixed at 0, and only what was chosen is
written. Tokens count over the document, ends inclusive. Every sentence becomes a record, with gold where the file has
it; a document of one sentence keeps its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from engine.corpora.records.fields import expect, optional, required, words_of
from engine.corpora.scores.importers.glirel import characters
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, records
from engine.corpora.scores.parts import Json
from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.data.errors import InputError

TITLE: Final = "DyGIE++"
FOR: Final = ("joint",)
WANTS: Final = ""
ASKS: Final[tuple[Question, ...]] = ()


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    for line, record in records(path):
        with placed(path, line):
            yield from _sentences(expect(record, dict, "the line"))


def _sentences(record: Json) -> Iterator[Imported]:
    key, before = required(record, "doc_key", str), 0
    sentences = required(record, "sentences", list)
    for s, tokens in enumerate(sentences):
        words = words_of(tokens, f"sentences[{s}]")
        document = Document.from_words(key if len(sentences) == 1 else f"{key}.{s}", [words], shape="sentence")
        parts: list[Json] = []
        for where, row in _rows(record, "predicted_ner", s, 4):
            span = _span(document, row[0], row[1], before, where)
            parts.append({"entity": span, "type": expect(row[2], str, where), "score": expect(row[3], float, where)})
        for where, row in _rows(record, "predicted_relations", s, 6):
            head, tail = _span(document, row[0], row[1], before, where), _span(document, row[2], row[3], before, where)
            label, score = expect(row[4], str, where), expect(row[5], float, where)
            parts.append({"head": head, "tail": tail, "type": label, "score": score})
        gold = replace(document, layers={GOLD: _gold(record, document, s, before)})
        yield Imported(gold, parts, "logit", "argmax")
        before += len(words)


def _gold(record: Json, document: Document, s: int, before: int) -> Layer:
    mentions: list[Mention] = []
    for where, row in _rows(record, "ner", s, 3):
        start, end = _span(document, row[0], row[1], before, where)
        mentions.append(Mention(start, end, type=expect(row[2], str, where)))
    place = {mention.span: i for i, mention in enumerate(mentions)}
    relations: list[Relation] = []
    for where, row in _rows(record, "relations", s, 5):
        sides = (tuple(_span(document, row[k], row[k + 1], before, where)) for k in (0, 2))
        head, tail = (place.get((side[0], side[1])) for side in sides)
        if head is None or tail is None:
            raise InputError("a relation has an end that is not an entity", field=where)
        relations.append(Relation(head, tail, expect(row[4], str, where)))
    return Layer(tuple(mentions), relations=tuple(relations))


def _rows(record: Json, name: str, s: int, columns: int) -> Iterator[tuple[str, list[Any]]]:
    """The rows of a sentence, each with at least so many columns."""
    sentences = optional(record, name, list) or []
    if s >= len(sentences):
        return
    for i, row in enumerate(expect(sentences[s], list, f"{name}[{s}]")):
        where = f"{name}[{s}][{i}]"
        if len(expect(row, list, where)) < columns:
            raise InputError(f"expected {columns} values, found {len(row)}", field=where)
        yield where, row


def _span(document: Document, first: Any, last: Any, before: int, where: str) -> list[int]:
    """Tokens of the document, the last inclusive, as characters of the sentence."""
    return characters(document, expect(first, int, where) - before, expect(last, int, where) - before + 1, where)
