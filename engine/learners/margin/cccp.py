"""Max-margin learning of bags with latent mention labels: CCCP outside, cutting planes inside.

The objective is equation 9 of Haffari et al. (2015):

    |w|^2 / 2 + C ( max over Y' of [score(Y') + loss(Y')]  -  max over H of score(H, gold labels) )

CCCP alternates completing the mention labels H for the gold labels (which makes the second term linear) and solving the
convex rest with cutting planes. The loss-augmented maximum is exact per bag for losses that add up over labels; for the
F loss it is found by dual decomposition (augmented.py). Bags are searched block by block (searched.py). bag_loss.py
says what the loss is, and where nil stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

import numpy as np

from engine.arrays import Flags, Singles
from engine.learners.bags import BagCorpus, BagSettings, LinearBags, complete, feature_sums, held, join_bags
from engine.learners.base import Round, Saved, fit
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.margin.augmented import Augmented, augmented, count_errors, doubt_of
from engine.learners.margin.bag_loss import Loss
from engine.learners.margin.cutting_plane import Plane, PlaneRound, one_slack
from engine.learners.margin.nil_axes import Axes, NilAxes
from engine.learners.margin.searched import Bags, Whole
from engine.learners.training import Training
from engine.settings import ChoosingSettings, setting
from engine.structures.bag import Labels, Solve, complete_all, solver
from engine.structures.bag_program import BagPrograms
from engine.workers.crews import ALONE, Crew

# How far from the best weights towards the newest solution the next plane is sought: a third of the way brought primal
# and dual together in a third of the planes that the whole way took.
_STEP: Final = 0.3
# The number of relations at which nil scores `caution` times what it scored in training.
_USUAL_LABELS: Final = 10
# Passes of the perceptron that may provide the initial mention labels.
_START_ROUNDS: Final = 5


@dataclass(frozen=True, kw_only=True)
class MaxMargin(BagSettings, ChoosingSettings):
    """Latent max-margin learning."""

    C: float = setting(10.0, "The weight of the loss relative to the penalty on the weights.", low=0.0)
    start: Literal["gold", "one", "hoffmann"] = setting(
        "gold",
        "The initial mention labels: every mention takes a gold label; one mention per gold label and the rest nil;"
        " or those of a perceptron.",
    )
    nil: Literal["priced", "learnt"] = setting(
        "priced",
        (
            "The score of nil in training: beta, the price of a false positive; or learnt with its own weights, as in"
            " the paper."
        ),
    )
    caution: float = setting(
        1.25,
        "The score of nil in prediction, as a multiple of its score in training on positive bags with ten relations;"
        " further from 1 with more relations, closer to 1 with fewer.",
        low=0.0,
    )
    n_rounds: int = setting(2, "The largest number of CCCP rounds.", low=1, formerly=("rounds",))
    planes: int = setting(80, "The largest number of cutting planes per CCCP round.", low=1)
    tolerance: float = setting(
        0.002, ("A round counts as solved when primal and dual are this close, per bag and unit of C.")
    )

    def rounds(
        self,
        instances: Sequence[BagCorpus],
        *,
        resume: Saved | None = None,
        warm: Warm | None = None,
        crew: Crew = ALONE,
    ) -> Iterator[MarginRound]:
        """One round per completion; `warm` begins where another training stood, say for another beta.

        With the exact search, a resumed training continues to the last bit. Programs keep their solvers warm, and which
        of equally good outputs such a solver finds depends on earlier problems; so they are solved one after the other,
        whatever the crew.
        """
        made = _Training(self, join_bags(instances), warm, crew, fresh=resume is None)
        yield from made.rounds(self.n_rounds, resume)


@dataclass(frozen=True, kw_only=True)
class MaxMarginHamming(MaxMargin):
    """Every wrong and every missing label costs one half."""


@dataclass(frozen=True, kw_only=True)
class MaxMarginF(MaxMargin):
    """F-beta loss mixed with its tangent."""

    beta: float = setting(
        0.5,
        "Weight on precision in [0, 1]; 0.5 is F1. Van Rijsbergen's beta is sqrt((1 - beta) / beta).",
        low=0.0,
        high=1.0,
    )
    mix: float = setting(0.8, "Share of the loss that adds up over labels; the rest is the F loss.", low=0.0, high=1.0)
    decomposition: Literal["two-prices", "per-label"] = setting(
        "two-prices",
        ("How the loss and the bags are made to agree: by an exact search for two prices, or by the paper's steps."),
    )
    search: Literal["exact", "climb", "exhaustive"] = setting(
        "exact",
        (
            "How the (FP, FN) grid is searched: exactly; by trying every cell; or by the paper's hill climbing, which"
            " may miss the worst labelling."
        ),
    )
    probes: int = setting(12, "The largest number of prices, or steps, tried per decomposition.", low=1)


def loss_of(settings: MaxMargin, corpus: BagCorpus) -> Loss:
    positives = max(1, int(corpus.gold.sum()) - corpus.unexplained)
    if isinstance(settings, MaxMarginF):
        return Loss(positives, settings.beta, settings.mix)
    return Loss(positives)


def nil_score(settings: MaxMargin, beta: float) -> float:
    """The score of nil in training."""
    return beta if settings.nil == "priced" else 0.0


def axes_of(settings: MaxMargin, corpus: BagCorpus) -> Axes:
    """The coordinates in which the weights are learnt."""
    split = corpus.mentions.n_columns * corpus.n_labels
    return NilAxes(split, corpus.n_labels) if settings.nil == "learnt" else Axes()


def nil_factor(settings: MaxMargin, n_labels: int) -> float:
    """The score of nil in prediction, as a multiple of its score in training.

    Nil bags are examples of nil; positive bags are not, and the best of many wrong labels scores well above 0: the
    more labels, the higher, about as their logarithm.
    """
    if settings.bags != "positive":
        return 1.0
    return max(0.0, 1.0 + (settings.caution - 1.0) * math.log(max(n_labels, 1)) / math.log(_USUAL_LABELS))


@dataclass(frozen=True, eq=False)
class Output:
    """The output behind a plane, kept so that the plane can be recomputed for another loss or completion."""

    sums: Singles
    fp: int
    fn: int
    fixed: float
    """The part of the score that comes from nil, not from weights."""


@dataclass(frozen=True, eq=False)
class Warm:
    """The result of an earlier training: its weights and outputs."""

    weights: Singles
    outputs: tuple[Output, ...]


@dataclass(frozen=True, eq=False)
class MarginRound(Round[LinearBags]):
    """One CCCP round. Its objective is the value after the next completion."""

    primal: float = np.inf
    dual: float = -np.inf
    """The lower and upper bound of the inner problem."""
    changed: int = 0
    """The number of mention labels changed by the next completion."""
    doubt: float = 0.0
    """By how much the last loss-augmented search may have missed the worst output, as a share of its value."""
    warm: Warm | None = field(default=None, repr=False)
    planes: tuple[Mapping[str, float], ...] = field(default=(), repr=False)
    """Statistics of inference for each plane."""
    integral: float | None = None
    """The share of the bags' linear programs so far that were integral; None if none was solved."""

    @property
    def certified(self) -> float:
        """Share of loss-augmented searches that were certified to be exact."""
        return float(np.mean([plane["certified"] for plane in self.planes]))


