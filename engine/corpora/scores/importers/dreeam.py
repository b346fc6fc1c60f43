"""DREEAM on DocRED: [{"title", "h_idx", "t_idx", "r", "evidence", "score"}], with DocRED's own file as the data.

Scores are logits relative to those of NA, of the best few relations of a pair. The records that are written hold bags
too, with gold: one for every pair that has a score or a relation, with the sentences that mention both entities, or
the first sentence of the first where none does. So the file that is written is scores and data in one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

from engine.corpora.formats import jsonl
from engine.corpora.io import whole_json
from engine.corpora.io.aside import Aside
from engine.corpora.records.fields import expect, optional, required
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, records
from engine.corpora.scores.parts import Json
from engine.data.errors import InputError

TITLE: Final = "DREEAM"
FOR: Final = ("distant",)
WANTS: Final = "DocRED's file of documents"
ASKS: Final[tuple[Question, ...]] = ()

Pair: TypeAlias = tuple[int, int]


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    rows = Aside()
    for line, row in records(path):
        with placed(path, line):
            expect(row, dict, "the line")
            pair = required(row, "h_idx", int), required(row, "t_idx", int)
            said = [*pair, required(row, "r", str), required(row, "score", float)]
            rows.keep(required(row, "title", str), json.dumps(said))
    for source in asked.data:
        for position, item in enumerate(expect(whole_json.load(source), list, "the file")):
            with placed(source, None):
                scores: dict[Pair, dict[str, float]] = {}
                expect(item, dict, f"[{position}]")
                for first, second, relation, score in map(json.loads, rows.take(str(item.get("title")))):
                    scores.setdefault((first, second), {})[relation] = score
                yield from _bags(item, scores)
    asked.skipped += len(rows)


def _bags(item: Json, scores: dict[Pair, dict[str, float]]) -> Iterator[Imported]:
    entities = [expect(one, list, "vertexSet") for one in required(item, "vertexSet", list)]
    labels: dict[Pair, list[str]] = {}
    for label in optional(item, "labels", list) or ():
        labels.setdefault((required(label, "h", int), required(label, "t", int)), []).append(required(label, "r", str))
    for pair in dict.fromkeys([*labels, *scores]):
        if not all(0 <= side < len(entities) for side in pair):
            raise InputError(f"a pair names entity {max(pair)}, but there are {len(entities)}", field="vertexSet")
        record = {
            "id": f"{required(item, 'title', str)}#{pair[0]}#{pair[1]}",
            "e1": _name(entities[pair[0]]),
            "e2": _name(entities[pair[1]]),
            "relations": labels.get(pair, []),
            "mentions": list(_members(item, entities[pair[0]], entities[pair[1]])),
        }
        parts = [{"relation": relation, "score": score} for relation, score in scores.get(pair, {}).items()]
        yield Imported(jsonl.document(record), parts, "logit", "top-k")


def _members(item: Json, heads: list[Any], tails: list[Any]) -> Iterator[Json]:
    """The sentences that mention both."""
    sentences = required(item, "sents", list)
    first, second = _by_sentence(heads), _by_sentence(tails)
    shared = sorted(set(first) & set(second)) or sorted(first)[:1]
    for number in shared:
        if not 0 <= number < len(sentences):
            raise InputError(f"a mention is in sentence {number}, but there are {len(sentences)}", field="vertexSet")
        yield {
            "sid": f"s{number}",
            "tokens": sentences[number],
            "e1": first[number],
            "e2": second.get(number),
        }


def _by_sentence(mentions: list[Any]) -> dict[int, list[int]]:
    """Sentence -> the tokens of the first mention in it."""
    found: dict[int, list[int]] = {}
    for mention in mentions:
        expect(mention, dict, "vertexSet")
        found.setdefault(required(mention, "sent_id", int), required(mention, "pos", list))
    return found


def _name(mentions: list[Any]) -> str:
    if not mentions:
        raise InputError("an entity has no mention", field="vertexSet")
    name: str = required(expect(mentions[0], dict, "vertexSet"), "name", str)
    return name
