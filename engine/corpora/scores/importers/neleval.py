"""neleval with several candidates: document, start, end (inclusive), then entity, score, type for each candidate.

Ids that begin with NIL are declining. The numbers may be anything: say what with `--scale` (margin, if nothing is
said). Texts come from `--data`, or from x.texts.jsonl beside the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engine.corpora.formats.rows import neleval
from engine.corpora.io import texts
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, plain
from engine.corpora.scores.parts import Json
from engine.data.document import NIL, Document, Mention
from engine.data.errors import InputError

TITLE: Final = "neleval"
FOR: Final = ("linking", "disambiguation")
WANTS: Final = ""
ASKS: Final[tuple[Question, ...]] = ("scale",)


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    if not asked.data and texts.beside(path) is None:
        raise InputError("has no texts; name the documents with --data", file=path)
    for found in neleval.read(path):
        document = asked.find(found.id) if asked.data else found
        if document is not None:
            with placed(path, None):
                yield Imported(plain(document), _parts(document, found, asked), "margin", "top-k")


def _parts(document: Document, found: Document, asked: Asked) -> list[Json]:
    """The candidates of every span; of one that occurs twice the higher score."""
    scores: dict[tuple[int, int], dict[str | None, float]] = {}
    for mention in found.gold.mentions:
        if mention.end > len(document.text):
            raise InputError(f"[{mention.start}, {mention.end}) ends after the text of {document.id!r}")
        of_span = scores.setdefault(mention.span, {})
        for entity, score in _candidates(mention, asked):
            of_span[entity] = max(score, of_span.get(entity, score))
    return [
        {"start": span[0], "end": span[1], "entity": entity, "score": score}
        for span, candidates in scores.items()
        for entity, score in candidates.items()
    ]


def _candidates(mention: Mention, asked: Asked) -> Iterator[tuple[str | None, float]]:
    # The reader takes a score of 1.0 for the mark of an annotation by people and keeps none.
    if mention.entity is not None:
        yield _name(mention.entity, asked), 1.0 if mention.score is None else mention.score
    cells: list[str] = mention.extra.get(neleval.OTHERS, [])
    for entity, score in zip(cells[0::3], cells[1::3], strict=False):
        try:
            yield _name(texts.read_link(entity)[0], asked), float(score)
        except ValueError:
            raise InputError(f"expected a number, found {score[:40]!r}", field="score") from None


def _name(entity: str, asked: Asked) -> str | None:
    return None if entity == NIL else asked.name(entity)
