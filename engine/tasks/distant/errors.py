"""Which stage lost a relation of a bag, or let a wrong one through."""

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
    """Misses and false alarms of all bags that scores count.

    A miss is blamed on the candidates when no member was scored for the relation; on the proposed mentions when the
    bag has none; on the constraint when every mention is needed for another gold label; on the bias when a mention
    would take the relation if the bias did not raise nil; else another label, or nil itself, scored higher.
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
    """What gold holds and what was said, as far as it was judged: people may have judged one relation of a sentence."""
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
    """`members` are the scores of the bag's mentions, and what nil scores with the bias."""
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
    """How sure the bag is of a relation; 0 where nothing scored it."""
    return float(leads[index[relation]]) if relation in index else 0.0


def _error(
    document: Document,
    kind: Literal["miss", "false alarm"],
    stage: Stage,
    relation: str,
    answers: tuple[str, str],
    confidence: float,
) -> Error:
    """`answers` are gold's and the predicted one."""
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
