"""Loss-augmented inference over all bags: the output of largest score + loss.

For a loss that is additive over labels it is exact, bag by bag. The F loss couples the bags: the output is found by
dual decomposition (engine.structures.agreement), which bounds its distance from the best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

import numpy as np

from engine.arrays import Flags, Floats
from engine.learners.bags import BagCorpus, BagScores, held
from engine.learners.fbeta import Search, ceiling, counts_grid, search, worst_labels
from engine.learners.margin.bag_loss import Loss
from engine.structures.agreement import Agreement, Counted, per_label, two_prices
from engine.structures.bag import Labels, Solve, argmax_all

PROOFS: Final = 30
"""The number of passes over the bags that measure, once per CCCP round, how good its searches are."""


class Agreeing(Protocol):
    """How loss and bags are made to agree."""

    @property
    def seed(self) -> int: ...
    @property
    def decomposition(self) -> Literal["two-prices", "per-label"]: ...
    @property
    def search(self) -> Search: ...
    @property
    def probes(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Augmented:
    """The worst output: its labels, counts, loss and score, and the certificate of its optimality."""

    labels: Labels
    held: Flags
    fp: int
    fn: int
    score: float
    agreement: Agreement[Labels] | None = field(default=None, repr=False)


def augmented(
    corpus: BagCorpus, scores: BagScores, loss: Loss, how: Agreeing | None, solve: Solve = argmax_all
) -> Augmented:
    """The output of largest score + loss; a loss with an F part must be told how to search."""
    if loss.mix == 1.0:
        return _augment(corpus, scores, _hamming_step(corpus, scores, loss.fp_price, loss.fn_price, solve), None)
    if how is None:
        raise ValueError("the F loss is searched by decomposition: say how")
    agreement = decompose(corpus, scores, loss, how, solve=solve)
    return _augment(corpus, scores, agreement.proposal, agreement)


def decompose(
    corpus: BagCorpus, scores: BagScores, loss: Loss, how: Agreeing, *, proofs: int = 0, solve: Solve = argmax_all
) -> Agreement[Labels]:
    """Loss-augmented inference by dual decomposition (Algorithm 2, or two prices and `proofs` passes more)."""
    if how.decomposition == "per-label":
        return _per_label(corpus, scores, loss, how, solve)
    return _two_prices(corpus, scores, loss, how, proofs=proofs, solve=solve)


def _two_prices(
    corpus: BagCorpus, scores: BagScores, loss: Loss, how: Agreeing, *, proofs: int = 0, solve: Solve = argmax_all
) -> Agreement[Labels]:
    positives = loss.positives
    most_fp = int(min((~corpus.gold).sum(), len(scores.mentions)))
    scale = (1.0 - loss.mix) * positives

    def counts(fp_price: float, fn_price: float) -> tuple[float, int, int]:
        # The additive part of the loss has the same price on both sides, so only the F part is searched here.
        over = counts_grid(fp_price, fn_price, most_fp, positives)
        worst = search(over, loss.beta, scale=scale, method=how.search, seed=how.seed)
        return worst.value - float(over.right[-1]), worst.fp, worst.fn

    def model(fp_price: float, fn_price: float) -> Counted[Labels]:
        p, q = loss.fp_price + fp_price, loss.fn_price + fn_price
        labels = _hamming_step(corpus, scores, p, q, solve)
        on = held(corpus, labels)
        fp, fn = count_errors(corpus, on)
        plain = scores.total(labels, on)
        return Counted(plain + p * fp + q * fn, fp, fn, plain, labels)

    # The F part is convex in FN, so its best counts have FN = 0 or all: no price above these is ever needed.
    highest = ((1.0 - loss.mix) * loss.beta, 1.0 - loss.mix)

    def above(limits: list[tuple[float, float, float]]) -> tuple[float, int, int]:
        top = ceiling(np.array(limits), loss.beta, scale, most_fp, positives)
        return top.value, top.fp, top.fn

    return two_prices(loss, counts, model, highest, most=how.probes, ceiling=above, proofs=proofs)


def doubt_of(corpus: BagCorpus, scores: BagScores, loss: Loss, how: Agreeing) -> float:
    """How far from the worst output the search for it may have ended at these scores, as a share of its value."""
    if loss.mix == 1.0:
        return 0.0
    # By two prices and the exact search whatever the settings: the bound is the same, and programs would take most of
    # the time here.
    found = _two_prices(corpus, scores, loss, how, proofs=PROOFS)
    return found.gap / max(abs(found.bound), 1e-9)


def _per_label(corpus: BagCorpus, scores: BagScores, loss: Loss, how: Agreeing, solve: Solve) -> Agreement[Labels]:
    price = np.where(corpus.gold, -loss.fn_price, loss.fp_price)
    constant = loss.fn_price * (int(corpus.gold.sum()) - corpus.unexplained)
    scale = (1.0 - loss.mix) * loss.positives
    method: Search = how.search

    def first(lam: Floats) -> tuple[float, Flags]:
        # No output has all gold labels of a bag with fewer mentions than labels: those beyond are missing in any case.
        value, on = worst_labels(
            corpus.gold, lam, loss.beta, scale=scale, method=method, seed=how.seed, missing=corpus.unexplained
        )
        return value, on.astype(np.bool_).reshape(corpus.gold.shape)

    def second(lam: Floats) -> tuple[float, Flags, Labels]:
        labels = solve(scores.mentions, scores.labels + price - lam, corpus.offsets)
        on = held(corpus, labels)
        return scores.total(labels, on) + float((price - lam)[on].sum()) + constant, on, labels

    def value_of(on: Flags, labels: Labels) -> float:
        return scores.total(labels, on) + loss(*count_errors(corpus, on))

    return per_label(first, second, value_of, corpus.gold.shape, most=how.probes)


def _hamming_step(corpus: BagCorpus, scores: BagScores, fp_price: float, fn_price: float, solve: Solve) -> Labels:
    """The output of largest score + prices: exact, bag by bag."""
    return solve(scores.mentions, scores.labels + np.where(corpus.gold, -fn_price, fp_price), corpus.offsets)


def count_errors(corpus: BagCorpus, on: Flags) -> tuple[int, int]:
    fp = int((on & ~corpus.gold).sum())
    return fp, int((corpus.gold & ~on).sum()) - corpus.unexplained


def _augment(corpus: BagCorpus, scores: BagScores, labels: Labels, agreement: Agreement[Labels] | None) -> Augmented:
    on = held(corpus, labels)
    fp, fn = count_errors(corpus, on)
    return Augmented(labels, on, fp, fn, scores.total(labels, on), agreement)
