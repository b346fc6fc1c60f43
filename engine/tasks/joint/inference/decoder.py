"""The best output of every sentence under given constraints, and its path as the bias on declining changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from engine.arrays import Flags, Floats, Ints
from engine.structures.program import Conflict, Row, Rung, Solution
from engine.structures.typed_pairs import Decoded, Tables, TypedPairs
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.space import Inference, Sameness, Space
from engine.tasks.joint.constraints.together import enabled, owed, tables, ties
from engine.tasks.joint.inference import branching
from engine.tasks.joint.inference.program import SentenceProgram, sentence_program
from engine.tasks.joint.inference.sentences import PartPin, Pins, Sentences, within_reach
from engine.tasks.joint.scored import JointScored
from engine.tuning.envelope import Line, envelopes

UNSCORED: Final = "only what was scored can be chosen"
"""The name, in a conflict, of the rule that a pin breaks if it names an option which another program did not list."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decisions on a corpus, in the same order as its scores, and how they were found."""

    types: Ints
    labels: Ints
    objective: Floats
    rungs: tuple[Rung, ...]


@dataclass(frozen=True, eq=False)
class SentencePath:
    """Every best output of one sentence as the score of declining rises: step k holds from bias[k] on."""

    bias: Floats
    types: Ints
    labels: Ints


