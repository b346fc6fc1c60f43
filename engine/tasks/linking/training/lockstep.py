"""Trains one learner on all texts and, in lockstep, one per fold, so that a Nil bias is known after every round.

Each fold learner scores the texts that it has not seen. After any round these scores give the exact curve of the
training set as if it were unseen. Its best bias goes into the model, so that stopping early still yields a usable
model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.features.linking.all import UNLISTED, of_mention
from engine.learners.base import FeatureMatrix, Instance, Round, Saved, Scorer
from engine.learners.priced import Priced
from engine.learners.scorers import pack, unpack
from engine.learners.training import prefixed, under
from engine.structures.base import Mask, Scores, Structure
from engine.structures.nonoverlap import NonOverlapBatch
from engine.tasks.linking.curve import curve
from engine.tasks.linking.scoring import LinkingRows
from engine.tasks.linking.settings import LinkingSettings
from engine.tuning.curve import Curve
from engine.workers.crews import ALONE, Crew

_TURNS: Final = 3


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """The training texts as rows, which of them to learn, and the fold of every text (None: no folds)."""

    rows: LinkingRows
    target: Mask
    folds: Ints | None

    @property
    def n_folds(self) -> int:
        return 0 if self.folds is None else int(self.folds.max()) + 1

    @cached_property
    def fold_of_rows(self) -> Ints | None:
        return None if self.folds is None else self.folds[self.rows.parts.document]


@dataclass(frozen=True, eq=False)
class Lockstep:
    """One round of the main learner, with the scorers of the folds that belong to it."""

    index: int
    objective: float
    scorer: Scorer
    fold_scorers: tuple[Scorer, ...]
    is_last: bool
    to_parts: Callable[[], Saved] = field(default=dict, repr=False)
    """Returns the state from which all learners continue after this round."""
    unsolved: str = ""
    """The main learner's message if it ended before it had solved its problem."""

    def scorers_to_parts(self) -> Saved:
        """The scorers alone."""
        folds = [prefixed(f"fold{fold}_", packed(scorer)) for fold, scorer in enumerate(self.fold_scorers)]
        return {
            name: part for parts in (prefixed("main_", packed(self.scorer)), *folds) for name, part in parts.items()
        }

    @staticmethod
    def with_scorers(parts: Saved) -> Lockstep:
        """The last round of a finished stage, with no more than the next stage needs."""
        folds = sorted({int(name.split("_")[0].removeprefix("fold")) for name in parts if name.startswith("fold")})
        scorers = tuple(unpacked(under(f"fold{fold}_", parts)) for fold in folds)
        return Lockstep(-1, 0.0, unpacked(under("main_", parts)), scorers, True)


def packed(scorer: Scorer) -> Saved:
    """A scorer as arrays only."""
    return {name: np.asarray(part) for name, part in pack(scorer).items()}


def unpacked(parts: Saved) -> Scorer:
    scorer: Scorer = unpack({**parts, "kind": str(parts["kind"])})
    return scorer


@dataclass(frozen=True, eq=False)
class Settled:
    """The result of a round: the scorer to keep, its Nil bias, and the scores of all rows as if unseen."""

    scorer: Scorer
    bias: float
    unseen: Scores


def lockstep(
    learner: LinkingSettings, data: TrainingSet, resume: Saved | None = None, crew: Crew = ALONE
) -> Iterator[Lockstep]:
    """The rounds of the main learner. The fold learners keep pace, and finish before its last round is yielded."""
    whole = _instance(data.rows.parts.lattice, data.rows.features, data.target)
    main = _Runner(learner, whole, "main_", resume, crew)
    others = [
        _Runner(learner.for_folds(), _outside(data, fold), f"fold{fold}_", resume, crew) for fold in range(data.n_folds)
    ]
    with ThreadPoolExecutor(max_workers=2) as pool:
        while not main.ended:
            list(pool.map(_Runner.advance, [main, *others]))
            if main.current is None:
                return
            while main.ended and not all(other.ended for other in others):
                list(pool.map(_Runner.advance, others))
            current = main.current
            latest = tuple(other.latest for other in others if other.latest is not None)
            state = partial(_state, [runner.stand() for runner in (main, *others)])
            yield Lockstep(
                current.index, current.objective, current.scorer, latest, main.ended, state, current.unsolved
            )


def _state(stands: Sequence[Callable[[], Saved]]) -> Saved:
    return {name: part for stand in stands for name, part in stand().items()}


