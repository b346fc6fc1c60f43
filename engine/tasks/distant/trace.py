"""What inference did on one bag, and what the loss saw of a whole corpus: frozen records for the views."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.learners.bags import BagCorpus, BagScores, held
from engine.learners.fbeta import grid, search
from engine.learners.margin.cccp import PROOFS, Loss, MaxMarginF, decompose
from engine.structures.agreement import Step
from engine.structures.bag import Answer, BagPins, Method
from engine.tasks.distant.decoding import mention_margins
from engine.tasks.distant.paths import bias_paths


@dataclass(frozen=True)
class MemberTrace:
    """One mention: its label, by how much it beats the runner-up, and the score of every relation over nil."""

    label: str | None
    runner_up: str | None
    margin: float
    scores: tuple[float, ...]
    pinned: bool


@dataclass(frozen=True)
class LabelTrace:
    """One relation of the pair: does it hold, should it, and which members explain it."""

    relation: str
    predicted: bool
    gold: bool
    pair_score: float
    """What the pair's own features add."""
    members: tuple[int, ...]
    pinned: bool


@dataclass(frozen=True)
class DistantTrace:
    document: str
    first: str
    second: str
    relations: tuple[str, ...]
    members: tuple[MemberTrace, ...]
    labels: tuple[LabelTrace, ...]
    score: float
    method: Method
    bias: float
    path: tuple[tuple[float, tuple[str, ...]], ...]
    """(bias, relations that hold from there on); the first bias is -inf. Pins are not in it."""
    conflict: tuple[str, ...] = ()
    """Pins that cannot hold together, by name; then nothing was pinned."""


@dataclass(frozen=True, eq=False)
class LossTrace:
    """The (FP, FN) grid of a corpus under a model, how it was searched, and how loss and bags came to agree."""

    beta: float
    mix: float
    fps: NDArray[np.int64]
    fns: NDArray[np.int64]
    values: NDArray[np.float64]
    """[fn, fp]: loss plus the best label scores with these counts."""
    exact: tuple[int, int]
    exact_value: float
    climb: tuple[tuple[int, int], ...]
    climb_value: float
    predicted: tuple[int, int]
    two_prices: tuple[Step, ...]
    two_prices_certified: bool
    two_prices_gap: float
    per_label: tuple[Step, ...]
    per_label_certified: bool
    per_label_gap: float


def bag_trace(
    document: Document,
    relations: tuple[str, ...],
    scores: BagScores,
    answer: Answer,
    bias: float,
    pins: BagPins,
    conflict: tuple[str, ...] = (),
) -> DistantTrace:
    assert document.bag is not None
    margins = mention_margins(scores)
    labels = answer.labels.tolist()
    members = tuple(
        _member(relations, label, margins[position], position in pins.mentions) for position, label in enumerate(labels)
    )
    gold = set(document.gold.labels)
    rows = tuple(
        LabelTrace(
            relation=relation,
            predicted=i + 1 in labels,
            gold=relation in gold,
            pair_score=float(scores.labels[0, i]),
            members=tuple(m for m, label in enumerate(labels) if label == i + 1),
            pinned=i + 1 in pins.on or i + 1 in pins.off,
        )
        for i, relation in enumerate(relations)
        if i + 1 in labels or relation in gold or i + 1 in pins.on or i + 1 in pins.off
    )
    # The path is stated in terms of the bias itself, not on top of the one in use.
    offsets = np.array([0, len(labels)], dtype=np.int64)
    path = bias_paths(scores.with_bias(-bias), offsets)[0]
    return DistantTrace(
        document=document.id,
        first=document.bag.first,
        second=document.bag.second,
        relations=relations,
        members=members,
        labels=rows,
        score=answer.score,
        method=answer.method,
        bias=bias,
        path=tuple(
            (at, tuple(relations[k - 1] for k in sorted(set(one.tolist()) - {0})))
            for at, one in zip(path.bias, path.labels, strict=True)
        ),
        conflict=conflict,
    )


def _member(relations: tuple[str, ...], label: int, margins: NDArray[np.float64], pinned: bool) -> MemberTrace:
    full = np.concatenate([[0.0], margins])
    others = np.delete(np.arange(len(full)), label)
    second = int(others[np.argmax(full[others])]) if len(others) else 0
    return MemberTrace(
        label=relations[label - 1] if label else None,
        runner_up=relations[second - 1] if second else None,
        margin=float(full[label] - full[second]),
        scores=tuple(margins.tolist()),
        pinned=pinned,
    )


def loss_trace(corpus: BagCorpus, scores: BagScores, settings: MaxMarginF, *, cells: int = 60) -> LossTrace:
    """The grid that equation 14 searches, with every label scored by what turning it on alone would change."""
    positives = max(1, int(corpus.gold.sum()) - corpus.unexplained)
    loss = Loss(positives, settings.beta, settings.mix)
    labels = scores.best(corpus.offsets)
    on = held(corpus, labels)
    alone = _alone(corpus, scores)
    lam = alone + np.where(corpus.gold, -loss.fn_price, loss.fp_price)
    over = grid(corpus.gold, lam)
    scale = (1.0 - loss.mix) * positives
    exact = search(over, loss.beta, scale=scale)
    climb = search(over, loss.beta, scale=scale, method="climb", seed=settings.seed)
    predicted = int((on & ~corpus.gold).sum()), int((corpus.gold & ~on).sum())
    furthest = max(exact.fp, predicted[0], *(fp for fp, _ in climb.steps), 10)
    fps = _ticks(min(over.negatives, 2 * furthest), cells)
    fns = _ticks(over.positives, cells)
    values = np.array([[over.value(int(fp), int(fn), loss.beta, scale) for fp in fps] for fn in fns])
    two = decompose(corpus, scores, loss, replace(settings, decomposition="two-prices"), proofs=PROOFS)
    paper = decompose(corpus, scores, loss, replace(settings, decomposition="per-label", probes=60))
    return LossTrace(
        beta=loss.beta,
        mix=loss.mix,
        fps=fps,
        fns=fns,
        values=values,
        exact=(exact.fp, exact.fn),
        exact_value=exact.value,
        climb=climb.steps,
        climb_value=climb.value,
        predicted=predicted,
        two_prices=two.steps,
        two_prices_certified=two.certified,
        two_prices_gap=two.gap,
        per_label=paper.steps,
        per_label_certified=paper.certified,
        per_label_gap=paper.gap,
    )


def _alone(corpus: BagCorpus, scores: BagScores) -> NDArray[np.float64]:
    """[bags, L]: change of the score when a mention is moved from its best label to this one."""
    best = scores.mentions.max(axis=1, keepdims=True)
    gain = np.full(scores.labels.shape, -np.inf)
    np.maximum.at(gain, np.repeat(np.arange(corpus.n_bags), corpus.sizes), scores.mentions[:, 1:] - best)
    return np.where(np.isfinite(gain), gain, -1e9) + scores.labels


def _ticks(most: int, cells: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, most, min(most + 1, cells)).round().astype(np.int64))
