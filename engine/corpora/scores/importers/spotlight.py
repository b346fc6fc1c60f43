"""DBpedia Spotlight, /candidates: {"id", "annotation": {"@text", "surfaceForm": [{"@name", "@offset", "resource"}]}}.

`@finalScore` is a softmax over all candidates and NIL. Candidates below NIL are taken away before it is written, so
what is missing from 1 is declining, if the service was asked with confidence=0 and support=0. Numbers are strings; one
surface form, or one resource, stands for a list of one. Offsets count UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora.io.names import from_name, from_uri, is_uri
from engine.corpora.io.utf16 import Utf16
from engine.corpora.records.fields import expect, required
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, records
from engine.corpora.scores.parts import Json
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "DBpedia Spotlight"
FOR: Final = ("linking", "disambiguation")
WANTS: Final = ""
ASKS: Final[tuple[Question, ...]] = ()


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    for line, record in records(path):
        with placed(path, line):
            id = required(expect(record, dict, "the line"), "id", str)
            annotation = required(record, "annotation", dict)
            text = required(annotation, "@text", str, "annotation.")
            units = Utf16(text) if text else None
            parts = [
                part
                for i, form in enumerate(_several(annotation.get("surfaceForm")))
                for part in _parts(expect(form, dict, f"surfaceForm[{i}]"), f"surfaceForm[{i}].", units, asked)
            ]
            yield Imported(Document(id, text), parts, "prob", "all")


def _parts(form: Json, where: str, units: Utf16 | None, asked: Asked) -> list[Json]:
    name = required(form, "@name", str, where)
    start = None if units is None else units.to_points(int(_number(form, "@offset", where)))
    if start is None:
        raise InputError("lies outside the text", field=where + "@offset")
    found: dict[str, float] = {}
    for i, resource in enumerate(_several(form.get("resource"))):
        inside = f"{where}resource[{i}]."
        uri = required(expect(resource, dict, inside[:-1]), "@uri", str, inside)
        entity = asked.name(from_uri(uri) if is_uri(uri) else from_name(uri))
        found[entity] = max(found.get(entity, 0.0), _number(resource, "@finalScore", inside))
    place: Json = {"start": start, "end": start + len(name), "text": name}
    left = max(0.0, 1.0 - sum(found.values()))
    return [
        {**place, "entity": None, "score": left},
        *({**place, "entity": entity, "score": score} for entity, score in found.items()),
    ]


def _several(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _number(item: Json, name: str, where: str) -> float:
    value = item.get(name)
    try:
        return float(value) if isinstance(value, str) else float(expect(value, float, where + name))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"expected a number, found {str(value)[:40]!r}", field=where + name) from None
