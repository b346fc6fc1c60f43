"""Compares gold mentions with predictions: the scores, and what each document contributes to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engine.data.document import NIL, Document, Layer
from engine.metrics import disambiguation as metrics
from engine.metrics.disambiguation import Resolved
from engine.metrics.significance import COLUMNS
from engine.metrics.tally import Tally
from engine.tasks.disambiguation.scored import DisambiguationScored


def tally(gold: Sequence[Document], predicted: Sequence[Layer], scored: DisambiguationScored | None = None) -> Tally:
    """What these documents contribute to the scores. The scored corpus tells which names occurred in training."""
    return metrics.tally(_resolved(gold, predicted, None if scored is None else scored.familiar))


def counts(gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
    """Per document, the numbers of correct, predicted and gold links."""
    rows = [dict.fromkeys(COLUMNS, 0.0) for _ in gold]
    for mention in _resolved(gold, predicted, None):
        row = rows[mention.document]
        right = mention.gold is not None and mention.right
        row["correct"] += right
        row["found"] += right
        row["predicted"] += mention.predicted is not None
        row["gold"] += mention.gold is not None
    return rows


def _resolved(
    gold: Sequence[Document], predicted: Sequence[Layer], familiar: Mapping[str, Collection[str]] | None
) -> list[Resolved]:
    """Annotated mentions with their predictions; one that the prediction lacks counts as declined."""
    out = []
    for d, (document, layer) in enumerate(zip(gold, predicted, strict=True)):
        said = {mention.span: mention.entity for mention in layer.mentions}
        for mention in document.gold.mentions:
            if mention.entity is None:
                continue
            answer = said.get(mention.span)
            given = mention.extra.get("candidates")
            out.append(
                Resolved(
                    document=d,
                    gold=mention.entity if mention.is_linked else None,
                    predicted=None if answer == NIL else answer,
                    n_candidates=None if given is None else len(given),
                    known=None if familiar is None else familiar.get(document.surface(mention)),
                )
            )
    return out
