"""Constraints in the terms of the two solvers: tables for the exact search, rows for the linear program.

Variables of a sentence: node i takes type t, ordered pair p takes label l (0 is "none"). Arguments, exclusive
directions, reverse implications, symmetry and same type concern one pair of nodes, so they fold into tables. Counts and
everything with the scope "sentence" are global: the search leaves them out, and where its answer keeps them it is best
with them too.

The type rows are grouped: for a pair, a side and a set of types S, the labels that demand S together are at most
the sum of x[argument, t] over t in S. This is as strong as the product variables of Roth and Yih (2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.structures.program import Program, Row
from engine.structures.typed_pairs import Tables, pair_index, position
from engine.tasks.joint.constraints import (
    Arguments,
    Constraint,
    Count,
    Exclusive,
    Implication,
    SameType,
    Symmetric,
    enabled,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Groups = dict[tuple[str, str], tuple[tuple[int, ...], ...]]
"""(source, layer) -> sets of nodes that are the same thing."""


@dataclass(frozen=True)
class Space:
    """The types and labels there are; the first label declines."""

    types: tuple[str, ...]
    labels: tuple[str, ...]

    def type(self, name: str) -> int:
        return self.types.index(name)

    def label(self, name: str) -> int:
        return self.labels.index(name)

    def type_set(self, names: Sequence[str]) -> list[int]:
        """The named types; all when none is named."""
        return [self.type(name) for name in names] if names else list(range(len(self.types)))


@dataclass(frozen=True)
class Violation:
    """One place where an output breaks a constraint."""

    name: str
    kind: str
    hard: bool
    price: float
    """What it costs: infinite when hard."""
    nodes: tuple[int, ...]
    pairs: tuple[int, ...]
    text: str


def is_global(one: Constraint) -> bool:
    return isinstance(one, Count) or (isinstance(one, Exclusive | Implication) and one.scope == "sentence")


def tables(constraints: Sequence[Constraint], space: Space) -> Tables:
    """The local constraints as additions to scores."""
    out = Tables.free(len(space.types), len(space.labels))
    n_labels = len(space.labels)
    for one in enabled(constraints):
        price = np.inf if one.weight is None else one.weight
        if isinstance(one, Arguments):
            label = space.label(one.relation)
            for side, names in ((1, one.head), (2, one.tail)):
                wrong = np.ones(len(space.types), dtype=bool)
                wrong[space.type_set(names)] = False
                shape = (-1, 1) if side == 1 else (1, -1)
                out.fit[label] -= np.where(wrong, price, 0.0).reshape(shape)
        elif isinstance(one, Exclusive) and one.scope == "directions":
            chosen = [space.label(name) for name in one.relations]
            out.both[np.ix_(chosen, chosen)] -= price
        elif isinstance(one, Symmetric):
            label = space.label(one.relation)
            for other in range(n_labels):
                if other != label:
                    out.both[label, other] -= price
                    out.both[other, label] -= price
        elif isinstance(one, Implication) and one.scope == "reverse":
            cause, effect = space.label(one.if_relation), space.label(one.then_relation)
            for other in range(n_labels):
                if other != effect:
                    out.both[cause, other] -= price
                    out.both[other, cause] -= price
    return out


def ties(constraints: Sequence[Constraint], n: int, groups: Groups) -> Floats:
    """[pairs]: what it adds that two nodes differ in type."""
    tie = np.zeros(n * (n - 1))
    for one in enabled(constraints):
        if isinstance(one, SameType):
            for i, j in _tied(one, groups):
                tie[position(n, i, j)] -= np.inf if one.weight is None else one.weight
    return tie


def _tied(one: SameType, groups: Groups) -> list[tuple[int, int]]:
    found = groups.get((one.source, one.layer if one.source == "clusters" else ""), ())
    return [(i, j) for group in found for a, i in enumerate(group) for j in group[a + 1 :]]


@dataclass(frozen=True, eq=False)
class SentenceProgram:
    """The integer program of one sentence; extra parts at the end say whether a label occurs at all."""

    program: Program
    n_nodes: int
    space: Space

    def scores(self, types: Floats, labels: Floats, bias: float) -> Floats:
        biased = labels.copy()
        biased[:, 0] += bias
        known = np.concatenate([types.ravel(), biased.ravel()])
        return np.concatenate([known, np.zeros(self.program.n_parts - len(known))])

    def output(self, parts: Ints) -> tuple[Ints, Ints]:
        """Types and labels that a set of parts stands for."""
        n, n_types, n_labels = self.n_nodes, len(self.space.types), len(self.space.labels)
        on = np.zeros(self.program.n_parts)
        on[parts] = 1.0
        split = n * n_types
        types = on[:split].reshape(n, n_types).argmax(axis=1) if n else np.zeros(0, np.int64)
        n_pairs = n * (n - 1)
        labels = on[split : split + n_pairs * n_labels].reshape(n_pairs, n_labels)
        return types.astype(np.int64), (labels.argmax(axis=1) if n_pairs else np.zeros(0, np.int64)).astype(np.int64)


def sentence_program(
    constraints: Sequence[Constraint],
    space: Space,
    n: int,
    groups: Groups,
    *,
    grouped: bool = True,
    extra: Sequence[Row] = (),
) -> SentenceProgram:
    """All enabled constraints as rows. Ungrouped rows belong to one constraint each, for naming conflicts."""
    builder = _Builder(space, n)
    rows = builder.exactly_one()
    hard_arguments: list[Arguments] = []
    for one in enabled(constraints):
        if grouped and isinstance(one, Arguments) and one.is_hard:
            hard_arguments.append(one)
        else:
            rows += builder.rows(one, groups)
    rows += builder.grouped_arguments(hard_arguments)
    return SentenceProgram(Program(builder.n_parts, [*rows, *extra]), n, space)


class _Builder:
    def __init__(self, space: Space, n: int) -> None:
        self.space, self.n = space, n
        self.pairs = [(int(i), int(j)) for i, j in pair_index(n)]
        self.n_parts = n * len(space.types) + len(self.pairs) * len(space.labels)
        self._occurs: dict[int, int] = {}

    def node(self, i: int, t: int) -> int:
        return i * len(self.space.types) + t

    def pair(self, i: int, j: int, label: int) -> int:
        return self.n * len(self.space.types) + position(self.n, i, j) * len(self.space.labels) + label

    def exactly_one(self) -> list[Row]:
        types, labels = range(len(self.space.types)), range(len(self.space.labels))
        groups = [[self.node(i, t) for t in types] for i in range(self.n)]
        groups += [[self.pair(i, j, label) for label in labels] for i, j in self.pairs]
        return [Row(tuple(group), (1.0,) * len(group), "==", 1.0) for group in groups]

    def grouped_arguments(self, hard: Sequence[Arguments]) -> list[Row]:
        """One row per pair, side and set of types that some labels demand."""
        demands: dict[tuple[int, tuple[int, ...]], dict[int, str]] = {}
        for one in hard:
            for side, names in ((0, one.head), (1, one.tail)):
                if names:
                    key = (side, tuple(sorted(self.space.type_set(names))))
                    label = self.space.label(one.relation)
                    known = demands.setdefault(key, {})
                    known[label] = f"{known[label]} + {one.name}" if label in known else one.name
        rows = []
        for i, j in self.pairs:
            for (side, allowed), labels in demands.items():
                node = (i, j)[side]
                parts = [self.pair(i, j, label) for label in labels] + [self.node(node, t) for t in allowed]
                weights = (1.0,) * len(labels) + (-1.0,) * len(allowed)
                rows.append(Row(tuple(parts), weights, "<=", 0.0, " + ".join(dict.fromkeys(labels.values()))))
        return rows

    def rows(self, one: Constraint, groups: Groups) -> list[Row]:
        if isinstance(one, Arguments):
            return self._arguments(one)
        if isinstance(one, Exclusive):
            return self._exclusive(one)
        if isinstance(one, Count):
            return self._count(one)
        if isinstance(one, Implication):
            return self._implication(one)
        if isinstance(one, Symmetric):
            label = self.space.label(one.relation)
            return [
                Row((self.pair(i, j, label), self.pair(j, i, label)), (1.0, -1.0), "<=", 0.0, one.name, one.weight)
                for i, j in self.pairs
            ]
        rows = []
        for i, j in _tied(one, groups):
            for t in range(len(self.space.types)):
                rows.append(Row((self.node(i, t), self.node(j, t)), (1.0, -1.0), "<=", 0.0, one.name, one.weight))
        return rows

    def _arguments(self, one: Arguments) -> list[Row]:
        label, rows = self.space.label(one.relation), []
        for i, j in self.pairs:
            for node, names in ((i, one.head), (j, one.tail)):
                if names:
                    allowed = [self.node(node, t) for t in self.space.type_set(names)]
                    parts = (self.pair(i, j, label), *allowed)
                    rows.append(Row(parts, (1.0, *(-1.0 for _ in allowed)), "<=", 0.0, one.name, one.weight))
        return rows

    def _exclusive(self, one: Exclusive) -> list[Row]:
        labels = sorted({self.space.label(name) for name in one.relations})
        if one.scope == "directions":
            rows = []
            for i, j in self.pairs:
                if i < j:
                    parts = tuple(self.pair(a, b, label) for a, b in ((i, j), (j, i)) for label in labels)
                    rows.append(Row(parts, (1.0,) * len(parts), "<=", 1.0, one.name, one.weight))
            return rows
        switches, rows = self._switches(labels)
        return [*rows, Row(switches, (1.0,) * len(switches), "<=", 1.0, one.name, one.weight)]

    def _count(self, one: Count) -> list[Row]:
        if one.relation is not None:
            label = self.space.label(one.relation)
            parts = tuple(self.pair(i, j, label) for i, j in self.pairs)
        else:
            assert one.type is not None
            parts = tuple(self.node(i, self.space.type(one.type)) for i in range(self.n))
        ones, rows = (1.0,) * len(parts), []
        if one.low is not None:
            rows.append(Row(parts, ones, ">=", float(one.low), one.name, one.weight))
        if one.high is not None:
            rows.append(Row(parts, ones, "<=", float(one.high), one.name, one.weight))
        return rows

    def _implication(self, one: Implication) -> list[Row]:
        cause, effect = self.space.label(one.if_relation), self.space.label(one.then_relation)
        if one.scope == "reverse":
            return [
                Row((self.pair(i, j, cause), self.pair(j, i, effect)), (1.0, -1.0), "<=", 0.0, one.name, one.weight)
                for i, j in self.pairs
            ]
        (switch,), rows = self._switches([cause])
        effects = tuple(self.pair(i, j, effect) for i, j in self.pairs)
        row = Row((switch, *effects), (1.0, *(-1.0 for _ in effects)), "<=", 0.0, one.name, one.weight)
        return [*rows, row]

    def _switches(self, labels: Sequence[int]) -> tuple[tuple[int, ...], list[Row]]:
        """Parts that are on when the label occurs anywhere."""
        rows = []
        for label in labels:
            if label not in self._occurs:
                self._occurs[label] = self.n_parts
                self.n_parts += 1
                for i, j in self.pairs:
                    rows.append(Row((self.pair(i, j, label), self._occurs[label]), (1.0, -1.0), "<=", 0.0))
        return tuple(self._occurs[label] for label in labels), rows


def violations(
    constraints: Sequence[Constraint], space: Space, types: Ints, labels: Ints, groups: Groups
) -> list[Violation]:
    """Every place where an output breaks an enabled constraint, in the order of the constraints."""
    n = len(types)
    pairs = [(int(i), int(j)) for i, j in pair_index(n)]
    out: list[Violation] = []

    def add(one: Constraint, nodes: Sequence[int], broken: Sequence[int], text: str, times: float = 1.0) -> None:
        price = np.inf if one.weight is None else one.weight * times
        out.append(Violation(one.name, one.kind, one.is_hard, float(price), tuple(nodes), tuple(broken), text))

    def where(label: int) -> list[int]:
        return [int(p) for p in np.flatnonzero(labels == label)]

    for one in enabled(constraints):
        if isinstance(one, Arguments):
            for p in where(space.label(one.relation)):
                for node, names, side in ((pairs[p][0], one.head, "head"), (pairs[p][1], one.tail, "tail")):
                    found = space.types[types[node]]
                    if names and found not in names:
                        text = f"the {side} of {one.relation} is {found}, not {' or '.join(names)}"
                        add(one, [node], [p], text)
        elif isinstance(one, Exclusive) and one.scope == "directions":
            chosen = {space.label(name) for name in one.relations}
            for p, (i, j) in enumerate(pairs):
                q = position(n, j, i)
                if i < j and labels[p] in chosen and labels[q] in chosen:
                    text = f"{space.labels[labels[p]]} one way and {space.labels[labels[q]]} the other"
                    add(one, [i, j], [p, q], text)
        elif isinstance(one, Exclusive):
            present = [name for name in dict.fromkeys(one.relations) if where(space.label(name))]
            if len(present) > 1:
                broken = [p for name in present for p in where(space.label(name))]
                add(one, [], broken, f"{' and '.join(present)} in one sentence", len(present) - 1)
        elif isinstance(one, Count):
            if one.relation is not None:
                broken, nodes = where(space.label(one.relation)), []
                count, what = len(broken), one.relation
            else:
                assert one.type is not None
                broken, nodes = [], [int(i) for i in np.flatnonzero(types == space.type(one.type))]
                count, what = len(nodes), one.type
            if one.low is not None and count < one.low:
                add(one, nodes, broken, f"{count} of {what}, at least {one.low} wanted", one.low - count)
            if one.high is not None and count > one.high:
                add(one, nodes, broken, f"{count} of {what}, at most {one.high} allowed", count - one.high)
        elif isinstance(one, Implication) and one.scope == "reverse":
            effect = space.label(one.then_relation)
            for p in where(space.label(one.if_relation)):
                i, j = pairs[p]
                if labels[position(n, j, i)] != effect:
                    add(one, [i, j], [p], f"{one.if_relation} without {one.then_relation} the other way")
        elif isinstance(one, Implication):
            causes = where(space.label(one.if_relation))
            if causes and not where(space.label(one.then_relation)):
                add(one, [], causes, f"{one.if_relation} without {one.then_relation} in the sentence")
        elif isinstance(one, Symmetric):
            label = space.label(one.relation)
            for p in where(label):
                i, j = pairs[p]
                if labels[position(n, j, i)] != label:
                    add(one, [i, j], [p], f"{one.relation} holds in one direction only")
        else:
            for i, j in _tied(one, groups):
                if types[i] != types[j]:
                    text = f"the same thing is {space.types[types[i]]} here and {space.types[types[j]]} there"
                    add(one, [i, j], [], text)
    return out
