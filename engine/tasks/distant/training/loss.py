"""What the learner of the F loss sees of its training bags: the (FP, FN) grid, and how loss and bags come to agree.

This stands on the left, beside training: it is the learner's own search for the worst labelling, with the prices,
probes and steps that its settings name, on the bags it was trained on. Deciding never asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.document import Document
from engine.learners.bags import BagCorpus, BagScores, held
from engine.learners.fbeta import Grid, grid, search
from engine.learners.margin.augmented import PROOFS, decompose
from engine.learners.margin.bag_loss import Loss
from engine.learners.margin.cccp import MaxMarginF, loss_of
from engine.structures.agreement import Step
from engine.tasks.base import Model
from engine.tasks.distant.scoring import encode
from engine.tasks.distant.settings import DistantSettings, f_loss_of
from engine.tasks.distant.state import DistantState
from engine.tasks.distant.training.rounds import training_bags


@dataclass(frozen=True, eq=False)
class LossTrace:
    """The (FP, FN) grid of a corpus under a model, how it was searched, and how loss and bags came to agree."""

    beta: float
    mix: float
    fps: Ints
    fns: Ints
    values: Floats
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


def loss_trace(
    train: Sequence[Document], model: Model[DistantSettings, DistantState], beta: float | None = None
) -> LossTrace:
    """The search on these training bags with the model's scores, for its own weight on precision or for another."""
    settings = f_loss_of(model.settings)
    if beta is not None:
        settings = replace(settings, beta=beta)
    corpus = encode(training_bags(train, settings), model.state, model.settings).corpus
    return searched(corpus, model.state.scorer.of_corpus(corpus), settings)


def searched(corpus: BagCorpus, scores: BagScores, settings: MaxMarginF, *, cells: int = 60) -> LossTrace:
    """The grid that equation 14 searches, with every label scored by what turning it on alone would change."""
    loss = loss_of(settings, corpus)
    on = held(corpus, scores.best(corpus.offsets))
    lam = _alone(corpus, scores) + np.where(corpus.gold, -loss.fn_price, loss.fp_price)
    over = grid(corpus.gold, lam)
    scale = (1.0 - loss.mix) * loss.positives
    exact = search(over, loss.beta, scale=scale)
    climb = search(over, loss.beta, scale=scale, method="climb", seed=settings.seed)
    predicted = int((on & ~corpus.gold).sum()), int((corpus.gold & ~on).sum())
    furthest = max(exact.fp, predicted[0], *(fp for fp, _ in climb.steps), 10)
    fps = _ticks(min(over.negatives, 2 * furthest), cells)
    fns = _ticks(over.positives, cells)
    two = decompose(corpus, scores, loss, replace(settings, decomposition="two-prices"), proofs=PROOFS)
    paper = decompose(corpus, scores, loss, replace(settings, decomposition="per-label", probes=60))
    return LossTrace(
        beta=loss.beta,
        mix=loss.mix,
        fps=fps,
        fns=fns,
        values=_values(over, fps, fns, loss),
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


def _alone(corpus: BagCorpus, scores: BagScores) -> Floats:
    """[bags, L]: change of the score when a mention is moved from its best label to this one."""
    best = scores.mentions.max(axis=1, keepdims=True)
    gain = np.full(scores.labels.shape, -np.inf)
    np.maximum.at(gain, np.repeat(np.arange(corpus.n_bags), corpus.sizes), scores.mentions[:, 1:] - best)
    return np.where(np.isfinite(gain), gain, -1e9) + scores.labels


def _values(over: Grid, fps: Ints, fns: Ints, loss: Loss) -> Floats:
    scale = (1.0 - loss.mix) * loss.positives
    return np.array([[over.value(int(fp), int(fn), loss.beta, scale) for fp in fps] for fn in fns])


def _ticks(most: int, cells: int) -> Ints:
    return np.unique(np.linspace(0, most, min(most + 1, cells)).round().astype(np.int64))
