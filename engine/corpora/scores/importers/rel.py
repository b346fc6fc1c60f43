"""REL: {"ID": [{"pos", "end_pos", "mention", "candidates": [titles], "scores": ["1.2", ...]}, ...]}, as JSON.

What `EntityDisambiguation.predict()` returns, with the places that mention detection knows ("pos" and "end_pos", or
"start" and "end", in characters of the text). Scores are the ranker's own, as strings: at most seven per mention,
filled up with #UNK#. Nothing scores declining.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from engine.corpora.io import whole_json
from engine.corpora.io.names import from_name
from engine.corpora.records.fields import expect, list_of, optional, required
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, plain
from engine.corpora.scores.parts import Json
from engine.data.errors import InputError

TITLE: Final = "REL"
FOR: Final = ("linking", "disambiguation")
WANTS: Final = "the documents"
ASKS: Final[tuple[Question, ...]] = ()

PADDING: Final = "#UNK#"


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    with placed(path, None):
        whole = expect(whole_json.load(path), dict, "the file")
        for id, mentions in whole.items():
            document = asked.find(id)
            if document is None:
                continue
            parts: dict[tuple[int, int, str], Json] = {}
            for i, item in enumerate(expect(mentions, list, id)):
                for part in _parts(expect(item, dict, f"{id}[{i}]"), f"{id}[{i}].", asked):
                    parts.setdefault((part["start"], part["end"], part["entity"]), part)
            yield Imported(plain(document), list(parts.values()), "margin", "top-k")


def _parts(item: Json, where: str, asked: Asked) -> Iterator[Json]:
    first, last = ("pos", "end_pos") if "pos" in item else ("start", "end")
    place: Json = {"start": required(item, first, int, where), "end": required(item, last, int, where)}
    surface = optional(item, "mention", str, where)
    if surface is not None:
        place["text"] = surface
    titles = list_of(required(item, "candidates", list, where), str, where + "candidates")
    scores = required(item, "scores", list, where)
    if len(titles) != len(scores):
        raise InputError(f"{len(scores)} scores for {len(titles)} candidates", field=where + "scores")
    for i, (title, score) in enumerate(zip(titles, scores, strict=True)):
        if title != PADDING:
            entity = asked.name(from_name(title))
            yield {**place, "entity": entity, "score": _number(score, f"{where}scores[{i}]")}


def _number(value: Any, field: str) -> float:
    try:
        return float(value) if isinstance(value, str) else float(expect(value, float, field))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"expected a number, found {value[:40]!r}", field=field) from None
