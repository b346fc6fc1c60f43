"""Scores of predicted links: overlap match, strict match, presence per text, and what the knowledge base could know."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from engine.data.document import Document, Layer
from engine.metrics.linking import Counts, count_document, is_strict_match, presence
from engine.metrics.significance import COLUMNS
from engine.tasks.base import Report

IR_COLUMNS: Final = tuple(f"ir_{name}" for name in COLUMNS)
"""Counts of the entities that a text mentions, wherever it does."""


def evaluate(
    gold: Sequence[Document], predicted: Sequence[Layer], is_listed: Callable[[str], bool] | None = None
) -> Report:
    """All scores. `is_listed` says which titles the knowledge base has, for the score against gold links to those."""
    pairs = list(zip(gold, predicted, strict=True))
    overlap = _total(count_document(d, p) for d, p in pairs)
    report: Report = {
        **overlap.scores(),
        "strict": _total(count_document(d, p, matches=is_strict_match) for d, p in pairs).scores(),
        "ir": _total(presence(gold, predicted)).scores(),
    }
    if is_listed is not None:
        report["inventory"] = _total(count_document(d, p, inside=is_listed) for d, p in pairs).scores()
    report["documents"] = len(pairs)
    report["mentions"] = overlap.gold
    return report


def counts(gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
    """What each document adds to the scores."""
    rows = []
    for document, layer, present in zip(gold, predicted, presence(gold, predicted), strict=True):
        overlap = count_document(document, layer)
        strict = count_document(document, layer, matches=is_strict_match)
        rows.append(
            {
                **{name: float(value) for name, value in dataclasses.asdict(overlap).items()},
                **{f"ir_{name}": float(value) for name, value in dataclasses.asdict(present).items()},
                "strict_correct": float(strict.correct),
                "strict_found": float(strict.found),
            }
        )
    return rows


def _total(counts: Iterable[Counts]) -> Counts:
    total = Counts()
    for one in counts:
        total += one
    return total
