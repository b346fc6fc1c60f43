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
"""Cases decided before the question goes to the linear program instead, which by then takes no longer."""
OWED: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Branched:
    types: Ints
    labels: Ints
    objective: float
    """With the bias, less the prices of broken soft constraints; -inf where no output is legal."""


@dataclass(frozen=True, eq=False)
class _Case:
    """Scores of parts in which what the case rules out is -inf, and what it has already paid for each constraint."""

    scores: Scores
    paid: Floats


@dataclass(order=True)
class _Open:
    """A case that is decided but not split; the one with the highest bound comes first."""

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

    def decide(self, cases: Sequence[_Case]) -> bool:
        """Search every case; False where the search gave up on one."""
        if not cases:
            return True
        count, n = len(cases), self.numbering.n_nodes
        types, labels = zip(*(self.numbering.split(case.scores) for case in cases), strict=True)
        structure = self.sentence.structure
        together = TypedPairs.of(np.full(count, n), structure.tables, np.tile(structure.tie, count))
        found = together.decode(np.concatenate(types), np.concatenate(labels), self.bias)
        chosen, taken = found.types.reshape(count, n), found.labels.reshape(count, self.numbering.n_pairs)
        for k, case in enumerate(cases):
            if np.isfinite(found.objective[k]):
                bound = float(found.objective[k]) - float(case.paid.sum())
                output = Output.of(self.space, chosen[k], taken[k])
                heapq.heappush(self.heap, _Open(-bound, self.decided + k, case, output))
        self.decided += count
        return bool(found.proven.all())

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
        """The case without the outputs that break the constraint as this one does, unless they pay."""

        def narrowed(branch: Branch) -> _Case:
            paid = case.paid.copy()
            if branch.pays:
                paid[constraint] = price
            return _Case(self.numbering.pinned(case.scores, on=branch.on, off=branch.off), paid)

        return [narrowed(branch) for branch in self.constraints[constraint].branches(output)]


def solve(sentence: Sentences, constraints: Sequence[Constraint], space: Space, bias: float) -> Branched | None:
    """The best output of one sentence, or None after too many cases (or a search that gave up)."""
    search = _Search(sentence, constraints, space, bias)
    if not search.decide([search.first()]):
        return None
    while search.heap:
        best = heapq.heappop(search.heap)
        price = search.owed(best.output)
        unpaid = np.flatnonzero(price > best.case.paid + OWED)
        if not len(unpaid):
            return Branched(best.output.types, best.output.labels, -best.cost)
        if search.decided > MOST_CASES:
            return None
        k = int(unpaid[0])
        if not search.decide(search.split(best.case, best.output, k, float(price[k]))):
            return None
    n = search.numbering
    return Branched(np.zeros(n.n_nodes, np.int64), np.zeros(n.n_pairs, np.int64), -np.inf)
