"""Loss-augmented inference over all bags: the output of largest score + loss.

For a loss that is additive over labels it is exact, bag by bag. The F loss couples the bags: the output is found by
dual decomposition (engine.structures.agreement), which bounds its distance from the best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

import numpy as np

from engine.arrays import Flags, Floats
from engine.learners.bags import BagCorpus
from engine.learners.fbeta import Search, ceiling, counts_grid, search, worst_labels
from engine.learners.margin.bag_loss import Loss
from engine.learners.margin.searched import Found, Searched
from engine.structures.agreement import Agreement, Counted, per_label, two_prices
from engine.structures.bag import Labels

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
    agreement: Agreement[Found] | None = field(default=None, repr=False)


def augmented(bags: Searched, loss: Loss, how: Agreeing | None) -> Augmented:
    """The output of largest score + loss; a loss with an F part must be told how to search."""
    if loss.mix == 1.0:
        return _augment(bags.corpus, bags.best((loss.fp_price, loss.fn_price)), None)
    if how is None:
        raise ValueError("the F loss is searched by decomposition: say how")
    agreement = decompose(bags, loss, how)
    return _augment(bags.corpus, agreement.proposal, agreement)


def decompose(bags: Searched, loss: Loss, how: Agreeing, *, proofs: int = 0) -> Agreement[Found]:
    """Loss-augmented inference by dual decomposition (Algorithm 2, or two prices and `proofs` passes more)."""
    if how.decomposition == "per-label":
        return _per_label(bags, loss, how)
    return _two_prices(bags, loss, how, proofs=proofs)


def _two_prices(bags: Searched, loss: Loss, how: Agreeing, *, proofs: int = 0) -> Agreement[Found]:
    corpus = bags.corpus
    positives = loss.positives
    most_fp = int(min((~corpus.gold).sum(), corpus.offsets[-1]))
    scale = (1.0 - loss.mix) * positives

    def counts(fp_price: float, fn_price: float) -> tuple[float, int, int]:
        # The additive part of the loss has the same price on both sides, so only the F part is searched here.
        over = counts_grid(fp_price, fn_price, most_fp, positives)
        worst = search(over, loss.beta, scale=scale, method=how.search, seed=how.seed)
        return worst.value - float(over.right[-1]), worst.fp, worst.fn

    def model(fp_price: float, fn_price: float) -> Counted[Found]:
        p, q = loss.fp_price + fp_price, loss.fn_price + fn_price
        found = bags.best((p, q))
        fp, fn = count_errors(corpus, found.held)
        return Counted(found.score + p * fp + q * fn, fp, fn, found.score, found)

    # The F part is convex in FN, so its best counts have FN = 0 or all: no price above these is ever needed.
    highest = ((1.0 - loss.mix) * loss.beta, 1.0 - loss.mix)

    def above(limits: list[tuple[float, float, float]]) -> tuple[float, int, int]:
        top = ceiling(np.array(limits), loss.beta, scale, most_fp, positives)
        return top.value, top.fp, top.fn

    return two_prices(loss, counts, model, highest, most=how.probes, ceiling=above, proofs=proofs)


def doubt_of(bags: Searched, loss: Loss, how: Agreeing) -> float:
    """How far from the worst output the search for it may have ended at these scores, as a share of its value."""
    if loss.mix == 1.0:
        return 0.0
    # By two prices whatever the settings: the bound is the same.
    found = _two_prices(bags, loss, how, proofs=PROOFS)
    return found.gap / max(abs(found.bound), 1e-9)


def _per_label(bags: Searched, loss: Loss, how: Agreeing) -> Agreement[Found]:
    corpus = bags.corpus
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

    def second(lam: Floats) -> tuple[float, Flags, Found]:
        found = bags.best(price - lam)
        return found.score + float((price - lam)[found.held].sum()) + constant, found.held, found

    def value_of(on: Flags, found: Found) -> float:
        return found.score + loss(*count_errors(corpus, on))

    return per_label(first, second, value_of, corpus.gold.shape, most=how.probes)


def count_errors(corpus: BagCorpus, on: Flags) -> tuple[int, int]:
    fp = int((on & ~corpus.gold).sum())
    return fp, int((corpus.gold & ~on).sum()) - corpus.unexplained


def _augment(corpus: BagCorpus, found: Found, agreement: Agreement[Found] | None) -> Augmented:
    fp, fn = count_errors(corpus, found.held)
    return Augmented(found.labels, found.held, fp, fn, found.score, agreement)
