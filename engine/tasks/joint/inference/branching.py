"""Exact decisions under sentence-wide constraints, by branching over a search that ignores them.

The search (structures/typed_pairs) knows only pairs of mentions, so its best value is an upper bound for outputs that
must also satisfy, or pay for, sentence-wide constraints: counts, and exclusion and implication with the scope
"sentence". If its answer breaks one, the outputs are split into cases, each of which only forbids or forces single
choices and can therefore be searched again: "one of these killings is none", "no job anywhere", or "the constraint
stays broken and its price is paid". The case with the highest bound is searched next; once its answer owes nothing
unpaid, no other case can beat it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.structures.base import Scores
from engine.structures.typed_pairs import TypedPairs
from engine.tasks.joint.constraints.base import Branch, Constraint
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.terms import Output
from engine.tasks.joint.constraints.together import owed
from engine.tasks.joint.inference.sentences import Sentences

MOST_CASES: Final = 400
"""Maximum number of cases before the linear program is used instead, which by then takes no longer."""
OWED: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Branched:
    types: Ints
    labels: Ints
    objective: float
    """The score with the bias, minus the prices of broken soft constraints; -inf if no output is legal."""


@dataclass(frozen=True, eq=False)
class _Case:
    """Scores of parts, with -inf for those that the case rules out, and the amount already paid for each constraint."""

    scores: Scores
    paid: Floats


@dataclass(order=True)
class _Open:
    """A case that has been searched but not split, ordered by bound, highest first."""

    cost: float
    number: int
    case: _Case = field(compare=False)
    output: Output = field(compare=False)


@dataclass(eq=False)
class _Search:
    """The cases of one sentence."""

    sentence: Sentences
    constraints: Sequence[Constraint]
    space: Space
    bias: float
    heap: list[_Open] = field(default_factory=list)
    decided: int = 0

    def __post_init__(self) -> None:
        self.numbering = self.sentence.numbering()

    def note(self, case: _Case, objective: float, types: Ints, labels: Ints) -> None:
        """Record a searched case, unless it has no legal output."""
        if np.isfinite(objective):
            bound = objective - float(case.paid.sum())
            heapq.heappush(self.heap, _Open(-bound, self.decided, case, Output.of(self.space, types, labels)))
        self.decided += 1

    def next_cases(self) -> list[_Case] | Branched | None:
        """The cases to search next, or the answer, or None after too many cases."""
        if not self.heap:
            n = self.numbering
            return Branched(np.zeros(n.n_nodes, np.int64), np.zeros(n.n_pairs, np.int64), -np.inf)
        best = heapq.heappop(self.heap)
        price = self.owed(best.output)
        unpaid = np.flatnonzero(price > best.case.paid + OWED)
        if not len(unpaid):
            return Branched(best.output.types, best.output.labels, -best.cost)
        if self.decided > MOST_CASES:
            return None
        k = int(unpaid[0])
        return self.split(best.case, best.output, k, float(price[k]))

    def first(self) -> _Case:
        scores = self.numbering.joined(self.sentence.types, self.sentence.labels)
        return _Case(scores, np.zeros(len(self.constraints)))

    def owed(self, output: Output) -> Floats:
        return owed(
            self.constraints,
            self.space,
            np.bincount(output.types, minlength=len(self.space.types)),
            np.bincount(output.labels, minlength=len(self.space.labels)),
        )

    def split(self, case: _Case, output: Output, constraint: int, price: float) -> list[_Case]:
        """The cases that exclude outputs which break the constraint as this one does, unless they pay."""

        def narrowed(branch: Branch) -> _Case:
            paid = case.paid.copy()
            if branch.pays:
                paid[constraint] = price
            return _Case(self.numbering.pinned(case.scores, on=branch.on, off=branch.off), paid)

        return [narrowed(branch) for branch in self.constraints[constraint].branches(output)]


def solve_all(
    sentences: Sequence[Sentences], constraints: Sequence[Constraint], space: Space, biases: Sequence[float]
) -> list[Branched | None]:
    """The best output of every sentence; None for one with too many cases, or for which the search gave up.

    Sentences are processed in parallel: the cases for which they wait are searched in one batch, since a separate
    search for every case would spend more time on set-up than on searching.
    """
    searches = [_Search(one, constraints, space, bias) for one, bias in zip(sentences, biases, strict=True)]
    answers: list[Branched | None] = [None] * len(searches)
    waiting = [(s, search.first()) for s, search in enumerate(searches)]
    while waiting:
        proven = _search_together(searches, waiting)
        gave_up = {s for (s, _), fine in zip(waiting, proven, strict=True) if not fine}
        active = dict.fromkeys(s for s, _ in waiting if s not in gave_up)
        waiting = []
        for s in active:
            # If all branches of a case are ruled out, there is nothing to search, so the next case is opened at once.
            found: list[_Case] | Branched | None = []
            while isinstance(found, list) and not found:
                found = searches[s].next_cases()
            if isinstance(found, list):
                waiting += [(s, case) for case in found]
            else:
                answers[s] = found
    return answers


def _search_together(searches: Sequence[_Search], waiting: Sequence[tuple[int, _Case]]) -> list[bool]:
    """Search all cases in one batch and record the results; returns whether each search was completed."""
    owners = [searches[s] for s, _ in waiting]
    sizes = np.array([search.numbering.n_nodes for search in owners], dtype=np.int64)
    tie = np.concatenate([search.sentence.structure.tie for search in owners])
    together = TypedPairs.of(sizes, owners[0].sentence.structure.tables, tie)
    halves = [search.numbering.split(case.scores) for search, (_, case) in zip(owners, waiting, strict=True)]
    types, labels = (np.concatenate(half) for half in zip(*halves, strict=True))
    found = together.decode(types, labels, np.array([search.bias for search in owners]))
    nodes, pairs = together.node_starts, together.pair_starts
    for k, (search, (_, case)) in enumerate(zip(owners, waiting, strict=True)):
        own = found.types[nodes[k] : nodes[k + 1]], found.labels[pairs[k] : pairs[k + 1]]
        search.note(case, float(found.objective[k]), *own)
    return [bool(fine) for fine in found.proven]