@dataclass(frozen=True, eq=False)
class Decoder:
    """Inference under given constraints; without any it is the basic system."""

    space: Space
    constraints: tuple[Constraint, ...]
    inference: Inference = "exact"
    _programs: dict[int, SentenceProgram] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, scored: JointScored) -> Decoder:
        """A decoder with the constraints that apply to this corpus."""
        return cls(scored.space, scored.deciding, scored.inference if scored.enforced else "exact")

    @cached_property
    def tables(self) -> Tables:
        return tables(self.constraints, self.space)

    @cached_property
    def sentence_wide(self) -> tuple[Constraint, ...]:
        return tuple(one for one in enabled(self.constraints) if one.is_sentence_wide)

    def sentences(self, scored: JointScored) -> Sentences:
        """The corpus with the scores that constraints on single pairs add."""
        tie = ties(self.constraints, scored.sameness, len(scored.label_score))
        structure = TypedPairs(self.tables, scored.node_offsets, scored.pair_offsets, tie)
        return Sentences(structure, scored.type_score, scored.label_score, scored, np.arange(len(scored)))

    def decode(self, scored: JointScored, pins: Pins | None = None) -> Decisions:
        """The best output of every sentence at the corpus' bias, by the chosen method of inference.

        Raises a Conflict that names constraints and pins which cannot hold together.
        """
        sentences = self.sentences(scored)
        if pins:
            sentences = sentences.pinned(pins)
        biases = np.full(len(sentences), scored.bias)
        return self.settle(sentences, biases) if self.inference == "exact" else self._programmed(sentences, biases)

    def settle(self, sentences: Sentences, biases: Floats) -> Decisions:
        """The best output of every sentence, each at its own bias: by search, or by a program if the search gives
        up."""
        biases = within_reach(biases)
        found = sentences.structure.decode(sentences.types, sentences.labels, biases)
        types, labels, objective = found.types, found.labels, found.objective
        rungs: list[Rung] = ["search"] * len(sentences)
        nodes, pairs = sentences.structure.node_starts, sentences.structure.pair_starts
        unsettled = self._unsettled(sentences.structure, found)
        alone = {s: sentences.one(s) for s in unsettled}
        # If the search itself gave up, its cases would not do better.
        branched = [s for s in unsettled if found.proven[s]]
        answers = branching.solve_all(
            [alone[s] for s in branched], self.sentence_wide, self.space, [float(biases[s]) for s in branched]
        )
        answered = dict(zip(branched, answers, strict=True))
        for s in unsettled:
            one, answer = alone[s], answered.get(s)
            at, of = slice(nodes[s], nodes[s + 1]), slice(pairs[s], pairs[s + 1])
            if answer is None:
                solution, program = self.solve(one, float(biases[s]))
                types[at], labels[of] = program.output(solution.parts)
                objective[s], rungs[s] = solution.objective, solution.rung
            elif np.isneginf(answer.objective):
                raise self.conflict(one)
            else:
                types[at], labels[of], objective[s] = answer.types, answer.labels, answer.objective
        return Decisions(types, labels, objective, tuple(rungs))

    def _programmed(self, sentences: Sentences, biases: Floats) -> Decisions:
        """The same, with every sentence solved as a program."""
        made: list[tuple[Ints, Ints, float, Rung]] = []
        for s in range(len(sentences)):
            one, bias = sentences.one(s), float(biases[s])
            if self.inference == "lp":
                solution, program = self.solve(one, bias)
                made.append((*program.output(solution.parts), solution.objective, solution.rung))
            else:
                made.append(self._integer(one, bias))
        nothing = np.zeros(0, dtype=np.int64)
        return Decisions(
            np.concatenate([nothing, *(types for types, *_ in made)]),
            np.concatenate([nothing, *(labels for _, labels, *_ in made)]),
            np.array([objective for _, _, objective, _ in made], dtype=np.float64),
            tuple(rung for *_, rung in made),
        )

    def _integer(self, one: Sentences, bias: float) -> tuple[Ints, Ints, float, Rung]:
        """The integer program's answer for one sentence, without trying the LP first."""
        program = self.program(one)
        scores = program.scores(one.types, one.labels, bias)
        try:
            parts, rung = program.program.integer_argmax(scores)
        except Conflict as clash:
            raise self.conflict(one) from clash
        return (*program.output(parts), program.program.value(scores, parts), rung)

    def solve(self, one: Sentences, bias: float) -> tuple[Solution, SentenceProgram]:
        """The program's answer for one sentence: LP, or MILP if the LP is fractional."""
        program = self.program(one)
        try:
            solution = program.program.solve(program.scores(one.types, one.labels, bias))
        except Conflict as clash:
            raise self.conflict(one) from clash
        return solution, program

    def program(self, one: Sentences) -> SentenceProgram:
        """The program of a sentence; sentences without ties and with the same number of nodes share one and its warm
        solver."""
        n, same = one.numbering().n_nodes, one.same()
        if any(len(constraint.tied(same)) for constraint in enabled(self.constraints)):
            return sentence_program(self.constraints, self.space, n, same)
        if n not in self._programs:
            self._programs[n] = sentence_program(self.constraints, self.space, n, Sameness.unknown())
        return self._programs[n]

    def conflict(self, one: Sentences) -> Conflict:
        """A minimal set of hard constraints and pins that cannot hold together in this sentence. It includes the scores
        if these offer too few options."""
        pins = one.pins.get(0, ())
        rows = [
            Row((pin.part,), (1.0,), ">=" if pin.holds else "<=", 1.0 if pin.holds else 0.0, pin.name) for pin in pins
        ]
        numbering = one.numbering()
        rows += [Row((part,), (1.0,), "<=", 0.0, UNSCORED) for part in _unscored(one, pins)]
        made = sentence_program(self.constraints, self.space, numbering.n_nodes, one.same(), grouped=False, extra=rows)
        return made.program.conflict()

    def paths(self, scored: JointScored, within: float = np.inf) -> list[SentencePath]:
        """Every best output of every sentence as the bias on declining rises. `within` limits the path to biases from
        -within to within; beyond that, the last output found is used."""
        whole = self.sentences(scored)

        def solve(problems: Ints, biases: Floats) -> list[Line[tuple[Ints, Ints]]]:
            # A sentence is needed once per waiting interval, so sentences are repeated, each with its own bias.
            some = whole.take(problems)
            structure, decided = some.structure, self.settle(some, biases)
            declined = _sums((decided.labels == 0).astype(np.float64), structure.pair_starts)
            base = structure.value(some.types, some.labels, (decided.types, decided.labels))
            base -= self._owed(structure, decided.types, decided.labels).sum(axis=0)
            types = np.split(decided.types, structure.node_starts[1:-1])
            labels = np.split(decided.labels, structure.pair_starts[1:-1])
            return [Line(float(base[k]), float(declined[k]), (types[k], labels[k])) for k in range(len(problems))]

        return [
            SentencePath(
                np.array([bias for bias, _ in steps]),
                np.stack([types for _, (types, _) in steps]),
                np.stack([labels for _, (_, labels) in steps]),
            )
            for steps in envelopes(solve, np.minimum(self._reach(whole), within))
        ]

    def _reach(self, whole: Sentences) -> Floats:
        """For each sentence, a bias beyond which nothing changes: no two outputs differ by more in their other
        scores."""
        nodes, pairs = whole.structure.node_starts, whole.structure.pair_starts
        reach = 1.0 + _sums(_finite(whole.types).sum(axis=1), nodes) + _sums(_finite(whole.labels).sum(axis=1), pairs)
        reach += _sums(_finite(whole.structure.tie), pairs)
        n_pairs = np.diff(pairs)
        reach += n_pairs * (_finite(self.tables.fit).sum() + _finite(self.tables.both).sum())
        reach += sum(one.weight or 0.0 for one in self.sentence_wide) * (n_pairs + np.diff(nodes) + 1)
        return reach

    def _owed(self, structure: TypedPairs, types: Ints, labels: Ints) -> Floats:
        """[sentence-wide constraints, sentences]: the cost of breaking them."""
        return owed(
            self.sentence_wide,
            self.space,
            _counts(types, structure.node_starts, len(self.space.types)),
            _counts(labels, structure.pair_starts, len(self.space.labels)),
        )

    def _unsettled(self, structure: TypedPairs, found: Decoded) -> list[int]:
        """Sentences whose search result is not final."""
        settled: Flags = found.proven & ~np.isneginf(found.objective)
        if self.sentence_wide:
            settled &= ~self._owed(structure, found.types, found.labels).any(axis=0)
        return [int(s) for s in np.flatnonzero(~settled)]


def _unscored(one: Sentences, pins: Sequence[PartPin]) -> list[int]:
    """Options that cannot be chosen because they have no score, not because of a pin."""
    numbering = one.numbering()
    ruled_out: set[int] = set()
    for pin in pins:
        ruled_out |= set(numbering.rivals(pin.part)) - {pin.part} if pin.holds else {pin.part}
    forbidden = np.flatnonzero(np.isneginf(numbering.joined(one.types, one.labels)))
    return [part for part in forbidden.tolist() if part not in ruled_out]


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