class _Runner:
    """A learner's rounds: `current` is the last one that was made, `latest` the last scorer there is."""

    def __init__(
        self, learner: LinkingSettings, data: Instance[Structure], name: str, resume: Saved | None, crew: Crew
    ) -> None:
        self._name = name
        # A learner that had ended when the state was saved makes no round any more.
        self._saved = None if resume is None else under(name, resume)
        learnt = None if self._saved is None else under("state_", self._saved)
        self._rounds = learner.rounds([data], resume=learnt, crew=crew)
        self.current: Round[Scorer] | None = None
        self.latest: Scorer | None = None if self._saved is None else unpacked(under("scorer_", self._saved))
        self.ended = False

    def advance(self) -> None:
        made = None if self.ended else next(self._rounds, None)
        if made is None:
            self.ended = True
        else:
            self.current, self.latest, self.ended = made, made.scorer, made.is_last

    def stand(self) -> Callable[[], Saved]:
        """The state from which this learner continues; must be taken before its next round."""
        if self.current is None:
            return partial(prefixed, self._name, self._saved or {})
        return partial(_stand, self._name, self.current)


def _stand(name: str, made: Round[Scorer]) -> Saved:
    own = {**prefixed("state_", made.to_parts()), **prefixed("scorer_", packed(made.scorer))}
    return prefixed(name, own)


def _instance(lattice: NonOverlapBatch, features: FeatureMatrix, target: Mask) -> Instance[Structure]:
    """Rows as an instance to learn from. Each right part lowers the loss by one, each wrong one raises it by one."""
    return Instance(lattice, features, target, np.where(target, -1.0, 1.0), of_mention(features.shape[1]))


def _outside(data: TrainingSet, fold: int) -> Instance[Structure]:
    """The texts outside a fold, as an instance to learn from."""
    lattice = data.rows.parts.lattice
    rows = np.flatnonzero(data.fold_of_rows != fold)
    sizes = np.diff(lattice.offsets)[data.folds != fold]
    outside = NonOverlapBatch(lattice.starts[rows], lattice.ends[rows], np.concatenate([[0], np.cumsum(sizes)]))
    return _instance(outside, data.rows.features[rows], data.target[rows])


def unseen_scores(step: Lockstep, data: TrainingSet) -> Scores:
    """Scores of all rows by learners that did not train on their text; 0 if there are no folds."""
    scores = np.zeros(len(data.rows.features))
    for fold, scorer in enumerate(step.fold_scorers):
        inside = np.flatnonzero(data.fold_of_rows == fold)
        scores[inside] = scorer.scores(data.rows.features[inside])
    return scores


def settle(scorer: Scorer, unseen: Scores, data: TrainingSet) -> Settled:
    """The Nil bias with the best F1 on texts that the scoring learner had not seen, and the penalty of guessed titles.

    A bias below 0 accepts links that are less likely than not, because for F1 a miss is as bad as a false alarm. A
    guessed title may not exist at all, so it must not profit from this: its score is lowered by as much as the bias
    helps. Without folds the bias is 0 and there is no penalty.
    """
    if data.folds is None:
        return Settled(scorer, 0.0, unseen)
    parts, guessed = data.rows.parts, data.rows.features[:, UNLISTED]
    bias, price = steady_bias(curve(parts.rescored(unseen))), 0.0
    # The penalty of guesses shifts the best bias a little, which in turn changes the penalty.
    for _ in range(_TURNS):
        price = max(0.0, -bias)
        bias = steady_bias(curve(parts.rescored(unseen - price * guessed)))
    return Settled(Priced(scorer, UNLISTED, price), bias, unseen - price * guessed)


def steady_bias(curve: Curve) -> float:
    """The bias whose neighbourhood has the best F1.

    The maximum of a jagged curve says more about the sample than about the model. So F1 is smoothed, over a range of
    the bias that depends on the scale of the learner's scores: the range in which F1 is within a tenth of its best.
    """
    f = curve.f()
    if f.max() <= 0.0:
        return 0.0
    finite = np.isfinite(curve.bias)
    good = curve.bias[finite & (f >= 0.9 * f.max())]
    if len(good) < 3 or good[-1] <= good[0]:
        return curve.best_bias()
    grid = np.linspace(good[0], good[-1], 201)
    values = f[np.searchsorted(curve.bias, grid, side="right") - 1]
    steps = np.arange(-30, 31)
    weights = np.exp(-0.5 * (steps / 12.0) ** 2)
    smooth = np.convolve(values, weights, "same") / np.convolve(np.ones_like(values), weights, "same")
    return float(grid[np.argmax(smooth)])
