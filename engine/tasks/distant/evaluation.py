"""Scores of predicted relations: micro scores of the bags that count, and the area under the ranking of all pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.data.document import Document, Layer
from engine.metrics import distant as metrics
from engine.metrics.distant import bag_counts
from engine.metrics.tally import Tally
from engine.tasks.base import Report
from engine.tasks.distant.curve import ranked_pairs
from engine.tasks.distant.scored import DistantScored


def tally(
    gold: Sequence[Document], predicted: Sequence[Layer], scored: DistantScored | None = None, *, ranked: bool = True
) -> Tally:
    """What these bags contribute to the scores. Without a scored corpus the layers determine which bags count and the
    weight of precision; with one, all pairs are ranked too, unless that is switched off."""
    if scored is None:
        said = predicted[0].extra if predicted else {}
        return metrics.tally(gold, predicted, bags=said.get("bags", "positive"), beta=said.get("beta", 0.5))
    made = metrics.tally(gold, predicted, bags=scored.bags, beta=scored.beta)
    if ranked:
        right, sure, n_gold = ranked_pairs(scored.against(gold))
        made.extend("ranked right", right.ravel())
        made.extend("ranked scores", sure.ravel())
        made.count("ranked gold", n=n_gold)
    return made


def report(found: Tally) -> Report:
    """All scores, with the area under the curve if there is a ranking."""
    full = metrics.told(found)
    if "ranked scores" in found.columns and not metrics.is_sentential(found):
        right, sure = found.column("ranked right").astype(np.bool_), found.column("ranked scores")
        full["ranked"] = {"area": metrics.ranked_curve(right, sure, found.number("ranked gold")).area}
    return full


def counts(gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
    """What each bag contributes to the scores; bags that do not count predict nothing."""
    rows: list[dict[str, float]] = []
    for document, found in zip(gold, predicted, strict=True):
        correct, said, wanted = bag_counts(document.gold.labels, found.labels)
        if not wanted and found.extra.get("bags", "positive") == "positive":
            said = 0
        rows.append({"correct": correct, "found": correct, "predicted": said, "gold": wanted})
    return rows
