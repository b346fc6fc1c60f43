"""Every structure that the laws of test_contract.py are checked on. Append a `Case` and they all apply.

A case makes small random samples with all their legal outputs spelled out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.structures.bag import FlatBag
from engine.structures.base import Structure
from engine.structures.chain import Chain, Paths, PathsBatch, Segments
from engine.structures.nonoverlap import NonOverlap, NonOverlapBatch
from engine.structures.product import Product
from engine.structures.program import Program, Row
from engine.structures.tree import AntecedentTree, Arborescence
from engine.structures.typed_pairs import Tables, TypedPairs, position
from tests.oracles import Output, disjoint_sets

Rows = list[tuple[list[int], str, float]]
"""(parts, sense, bound): the sum of the parts that are on must obey it."""


@dataclass(frozen=True)
class Sample:
    """A structure and all its outputs; `groups` are parts of which every output has exactly one."""

    structure: Structure
    outputs: Sequence[Output]
    groups: Sequence[Sequence[int]] = ()
    permuted: Callable[[np.ndarray], Structure] | None = None
    """The same structure with part i what part order[i] was."""


@dataclass(frozen=True)
class Case:
    """`large` makes one with about a hundred parts and the rows of an integer program that says the same."""

    name: str
    make: Callable[[np.random.Generator], Sample]
    normalised: bool = True
    declines: bool = False
    """Whether switching on nothing is legal, so that completion asks for most consistent parts."""
    samples: int = 60
    large: Callable[[np.random.Generator], tuple[Structure, Rows]] | None = field(default=None)


def products(per_document: Sequence[Sequence[Output]], sizes: Sequence[int]) -> list[Output]:
    """Outputs of independent documents side by side."""
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    return [
        tuple(int(p + offsets[d]) for d, output in enumerate(combination) for p in output)
        for combination in itertools.product(*per_document)
    ]


def paths_between(tails: Sequence[int], heads: Sequence[int], n_nodes: int) -> list[Output]:
    def from_node(node: int) -> list[tuple[int, ...]]:
        if node == n_nodes - 1:
            return [()]
        return [(p, *rest) for p, tail in enumerate(tails) if tail == node for rest in from_node(heads[p])]

    return [tuple(sorted(path)) for path in from_node(0)]


def _spans(rng: np.random.Generator, n: int, length: int = 6) -> tuple[np.ndarray, np.ndarray]:
    starts = rng.integers(0, length, n)
    return starts, starts + rng.integers(1, 4, n)


def lattice(rng: np.random.Generator) -> Sample:
    starts, ends = _spans(rng, int(rng.integers(0, 8)))
    return Sample(
        NonOverlap(starts, ends),
        list(disjoint_sets(starts, ends)),
        permuted=lambda order: NonOverlap(starts[order], ends[order]),
    )


def large_lattice(rng: np.random.Generator) -> tuple[Structure, Rows]:
    starts, ends = _spans(rng, 100, 40)
    rows: Rows = [(list(np.flatnonzero((starts <= t) & (t < ends))), "<=", 1.0) for t in range(43)]
    return NonOverlap(starts, ends), [row for row in rows if row[0]]


def lattices(rng: np.random.Generator) -> Sample:
    documents = [_spans(rng, int(rng.integers(0, 4))) for _ in range(3)]
    sizes = [len(starts) for starts, _ in documents]
    return Sample(
        NonOverlapBatch.of([NonOverlap(*spans) for spans in documents]),
        products([list(disjoint_sets(*spans)) for spans in documents], sizes),
    )


def chain(rng: np.random.Generator) -> Sample:
    length, n_labels = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    made = Chain(length, n_labels)
    groups = [list(range(n_labels))]
    groups += [list(range(n_labels + t * n_labels**2, n_labels + (t + 1) * n_labels**2)) for t in range(length - 1)]
    labellings = itertools.product(range(n_labels), repeat=length)
    outputs = [tuple(int(p) for p in made.parts_of(labels)) for labels in labellings]
    return Sample(made, outputs, groups)


def large_chain(rng: np.random.Generator) -> tuple[Structure, Rows]:
    made = Chain(8, 4)
    rows: Rows = [(list(np.flatnonzero(made.tails == 0)), "==", 1.0)]
    inner = range(1, int(made.node_offsets[-1]) - 1)
    return made, rows + [_flow(made, node) for node in inner]


def _flow(paths: Paths, node: int) -> tuple[list[int], str, float]:
    """As much goes out as comes in; parts that leave count -1 (given as ~part)."""
    return (
        [int(p) for p in np.flatnonzero(paths.heads == node)] + [~int(p) for p in np.flatnonzero(paths.tails == node)],
        "==",
        0.0,
    )


def segments(rng: np.random.Generator) -> Sample:
    made = Segments(int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 3)))
    return Sample(made, paths_between(made.tails, made.heads, int(made.node_offsets[-1])))


def paths(rng: np.random.Generator) -> Sample:
    documents = []
    for _ in range(2):
        n_nodes = int(rng.integers(2, 5))
        ends = [sorted(rng.choice(n_nodes, 2, replace=False)) for _ in range(3)]
        tails = [*range(n_nodes - 1), *(int(a) for a, _ in ends)]
        heads = [*range(1, n_nodes), *(int(b) for _, b in ends)]
        documents.append((tails, heads, n_nodes))
    outputs = products([paths_between(*d) for d in documents], [len(d[0]) for d in documents])
    return Sample(PathsBatch.of([Paths(*d) for d in documents]), outputs)


def trees_of(heads: Sequence[int], dependents: Sequence[int], *, acyclic: bool = False) -> list[Output]:
    """One arc into every dependent; without cycles where asked."""
    nodes = sorted(set(dependents))
    choices = [[p for p, d in enumerate(dependents) if d == node] for node in nodes]
    outputs = []
    for arcs in itertools.product(*choices):
        head = {dependents[p]: heads[p] for p in arcs}
        if acyclic and not all(_reaches_root(node, head) for node in nodes):
            continue
        outputs.append(tuple(sorted(arcs)))
    return outputs


def _reaches_root(node: int, head: dict[int, int]) -> bool:
    for _ in range(len(head) + 1):
        if node == 0:
            return True
        node = head[node]
    return False


def antecedents(rng: np.random.Generator) -> Sample:
    n = int(rng.integers(1, 5))
    arcs = [(h, d) for d in range(1, n + 1) for h in range(d) if h == 0 or rng.random() < 0.8]
    heads, dependents = [h for h, _ in arcs], [d for _, d in arcs]
    groups = [[p for p, d in enumerate(dependents) if d == node] for node in range(1, n + 1)]
    return Sample(
        AntecedentTree(heads, dependents),
        trees_of(heads, dependents),
        groups,
        permuted=lambda order: AntecedentTree([heads[p] for p in order], [dependents[p] for p in order]),
    )


def arborescences(rng: np.random.Generator) -> Sample:
    n = int(rng.integers(1, 5))
    arcs = [(h, d) for d in range(1, n + 1) for h in range(n + 1) if h != d and (h == 0 or rng.random() < 0.7)]
    heads, dependents = [h for h, _ in arcs], [d for _, d in arcs]
    groups = [[p for p, d in enumerate(dependents) if d == node] for node in range(1, n + 1)]
    return Sample(
        Arborescence(heads, dependents),
        trees_of(heads, dependents, acyclic=True),
        groups,
        permuted=lambda order: Arborescence([heads[p] for p in order], [dependents[p] for p in order]),
    )


def product(rng: np.random.Generator) -> Sample:
    parts: list[Any] = [chain(rng), antecedents(rng)]
    sizes = [sample.structure.n_parts for sample in parts]
    return Sample(
        Product([sample.structure for sample in parts]),
        products([sample.outputs for sample in parts], sizes),
        [*parts[0].groups, *([p + sizes[0] for p in group] for group in parts[1].groups)],
    )


def bag(rng: np.random.Generator) -> Sample:
    n, n_labels = int(rng.integers(0, 4)), int(rng.integers(1, 4))
    made = FlatBag(n, n_labels)
    outputs = []
    for labels in itertools.product(range(n_labels + 1), repeat=n):
        held = sorted(set(labels) - {0})
        takes = [m * (n_labels + 1) + label for m, label in enumerate(labels)]
        outputs.append((*takes, *(n * (n_labels + 1) + label - 1 for label in held)))
    groups = [list(range(m * (n_labels + 1), (m + 1) * (n_labels + 1))) for m in range(n)]
    return Sample(made, outputs, groups)


def large_bag(rng: np.random.Generator) -> tuple[Structure, Rows]:
    n, n_labels = 12, 7
    made = FlatBag(n, n_labels)
    rows: Rows = [([made.taking(m, label) for label in range(n_labels + 1)], "==", 1.0) for m in range(n)]
    for label in range(1, n_labels + 1):
        takers = [made.taking(m, label) for m in range(n)]
        rows += [([part, ~made.holding(label)], "<=", 0.0) for part in takers]
        rows.append(([made.holding(label), *(~part for part in takers)], "<=", 0.0))
    return made, rows


def program(rng: np.random.Generator) -> Sample:
    starts, ends = _spans(rng, int(rng.integers(1, 7)))
    tokens = [np.flatnonzero((starts <= t) & (t < ends)) for t in range(9)]
    rows = [Row(tuple(int(p) for p in own), (1.0,) * len(own), "<=", 1.0) for own in tokens if len(own)]
    return Sample(Program(len(starts), rows), list(disjoint_sets(starts, ends)))


def typed_pairs(rng: np.random.Generator) -> Sample:
    """A sentence of at most three nodes and another of one, under tables that forbid."""
    n, n_types, n_labels = int(rng.integers(0, 4)), 2, 2
    fit = np.where(rng.random((n_labels, n_types, n_types)) < 0.4, -np.inf, 0.0)
    fit[0] = 0.0
    both = np.zeros((n_labels, n_labels))
    both[1, 1] = rng.choice([0.0, -np.inf])
    tie = np.where(rng.random(n * (n - 1)) < 0.2, -np.inf, 0.0)
    made = TypedPairs.of(np.array([n, 1]), Tables(fit, both), tie)
    outputs = []
    pairs = list(itertools.permutations(range(n), 2))
    for types in itertools.product(range(n_types), repeat=n):
        for labels in itertools.product(range(n_labels), repeat=len(pairs)):
            price = sum(fit[labels[p], types[i], types[j]] for p, (i, j) in enumerate(pairs))
            price += sum(both[labels[p], labels[position(n, j, i)]] for p, (i, j) in enumerate(pairs))
            price += sum(tie[p] for p, (i, j) in enumerate(pairs) if i < j and types[i] != types[j])
            if price == 0.0:
                outputs += [_parts_of_pairs(made, (*types, last), labels) for last in range(n_types)]
    numbering = made.numbering
    firsts = [*range(0, numbering.n_type_parts, n_types), *range(numbering.n_type_parts, numbering.n_parts, n_labels)]
    return Sample(made, outputs, [list(numbering.rivals(first)) for first in firsts])


def _parts_of_pairs(made: TypedPairs, types: Sequence[int], labels: Sequence[int]) -> Output:
    nodes = [made.numbering.node(i, t) for i, t in enumerate(types)]
    return (*nodes, *(made.numbering.pair(p, y) for p, y in enumerate(labels)))


CASES = [
    Case("lattice", lattice, declines=True, large=large_lattice),
    Case("lattices of a corpus", lattices, declines=True),
    Case("chain", chain, large=large_chain),
    Case("segments", segments),
    Case("paths of a corpus", paths),
    Case("antecedent tree", antecedents),
    Case("arborescence", arborescences, normalised=False),
    Case("product", product),
    Case("bag", bag, normalised=False, large=large_bag),
    Case("program", program, normalised=False, declines=True, samples=25),
    Case("typed pairs", typed_pairs, normalised=False),
]
