"""OpenNRE, bag level: {"entpair": ["Q1", "Q2"], "relation": "P19", "score": 0.8}, one row per pair and relation.

The numbers are a softmax over all relations and NA, which is not written: what is missing from 1 is declining. Older
files have "entpair": "Q1#Q2". A row belongs to the bag of the data with the same two entities.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora.io.aside import Aside
from engine.corpora.records.fields import expect, list_of, required
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, records
from engine.corpora.scores.parts import Json
from engine.data.document import Bag
from engine.data.errors import InputError

TITLE: Final = "OpenNRE"
FOR: Final = ("distant",)
WANTS: Final = "the bags"
ASKS: Final[tuple[Question, ...]] = ()


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    # Rows come in the order of their scores, so those of a pair are found together only at the end.
    rows = Aside()
    for line, record in records(path):
        with placed(path, line):
            pair = _pair(expect(record, dict, "the line").get("entpair"))
            relation, score = required(record, "relation", str), required(record, "score", float)
            rows.keep(json.dumps(pair), json.dumps([line, relation, score]))
    for document in asked.stream():
        bag = document.bag
        said = [] if bag is None else rows.take(json.dumps([bag.first, bag.second]))
        if bag is not None and said:
            yield Imported(document, parts_of(_scores(bag, said, path)), "prob", "all")
    asked.skipped += len(rows)


def _scores(bag: Bag, rows: list[str], path: Path) -> dict[str, float]:
    found: dict[str, float] = {}
    for line, relation, score in map(json.loads, rows):
        if relation in found:
            what = f"{relation!r} of {bag.first} and {bag.second} occurs twice"
            raise InputError(what, file=path, line=line, field="relation")
        found[relation] = score
    return found


def parts_of(scores: dict[str, float]) -> list[Json]:
    """A softmax whose NA is what is missing from 1."""
    left = max(0.0, 1.0 - sum(scores.values()))
    return [
        {"relation": None, "score": left},
        *({"relation": relation, "score": score} for relation, score in scores.items()),
    ]


def _pair(value: Any) -> tuple[str, str]:
    names = value.split("#") if isinstance(value, str) else list_of(value, str, "entpair")
    if len(names) != 2:
        raise InputError("expected two entities", field="entpair")
    return names[0], names[1]
