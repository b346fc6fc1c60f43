"""The F loss on the training bags: the (FP, FN) grid, and how loss and bags come to agree.

This belongs to training, left of the waist: it repeats the learner's own search for the worst labelling, with the
prices, probes and steps of its settings, on the bags it was trained on. Deciding never needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.document import Document
from engine.learners.bags import BagCorpus, BagScores, held
from engine.learners.margin.augmented import PROOFS, decompose
from engine.learners.margin.cccp import MaxMarginF, loss_of
from engine.learners.margin.searched import Whole
from engine.structures.agreement import Step
from engine.tasks.base import Model
from engine.tasks.distant.grid import ceiling_of, climb, counts
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
    """[fn, fp]: the upper bound of loss plus score for an output of the bags with these counts."""
    worst: tuple[int, int]
    """Counts of the worst output; no output exceeds its value by more than `two_prices_gap`."""
    worst_value: float
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
    """The search on these training bags with the model's scores, for its own weight on precision or another."""
    settings = f_loss_of(model.settings)
    if beta is not None:
        settings = replace(settings, beta=beta)
    corpus = encode(training_bags(train, settings), model.state, model.settings).corpus
    return searched(corpus, model.state.scorer.of_corpus(corpus), settings)


def searched(corpus: BagCorpus, scores: BagScores, settings: MaxMarginF, *, cells: int = 60) -> LossTrace:
    """The grid over outputs of these bags, and the searches for the worst of them."""
    loss = loss_of(settings, corpus)
    bags = Whole(corpus, scores)
    two = decompose(bags, loss, replace(settings, decomposition="two-prices"), proofs=PROOFS)
    paper = decompose(bags, loss, replace(settings, decomposition="per-label", probes=60))
    over = ceiling_of(corpus, scores, loss)
    worst = counts(corpus, two.proposal.held)
    predicted = counts(corpus, held(corpus, scores.best(corpus.offsets)))
    rng = np.random.default_rng(settings.seed)
    start = int(rng.integers(over.most_fp + 1)), int(rng.integers(loss.positives + 1))
    climbed = climb(over.value, over.most_fp, loss.positives, start)
    furthest = max(worst[0], predicted[0], *(fp for fp, _ in climbed), 10)
    fps, fns = _ticks(min(over.most_fp, 2 * furthest), cells), _ticks(loss.positives, cells)
    return LossTrace(
        beta=loss.beta,
        mix=loss.mix,
        fps=fps,
        fns=fns,
        values=over.values(fps, fns),
        worst=worst,
        worst_value=two.value,
        climb=climbed,
        climb_value=over.value(*climbed[-1]),
        predicted=predicted,
        two_prices=two.steps,
        two_prices_certified=two.certified,
        two_prices_gap=two.gap,
        per_label=paper.steps,
        per_label_certified=paper.certified,
        per_label_gap=paper.gap,
    )


def _ticks(most: int, cells: int) -> Ints:
    return np.unique(np.linspace(0, most, min(most + 1, cells)).round().astype(np.int64))
