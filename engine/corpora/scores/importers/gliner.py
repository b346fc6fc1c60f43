"""GLiNER: {"id", "text", "entities": [{"start", "end", "text", "label", "score", "class_probs"}], "relations": [...]}.

Sigmoids: every label stands alone against not being given. With `return_class_probs=True` an entity lists the best
five labels; with `multi_label=True` a span comes once per label. Models for relations add "relations": [{"head":
{"start", "end"}, "tail": {"start", "end"}, "relation", "score"}].
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora.records.fields import expect, optional, required
from engine.corpora.records.offsets import check_surface
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, records
from engine.corpora.scores.parts import Json
from engine.data.document import Document

TITLE: Final = "GLiNER"
FOR: Final = ("joint",)
WANTS: Final = ""
ASKS: Final[tuple[Question, ...]] = ()


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    for line, record in records(path):
        with placed(path, line):
            expect(record, dict, "the line")
            document = Document(required(record, "id", str), required(record, "text", str))
            yield Imported(document, [*_types(record, document.text), *_relations(record)], "prob", "top-k")


def _types(record: Json, text: str) -> Iterator[Json]:
    """Every label of a span once, with its highest score."""
    found: dict[tuple[int, int], dict[str, float]] = {}
    for i, item in enumerate(required(record, "entities", list)):
        where = f"entities[{i}]."
        span = _span(expect(item, dict, f"entities[{i}]"), where)
        surface = optional(item, "text", str, where)
        if surface is not None:
            check_surface(text, span, surface, where + "text")
        scores = {required(item, "label", str, where): required(item, "score", float, where)}
        for label, score in (optional(item, "class_probs", dict, where) or {}).items():
            scores[label] = max(expect(score, float, f"{where}class_probs.{label}"), scores.get(label, 0.0))
        known = found.setdefault(span, {})
        for label, score in scores.items():
            known[label] = max(score, known.get(label, 0.0))
    for span, scores in found.items():
        for label, score in scores.items():
            yield {"entity": list(span), "type": label, "score": score}


def _relations(record: Json) -> Iterator[Json]:
    for i, item in enumerate(optional(record, "relations", list) or ()):
        where = f"relations[{i}]."
        expect(item, dict, f"relations[{i}]")
        sides = {side: list(_span(required(item, side, dict, where), f"{where}{side}.")) for side in ("head", "tail")}
        label: Any = required(item, "relation", str, where)
        yield {**sides, "type": label, "score": required(item, "score", float, where)}


def _span(item: Json, where: str) -> tuple[int, int]:
    return required(item, "start", int, where), required(item, "end", int, where)
