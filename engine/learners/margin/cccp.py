"""Max-margin learning of bags with latent mention labels: CCCP outside, cutting planes inside.

The objective is equation 9 of Haffari et al. (2015):

    |w|^2 / 2 + C ( max over Y' of [score(Y') + loss(Y')]  -  max over H of score(H, gold labels) )

CCCP alternates completing the mention labels H for the gold labels (which makes the second term linear) and solving the
convex rest with cutting planes. The loss-augmented maximum is exact per bag for losses that add up over labels; for the
F loss it is found by dual decomposition (engine.structures.agreement).

Loss, in units of one label, with P gold labels and a weight `mix`:

    (1 - mix) P (1 - F_beta)  +  mix (beta FP + (1 - beta) FN)

The second part is the tangent of the first at the perfect labelling; with beta = 1/2 it is half of the Hamming loss
that the paper mixes in (footnote 7). The F loss alone cannot carry beta: it is convex in FN, so the worst labelling has
no right label left, and there a false positive costs nothing whatever beta is. The tangent keeps the two prices apart.

Prices do not reach predictions by margins alone. In a positive bag the right label has to beat nil by 1 - beta and the
others by 1, but nothing says where nil stands between right and wrong: positive bags never show it, and a learnt nil
falls below everything, so that no bag is ever declined. So nil has no weights and stands at beta, the price of a false
positive: a lone mention takes a label iff the label scores more than that price, where right labels are trained towards
1 and wrong ones towards 0. On unseen bags the best of many wrong labels scores well above 0, hence `caution`: when
predicting on positive bags nil stands a little higher than in training. `nil=learnt` leaves nil at 0 and to the
margins, as in the paper, to see what it does. docs/distant.md has the argument in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from engine.learners.bags import BagCorpus, BagScores, LinearBags, complete, feature_sums, held
from engine.learners.fbeta import Search, ceiling, counts_grid, f_beta, search, worst_labels
from engine.learners.margin.cutting_plane import Plane, one_slack
from engine.settings import Settings, setting
from engine.structures.agreement import Agreement, Counted, per_label, two_prices
from engine.structures.bag import Labels, Solve, argmax_all, complete_all, solver
from engine.structures.bag_program import BagPrograms

# How far from the best weights towards the newest solution the next plane is sought: a third of the way brought primal
# and dual together in a third of the planes that the whole way took.
_STEP: Final = 0.3
PROOFS: Final = 30
"""Passes over the bags that show, once per CCCP round, how good the searches of the round are."""


@dataclass(frozen=True, kw_only=True)
class BagSettings(Settings):
    """What all learners of bags can be told."""

    bags: Literal["positive", "entire"] = setting(
        "positive", "Train on bags that have a relation, as the paper does, or on all of them; scores follow."
    )
    least: int = setting(2, "Features seen in fewer mentions are left out.", low=1)
    bag_features: float = setting(1.0, "Length of the rows of bag features; 0 leaves them out.", low=0.0)
    crowding: float = setting(
        0.5,
        "A mention of a bag of n counts n to the power of minus this: 0 as in the paper, 1 all bags alike.",
        low=0.0,
    )
    inference: Literal["exact", "lp", "ilp"] = setting(
        "exact",
        "How the best output of a bag is found: exact search; lp: linear program, integer where it is fractional; "
        "ilp: integer program. All find the best; the programs are for comparison, and thousands of times slower.",
    )


@dataclass(frozen=True, kw_only=True)
class MaxMargin(BagSettings):
    """Latent max-margin learning."""

    C: float = setting(10.0, "Price of one unit of loss against the length of the weights.", low=0.0)
    start: Literal["gold", "one", "hoffmann"] = setting(
        "gold",
        "Mention labels to begin with: every mention takes a gold label, one mention per gold label and the rest nil, "
        "or those of a perceptron.",
    )
    nil: Literal["priced", "learnt"] = setting(
        "priced", "Where nil stands in training: at beta, the price of a false positive; or at 0, left to the margins."
    )
    caution: float = setting(
        1.25, "Where nil stands when predicting, in units of where it stood in training on positive bags.", low=0.0
    )
    rounds: int = setting(2, "CCCP rounds at most.", low=1)
    planes: int = setting(80, "Cutting planes per CCCP round at most.", low=1)
    tolerance: float = setting(0.002, "A round is solved when primal and dual are this close, per bag and unit of C.")


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
    caution: float = setting(
        1.3, "Where nil stands when predicting, in units of where it stood in training on positive bags.", low=0.0
    )
    mix: float = setting(0.8, "Share of the loss that adds up over labels; the rest is the F loss.", low=0.0, high=1.0)
    decomposition: Literal["two-prices", "per-label"] = setting(
        "two-prices", "How loss and bags are made to agree: two prices searched for good, or the paper's steps."
    )
    search: Literal["exact", "climb"] = setting("exact", "Search of the (FP, FN) grid: exact, or the paper's climbing.")
    probes: int = setting(12, "Prices, or steps, tried per decomposition at most.", low=1)


@dataclass(frozen=True)
class Loss:
    """scale-free loss of a labelling by its counts; FN are those beyond what no output could have."""

    positives: int
    beta: float = 0.5
    mix: float = 1.0

    def __call__(self, fp: float, fn: float) -> float:
        linear = self.beta * fp + (1.0 - self.beta) * fn
        return self.f_part(fp, fn) + self.mix * linear

    def f_part(self, fp: float, fn: float) -> float:
        if self.mix == 1.0:
            return 0.0
        return (1.0 - self.mix) * self.positives * (1.0 - f_beta(fp, fn, self.positives, self.beta))

    @property
    def fp_price(self) -> float:
        return self.mix * self.beta

    @property
    def fn_price(self) -> float:
        return self.mix * (1.0 - self.beta)


@dataclass(frozen=True, eq=False)
class Augmented:
    """The worst output: its labels, counts, loss and score, and how well it was certified."""

    labels: Labels
    held: NDArray[np.bool_]
    fp: int
    fn: int
    score: float
    agreement: Agreement[Labels] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Output:
    """What a plane was made of, so that it can be priced again for another loss or completion."""

    sums: NDArray[np.float32]
    fp: int
    fn: int
    fixed: float
    """Score that comes from nil, not from weights."""


@dataclass(frozen=True, eq=False)
class Warm:
    """Where an earlier training stood: its weights and outputs."""

    weights: NDArray[np.float32]
    outputs: tuple[Output, ...]


@dataclass(frozen=True, eq=False)
class MarginRound:
    """One CCCP round: the objective after completing again, the bounds of the inner problem, and what inference did."""

    index: int
    objective: float
    primal: float
    dual: float
    scorer: LinearBags
    changed: int
    doubt: float
    """By which share of its value the last loss-augmented search may have missed the worst output."""
    warm: Warm = field(repr=False)
    planes: tuple[Mapping[str, float], ...] = field(repr=False)
    integral: float | None = None
    """Share of the bags' linear programs so far that were integral; None where none was solved."""

    @property
    def certified(self) -> float:
        """Share of loss-augmented searches that were certified to be exact."""
        return float(np.mean([plane["certified"] for plane in self.planes]))


