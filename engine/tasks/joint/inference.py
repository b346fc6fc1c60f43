"""The solver ladder: exact search, then the LP where it is integral, then branch and bound.

The search (structures/typed_pairs) sees every constraint that concerns one pair of mentions. If its answer also keeps
the sentence-wide constraints it is the answer: leaving constraints out can only raise the best value. Otherwise the
search is branched over them (branching), and only where that takes too many cases does the sentence go to the program
(structures/program): LP first, MILP when the LP is fractional. Every answer says which rung gave it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.structures import typed_pairs
from engine.structures.program import Conflict, Row, Rung, Solution
from engine.structures.typed_pairs import Corpus
from engine.tasks.joint import branching
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
from engine.tuning.envelope import Line, envelopes


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
        """Some of the sentences; one may come twice."""
        c, which = self.corpus, np.asarray(chosen, dtype=np.int64)
        nodes, pairs = _rows(c.node_starts, which), _rows(c.pair_starts, which)
        taken = Corpus.of(c.types[nodes], c.labels[pairs], self.sizes[which], c.tie[pairs])
        return Scored(taken, tuple(self.groups[s] for s in chosen))


@dataclass(frozen=True, eq=False)
class Decisions:
    """What was decided for a corpus, flat as in `Corpus`, and how."""

    types: Ints
    labels: Ints
    objective: Floats
    rungs: tuple[Rung, ...]


@dataclass(frozen=True, eq=False)
class Path:
    """Every best output of one sentence as the score of declining rises: step k holds from bias[k] on."""

    bias: Floats
    types: Ints
    labels: Ints


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

    def decode(
        self, scored: Scored, bias: float | Floats = 0.0, pins: Mapping[int, SentencePins] | None = None
    ) -> Decisions:
        """The best output of every sentence, at one bias or each at its own.

        A Conflict says which constraints and pins cannot hold together.
        """
        pins = pins or {}
        corpus = self.prepare(scored, pins)
        biases = np.broadcast_to(np.asarray(bias, dtype=np.float64), len(corpus))
        found = typed_pairs.decode(corpus, self.tables, biases)
        types, labels, objective = found.types, found.labels, found.objective
        rungs: list[Rung] = ["search"] * len(corpus)
        for s in self._unsettled(corpus, found):
            a, b = corpus.node_starts[s], corpus.node_starts[s + 1]
            p, q = corpus.pair_starts[s], corpus.pair_starts[s + 1]
            answer = None
            if found.proven[s]:
                answer = branching.solve(corpus.sentence(s), self.tables, self.globals, self.space, float(biases[s]))
            if answer is None:
                solution, program = self.solve(scored.sentence(s), float(biases[s]), pins.get(s, ()))
                types[a:b], labels[p:q] = program.output(solution.parts)
                objective[s], rungs[s] = solution.objective, solution.rung
            elif np.isneginf(answer.objective):
                raise self.conflict(scored.sentence(s), pins.get(s, ()))
            else:
                types[a:b], labels[p:q], objective[s] = answer.types, answer.labels, answer.objective
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

    def paths(self, scored: Scored) -> list[Path]:
        """Every best output of every sentence as the bias on declining rises."""
        corpus = self.prepare(scored)
        nodes, pairs = corpus.node_starts, corpus.pair_starts

        def solve(problems: Ints, biases: Floats) -> list[Line[tuple[Ints, Ints]]]:
            # A sentence comes once per waiting interval, so sentences are repeated, each with its own bias.
            some = scored.take(problems.tolist())
            decided = self.decode(some, biases)
            declined = _sums((decided.labels == 0).astype(np.float64), some.corpus.pair_starts)
            base = typed_pairs.value(self.prepare(some), self.tables, decided.types, decided.labels)
            base -= self._owed(some.corpus, decided.types, decided.labels).sum(axis=0)
            types = np.split(decided.types, some.corpus.node_starts[1:-1])
            labels = np.split(decided.labels, some.corpus.pair_starts[1:-1])
            return [Line(float(base[k]), float(declined[k]), (types[k], labels[k])) for k in range(len(problems))]

        reach = 1.0 + _sums(_finite(corpus.types).sum(axis=1), nodes) + _sums(_finite(corpus.labels).sum(axis=1), pairs)
        reach += _sums(_finite(corpus.tie), pairs)
        n_pairs = np.diff(pairs)
        reach += n_pairs * (_finite(self.tables.fit).sum() + _finite(self.tables.both).sum())
        reach += sum(one.weight or 0.0 for one in self.globals) * (n_pairs + scored.sizes + 1)
        return [
            Path(
                np.array([bias for bias, _ in steps]),
                np.stack([types for _, (types, _) in steps]),
                np.stack([labels for _, (_, labels) in steps]),
            )
            for steps in envelopes(solve, reach)
        ]

    def _owed(self, corpus: Corpus, types: Ints, labels: Ints) -> Floats:
        """[sentence-wide constraints, sentences]: what breaking them costs."""
        return branching.owed(
            self.globals,
            self.space,
            _counts(types, corpus.node_starts, len(self.space.types)),
            _counts(labels, corpus.pair_starts, len(self.space.labels)),
        )

    def _unsettled(self, corpus: Corpus, found: typed_pairs.Decoded) -> list[int]:
        """Sentences whose search result is no final answer."""
        settled = found.proven & ~np.isneginf(found.objective)
        if self.globals:
            settled &= ~self._owed(corpus, found.types, found.labels).any(axis=0)
        return [int(s) for s in np.flatnonzero(~settled)]


def _rows(starts: Ints, chosen: Ints) -> Ints:
    """The rows of the chosen sentences, one after the other."""
    sizes = np.diff(starts)[chosen]
    before = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else sizes
    result: Ints = np.arange(int(sizes.sum())) + np.repeat(starts[chosen] - before, sizes)
    return result


def _counts(chosen: Ints, starts: Ints, n: int) -> Ints:
    """[sentences, n]: how often each choice was made."""
    n_sentences = len(starts) - 1
    sentence = np.repeat(np.arange(n_sentences), np.diff(starts))
    return np.bincount(sentence * n + chosen, minlength=n_sentences * n).reshape(n_sentences, n)


def _sums(values: Floats, starts: Ints) -> Floats:
    """Sum of the values of every sentence."""
    running = np.concatenate([[0.0], np.cumsum(values)])
    result: Floats = running[starts[1:]] - running[starts[:-1]]
    return result


def _finite(values: Floats) -> Floats:
    result: Floats = np.where(np.isfinite(values), np.abs(values), 0.0)
    return result


def _pin(row: NDArray[np.float64], choice: int, holds: bool) -> None:
    if holds:
        keep = row[choice]
        row[:] = -np.inf
        # A label that another pin ruled out stays out: the two pins clash, and the clash is found.
        row[choice] = keep
    else:
        row[choice] = -np.inf
