"""Bags: every mention takes one label or nil, and a label holds for the pair iff some mention takes it.

An output scores the sum of its mentions' scores plus the score of every label that holds (deterministic OR; Hoffmann
et al. 2011, Haffari et al. 2015 Fig. 1). `argmax` solves equation 15 of the latter exactly for label scores of any
sign, where the paper relaxes an integer program:

* Labels that cost something (score < 0) are branched on: opened, they are paid for and free to use; a label that
  cannot earn its price even against nil and the free labels is never opened.
* Labels with a bonus need one mention each to collect it. Every mention starts from its best usable label, and giving
  mention m to label l gains bonus(l) - (best(m) - score(m, l)): a maximum-weight matching of mentions and labels.
* If too many labels have a price, small bags use a dynamic program over subsets of mentions, and large ones, once
  branching takes too long, the linear program, then the integer program (`engine.structures.bag_program`).

`BagAnswer` records which method was used. All bags of a corpus are solved together by `argmax_all` on flat arrays;
`FlatBag` presents one bag as a `Structure`, for code that works with parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.arrays import Flags, Floats, Ints
from engine.structures.bag_program import BagPrograms
from engine.structures.bag_search import MATCHING, SUBSETS, UNSOLVED, solve_all, solve_bag
from engine.structures.base import NO_PINS, Infeasible, Parts, Pins, Scores

Method: TypeAlias = Literal["matching", "subsets", "lp", "ilp"]

Inference: TypeAlias = Literal["exact", "lp", "ilp"]

Labels: TypeAlias = Ints
"""One label per mention; 0 is nil, l + 1 is column l of the label scores."""

_NAMES: Final[tuple[Method, ...]] = ("matching", "subsets")


@dataclass(frozen=True)
class BagPins:
    """Pins of a bag: labels of mentions (0 is nil), labels that mentions may not take, labels that hold or do not.

    Mention labels count from 1 as in the columns of the mention scores, and so do the bag's labels here.
    """

    mentions: Mapping[int, int] = field(default_factory=dict)
    forbidden: frozenset[tuple[int, int]] = frozenset()
    on: frozenset[int] = frozenset()
    off: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.mentions or self.forbidden or self.on or self.off)


NO_BAG_PINS: Final = BagPins()


@dataclass(frozen=True, eq=False)
class BagAnswer:
    """The best output, its score, and the method that found it."""

    labels: Labels
    score: float
    method: Method


class Bag:
    """One pair of entities with its mentions."""

    def __init__(self, n_mentions: int, n_labels: int) -> None:
        if n_mentions < 0 or n_labels < 0:
            raise ValueError("a bag cannot have a negative number of mentions or labels")
        self.n_mentions = n_mentions
        self.n_labels = n_labels

    def argmax(
        self,
        mention_scores: Floats,
        label_scores: Floats | None = None,
        *,
        pins: BagPins = NO_BAG_PINS,
    ) -> Labels:
        """The label of every mention in the best output (column 0 of the mention scores is nil)."""
        return self.solve(mention_scores, label_scores, pins=pins).labels

    def solve(
        self,
        mention_scores: Floats,
        label_scores: Floats | None = None,
        *,
        pins: BagPins = NO_BAG_PINS,
        method: Literal["auto", "matching", "subsets", "program"] = "auto",
    ) -> BagAnswer:
        """Like `argmax`, with the score and the method."""
        scores, prices = self._checked(mention_scores, label_scores)
        pinned, raised = _apply(pins, scores, prices)
        if self.n_mentions == 0:
            labels, used = np.zeros(0, dtype=np.int64), MATCHING
        elif method != "program":
            code = {"auto": UNSOLVED, "matching": MATCHING, "subsets": SUBSETS}[method]
            labels, used = _solve_one(_finite(pinned, raised), raised, code)
        else:
            labels, used = np.zeros(self.n_mentions, dtype=np.int64), UNSOLVED
        name: Method
        if used == UNSOLVED:
            labels, name = BagPrograms("lp").solve(pinned, raised)
        else:
            name = _NAMES[used]
        _check_pins(pins, labels, pinned)
        return BagAnswer(labels, bag_score(labels, scores, prices), name)

    def complete(self, mention_scores: Floats, gold: Sequence[int]) -> Labels:
        """The best output in which every gold label (from 1) holds and no other: h* of equation 12.

        With fewer mentions than gold labels, as many labels as there are mentions hold.
        """
        flags = np.zeros((1, self.n_labels), dtype=np.bool_)
        flags[0, np.asarray(gold, dtype=np.int64) - 1] = True
        offsets = np.array([0, self.n_mentions], dtype=np.int64)
        scores, _ = self._checked(mention_scores, None)
        return complete_all(scores, flags, offsets)

    def _checked(self, mention_scores: Floats, label_scores: Floats | None) -> tuple[Floats, Floats]:
        scores = np.ascontiguousarray(mention_scores, dtype=np.float64)
        if scores.shape != (self.n_mentions, self.n_labels + 1):
            raise ValueError(
                f"mention scores must be {self.n_mentions} x {self.n_labels + 1} (column 0 is nil), not {scores.shape}"
            )
        prices = np.zeros(self.n_labels) if label_scores is None else np.asarray(label_scores, dtype=np.float64)
        if prices.shape != (self.n_labels,):
            raise ValueError(f"label scores must be {self.n_labels} numbers, not {prices.shape}")
        return scores, np.ascontiguousarray(prices)


class FlatBag:
    """A bag on flat parts: part m (L + 1) + l means that mention m takes label l (0 is nil); after these comes one part
    per label, which means that the label holds. Every output has one part of each mention, and the parts of exactly
    those labels that some mention takes."""

    def __init__(self, n_mentions: int, n_labels: int) -> None:
        self.bag = Bag(n_mentions, n_labels)
        self.width = n_labels + 1

    @property
    def n_parts(self) -> int:
        return self.holding(1) + self.bag.n_labels

    def taking(self, mention: int, label: int) -> int:
        """The part "this mention takes this label"."""
        return mention * self.width + label

    def holding(self, label: int) -> int:
        """The part "this label (from 1) holds"."""
        return self.bag.n_mentions * self.width + label - 1

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        labels = self.solve(scores, pins=pins).labels
        held = np.unique(labels[labels > 0])
        return np.concatenate([np.arange(len(labels)) * self.width + labels, held + self.holding(0)]).astype(np.intp)

    def solve(self, scores: Scores, *, pins: Pins = NO_PINS) -> BagAnswer:
        """Like `argmax`, but gives mention labels, with the score and the method."""
        split = self.bag.n_mentions * self.width
        mentions, prices = np.reshape(scores[:split], (-1, self.width)), scores[split:]
        return self.bag.solve(mentions, prices, pins=self._bag_pins(pins, prices))

    def _bag_pins(self, pins: Pins, prices: Scores) -> BagPins:
        """The pins in terms of a bag; labels whose part is forbidden do not hold."""
        mentions: dict[int, int] = {}
        on: set[int] = set()
        for part in pins.on:
            mention, label = self.meaning(part)
            if mention is None:
                on.add(label)
            elif mentions.setdefault(mention, label) != label:
                raise Infeasible(f"mention {mention} is pinned to the labels {mentions[mention]} and {label}")
        off = {int(label) + 1 for label in np.flatnonzero(prices == -np.inf)}
        forbidden: set[tuple[int, int]] = set()
        for part in pins.off:
            mention, label = self.meaning(part)
            if mention is None:
                off.add(label)
            else:
                forbidden.add((mention, label))
        if on & off:
            raise Infeasible(f"label {min(on & off)} is pinned on, but may not hold")
        return BagPins(mentions, frozenset(forbidden), frozenset(on), frozenset(off))

    def meaning(self, part: int) -> tuple[int | None, int]:
        """What a part means: a mention and its label, or None and a label that holds."""
        if part >= self.holding(1):
            return None, part - self.holding(0)
        return divmod(part, self.width)


def bag_score(labels: Labels, scores: Floats, prices: Floats) -> float:
    """Score of one output of one bag."""
    held = np.unique(labels[labels > 0]) - 1
    return float(scores[np.arange(len(labels)), labels].sum() + prices[held].sum())


def argmax_all(scores: Floats, prices: Floats, offsets: Ints) -> Labels:
    """Best labels of all mentions [M] of a corpus: finite scores [M, L + 1], prices [bags, L], mentions of bag b at
    offsets[b]:offsets[b + 1]."""
    labels = np.zeros(len(scores), dtype=np.int64)
    unsolved = solve_all(scores, prices, offsets, labels)
    for b in np.flatnonzero(unsolved):
        first, last = offsets[b], offsets[b + 1]
        labels[first:last], _ = BagPrograms("lp").solve(scores[first:last], prices[b])
    return labels


Solve: TypeAlias = Callable[[Floats, Floats, Ints], Labels]
"""A function that finds the best labels of a corpus: `argmax_all`, or another to compare it with."""


def solver(way: Inference) -> Solve:
    """The exact search, or programs. A solver that uses programs may only be called from one thread."""
    return argmax_all if way == "exact" else BagPrograms(way)


def complete_all(
    scores: Floats,
    gold: Flags,
    offsets: Ints,
    label_scores: Floats | None = None,
) -> Labels:
    """Completions of all bags for their gold labels [bags, L].

    `label_scores` matter only if there are too few mentions: they determine which gold labels are left out.
    """
    bonus = _spread(scores) * (1.0 + np.diff(offsets)[:, None])
    if label_scores is not None:
        bonus = bonus * (1.0 + _spread(label_scores)) + label_scores
    return argmax_all(scores, np.where(gold, bonus, -np.inf), offsets)


def held_labels(labels: Labels, offsets: Ints, n_labels: int) -> Flags:
    """[bags, L]: which labels hold given the labels of the mentions."""
    held = np.zeros((len(offsets) - 1, n_labels + 1), dtype=np.bool_)
    bag = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    held[bag, labels] = True
    return held[:, 1:]


def _finite(scores: Floats, prices: Floats) -> Floats:
    """Replace forbidden scores by ones so low that they are chosen only if nothing else is left; bounds need finite
    sums."""
    low = (_spread(scores) + float(np.abs(prices[np.isfinite(prices)]).sum())) * (len(scores) + 1)
    return np.where(scores == -np.inf, -low - float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)), scores)


def _spread(scores: Floats) -> float:
    finite = scores[np.isfinite(scores)]
    return 1.0 + (float(finite.max() - finite.min()) if len(finite) else 0.0)


def _apply(pins: BagPins, scores: Floats, prices: Floats) -> tuple[Floats, Floats]:
    """Scores and prices under the pins; a label pinned on has a bonus that makes it hold whenever that is possible."""
    bonus = (_spread(scores) + float(np.abs(prices[np.isfinite(prices)]).sum())) * (len(scores) + 1)
    if not pins:
        return scores, prices
    scores, prices = scores.copy(), prices.copy()
    for m, label in pins.mentions.items():
        kept = scores[m, label]
        scores[m] = -np.inf
        scores[m, label] = kept
    for m, label in pins.forbidden:
        scores[m, label] = -np.inf
    for label in pins.off:
        scores[:, label] = -np.inf
    for label in pins.on:
        prices[label - 1] = bonus
    return scores, prices


def _check_pins(pins: BagPins, labels: Labels, pinned: Floats) -> None:
    for m in range(len(labels)):
        if pinned[m, labels[m]] == -np.inf:
            raise Infeasible(f"mention {m} has no label left that the pins allow")
    missing = sorted(pins.on - set(labels.tolist()))
    if missing:
        raise Infeasible(f"label {missing[0]} is pinned on, but no mention is free to take it")


def _solve_one(scores: Floats, prices: Floats, method: int) -> tuple[Labels, int]:
    labels = np.zeros(len(scores), dtype=np.int64)
    used = solve_bag(scores, prices, labels, method)
    return labels, int(used)
