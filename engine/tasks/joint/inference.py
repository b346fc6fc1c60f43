"""The solver ladder: exact search, then the LP where it is integral, then branch and bound.

The search (structures/typed_pairs) sees every constraint that concerns one pair of mentions. If its answer also keeps
the global constraints it is the answer: leaving constraints out can only raise the best value. Otherwise the sentence
goes to the program (structures/program): LP first, MILP when the LP is fractional. Every answer says which rung gave
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.structures import typed_pairs
from engine.structures.program import Conflict, Row, Rung, Solution
from engine.structures.typed_pairs import Corpus, Path
from engine.tasks.joint.compile import (
    Floats,
    Groups,
    Ints,
    SentenceProgram,
    Space,
    Violation,
    is_global,
    sentence_program,
    tables,
    ties,
    violations,
)
from engine.tasks.joint.constraints import Constraint, SameType, enabled


@dataclass(frozen=True)
class NodePin:
    """Node takes (or does not take) this type."""

    node: int
    type: int
    holds: bool
    name: str


@dataclass(frozen=True)
class PairPin:
    """Pair takes (or does not take) this label."""

    pair: int
    label: int
    holds: bool
    name: str


SentencePins = Sequence[NodePin | PairPin]


@dataclass(frozen=True, eq=False)
class Scored:
    """Log probabilities of a corpus, and which nodes are the same thing."""

    corpus: Corpus
    groups: tuple[Groups, ...]

    @property
    def sizes(self) -> Ints:
        return np.diff(self.corpus.node_starts)

    def __len__(self) -> int:
        return len(self.corpus)

    def sentence(self, index: int) -> Scored:
        return Scored(self.corpus.sentence(index), (self.groups[index],))

    def take(self, chosen: Sequence[int]) -> Scored:
        """Some of the sentences, in ascending order."""
        c = self.corpus
        inside = np.zeros(len(self), dtype=bool)
        inside[list(chosen)] = True
        nodes, pairs = np.repeat(inside, self.sizes), np.repeat(inside, self.sizes * (self.sizes - 1))
        sizes = self.sizes[list(chosen)]
        return Scored(Corpus.of(c.types[nodes], c.labels[pairs], sizes), tuple(self.groups[s] for s in chosen))


@dataclass(frozen=True, eq=False)
class Decisions:
    """What was decided for a corpus, flat as in `Corpus`, and how."""

    types: Ints
    labels: Ints
    objective: Floats
    rungs: tuple[Rung, ...]


@dataclass(frozen=True, eq=False)
class Decoder:
    """Inference under given constraints; none at all is the basic system."""

    space: Space
    constraints: tuple[Constraint, ...]
    _programs: dict[int, SentenceProgram] = field(default_factory=dict, repr=False)

    @cached_property
    def tables(self) -> typed_pairs.Tables:
        return tables(self.constraints, self.space)

    @cached_property
    def globals(self) -> tuple[Constraint, ...]:
        return tuple(one for one in enabled(self.constraints) if is_global(one))

    def decode(self, scored: Scored, bias: float = 0.0, pins: Mapping[int, SentencePins] | None = None) -> Decisions:
        """The best output of every sentence; a Conflict says which constraints and pins cannot hold together."""
        pins = pins or {}
        corpus = self.prepare(scored, pins)
        found = typed_pairs.decode(corpus, self.tables, bias)
        types, labels, objective = found.types, found.labels, found.objective
        rungs: list[Rung] = ["search"] * len(corpus)
        for s in self._unsettled(scored, found):
            if np.isneginf(objective[s]) and found.proven[s] and not self.globals:
                raise self.conflict(scored.sentence(s), pins.get(s, ()))
            solution, program = self.solve(scored.sentence(s), bias, pins.get(s, ()))
            a, b = corpus.node_starts[s], corpus.node_starts[s + 1]
            p, q = corpus.pair_starts[s], corpus.pair_starts[s + 1]
            types[a:b], labels[p:q] = program.output(solution.parts)
            objective[s], rungs[s] = solution.objective, solution.rung
        return Decisions(types, labels, objective, tuple(rungs))

    def prepare(self, scored: Scored, pins: Mapping[int, SentencePins] | None = None) -> Corpus:
        """Scores with ties and pins worked in: what a pin rules out is forbidden."""
        corpus = scored.corpus
        tie = corpus.tie
        if any(isinstance(one, SameType) for one in enabled(self.constraints)):
            made = [ties(self.constraints, int(n), g) for n, g in zip(scored.sizes, scored.groups, strict=True)]
            tie = np.concatenate(made) if made else tie
        types, labels = corpus.types, corpus.labels
        if pins:
            types, labels = types.copy(), labels.copy()
            for s, chosen in pins.items():
                for pin in chosen:
                    if isinstance(pin, NodePin):
                        _pin(types[corpus.node_starts[s] + pin.node], pin.type, pin.holds)
                    else:
                        _pin(labels[corpus.pair_starts[s] + pin.pair], pin.label, pin.holds)
        return Corpus.of(types, labels, scored.sizes, tie)

    def solve(self, sentence: Scored, bias: float, pins: SentencePins = ()) -> tuple[Solution, SentenceProgram]:
        """The program's answer for one sentence: LP, or MILP where that is fractional."""
        corpus = self.prepare(sentence, {0: pins} if pins else None)
        program = self.program(sentence)
        try:
            solution = program.program.solve(program.scores(corpus.types, corpus.labels, bias))
        except Conflict as clash:
            raise self.conflict(sentence, pins) from clash
        return solution, program

    def program(self, sentence: Scored) -> SentenceProgram:
        """The program of a sentence; sentences with as many nodes and no ties share one, with its solver warm."""
        n, groups = int(sentence.sizes[0]), sentence.groups[0]
        has_ties = any(isinstance(one, SameType) for one in enabled(self.constraints)) and any(groups.values())
        if has_ties:
            return sentence_program(self.constraints, self.space, n, groups)
        if n not in self._programs:
            self._programs[n] = sentence_program(self.constraints, self.space, n, {})
        return self._programs[n]

    def conflict(self, sentence: Scored, pins: SentencePins) -> Conflict:
        """A smallest set of hard constraints and pins that cannot hold together in this sentence."""
        n = int(sentence.sizes[0])
        n_types, n_labels = len(self.space.types), len(self.space.labels)
        rows = []
        for pin in pins:
            part = (
                pin.node * n_types + pin.type
                if isinstance(pin, NodePin)
                else n * n_types + pin.pair * n_labels + pin.label
            )
            rows.append(Row((part,), (1.0,), ">=" if pin.holds else "<=", 1.0 if pin.holds else 0.0, pin.name))
        made = sentence_program(self.constraints, self.space, n, sentence.groups[0], grouped=False, extra=rows)
        return made.program.conflict()

    def violations(self, types: Ints, labels: Ints, groups: Groups) -> list[Violation]:
        return violations(self.constraints, self.space, types, labels, groups)

    def path(self, sentence: Scored) -> Path:
        """Every best output of a sentence as the bias on declining rises."""
        path = typed_pairs.bias_path(self.prepare(sentence), self.tables)
        settled = path.proven and not any(
            self._breaks_global(types, labels) for types, labels in zip(path.types, path.labels, strict=True)
        )
        return path if settled else self._slow_path(sentence)

    def _breaks_global(self, types: Ints, labels: Ints) -> bool:
        return bool(self.globals) and bool(violations(self.globals, self.space, types, labels, {}))

    def _unsettled(self, scored: Scored, found: typed_pairs.Decoded) -> list[int]:
        """Sentences whose search result is no final answer."""
        settled = found.proven & ~np.isneginf(found.objective)
        if self.globals:
            nodes, pairs = scored.corpus.node_starts, scored.corpus.pair_starts
            for s in np.flatnonzero(settled):
                types, labels = found.types[nodes[s] : nodes[s + 1]], found.labels[pairs[s] : pairs[s + 1]]
                settled[s] = not self._breaks_global(types, labels)
        return [int(s) for s in np.flatnonzero(~settled)]

    def _slow_path(self, sentence: Scored) -> Path:
        """The same divide and conquer as the search's, each decode by the program."""
        corpus = sentence.corpus
        finite = [np.abs(array[np.isfinite(array)]).sum() for array in (corpus.types, corpus.labels)]
        prices = sum(one.weight or 0.0 for one in self.constraints) * (len(corpus.labels) + len(corpus.types) + 1) * 2
        reach = float(sum(finite) + prices + 1.0)
        lines: list[tuple[float, int, Ints, Ints]] = []

        def decode(bias: float) -> int:
            decisions = self.decode(sentence, bias)
            declined = int((decisions.labels == 0).sum())
            lines.append((float(decisions.objective[0]) - bias * declined, declined, decisions.types, decisions.labels))
            return len(lines) - 1

        steps: list[tuple[float, int]] = []

        def between(left: int, right: int) -> None:
            if lines[left][1] == lines[right][1]:
                return
            corner = (lines[left][0] - lines[right][0]) / (lines[right][1] - lines[left][1])
            if lines[right][1] - lines[left][1] > 1:
                new = decode(corner)
                height = lines[left][0] + corner * lines[left][1]
                above = lines[new][0] + corner * lines[new][1] > height + 1e-7 * (1 + abs(height))
                if above and lines[left][1] < lines[new][1] < lines[right][1]:
                    between(left, new)
                    between(new, right)
                    return
            steps.append((corner, right))

        first, last = decode(-reach), decode(reach)
        steps.append((-np.inf, first))
        between(first, last)
        return Path(
            np.array([bias for bias, _ in steps]),
            np.stack([lines[k][2] for _, k in steps]),
            np.stack([lines[k][3] for _, k in steps]),
            True,
        )


def _pin(row: NDArray[np.float64], choice: int, holds: bool) -> None:
    if holds:
        keep = row[choice]
        row[:] = -np.inf
        # A label that another pin ruled out stays out: the two pins clash, and the clash is found.
        row[choice] = keep
    else:
        row[choice] = -np.inf