class _Training(Training[MarginRound]):
    """The weights, the outputs behind the planes, and the mention labels that complete gold."""

    kind: ClassVar[str] = "max-margin bags"

    def __init__(self, settings: MaxMargin, corpus: BagCorpus, warm: Warm | None, crew: Crew, *, fresh: bool) -> None:
        super().__init__()
        self._settings, self._corpus = settings, corpus
        self._loss = loss_of(settings, corpus)
        self._nil = nil_score(settings, self._loss.beta)
        self._axes = axes_of(settings, corpus)
        self._solve = solver(settings.inference)
        self._bags = Bags(corpus, self._solve, crew)
        self._weights = None if warm is None else warm.weights
        self._outputs: tuple[Output, ...] = () if warm is None else warm.outputs
        self._labels: Labels = self._first_labels() if fresh else np.zeros(0, dtype=np.int64)

    @property
    def size(self) -> tuple[int, ...]:
        return (self._corpus.n_bags, int(self._corpus.offsets[-1]), self._corpus.dim)

    def _scorer(self, weights: Singles, nil: float) -> LinearBags:
        return LinearBags.of(self._axes.scores(weights), self._corpus, nil)

    def _output(self, labels: Labels, on: Flags) -> Output:
        return _output(self._corpus, labels, on, self._nil, self._axes)

    def step(self) -> MarginRound:
        corpus, settings, labels = self._corpus, self._settings, self._labels
        last, log = self._solve_planes()
        weights = self._weights = last.weights
        self._outputs = tuple(plane.note for plane in last.planes)
        scorer = self._scorer(weights, self._nil)
        scores = scorer.of_corpus(corpus)
        completed = complete(corpus, scores)
        gain = scores.total(completed, held(corpus, completed)) - scores.total(labels, held(corpus, labels))
        changed = int((completed != labels).sum())
        self._labels, self.finished = completed, changed == 0
        return MarginRound(
            index=self.done,
            objective=last.primal - settings.C * max(0.0, gain),
            primal=last.primal,
            dual=last.dual,
            scorer=self._scorer(weights, self._nil * nil_factor(settings, corpus.n_labels)),
            changed=changed,
            doubt=self._doubt(scorer),
            warm=Warm(weights, self._outputs),
            planes=tuple(log),
            integral=_integral(self._solve),
            unsolved=self._short_of(last, changed),
        )

    def _doubt(self, scorer: LinearBags) -> float:
        settings = self._settings
        if not isinstance(settings, MaxMarginF):
            return 0.0
        if isinstance(self._solve, BagPrograms):
            # Programs would take most of the time here, and the bound is the same.
            return doubt_of(Whole(self._corpus, scorer.of_corpus(self._corpus)), self._loss, settings)
        return doubt_of(self._bags.under(scorer), self._loss, settings)

    def _short_of(self, last: PlaneRound, changed: int) -> str:
        """What the last round leaves unsolved."""
        settings = self._settings
        if self.goes_on(settings.n_rounds - 1):
            return ""
        wanted = settings.tolerance * max(1, self._corpus.n_bags) * settings.C
        if last.gap > wanted:
            return (
                f"the last round stopped at its limit of {settings.planes} planes with a gap of {last.gap:.3g}, where"
                f" {wanted:.3g} is asked for; raise planes"
            )
        if changed:
            return (
                f"completing gold still changed {changed} mention labels after the last of {settings.n_rounds}"
                " rounds; raise n_rounds"
            )
        return ""

    def _solve_planes(self) -> tuple[PlaneRound, list[Mapping[str, float]]]:
        """Solve the convex problem for the current mention labels; returns its last round, and statistics of each
        plane."""
        corpus, settings, loss, nil = self._corpus, self._settings, self._loss, self._nil
        good = self._output(self._labels, held(corpus, self._labels))
        how = settings if isinstance(settings, MaxMarginF) else None
        log: list[Mapping[str, float]] = []

        def oracle(at: Singles) -> Plane:
            found = augmented(self._bags.under(self._scorer(at, nil)), loss, how)
            log.append(_entry(found))
            return _plane(good, self._output(found.labels, found.held), loss)

        tol = settings.tolerance * max(1, corpus.n_bags)
        known = [_plane(good, output, loss) for output in self._outputs]
        for last in one_slack(
            oracle, corpus.dim, settings.C, tol, most=settings.planes, planes=known, start=self._weights, step=_STEP
        ):
            log[-1] = {**log[-1], "primal": last.primal, "dual": last.dual, "gap": last.gap}
        return last, log

    def _first_labels(self) -> Labels:
        """Initial mention labels: from earlier weights, from a perceptron, or as the settings specify."""
        corpus, settings = self._corpus, self._settings
        if self._weights is not None:
            return complete(corpus, self._scorer(self._weights, self._nil).of_corpus(corpus))
        if settings.start == "hoffmann":
            perceptron = fit(Hoffmann(seed=settings.seed, n_rounds=_START_ROUNDS), [corpus])
            return complete(corpus, perceptron.of_corpus(corpus))
        scores = np.zeros((len(corpus.mentions.starts) - 1, corpus.n_labels + 1))
        # In positive bags, all other mentions take a gold label or nil; nil bags have no gold label.
        scores[:, 0] = 1.0 if settings.start == "one" else -1.0
        return complete_all(scores, corpus.gold, corpus.offsets)

    def save(self) -> Saved:
        assert self._weights is not None
        counts = [self._solve.solved, self._solve.fractional] if isinstance(self._solve, BagPrograms) else [0, 0]
        outputs = self._outputs
        return {
            "weights": self._weights,
            "labels": self._labels,
            "programs": np.array(counts),
            "output_sums": np.array([one.sums for one in outputs]),
            "output_counts": np.array([(one.fp, one.fn) for one in outputs], dtype=np.int64),
            "output_fixed": np.array([one.fixed for one in outputs]),
        }

    def restore(self, saved: Saved) -> None:
        self._weights, self._labels = saved["weights"], saved["labels"]
        if isinstance(self._solve, BagPrograms):
            self._solve.solved, self._solve.fractional = saved["programs"].tolist()
        rows = zip(saved["output_sums"], saved["output_counts"].tolist(), saved["output_fixed"].tolist(), strict=True)
        self._outputs = tuple(Output(sums, fp, fn, fixed) for sums, (fp, fn), fixed in rows)


def _integral(solve: Solve) -> float | None:
    if not isinstance(solve, BagPrograms) or solve.way != "lp" or not solve.solved:
        return None
    return 1.0 - solve.fractional / solve.solved


def _entry(found: Augmented) -> dict[str, float]:
    agreement = found.agreement
    entry = {"fp": float(found.fp), "fn": float(found.fn), "certified": 1.0, "disagreement": 0.0, "steps": 1.0}
    if agreement is not None:
        entry["certified"] = float(agreement.certified)
        entry["disagreement"] = agreement.steps[-1].disagreement
        entry["steps"] = float(len(agreement.steps))
    return entry


def _output(corpus: BagCorpus, labels: Labels, on: Flags, nil: float, axes: Axes) -> Output:
    fp, fn = count_errors(corpus, on)
    fixed = nil * float(corpus.shares[labels == 0].sum())
    return Output(axes.features(feature_sums(corpus, labels, on)), fp, fn, fixed)


def _plane(good: Output, bad: Output, loss: Loss) -> Plane:
    """score(bad) + loss - score(good) <= slack, in terms of the weights."""
    return Plane(good.sums - bad.sums, loss(bad.fp, bad.fn) + bad.fixed - good.fixed, bad)