def loss_of(settings: MaxMargin, corpus: BagCorpus) -> Loss:
    positives = max(1, int(corpus.gold.sum()) - corpus.unexplained)
    if isinstance(settings, MaxMarginF):
        return Loss(positives, settings.beta, settings.mix)
    return Loss(positives)


def nil_score(settings: MaxMargin, beta: float) -> float:
    """Where nil stands in training."""
    return beta if settings.nil == "priced" else 0.0


def _caution(settings: MaxMargin) -> float:
    # Nil bags show what nil looks like; positive ones do not, and the best of many wrong labels scores well above 0.
    return settings.caution if settings.bags == "positive" else 1.0


def rounds(
    corpus: BagCorpus, settings: MaxMargin, *, start: LinearBags | None = None, warm: Warm | None = None
) -> Iterator[MarginRound]:
    """Train. `start` gives the first completion when the settings ask for a perceptron's; `warm` resumes."""
    loss = loss_of(settings, corpus)
    nil = nil_score(settings, loss.beta)
    weights = None if warm is None else warm.weights
    first = LinearBags.of(weights, corpus, nil) if weights is not None else start
    labels = _first_labels(corpus, settings, first)
    outputs: Sequence[Output] = () if warm is None else warm.outputs
    solve = solver(settings.inference)
    for index in range(settings.rounds):
        good = _output(corpus, labels, held(corpus, labels), nil)
        log: list[Mapping[str, float]] = []

        def oracle(at: NDArray[np.float32], good: Output = good, log: list[Mapping[str, float]] = log) -> Plane:
            scores = LinearBags.of(at, corpus, nil).of_corpus(corpus)
            found = augmented(corpus, scores, loss, settings, solve)
            log.append(_entry(found))
            return _plane(good, _output(corpus, found.labels, found.held, nil), loss)

        last = None
        tol = settings.tolerance * max(1, corpus.n_bags)
        known = [_plane(good, output, loss) for output in outputs]
        for last in one_slack(
            oracle, corpus.dim, settings.C, tol, most=settings.planes, planes=known, start=weights, step=_STEP
        ):
            log[-1] = {**log[-1], "primal": last.primal, "dual": last.dual, "gap": last.gap}
        assert last is not None
        weights = last.weights
        outputs = [plane.note for plane in last.planes]
        scores = LinearBags.of(weights, corpus, nil).of_corpus(corpus)
        completed = complete(corpus, scores)
        gain = scores.total(completed, held(corpus, completed)) - scores.total(labels, held(corpus, labels))
        changed = int((completed != labels).sum())
        yield MarginRound(
            index=index,
            objective=last.primal - settings.C * max(0.0, gain),
            primal=last.primal,
            dual=last.dual,
            scorer=LinearBags.of(weights, corpus, nil * _caution(settings)),
            changed=changed,
            doubt=_doubt(corpus, scores, loss, settings),
            warm=Warm(weights, tuple(outputs)),
            planes=tuple(log),
            integral=_integral(solve),
        )
        if changed == 0:
            return
        labels = completed


