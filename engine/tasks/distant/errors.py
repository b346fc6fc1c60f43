"""The errors of distant relations: the stage that lost a relation of a bag or let a wrong one through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from engine.arrays import Floats
from engine.data.document import Document, Layer
from engine.metrics.errors import Error, Stage, merge_unlisted
from engine.tasks.distant.deciding import confidence
from engine.tasks.distant.scored import UNLISTED, DistantScored


def errors(scored: DistantScored, predicted: Sequence[Layer]) -> list[Error]:
    """Misses and false alarms of all bags that count towards the scores.

    A miss is attributed to the candidates if no member was scored for the relation; to the proposed mentions if the bag
    has none; to the constraint if every mention is needed for another gold label; to the bias if a mention would take
    the relation without the bias on nil; otherwise another label, or nil itself, scored higher.
    """
    index = {relation: i for i, relation in enumerate(scored.relations)}
    offsets, raised = scored.member_offsets, scored.biased
    leads = np.nan_to_num(confidence(scored), neginf=0.0)
    leads[leads < UNLISTED / 2] = 0.0
    found: list[Error] = []
    for row, (document, layer) in enumerate(zip(scored.documents, predicted, strict=True)):
        if scored.bags == "positive" and not document.gold.labels:
            continue
        gold, said = _judged(document, layer)
        for relation in sorted(gold - said):
            own = slice(offsets[row], offsets[row + 1])
            stage = _miss(relation, gold, said, index, (scored.member_scores[own], raised[own, 0]))
            wrong = ", ".join(sorted(said - gold))
            found.append(
                _error(document, "miss", stage, relation, (relation, wrong), -_lead(leads[row], index, relation))
            )
        for relation in sorted(said - gold):
            missed = ", ".join(sorted(gold - said))
            found.append(
                _error(
                    document,
                    "false alarm",
                    "scored lower",
                    relation,
                    (missed, relation),
                    _lead(leads[row], index, relation),
                )
            )
    return merge_unlisted(found, complete=scored.alternatives == "all")


def _judged(document: Document, layer: Layer) -> tuple[set[str], set[str]]:
    """The gold and the predicted relations, limited to those that were annotated: people may have judged only one
    relation of a sentence."""
    named, said = set(document.gold.labels), set(layer.labels)
    judgement = document.extra.get("label") if document.shape == "sentential" else None
    if judgement is None:
        return named, said
    if judgement not in ("yes", "no"):
        return set(), set()
    return named if judgement == "yes" else set(), said & named


def _miss(
    relation: str,
    gold: set[str],
    said: set[str],
    index: dict[str, int],
    members: tuple[Floats, Floats],
) -> Stage:
    """The stage of a miss. `members` holds the scores of the bag's mentions, and that of nil with the bias."""
    scores, raised = members
    if relation not in index:
        return "candidate missing"
    if len(scores) == 0:
        return "mention not proposed"
    if len(gold) > len(scores) and len(gold & said) == len(scores):
        return "forced by a constraint"
    column = index[relation] + 1
    if scores[:, column].max() <= UNLISTED:
        return "candidate missing"
    others = scores[:, 1:].max(axis=1)
    own, nil = scores[:, column], scores[:, 0]
    if bool(((own >= others) & (raised >= own) & (own > nil)).any()):
        return "declined by the bias"
    return "scored lower"


def _lead(leads: Floats, index: dict[str, int], relation: str) -> float:
    """The bag's confidence in a relation; 0 if it has no score."""
    return float(leads[index[relation]]) if relation in index else 0.0


def _error(
    document: Document,
    kind: Literal["miss", "false alarm"],
    stage: Stage,
    relation: str,
    answers: tuple[str, str],
    confidence: float,
) -> Error:
    """One error. `answers` are the gold and the predicted one."""
    assert document.bag is not None
    spans = [m.span for m in document.gold.mentions[:2]]
    return Error(
        document=document.id,
        kind=kind,
        stage=stage,
        type=relation,
        start=min((s for s, _ in spans), default=0),
        end=max((e for _, e in spans), default=0),
        gold=answers[0],
        predicted=answers[1],
        confidence=confidence,
        attributes={
            "first": document.bag.first,
            "second": document.bag.second,
            "mentions": len(document.bag.members),
            "gold labels": len(document.gold.labels),
        },
    )
