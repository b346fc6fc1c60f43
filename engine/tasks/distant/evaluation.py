"""Scores of predicted relations: micro scores of the bags that count, and the area under the ranking of all pairs."""

from __future__ import annotations

from collections.abc import Sequence

from engine.data.document import Document, Layer
from engine.metrics.distant import bag_counts, report
from engine.tasks.base import Report
from engine.tasks.distant.curve import ranking
from engine.tasks.distant.scored import DistantScored


def evaluate(gold: Sequence[Document], predicted: Sequence[Layer], scored: DistantScored | None = None) -> Report:
    """All scores. With a scored corpus, the area under its ranking too."""
    full = micro(gold, predicted, scored)
    if scored is not None and full["set"] != "sentential":
        full["ranked"] = {"area": ranking(scored.against(gold)).area}
    return full


def micro(gold: Sequence[Document], predicted: Sequence[Layer], scored: DistantScored | None = None) -> Report:
    """Scores of the decisions; without a scored corpus the layers say which bags count and how precision weighs."""
    if scored is not None:
        return report(gold, predicted, bags=scored.bags, beta=scored.beta)
    said = predicted[0].extra if predicted else {}
    return report(gold, predicted, bags=said.get("bags", "positive"), beta=said.get("beta", 0.5))


def counts(gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
    """What each bag adds to the scores; bags that do not count predict nothing."""
    rows: list[dict[str, float]] = []
    for document, found in zip(gold, predicted, strict=True):
        correct, said, wanted = bag_counts(document.gold.labels, found.labels)
        if not wanted and found.extra.get("bags", "positive") == "positive":
            said = 0
        rows.append({"correct": correct, "found": correct, "predicted": said, "gold": wanted})
    return rows
