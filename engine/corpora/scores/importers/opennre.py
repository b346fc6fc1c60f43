"""OpenNRE, bag level: {"entpair": ["Q1", "Q2"], "relation": "P19", "score": 0.8}, one row per pair and relation.

The numbers are a softmax over all relations and NA, which is not written: what is missing from 1 is declining. Older
files have "entpair": "Q1#Q2". A row belongs to the bag of the data with the same two entities.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora.records.fields import expect, list_of, required
from engine.corpora.scores.importers.reading import Asked, Imported, placed, records
from engine.corpora.scores.parts import Json
from engine.data.errors import InputError

TITLE: Final = "OpenNRE"
FOR: Final = ("distant",)
WANTS: Final = "the bags"


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    found: dict[tuple[str, str], dict[str, float]] = {}
    for line, record in records(path):
        with placed(path, line):
            pair = _pair(expect(record, dict, "the line").get("entpair"))
            relation, score = required(record, "relation", str), required(record, "score", float)
            if relation in found.setdefault(pair, {}):
                raise InputError(f"{relation!r} of {' and '.join(pair)} comes twice", field="relation")
            found[pair][relation] = score
    for document in asked.documents.values():
        bag = document.bag
        if bag is not None and (bag.first, bag.second) in found:
            yield Imported(document, parts_of(found.pop((bag.first, bag.second))), "prob", "all")
    asked.skipped += len(found)


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
