"""Bags: every mention takes one label or nil, and a label holds for the pair iff some mention takes it.

An output scores the sum of its mentions' scores plus the score of every label that holds (deterministic OR; Hoffmann
et al. 2011, Haffari et al. 2015 Fig. 1). `argmax` solves equation 15 of the latter exactly for label scores of any
sign, where the paper relaxes an integer program:

* Labels that cost something (score < 0) are branched on: opened, they are paid for and free to use; a label that
  cannot earn its price even against nil and the free labels is never opened.
* Labels with a bonus need one mention each to collect it. Every mention starts from its best usable label, and giving
  mention m to label l gains bonus(l) - (best(m) - score(m, l)): a maximum-weight matching of mentions and labels.
* Where too many labels have a price, small bags take a dynamic program over subsets of mentions, and large ones, once
  branching takes too long, the linear program, then the integer program (`engine.structures.program`).

`Answer` says which of the ways answered. Bags of a corpus are solved together by `argmax_all` on flat arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.structures.base import Infeasible

Method: TypeAlias = Literal["matching", "subsets", "lp", "ilp"]

Labels: TypeAlias = NDArray[np.int64]
"""One label per mention; 0 is nil, l + 1 is column l of the label scores."""

_UNSOLVED: Final = -1
_MATCHING: Final = 0
_SUBSETS: Final = 1
_NAMES: Final[tuple[Method, ...]] = ("matching", "subsets")
# Beyond this, branch and bound costs more than the integer program.
_MOST_NODES: Final = 20_000
_FEW_MENTIONS: Final = 6


@dataclass(frozen=True)
class BagPins:
    """What is fixed: labels of mentions (0 is nil), labels mentions may not take, labels that hold or do not.

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
class Answer:
    """The best output, its score, and which way of solving gave it."""

    labels: Labels
    score: float
    method: Method


