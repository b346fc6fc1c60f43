"""Scores of the relations of bags, and of single sentences against human labels.

Micro precision, recall, F1 and F-beta (weight beta on precision; Haffari et al. 2015, equation 2) over all (bag, label)
pairs: on the positive bags, as the paper evaluates, and on the entire set, where a label on a nil bag is a false alarm.
A ranking of all pairs by score gives the precision-recall curve of the field.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from engine.arrays import Flags, Floats
from engine.data.document import Document, Layer
from engine.metrics.numbers import Plain

Scores: TypeAlias = dict[str, float]


def scores(correct: float, predicted: float, gold: float, beta: float = 0.5) -> Scores:
    """Micro scores from counts; 0 where there is nothing to divide by."""
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


def micro(gold: Sequence[Layer], predicted: Sequence[Layer], beta: float) -> Scores:
    counts = np.array([bag_counts(g.labels, p.labels) for g, p in zip(gold, predicted, strict=True)], dtype=np.int64)
    correct, found, wanted = counts.reshape(-1, 3).sum(axis=0)
    return scores(int(correct), int(found), int(wanted), beta)


def per_relation(gold: Sequence[Layer], predicted: Sequence[Layer], beta: float) -> dict[str, dict[str, float]]:
    """The same for each relation, commonest first."""
    correct: Counter[str] = Counter()
    found: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    for g, p in zip(gold, predicted, strict=True):
        wanted.update(set(g.labels))
        found.update(set(p.labels))
        correct.update(set(g.labels) & set(p.labels))
    order = sorted(set(wanted) | set(found), key=lambda label: (-wanted[label], label))
    return {
        label: {**scores(correct[label], found[label], wanted[label], beta), "gold": wanted[label]} for label in order
    }


def report(
    documents: Sequence[Document], predicted: Sequence[Layer], *, bags: str = "positive", beta: float = 0.5
) -> dict[str, Any]:
    """All scores; those at the top are of the set that `bags` names, or of sentences where the corpus is sentential."""
    gold = [document.gold for document in documents]
    positive = [i for i, layer in enumerate(gold) if layer.labels]
    blocks: dict[str, Any] = {
        "positive": micro([gold[i] for i in positive], [predicted[i] for i in positive], beta),
        "entire": micro(gold, predicted, beta),
    }
    chosen = positive if bags == "positive" else range(len(gold))
    relations = per_relation([gold[i] for i in chosen], [predicted[i] for i in chosen], beta)
    top: Mapping[str, float] = blocks[bags]
    used = bags
    if documents and all(document.shape == "sentential" for document in documents):
        blocks["sentential"] = sentential(documents, predicted, beta)
        top, used = blocks["sentential"], "sentential"
    return {
        **{name: top[name] for name in ("precision", "recall", "f1", "fbeta")},
        "set": used,
        "beta": Plain(beta),
        **blocks,
        "relations": relations,
    }


def sentential(documents: Sequence[Document], predicted: Sequence[Layer], beta: float = 0.5) -> dict[str, float]:
    """Sentences against people's labels.

    Where a row judges one relation (`label`: yes, no, ...), predicting that relation is right iff the judgement is
    yes; other predictions, and rows judged otherwise, are left out because nobody has judged them. Where a row
    names the sentence's relation, it is micro scoring with NA as nil.
    """
    correct = found = wanted = rows = 0
    for document, layer in zip(documents, predicted, strict=True):
        judgement = document.extra.get("label")
        if judgement is None:
            one = bag_counts(document.gold.labels, layer.labels)
            correct, found, wanted = correct + one[0], found + one[1], wanted + one[2]
            rows += 1
        elif judgement in ("yes", "no"):
            hit = bool(set(document.gold.labels) & set(layer.labels))
            wanted += judgement == "yes"
            found += hit
            correct += hit and judgement == "yes"
            rows += 1
    return {**scores(correct, found, wanted, beta), "rows": rows}


@dataclass(frozen=True, eq=False)
class Ranking:
    """All (bag, label) pairs, best score first: precision and recall after each distinct score."""

    precision: Floats
    recall: Floats
    area: float
    """Under the upper hull of the curve from the left, as far as its recall goes."""
    bags: int
    pairs: int
    gold: int
    """Gold labels, also those that no pair stands for."""


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
