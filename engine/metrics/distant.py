"""Scores of the relations of bags, and of single sentences against human labels.

Micro precision, recall, F1 and F-beta (weight beta on precision; Haffari et al. 2015, equation 2) over all (bag, label)
pairs: on the positive bags, as the paper evaluates, and on the entire set, where a label on a nil bag is a false alarm.
A ranking of all pairs by score gives the precision-recall curve that is usual in the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from engine.arrays import Flags, Floats
from engine.data.document import Document, Layer
from engine.metrics.numbers import Plain
from engine.metrics.tally import Tally

Scores: TypeAlias = dict[str, float]
_COUNTS: Final = ("correct", "predicted", "gold")


def scores(correct: float, predicted: float, gold: float, beta: float = 0.5) -> Scores:
    """Micro scores from counts; 0 if the denominator is 0."""
    precision = correct / predicted if predicted else 0.0
    recall = correct / gold if gold else 0.0
    fbeta = 1.0 / (beta / precision + (1.0 - beta) / recall) if correct else 0.0
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2.0 * correct / (predicted + gold) if predicted + gold else 0.0,
        "fbeta": fbeta,
    }


def bag_counts(gold: Sequence[str], predicted: Sequence[str]) -> tuple[int, int, int]:
    """Correct, predicted, gold labels of one bag."""
    wanted, found = set(gold), set(predicted)
    return len(wanted & found), len(found), len(wanted)


def report(
    documents: Sequence[Document], predicted: Sequence[Layer], *, bags: str = "positive", beta: float = 0.5
) -> dict[str, Any]:
    """All scores; the top-level ones are those of the set named by `bags`, or of sentences if the corpus is
    sentential."""
    return told(tally(documents, predicted, bags=bags, beta=beta))


def tally(
    documents: Sequence[Document], predicted: Sequence[Layer], *, bags: str = "positive", beta: float = 0.5
) -> Tally:
    """What these bags contribute to the scores; `relations` are counted on the set named by `bags`."""
    made = Tally(facts={"bags": bags, "beta": beta})
    for document, layer in zip(documents, predicted, strict=True):
        gold = document.gold.labels
        counts = dict(zip(_COUNTS, bag_counts(gold, layer.labels), strict=True))
        made.count("documents")
        made.count_all("entire", numbers=counts)
        if gold:
            made.count_all("positive", numbers=counts)
        if gold or bags != "positive":
            wanted, found = set(gold), set(layer.labels)
            for what, labels in zip(_COUNTS, (wanted & found, found, wanted), strict=True):
                made.count_all("relations", what, numbers=dict.fromkeys(labels, 1))
        if document.shape == "sentential":
            made.count("sentential documents")
            made.count_all("sentential", numbers=_judged(document, layer))
    return made


def told(found: Tally) -> dict[str, Any]:
    """The scores of a tally."""
    bags, beta = str(found.facts.get("bags", "positive")), float(found.facts.get("beta", 0.5))
    blocks: dict[str, Any] = {name: _micro(found, name, beta) for name in ("positive", "entire")}
    top, used = blocks[bags], bags
    if is_sentential(found):
        blocks["sentential"] = {**_micro(found, "sentential", beta), "rows": found.number("sentential", "rows")}
        top, used = blocks["sentential"], "sentential"
    return {
        **{name: top[name] for name in ("precision", "recall", "f1", "fbeta")},
        "set": used,
        "beta": Plain(beta),
        **blocks,
        "relations": _per_relation(found, beta),
    }


def is_sentential(found: Tally) -> bool:
    """Whether all documents are sentences that people judged."""
    return 0 < found.number("documents") == found.number("sentential documents")


def _micro(found: Tally, name: str, beta: float) -> Scores:
    correct, predicted, gold = (found.number(name, what) for what in _COUNTS)
    return scores(correct, predicted, gold, beta)


def _per_relation(found: Tally, beta: float) -> dict[str, dict[str, float]]:
    """The same for each relation, most frequent first."""
    correct, said, wanted = (found.below("relations", what) for what in _COUNTS)
    order = sorted(set(wanted) | set(said), key=lambda label: (-wanted[label], label))
    return {
        label: {**scores(correct[label], said[label], wanted[label], beta), "gold": wanted[label]} for label in order
    }


def _judged(document: Document, layer: Layer) -> dict[str, int]:
    """The counts of a sentence compared with human labels.

    If a row judges one relation (`label`: yes, no, ...), predicting that relation is right iff the judgement is yes;
    other predictions, and rows with other judgements, are left out because nobody has judged them. If a row names the
    sentence's relation, the counts are those of micro scoring with NA as nil.
    """
    judgement = document.extra.get("label")
    if judgement is None:
        return {**dict(zip(_COUNTS, bag_counts(document.gold.labels, layer.labels), strict=True)), "rows": 1}
    if judgement not in ("yes", "no"):
        return {}
    hit = bool(set(document.gold.labels) & set(layer.labels))
    yes = judgement == "yes"
    return {**dict(zip(_COUNTS, (int(hit and yes), int(hit), int(yes)), strict=True)), "rows": 1}


@dataclass(frozen=True, eq=False)
class Ranking:
    """All (bag, label) pairs, best score first: precision and recall after each distinct score."""

    precision: Floats
    recall: Floats
    area: float
    """The area under the upper hull of the curve from the left, up to its highest recall."""
    bags: int
    pairs: int
    gold: int
    """The number of gold labels, including those without a pair."""


def ranked_curve(gold: Flags, confidence: Floats, n_gold: int) -> Ranking:
    """Rank the pairs [bags, labels] by confidence."""
    flat, score = gold.ravel(), confidence.ravel()
    order = np.argsort(-score, kind="stable")
    right = np.cumsum(flat[order])
    last = np.append(np.flatnonzero(np.diff(score[order]) != 0), len(order) - 1) if len(order) else np.zeros(0, int)
    precision = right[last] / (last + 1.0)
    recall = right[last] / max(n_gold, 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    area = float(np.sum(np.diff(np.concatenate([[0.0], recall])) * best))
    return Ranking(precision, recall, area, len(gold), len(flat), n_gold)