class Bag:
    """One pair of entities with its mentions."""

    def __init__(self, n_mentions: int, n_labels: int) -> None:
        if n_mentions < 0 or n_labels < 0:
            raise ValueError("a bag cannot have fewer than no mentions or labels")
        self.n_mentions = n_mentions
        self.n_labels = n_labels

    @property
    def n_parts(self) -> int:
        return self.n_mentions * (self.n_labels + 1)

    def argmax(
        self,
        mention_scores: NDArray[np.float64],
        label_scores: NDArray[np.float64] | None = None,
        *,
        pins: BagPins = NO_BAG_PINS,
    ) -> Labels:
        """The label of every mention in the best output (column 0 of the mention scores is nil)."""
        return self.solve(mention_scores, label_scores, pins=pins).labels

    def solve(
        self,
        mention_scores: NDArray[np.float64],
        label_scores: NDArray[np.float64] | None = None,
        *,
        pins: BagPins = NO_BAG_PINS,
        method: Literal["auto", "matching", "subsets", "program"] = "auto",
    ) -> Answer:
        """As `argmax`, with the score and the way it was found."""
        scores, prices = self._checked(mention_scores, label_scores)
        pinned, raised = _apply(pins, scores, prices)
        if self.n_mentions == 0:
            labels, used = np.zeros(0, dtype=np.int64), _MATCHING
        elif method != "program":
            code = {"auto": _UNSOLVED, "matching": _MATCHING, "subsets": _SUBSETS}[method]
            labels, used = _solve_one(_finite(pinned, raised), raised, code)
        else:
            labels, used = np.zeros(self.n_mentions, dtype=np.int64), _UNSOLVED
        if used == _UNSOLVED:
            labels, name = _by_program(pinned, raised)
        else:
            name = _NAMES[used]
        _check_pins(pins, labels, pinned)
        return Answer(labels, bag_score(labels, scores, prices), name)

    def complete(self, mention_scores: NDArray[np.float64], gold: Sequence[int]) -> Labels:
        """The best output in which every gold label (from 1) holds and no other: h* of equation 12.

        With fewer mentions than gold labels, as many labels as there are mentions hold.
        """
        flags = np.zeros((1, self.n_labels), dtype=np.bool_)
        flags[0, np.asarray(gold, dtype=np.int64) - 1] = True
        offsets = np.array([0, self.n_mentions], dtype=np.int64)
        scores, _ = self._checked(mention_scores, None)
        return complete_all(scores, flags, offsets)

    def _checked(
        self, mention_scores: NDArray[np.float64], label_scores: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        scores = np.ascontiguousarray(mention_scores, dtype=np.float64)
        if scores.shape != (self.n_mentions, self.n_labels + 1):
            raise ValueError(
                f"mention scores must be {self.n_mentions} x {self.n_labels + 1} (column 0 is nil), not {scores.shape}"
            )
        prices = np.zeros(self.n_labels) if label_scores is None else np.asarray(label_scores, dtype=np.float64)
        if prices.shape != (self.n_labels,):
            raise ValueError(f"label scores must be {self.n_labels} numbers, not {prices.shape}")
        return scores, np.ascontiguousarray(prices)


def bag_score(labels: Labels, scores: NDArray[np.float64], prices: NDArray[np.float64]) -> float:
    """Score of one output of one bag."""
    held = np.unique(labels[labels > 0]) - 1
    return float(scores[np.arange(len(labels)), labels].sum() + prices[held].sum())


def argmax_all(scores: NDArray[np.float64], prices: NDArray[np.float64], offsets: NDArray[np.int64]) -> Labels:
    """Best labels of all mentions [M] of a corpus: finite scores [M, L + 1], prices [bags, L], mentions of bag b at
    offsets[b]:offsets[b + 1]."""
    labels = np.zeros(len(scores), dtype=np.int64)
    unsolved = _solve_all(scores, prices, offsets, labels)
    for b in np.flatnonzero(unsolved):
        first, last = offsets[b], offsets[b + 1]
        labels[first:last], _ = _by_program(scores[first:last], prices[b])
    return labels


def complete_all(
    scores: NDArray[np.float64],
    gold: NDArray[np.bool_],
    offsets: NDArray[np.int64],
    label_scores: NDArray[np.float64] | None = None,
) -> Labels:
    """Completions of all bags for their gold labels [bags, L].

    `label_scores` matter only where mentions are too few: they say which gold labels are left out.
    """
    bonus = _spread(scores) * (1.0 + np.diff(offsets)[:, None])
    if label_scores is not None:
        bonus = bonus * (1.0 + _spread(label_scores)) + label_scores
    return argmax_all(scores, np.where(gold, bonus, -np.inf), offsets)


def held_labels(labels: Labels, offsets: NDArray[np.int64], n_labels: int) -> NDArray[np.bool_]:
    """[bags, L]: which labels hold given the labels of the mentions."""
    held = np.zeros((len(offsets) - 1, n_labels + 1), dtype=np.bool_)
    bag = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    held[bag, labels] = True
    return held[:, 1:]


def _finite(scores: NDArray[np.float64], prices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Forbidden scores made so low that they are taken only where nothing else is left; bounds need finite sums."""
    low = (_spread(scores) + float(np.abs(prices[np.isfinite(prices)]).sum())) * (len(scores) + 1)
    return np.where(scores == -np.inf, -low - float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0)), scores)


def _spread(scores: NDArray[np.float64]) -> float:
    finite = scores[np.isfinite(scores)]
    return 1.0 + (float(finite.max() - finite.min()) if len(finite) else 0.0)


def _apply(
    pins: BagPins, scores: NDArray[np.float64], prices: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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


def _check_pins(pins: BagPins, labels: Labels, pinned: NDArray[np.float64]) -> None:
    for m in range(len(labels)):
        if pinned[m, labels[m]] == -np.inf:
            raise Infeasible(f"mention {m} has no label left that the pins allow")
    missing = sorted(pins.on - set(labels.tolist()))
    if missing:
        raise Infeasible(f"label {missing[0]} is pinned on, but no mention is free to take it")


def _by_program(scores: NDArray[np.float64], prices: NDArray[np.float64]) -> tuple[Labels, Method]:
    """The linear program of equation 15, and the integer one where its answer is fractional."""
    from engine.structures.program import Program, Row  # PuLP is only loaded when a bag needs it.

    n_mentions, width = scores.shape
    n_labels = width - 1
    n_z = n_mentions * width
    rows = [Row(tuple(range(m * width, (m + 1) * width)), (1.0,) * width, "==", 1.0) for m in range(n_mentions)]
    for label in range(1, width):
        y = n_z + label - 1
        # A label holds if some mention takes it ...
        rows += [Row((m * width + label, y), (1.0, -1.0), "<=", 0.0) for m in range(n_mentions)]
        # ... and only then.
        takers = tuple(m * width + label for m in range(n_mentions))
        rows.append(Row((y, *takers), (1.0, *(-1.0,) * n_mentions), "<=", 0.0))
    solution = Program(n_z + n_labels, rows).solve(np.concatenate([scores.ravel(), prices]))
    labels = np.zeros(n_mentions, dtype=np.int64)
    for part in solution.parts[solution.parts < n_z]:
        labels[part // width] = part % width
    return labels, "lp" if solution.rung == "lp" else "ilp"


def _solve_one(scores: NDArray[np.float64], prices: NDArray[np.float64], method: int) -> tuple[Labels, int]:
    labels = np.zeros(len(scores), dtype=np.int64)
    used = _solve_bag(scores, prices, labels, method)
    return labels, int(used)


@njit(cache=True, nogil=True)
def _solve_all(scores, prices, offsets, labels):  # type: ignore[no-untyped-def]
    n_bags = len(offsets) - 1
    unsolved = np.zeros(n_bags, dtype=np.bool_)
    for b in range(n_bags):
        first, last = offsets[b], offsets[b + 1]
        if last > first:
            unsolved[b] = _solve_bag(scores[first:last], prices[b], labels[first:last], _UNSOLVED) == _UNSOLVED
    return unsolved


@njit(cache=True, nogil=True)
def _solve_bag(scores, prices, labels, method):  # type: ignore[no-untyped-def]
    """Fill in the labels; which way answered, or _UNSOLVED."""
    n, width = scores.shape
    if n == 1 and method != _SUBSETS:
        best, at = scores[0, 0], 0
        for label in range(1, width):
            value = scores[0, label] + prices[label - 1]
            if value > best:
                best, at = value, label
        labels[0] = at
        return _MATCHING
    # What a mention has without any label that must be paid for.
    free = np.empty(n)
    for m in range(n):
        best = scores[m, 0]
        for label in range(1, width):
            if prices[label - 1] >= 0.0 and scores[m, label] > best:
                best = scores[m, label]
        free[m] = best
    priced = np.empty(width, dtype=np.int64)
    n_priced = 0
    for label in range(1, width):
        if _gain(scores, prices, label, free) > 0.0 and prices[label - 1] < 0.0:
            priced[n_priced] = label
            n_priced += 1
    if method == _SUBSETS or (method == _UNSOLVED and n <= _FEW_MENTIONS and n_priced > 2 * n):
        _by_subsets(scores, prices, labels)
        return _SUBSETS
    limit = _MOST_NODES if method == _UNSOLVED else -1
    return _MATCHING if _by_matching(scores, prices, free, priced[:n_priced], labels, limit) else _UNSOLVED


@njit(cache=True, nogil=True)
def _gain(scores, prices, label, base):  # type: ignore[no-untyped-def]
    """At most what opening a label can add: its price, and what it raises the mentions by."""
    gain = prices[label - 1]
    for m in range(len(base)):
        if scores[m, label] > base[m]:
            gain += scores[m, label] - base[m]
    return gain


@njit(cache=True, nogil=True)
def _by_matching(scores, prices, free, priced, labels, limit):  # type: ignore[no-untyped-def]
    """Branch and bound over the labels to pay for; at each leaf a matching. False when it took too long.

    Opening further labels can only lower what another one adds and what the matching adds, so the sum of all these
    gains bounds a branch.
    """
    n, width = scores.shape
    depths = len(priced) + 1
    base = np.empty((depths, n))
    base[0] = free
    paid = np.zeros(depths)
    state = np.zeros(width, dtype=np.int64)  # 0 undecided, 1 opened, -1 closed
    branch = np.zeros(depths, dtype=np.int64)
    bonus = np.empty(width, dtype=np.int64)
    choice = np.empty(n, dtype=np.int64)
    best = -np.inf
    depth = nodes = 0
    while True:
        nodes += 1
        if nodes == limit:
            return False
        here = base[depth]
        value = paid[depth] + here.sum()
        bound = value
        most, at = 0.0, 0
        for k in range(len(priced)):
            if state[priced[k]] == 0:
                gain = _gain(scores, prices, priced[k], here)
                if gain > 0.0:
                    bound += gain
                    if gain > most:
                        most, at = gain, priced[k]
        n_bonus = 0
        for label in range(1, width):
            price = prices[label - 1]
            if price > 0.0:
                top = 0.0
                for m in range(n):
                    top = max(top, price + scores[m, label] - here[m])
                if top > 0.0:
                    bonus[n_bonus] = label
                    n_bonus += 1
                    bound += top
        if bound > best:
            if at:
                branch[depth] = at
                state[at] = 1
                paid[depth + 1] = paid[depth] + prices[at - 1]
                for m in range(n):
                    base[depth + 1, m] = max(here[m], scores[m, at])
                depth += 1
                continue
            for m in range(n):
                choice[m] = 0
                for label in range(1, width):
                    usable = prices[label - 1] >= 0.0 or state[label] == 1
                    if usable and scores[m, label] == here[m] and scores[m, 0] < here[m]:
                        choice[m] = label
                        break
            if n_bonus:
                value += _match(scores, prices, here, bonus[:n_bonus], choice)
            if value > best:
                best = value
                labels[:] = choice
        # Back to the last label that was opened, and close it instead.
        while depth:
            depth -= 1
            at = branch[depth]
            if state[at] == 1:
                state[at] = -1
                paid[depth + 1] = paid[depth]
                base[depth + 1] = base[depth]
                depth += 1
                break
            state[at] = 0
        if depth == 0:
            return True


@njit(cache=True, nogil=True)
def _match(scores, prices, base, bonus, choice):  # type: ignore[no-untyped-def]
    """Best matching of mentions and bonus labels by shortest augmenting paths; `choice` is changed where a mention
    is given to a label. Rows are the smaller side; every row may also stay alone at a private column of gain 0."""
    n, n_bonus = len(base), len(bonus)
    by_mention = n <= n_bonus
    n_rows = n if by_mention else n_bonus
    n_real = n_bonus if by_mention else n
    n_columns = n_real + n_rows
    row_price = np.zeros(n_rows + 1)
    column_price = np.zeros(n_columns + 1)
    owner = np.zeros(n_columns + 1, dtype=np.int64)
    way = np.zeros(n_columns + 1, dtype=np.int64)
    shortest = np.empty(n_columns + 1)
    done = np.empty(n_columns + 1, dtype=np.bool_)
    for row in range(1, n_rows + 1):
        owner[0] = row
        column = 0
        shortest[:] = np.inf
        done[:] = False
        while True:
            done[column] = True
            at, delta, following = owner[column], np.inf, 0
            for j in range(1, n_columns + 1):
                if done[j]:
                    continue
                if j <= n_real:
                    m = at - 1 if by_mention else j - 1
                    label = bonus[j - 1] if by_mention else bonus[at - 1]
                    gain = prices[label - 1] + scores[m, label] - base[m]
                    # A loss is never taken: staying alone is free.
                    cost = -gain if gain > 0.0 else 0.0
                else:
                    cost = 0.0
                reduced = cost - row_price[at] - column_price[j]
                if reduced < shortest[j]:
                    shortest[j] = reduced
                    way[j] = column
                if shortest[j] < delta:
                    delta, following = shortest[j], j
            for j in range(n_columns + 1):
                if done[j]:
                    row_price[owner[j]] += delta
                    column_price[j] -= delta
                else:
                    shortest[j] -= delta
            column = following
            if owner[column] == 0:
                break
        while column != 0:
            before = way[column]
            owner[column] = owner[before]
            column = before
    total = 0.0
    for j in range(1, n_real + 1):
        if owner[j]:
            m = owner[j] - 1 if by_mention else j - 1
            label = bonus[j - 1] if by_mention else bonus[owner[j] - 1]
            gain = prices[label - 1] + scores[m, label] - base[m]
            if gain > 0.0:
                total += gain
                choice[m] = label
    return total


@njit(cache=True, nogil=True)
def _by_subsets(scores, prices, labels):  # type: ignore[no-untyped-def]
    """best[S] after label l: the mentions in S have labels up to l, at best score; each label takes a subset once."""
    n, width = scores.shape
    full = 1 << n
    best = np.full(full, -np.inf)
    best[0] = 0.0
    took = np.zeros((width, full), dtype=np.int64)
    sums = np.empty(full)
    for label in range(width):
        sums[0] = 0.0
        for subset in range(1, full):
            low = subset & -subset
            m = 0
            while not low >> m & 1:
                m += 1
            sums[subset] = sums[subset ^ low] + scores[m, label]
        price = prices[label - 1] if label else 0.0
        for target in range(full - 1, 0, -1):
            value, taken = best[target], 0
            subset = target
            while subset:
                other = best[target ^ subset] + sums[subset] + price
                if other > value:
                    value, taken = other, subset
                subset = (subset - 1) & target
            best[target] = value
            took[label, target] = taken
    rest = full - 1
    for label in range(width - 1, -1, -1):
        taken = took[label, rest]
        for m in range(n):
            if taken >> m & 1:
                labels[m] = label
        rest ^= taken
