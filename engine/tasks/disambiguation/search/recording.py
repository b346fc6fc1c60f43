"""A search over one document with everything it did kept: what the trace and the explanations read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.learners.sgtb.learner import Block
from engine.learners.sgtb.search import FREE, search
from engine.structures.beam import Beam, room
from engine.tasks.disambiguation.search.problem import Problem

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ahead:
    """The best scores of sequences that end in each row, and in declining each mention: what one direction found, and
    the other adds when it decides which sequences to keep."""

    rows: Floats
    nil: Floats


@dataclass(frozen=True, eq=False)
class Recorded:
    """One recorded search."""

    mentions: Ints
    beam: Beam
    block: Block
    ahead: Ahead

    @property
    def n(self) -> int:
        return len(self.mentions)

    def path(self, k: int) -> list[int]:
        """Rows of the k-th final sequence by step."""
        rows = []
        for t in range(self.n - 1, -1, -1):
            rows.append(int(self.beam.rows[t, k]))
            k = int(self.beam.parents[t, k])
        return rows[::-1]

    def starts(self, k: int) -> dict[int, int]:
        """Where the block remembers the scores that each mention's candidates had on the way to the k-th sequence."""
        found = {}
        for t in range(self.n - 1, -1, -1):
            k = int(self.beam.parents[t, k])
            found[int(self.mentions[t])] = int(self.beam.blocks[t, k])
        return found

    @property
    def final(self) -> Floats:
        scores: Floats = self.beam.scores[self.n - 1, : self.beam.n_kept[self.n - 1]]
        return scores

    @property
    def log_probability(self) -> float:
        return float(self.final.max() - np.logaddexp.reduce(self.final))


@dataclass(frozen=True, eq=False)
class Answer:
    """All sequences that the searches ended with (row by mention), their scores, and where the best one was found."""

    sequences: tuple[dict[int, int], ...]
    scores: Floats
    run: Recorded
    k: int
    backward: bool

    @property
    def best(self) -> int:
        return int(np.argmax(self.scores))

    @property
    def chosen(self) -> dict[int, int]:
        return self.sequences[self.best]

    @property
    def shares(self) -> Floats:
        """Probabilities among these sequences."""
        return np.asarray(np.exp(self.scores - np.logaddexp.reduce(self.scores)), dtype=np.float64)


def record(problem: Problem) -> list[Recorded]:
    """The search of every direction over one document, as decoding makes them."""
    n_rows, n = problem.scored.n_rows, problem.scored.n_mentions
    block = problem.block()
    nobody = Ahead(np.zeros(n_rows), np.zeros(n))
    forward, found = _run(problem, block, np.arange(n), nobody, backward=0)
    if not problem.how.backward:
        return [forward]
    return [forward, _run(problem, block, np.arange(n)[::-1].copy(), found, backward=1)[0]]


def _run(problem: Problem, block: Block, mentions: Ints, ahead: Ahead, *, backward: int) -> tuple[Recorded, Ahead]:
    """One direction, and what it found for the other."""
    choices, width = block.choices, problem.how.width
    n_rows, n = len(choices.codes), len(mentions)
    beam, found = room(n, n_rows, width), Ahead(np.zeros(n_rows), np.zeros(n))
    search(
        mentions, choices.data, choices.pairs, 0, choices.n_slots[0], problem.trees, block.cache.arrays, 0, FREE,
        backward, width, problem.nil, ahead.rows, ahead.nil, beam, found.rows, found.nil,
    )  # fmt: skip
    return Recorded(mentions, beam, block, ahead), found


def answer(problem: Problem, runs: Sequence[Recorded]) -> Answer:
    """What decoding chooses among the final sequences."""
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    for at, run in enumerate(runs):
        for k in range(len(run.final)):
            rows = dict(zip(run.mentions.tolist(), run.path(k), strict=True))
            found.setdefault(tuple(rows[m] for m in sorted(rows)), (at, k))
    sequences = tuple(dict(enumerate(rows)) for rows in found)
    if len(runs) == 1:
        scores = [float(runs[0].final[k]) for _, k in found.values()]
    else:
        scores = [score_of(problem, rows) for rows in sequences]
    at, k = list(found.values())[int(np.argmax(scores))]
    return Answer(sequences, np.array(scores), runs[at], k, bool(at))


def score_of(problem: Problem, rows: dict[int, int]) -> float:
    """The score of one sequence, of both directions where both count; -inf where a mention has no such row."""
    runs = record(problem.held_to(rows).with_width(1))
    if not all(len(run.final) for run in runs):
        return -np.inf
    return float(sum(weight * run.final[0] for weight, run in zip((1.0, problem.how.backward), runs, strict=False)))