def _integral(solve: Solve) -> float | None:
    if not isinstance(solve, BagPrograms) or solve.way != "lp" or not solve.solved:
        return None
    return 1.0 - solve.fractional / solve.solved


def augmented(
    corpus: BagCorpus, scores: BagScores, loss: Loss, settings: MaxMargin, solve: Solve = argmax_all
) -> Augmented:
    """The output of largest score + loss."""
    if loss.mix == 1.0:
        return _augment(corpus, scores, _hamming_step(corpus, scores, loss.fp_price, loss.fn_price, solve), None)
    assert isinstance(settings, MaxMarginF)
    agreement = decompose(corpus, scores, loss, settings, solve=solve)
    return _augment(corpus, scores, agreement.proposal, agreement)


def decompose(
    corpus: BagCorpus,
    scores: BagScores,
    loss: Loss,
    settings: MaxMarginF,
    *,
    proofs: int = 0,
    solve: Solve = argmax_all,
) -> Agreement[Labels]:
    """Loss-augmented inference by dual decomposition (Algorithm 2, or two prices and `proofs` passes more)."""
    if settings.decomposition == "per-label":
        return _per_label(corpus, scores, loss, settings, solve)
    positives = loss.positives
    most_fp = int(min((~corpus.gold).sum(), len(scores.mentions)))
    scale = (1.0 - loss.mix) * positives

    def counts(fp_price: float, fn_price: float) -> tuple[float, int, int]:
        # The additive part of the loss has the same price on both sides, so only the F part is searched here.
        over = counts_grid(fp_price, fn_price, most_fp, positives)
        worst = search(over, loss.beta, scale=scale, method=settings.search, seed=settings.seed)
        return worst.value - float(over.right[-1]), worst.fp, worst.fn

    def model(fp_price: float, fn_price: float) -> Counted[Labels]:
        p, q = loss.fp_price + fp_price, loss.fn_price + fn_price
        labels = _hamming_step(corpus, scores, p, q, solve)
        on = held(corpus, labels)
        fp, fn = _counts(corpus, on)
        plain = scores.total(labels, on)
        return Counted(plain + p * fp + q * fn, fp, fn, plain, labels)

    # The F part is convex in FN, so its best counts have FN = 0 or all: no price above these is ever needed.
    highest = ((1.0 - loss.mix) * loss.beta, 1.0 - loss.mix)

    def above(limits: list[tuple[float, float, float]]) -> tuple[float, int, int]:
        top = ceiling(np.array(limits), loss.beta, scale, most_fp, positives)
        return top.value, top.fp, top.fn

    return two_prices(loss, counts, model, highest, most=settings.probes, ceiling=above, proofs=proofs)


