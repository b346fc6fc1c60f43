"""Which stage lost a relation of a bag, or let a wrong one through."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document, Layer
from engine.learners.bags import BagCorpus, BagScores
from engine.metrics.errors import Error, Stage
from engine.tasks.distant.decoding import label_confidence


def bag_errors(
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    relations: Sequence[str],
    corpus: BagCorpus,
    scores: BagScores,
    *,
    positive: bool = False,
) -> list[Error]:
    """Misses and false alarms of all bags that scores count: with `positive`, those that gold gives a relation.

    A miss is blamed on the candidates when the model knows no such relation; on the proposed mentions when the bag has
    none; on the constraint when every mention is needed for another gold label; on the bias when a mention would
    take the relation but for nil; else another label scored higher.
    """
    index = {relation: i for i, relation in enumerate(relations)}
    confidence = label_confidence(scores, corpus.offsets)
    found: list[Error] = []
    for row, (document, layer) in enumerate(zip(documents, predicted, strict=True)):
        gold, said = _judged(document, layer)
        if positive and not document.gold.labels:
            continue
        mine = scores.mentions[corpus.offsets[row] : corpus.offsets[row + 1]]
        for relation in sorted(gold):
            if relation not in said:
                stage = _miss(relation, gold, said, index, mine)
                wrong = ", ".join(sorted(said - gold))
                sure = float(confidence[row, index[relation]]) if relation in index else 0.0
                found.append(_error(document, "miss", stage, relation, relation, wrong, -_finite(sure)))
        for relation in sorted(said):
            if relation not in gold:
                missed = ", ".join(sorted(gold - said))
                sure = float(confidence[row, index[relation]]) if relation in index else 0.0
                found.append(_error(document, "false alarm", "scored lower", relation, missed, relation, _finite(sure)))
    return found


def _judged(document: Document, layer: Layer) -> tuple[set[str], set[str]]:
    """What gold holds and what was said, as far as it was judged: people may have judged one relation of a sentence."""
    named, said = set(document.gold.labels), set(layer.labels)
    judgement = document.extra.get("label") if document.shape == "sentential" else None
    if judgement is None:
        return named, said
    if judgement not in ("yes", "no"):
        return set(), set()
    return named if judgement == "yes" else set(), said & named


def _miss(relation: str, gold: set[str], said: set[str], index: dict[str, int], scores: NDArray[np.float64]) -> Stage:
    if relation not in index:
        return "candidate missing"
    if len(scores) == 0:
        return "mention not proposed"
    if len(gold) > len(scores) and len(gold & said) == len(scores):
        return "forced by a constraint"
    column = index[relation] + 1
    others = scores[:, 1:].max(axis=1)
    if bool(((scores[:, column] >= others) & (scores[:, 0] >= scores[:, column])).any()):
        return "declined by the bias"
    return "scored lower"


def _finite(value: float) -> float:
    return value if np.isfinite(value) else 0.0


def _error(
    document: Document, kind: str, stage: Stage, relation: str, gold: str, predicted: str, confidence: float
) -> Error:
    assert document.bag is not None
    spans = [m.span for m in document.gold.mentions[:2]]
    return Error(
        document=document.id,
        kind="miss" if kind == "miss" else "false alarm",
        stage=stage,
        type=relation,
        start=min((s for s, _ in spans), default=0),
        end=max((e for _, e in spans), default=0),
        gold=gold,
        predicted=predicted,
        confidence=confidence,
        attributes={
            "first": document.bag.first,
            "second": document.bag.second,
            "mentions": len(document.bag.members),
            "gold labels": len(document.gold.labels),
        },
    )
