"""Constraints on whole sentences, decided exactly by branching over the search that leaves them out.

The search (structures/typed_pairs) knows pairs of mentions only, so its best value is an upper bound for outputs that
must also keep, or pay for, sentence-wide constraints: counts, and exclusion and implication with the scope "sentence".
Where its answer breaks one, the outputs are split into cases, each of which only forbids or forces single choices and
therefore is a problem for the search again: "one of these killings is none", "no job anywhere", or "the constraint
stays broken and its price is paid". The case with the highest bound is opened next; once its answer owes nothing that
is not paid, no other case can beat it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.structures.typed_pairs import Corpus, Tables, decode
from engine.tasks.joint.compile import Floats, Ints, Space
from engine.tasks.joint.constraints import Constraint, Count, Exclusive, Implication

MOST_CASES: Final = 400
"""Cases decided before the question goes to the linear program instead, which by then takes no longer."""
OWED: Final = 1e-9

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Answer:
    types: Ints
    labels: Ints
    objective: float
    """With the bias, less the prices of broken soft constraints; -inf where no output is legal."""


@dataclass(frozen=True, eq=False)
class _Case:
    """Scores in which what the case rules out is -inf, and what it has already paid for each constraint."""

    types: Floats
    labels: Floats
    paid: Floats

    def without(self, choices: Sequence[_Choice]) -> _Case:
        types, labels = self.types.copy(), self.labels.copy()
        for choice in choices:
            choice.of(types, labels)[choice.value] = -np.inf
        return replace(self, types=types, labels=labels)

    def with_(self, choices: Sequence[_Choice]) -> _Case:
        types, labels = self.types.copy(), self.labels.copy()
        for choice in choices:
            row = choice.of(types, labels)
            keep = row[choice.value]
            row[:] = -np.inf
            row[choice.value] = keep
        return replace(self, types=types, labels=labels)

    def paying(self, constraint: int, price: float) -> _Case:
        paid = self.paid.copy()
        paid[constraint] = price
        return replace(self, paid=paid)


@dataclass(frozen=True)
class _Choice:
    """A node's type or a pair's label."""

    is_pair: bool
    index: int
    value: int

    def of(self, types: Floats, labels: Floats) -> Floats:
        row: Floats = (labels if self.is_pair else types)[self.index]
        return row


def units(one: Constraint, space: Space, type_counts: Ints, label_counts: Ints) -> Floats:
    """By how much sentences break a sentence-wide constraint; counts [..., T] and [..., L] of their outputs."""
    if isinstance(one, Exclusive):
        present = (label_counts[..., sorted({space.label(name) for name in one.relations})] > 0).sum(axis=-1)
        return np.maximum(present - 1, 0).astype(np.float64)
    if isinstance(one, Count):
        if one.relation is not None:
            count = label_counts[..., space.label(one.relation)]
        else:
            count = type_counts[..., space.type(str(one.type))]
        over = np.zeros(count.shape) if one.high is None else np.maximum(count - one.high, 0)
        under = np.zeros(count.shape) if one.low is None else np.maximum(one.low - count, 0)
        return (over + under).astype(np.float64)
    assert isinstance(one, Implication)
    cause, effect = label_counts[..., space.label(one.if_relation)], label_counts[..., space.label(one.then_relation)]
    return ((cause > 0) & (effect == 0)).astype(np.float64)


def owed(constraints: Sequence[Constraint], space: Space, type_counts: Ints, label_counts: Ints) -> Floats:
    """[constraints, ...]: what breaking them costs, infinite where they are hard."""
    out = np.zeros((len(constraints), *type_counts.shape[:-1]))
    for k, one in enumerate(constraints):
        broken = units(one, space, type_counts, label_counts)
        out[k] = np.where(broken > 0, np.inf if one.weight is None else one.weight * broken, 0.0)
    return out


def solve(
    sentence: Corpus, tables: Tables, constraints: Sequence[Constraint], space: Space, bias: float
) -> Answer | None:
    """The best output of one sentence, or None after too many cases (or a search that gave up)."""
    n = int(sentence.node_starts[1])
    heap: list[tuple[float, int, _Case, Ints, Ints]] = []
    decided = 0

    def push(cases: Sequence[_Case]) -> bool:
        nonlocal decided
        if not cases:
            return True
        together = Corpus.of(
            np.concatenate([case.types for case in cases]),
            np.concatenate([case.labels for case in cases]),
            np.full(len(cases), n, dtype=np.int64),
            np.tile(sentence.tie, len(cases)),
        )
        found = decode(together, tables, bias)
        types, labels = found.types.reshape(len(cases), n), found.labels.reshape(len(cases), n * (n - 1))
        for k, case in enumerate(cases):
            if np.isfinite(found.objective[k]):
                bound = float(found.objective[k]) - float(case.paid.sum())
                heapq.heappush(heap, (-bound, decided + k, case, types[k], labels[k]))
        decided += len(cases)
        return bool(found.proven.all())

    if not push([_Case(sentence.types, sentence.labels, np.zeros(len(constraints)))]):
        return None
    while heap:
        bound, _, case, types, labels = heapq.heappop(heap)
        price = owed(
            constraints,
            space,
            np.bincount(types, minlength=len(space.types)),
            np.bincount(labels, minlength=len(space.labels)),
        )
        open_ = np.flatnonzero(price > case.paid + OWED)
        if not len(open_):
            return Answer(types, labels, -bound)
        k = int(open_[0])
        if decided > MOST_CASES or not push(
            list(_cases(case, constraints[k], k, float(price[k]), space, types, labels))
        ):
            return None
    return Answer(np.zeros(n, np.int64), np.zeros(n * (n - 1), np.int64), -np.inf)


def _cases(
    case: _Case, one: Constraint, k: int, price: float, space: Space, types: Ints, labels: Ints
) -> Iterator[_Case]:
    """Cases that together hold every output of this one; in none of them the answer owes the same again."""

    def everywhere(label: int) -> list[_Choice]:
        return [_Choice(True, p, label) for p in range(len(labels))]

    soft = np.isfinite(price)
    if isinstance(one, Exclusive):
        present = [space.label(name) for name in dict.fromkeys(one.relations)]
        present = [label for label in present if (labels == label).any()]
        for label in present:
            yield case.without(everywhere(label))
        if soft:
            yield case.paying(k, price)
    elif isinstance(one, Count):
        if one.relation is not None:
            choices = everywhere(space.label(one.relation))
            on = labels == space.label(one.relation)
        else:
            value = space.type(str(one.type))
            choices = [_Choice(False, i, value) for i in range(len(types))]
            on = types == value
        taken = [choice for choice, is_on in zip(choices, on, strict=True) if is_on]
        others = [choice for choice, is_on in zip(choices, on, strict=True) if not is_on]
        if one.high is not None and len(taken) > one.high:
            if one.high == 0 and not soft:
                yield case.without(choices)
                return
            some = taken if soft else taken[: one.high + 1]
            for i, choice in enumerate(some):
                yield case.with_(some[:i]).without([choice])
            if soft:
                yield case.with_(some).paying(k, price)
        else:
            for i, choice in enumerate(others):
                yield case.without(others[:i]).with_([choice])
            if soft:
                yield case.without(others).paying(k, price)
    else:
        assert isinstance(one, Implication)
        yield case.without(everywhere(space.label(one.if_relation)))
        effects = everywhere(space.label(one.then_relation))
        for i, choice in enumerate(effects):
            yield case.without(effects[:i]).with_([choice])
        if soft:
            yield case.without(effects).paying(k, price)
