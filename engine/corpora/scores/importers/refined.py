"""ReFinED: {"id", "text", "spans": [{"start", "ln", "text", "top_k_predicted_entities": [["Q220", 0.97], ...]}]}.

The numbers are a softmax over all candidates and none of the above, which has no id (null). They are rounded to four
decimals, so 0 and 1 are taken to be half a unit away. Entities are Wikidata ids; `--names` gives the data's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora.records.fields import expect, optional, required
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, records
from engine.corpora.scores.parts import Json
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "ReFinED"
FOR: Final = ("linking", "disambiguation")
WANTS: Final = ""
ASKS: Final[tuple[Question, ...]] = ()

ROUNDED: Final = 5e-5
"""Half of the last decimal."""


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    for line, record in records(path):
        with placed(path, line):
            expect(record, dict, "the line")
            document = Document(required(record, "id", str), required(record, "text", str))
            parts = [
                part
                for i, span in enumerate(required(record, "spans", list))
                for part in _parts(expect(span, dict, f"spans[{i}]"), f"spans[{i}].", asked)
            ]
        yield Imported(document, parts, "prob", "all")


def _parts(span: Json, where: str, asked: Asked) -> list[Json]:
    start = required(span, "start", int, where)
    place: Json = {"start": start, "end": start + required(span, "ln", int, where)}
    surface = optional(span, "text", str, where)
    if surface is not None:
        place["text"] = surface
    found: dict[str | None, float] = {}
    for i, item in enumerate(required(span, "top_k_predicted_entities", list, where)):
        field = f"{where}top_k_predicted_entities[{i}]"
        if not isinstance(item, list) or len(item) != 2:
            raise InputError("expected an entity and its probability", field=field)
        entity = _entity(item[0], field, asked)
        found[entity] = found.get(entity, 0.0) + expect(item[1], float, field)
    found.setdefault(None, max(0.0, 1.0 - sum(found.values())))
    return [
        {**place, "entity": entity, "score": min(max(score, ROUNDED), 1.0 - ROUNDED) if score <= 1.0 else score}
        for entity, score in found.items()
    ]


def _entity(item: Any, field: str, asked: Asked) -> str | None:
    """A Wikidata id, or the entity as ReFinED's own object has it; None is none of the above."""
    if isinstance(item, dict):
        item = item.get("wikidata_entity_id")
    if item is None or item == "":
        return None
    return asked.name(expect(item, str, field))