def _doubt(corpus: BagCorpus, scores: BagScores, loss: Loss, settings: MaxMargin) -> float:
    """How far from the worst output the search for it may have ended at these scores, as a share of its value."""
    if loss.mix == 1.0:
        return 0.0
    assert isinstance(settings, MaxMarginF)
    # By the exact search whatever the setting: the bound is the same, and programs would take most of the time here.
    found = decompose(corpus, scores, loss, replace(settings, decomposition="two-prices"), proofs=PROOFS)
    return found.gap / max(abs(found.bound), 1e-9)


def _per_label(
    corpus: BagCorpus, scores: BagScores, loss: Loss, settings: MaxMarginF, solve: Solve
) -> Agreement[Labels]:
    price = np.where(corpus.gold, -loss.fn_price, loss.fp_price)
    constant = loss.fn_price * (int(corpus.gold.sum()) - corpus.unexplained)
    scale = (1.0 - loss.mix) * loss.positives
    method: Search = settings.search

    def first(lam: NDArray[np.float64]) -> tuple[float, NDArray[np.bool_]]:
        value, on = worst_labels(corpus.gold, lam, loss.beta, scale=scale, method=method, seed=settings.seed)
        return value, on.astype(np.bool_).reshape(corpus.gold.shape)

    def second(lam: NDArray[np.float64]) -> tuple[float, NDArray[np.bool_], Labels]:
        labels = solve(scores.mentions, scores.labels + price - lam, corpus.offsets)
        on = held(corpus, labels)
        return scores.total(labels, on) + float((price - lam)[on].sum()) + constant, on, labels

    def value_of(on: NDArray[np.bool_], labels: Labels) -> float:
        return scores.total(labels, on) + loss(*_counts(corpus, on))

    return per_label(first, second, value_of, corpus.gold.shape, most=settings.probes)


def _hamming_step(corpus: BagCorpus, scores: BagScores, fp_price: float, fn_price: float, solve: Solve) -> Labels:
    """The output of largest score + prices: exact, bag by bag."""
    return solve(scores.mentions, scores.labels + np.where(corpus.gold, -fn_price, fp_price), corpus.offsets)


def _counts(corpus: BagCorpus, on: NDArray[np.bool_]) -> tuple[int, int]:
    fp = int((on & ~corpus.gold).sum())
    return fp, int((corpus.gold & ~on).sum()) - corpus.unexplained


def _augment(corpus: BagCorpus, scores: BagScores, labels: Labels, agreement: Agreement[Labels] | None) -> Augmented:
    on = held(corpus, labels)
    fp, fn = _counts(corpus, on)
    return Augmented(labels, on, fp, fn, scores.total(labels, on), agreement)


def _entry(found: Augmented) -> dict[str, float]:
    agreement = found.agreement
    entry = {"fp": float(found.fp), "fn": float(found.fn), "certified": 1.0, "disagreement": 0.0, "steps": 1.0}
    if agreement is not None:
        entry["certified"] = float(agreement.certified)
        entry["disagreement"] = agreement.steps[-1].disagreement
        entry["steps"] = float(len(agreement.steps))
    return entry


def _output(corpus: BagCorpus, labels: Labels, on: NDArray[np.bool_], nil: float) -> Output:
    fp, fn = _counts(corpus, on)
    fixed = nil * float(corpus.shares[labels == 0].sum())
    return Output(feature_sums(corpus, labels, on), fp, fn, fixed)


def _plane(good: Output, bad: Output, loss: Loss) -> Plane:
    """score(bad) + loss - score(good) <= slack, in terms of the weights."""
    return Plane(good.sums - bad.sums, loss(bad.fp, bad.fn) + bad.fixed - good.fixed, bad)


def _first_labels(corpus: BagCorpus, settings: MaxMargin, start: LinearBags | None) -> Labels:
    if start is not None:
        return complete(corpus, start.of_corpus(corpus))
    scores = np.zeros((len(corpus.mentions.starts) - 1, corpus.n_labels + 1))
    # Positive bags keep their mentions off nil, or on it; nil bags have no gold label to take.
    scores[:, 0] = 1.0 if settings.start == "one" else -1.0
    return complete_all(scores, corpus.gold, corpus.offsets)
