"""Training: one learner on all texts, and one per fold beside it in lockstep, so that any round knows its Nil bias.

The fold learners score the texts they have not seen. After any round these scores give the exact curve of the training
set as if it were unseen, and its best bias goes into the model, so that leaving the loop early leaves a usable model.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.features.linking.all import UNLISTED
from engine.learners.base import Instance, Round
from engine.learners.priced import Priced
from engine.structures.nonoverlap import NonOverlapBatch
from engine.tasks.linking.gold import Gold, corpus_curve, steady_bias
from engine.tasks.linking.state import Corpus

Rows = NDArray[np.int64]
_TURNS: Final = 3


@dataclass(frozen=True, eq=False)
class Lockstep:
    """One round of the main learner, with the fold scorers that belong to it."""

    index: int
    objective: float
    scorer: Any
    unseen: Callable[[], NDArray[np.float64]]
    """Scores of all rows by learners that did not train on their text."""
    is_last: bool


def instance(corpus: Corpus, gold: Gold) -> Instance[NonOverlapBatch]:
    """The corpus to learn from. Right parts lower the loss by one, wrong ones raise it by one."""
    return Instance(corpus.lattice, corpus.features, gold.target, np.where(gold.target, -1.0, 1.0))


def lockstep(learner: Any, corpus: Corpus, gold: Gold, folds: NDArray[np.int64] | None) -> Iterator[Lockstep]:
    """Rounds of the main learner; the fold learners keep pace, and finish before its last round is given."""
    parts = [] if folds is None else [_part(corpus, gold, folds, f) for f in range(int(folds.max()) + 1)]
    # One forest tells where the bias lies; the mean of several is for the model.
    single = dataclasses.replace(learner, forests=1) if hasattr(learner, "forests") else learner
    runners = [_Runner(learner, instance(corpus, gold)), *(_Runner(single, part.instance) for part in parts)]
    main, others = runners[0], runners[1:]
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(_Runner.advance, runners))
        while main.current is not None:
            current = main.current
            list(pool.map(_Runner.advance, runners))
            is_last = main.current is None
            while is_last and any(other.current is not None for other in others):
                list(pool.map(_Runner.advance, others))
            kept = [other.last for other in others]

            def unseen(kept: list[Any] = kept) -> NDArray[np.float64]:
                scores = np.zeros(corpus.candidates.n_rows)
                for part, scorer in zip(parts, kept, strict=True):
                    scores[part.held_out] = scorer.scores(corpus.features[part.held_out])
                return scores

            yield Lockstep(current.index, current.objective, current.scorer, unseen, is_last)


class _Runner:
    """A learner's rounds, one ahead: `current` is None once there are no more, `last` is the latest scorer."""

    def __init__(self, learner: Any, data: Instance[NonOverlapBatch]) -> None:
        self._rounds = learner.rounds([data])
        self.current: Round | None = None
        self.last: Any = None

    def advance(self) -> None:
        self.current = next(self._rounds, None)
        if self.current is not None:
            self.last = self.current.scorer


@dataclass(frozen=True, eq=False)
class _Part:
    instance: Instance[NonOverlapBatch]
    held_out: Rows


def _part(corpus: Corpus, gold: Gold, folds: NDArray[np.int64], fold: int) -> _Part:
    """The texts outside a fold to learn from, and the rows inside it."""
    offsets = corpus.candidates.row_offsets.astype(np.int64)
    sizes = np.diff(offsets)
    row_fold = np.repeat(folds, sizes)
    rows = np.flatnonzero(row_fold != fold)
    lattice = NonOverlapBatch(
        corpus.lattice.starts[rows],
        corpus.lattice.ends[rows],
        np.concatenate([[0], np.cumsum(sizes[folds != fold])]),
    )
    right = gold.target[rows]
    return _Part(
        Instance(lattice, corpus.features[rows], right, np.where(right, -1.0, 1.0)), np.flatnonzero(row_fold == fold)
    )


@dataclass(frozen=True, eq=False)
class Settled:
    """What a round leaves behind: the scorer to keep, its Nil bias, and the scores of all rows as if unseen."""

    scorer: Any
    bias: float
    unseen: NDArray[np.float64]


def settle(step: Lockstep, corpus: Corpus, gold: Gold, folds: NDArray[np.int64] | None) -> Settled:
    """The Nil bias with the best F1 on texts that the scoring learner had not seen, and what a guessed title pays.

    A bias below 0 takes what is less likely than not, since to F1 a miss is as bad as a false alarm. A guess may name
    nothing that exists, so it has to do without this help: it pays what the bias gives. Without folds the bias is 0 and
    there is nothing to pay.
    """
    unseen = step.unseen()
    if folds is None:
        return Settled(step.scorer, 0.0, unseen)
    guessed = corpus.features[:, UNLISTED]
    bias, price = steady_bias(corpus_curve(corpus, gold, unseen)), 0.0
    # What guesses pay moves the best bias a little, and that what they pay.
    for _ in range(_TURNS):
        price = max(0.0, -bias)
        bias = steady_bias(corpus_curve(corpus, gold, unseen - price * guessed))
    return Settled(Priced(step.scorer, UNLISTED, price), bias, unseen - price * guessed)
