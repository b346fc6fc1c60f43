"""Scores of predicted links: overlap match, strict match, presence per text, and links that the knowledge base has."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Final

from engine.data.document import Document, Layer
from engine.metrics.linking import Counts, count_document, is_strict_match, presence, present, queries, titles_said
from engine.metrics.significance import COLUMNS
from engine.metrics.tally import Tally
from engine.tasks.base import Report

IR_COLUMNS: Final = tuple(f"ir_{name}" for name in COLUMNS)
"""Counts of the entities that a text mentions, regardless of position."""


def tally(
    gold: Sequence[Document], predicted: Sequence[Layer], is_listed: Callable[[str], bool] | None = None
) -> Tally:
    """What these documents contribute to the scores. `is_listed` tells which titles the knowledge base has, for the
    score that counts only gold links to those."""
    made = Tally(facts={"inventory": is_listed is not None})
    for document, layer in zip(gold, predicted, strict=True):
        made.count("documents")
        _add(made, "overlap", count_document(document, layer))
        _add(made, "strict", count_document(document, layer, matches=is_strict_match))
        if is_listed is not None:
            _add(made, "inventory", count_document(document, layer, inside=is_listed))
        said = titles_said(layer)
        found, wanted, correct = present(document, said)
        _add(made, "ir", Counts(correct=correct, found=found, gold=wanted))
        # Only predicted entities that occur in some gold count, and these are known only after all documents.
        made.count_all("said", numbers=dict.fromkeys(said, 1))
    made.count_all("asked", numbers=dict.fromkeys(queries(gold), 1))
    return made


def report(found: Tally) -> Report:
    """All scores."""
    said = found.below("said")
    asked = sum(said[title] for title in found.below("asked"))
    told: Report = {
        **_counts(found, "overlap").scores(),
        "strict": _counts(found, "strict").scores(),
        "ir": (_counts(found, "ir") + Counts(predicted=asked)).scores(),
    }
    if found.facts.get("inventory"):
        told["inventory"] = _counts(found, "inventory").scores()
    told["documents"] = found.number("documents")
    told["mentions"] = found.number("overlap", "gold")
    return told


def counts(
    gold: Sequence[Document], predicted: Sequence[Layer], asked: Collection[str] | None = None
) -> list[dict[str, float]]:
    """What each document contributes to the scores; `asked` are the entities in the gold of the whole corpus."""
    rows = []
    for document, layer, known in zip(gold, predicted, presence(gold, predicted, asked), strict=True):
        overlap = count_document(document, layer)
        strict = count_document(document, layer, matches=is_strict_match)
        rows.append(
            {
                **{name: float(value) for name, value in dataclasses.asdict(overlap).items()},
                **{f"ir_{name}": float(value) for name, value in dataclasses.asdict(known).items()},
                "strict_correct": float(strict.correct),
                "strict_found": float(strict.found),
            }
        )
    return rows


def _add(made: Tally, name: str, counts: Counts) -> None:
    # Not `dataclasses.asdict`, which copies every number: that took half the time of an evaluation.
    made.count_all(name, numbers=vars(counts))


def _counts(found: Tally, name: str) -> Counts:
    return Counts(**{field.name: found.number(name, field.name) for field in dataclasses.fields(Counts)})
