"""A search over one document that records everything it did, for the trace and the explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.learners.sgtb import search as sgtb
from engine.learners.sgtb.blocks import Block
from engine.learners.sgtb.pools import Links
from engine.learners.sgtb.search import BACKWARD, FORWARD, FREE, Best, Memory, Odds
from engine.structures.beam import Beam, Shares, pool_shares, room, write_shares
from engine.tasks.disambiguation.search.problem import Problem

HAIR: Final = 1e-9
"""Tolerance: a sum computed in another order must not look like a better sequence."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """One recorded search."""

    mentions: Ints
    beam: Beam
    block: Block
    ahead: Best
    """The scores that the other direction found ahead; sequences were ranked by the sum of their score and this."""

    @property
    def n(self) -> int:
        return len(self.mentions)

    def path(self, k: int) -> list[int]:
        """The rows of the k-th final sequence, step by step."""
        rows = []
        for t in range(self.n - 1, -1, -1):
            rows.append(int(self.beam.rows[t, k]))
            k = int(self.beam.parents[t, k])
        return rows[::-1]

    def starts(self, k: int) -> dict[int, int]:
        """For each mention, where the block stores the scores of its candidates on the way to the k-th sequence."""
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
    """The final sequences of the searches (row by mention), their scores, the direction that found the best one, and
    the weight of each direction in those scores. Directions that look ahead to each other give rival answers, and only
    the sequences of the one that was followed are compared."""

    sequences: tuple[dict[int, int], ...]
    scores: Floats
    run: Recorded
    k: int
    backward: bool
    weights: tuple[float, ...]
    options: Shares
    """How probable each option of each mention is."""

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
    nothing = Best(np.zeros(n_rows), np.zeros(n))
    mentions, reverse = np.arange(n), np.arange(n)[::-1].copy()
    forward, found = _run(problem, block, mentions, nothing, FORWARD)
    if not problem.how.backward:
        return [forward]
    if not problem.how.look_ahead:
        return [forward, _run(problem, block, reverse, found, BACKWARD)[0]]
    # One block for both directions: the scores it remembers do not depend on the direction.
    backward, back = _run(problem, block, reverse, found, FORWARD)
    for _ in range(1, problem.how.look_ahead):
        forward, found = _run(problem, block, mentions, back, FORWARD)
        backward, back = _run(problem, block, reverse, found, FORWARD)
    return [forward, backward]


def _run(problem: Problem, block: Block, mentions: Ints, ahead: Best, direction: int) -> tuple[Recorded, Best]:
    """Search one direction, given what the other found; returns the record and what this one found for the other."""
    choices = block.choices
    n_rows, n = len(choices.codes), len(mentions)
    beam, found = room(n, n_rows, problem.how.width), Best(np.zeros(n_rows), np.zeros(n))
    links = Links(choices.pairs, 0, int(choices.n_slots[0]))
    memory = Memory(problem.trees, block.cache.arrays, 0)
    one_way = sgtb.Problem(mentions, choices.data, links, memory, FREE, direction)
    sgtb.search_once(one_way, Odds(problem.nil, ahead.rows, ahead.nil), beam, found)
    return Recorded(mentions, beam, block, ahead), found


def answer(problem: Problem, runs: Sequence[Recorded]) -> Answer:
    """What decoding chooses among the final sequences."""
    weights = _weights(problem, runs)
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    for at, run in enumerate(runs):
        for k in range(len(run.final) if weights[at] else 0):
            rows = dict(zip(run.mentions.tolist(), run.path(k), strict=True))
            found.setdefault(tuple(rows[m] for m in sorted(rows)), (at, k))
    sequences = tuple(dict(enumerate(rows)) for rows in found)
    if sum(weight > 0 for weight in weights) == 1:
        scores = [float(runs[at].final[k]) for at, k in found.values()]
    else:
        scores = [score_of(problem, rows, weights) for rows in sequences]
    at, k = list(found.values())[int(np.argmax(scores))]
    return Answer(sequences, np.array(scores), runs[at], k, bool(at), weights, _shares(problem, runs, weights))


def _weights(problem: Problem, runs: Sequence[Recorded]) -> tuple[float, ...]:
    """The weight of each direction. Of two that look ahead to each other, only the more confident one counts."""
    if len(runs) == 1:
        return (1.0,)
    if problem.how.look_ahead:
        return (0.0, 1.0) if runs[1].log_probability > runs[0].log_probability else (1.0, 0.0)
    return (1.0, problem.how.backward)


def _shares(problem: Problem, runs: Sequence[Recorded], weights: Sequence[float]) -> Shares:
    """The probability of every option, under the scores of the direction that was followed, or of both."""
    offsets, found = problem.scored.row_offsets, list[Shares]()
    for run in runs:
        found.append(Shares(np.zeros(problem.scored.n_rows), np.zeros(problem.scored.n_mentions)))
        write_shares(run.mentions, offsets, run.beam, found[-1])
    if sum(weight > 0 for weight in weights) == 1:
        return found[int(np.argmax(weights))]
    pool_shares(runs[0].mentions, offsets, found[0], found[1], weights[1])
    return found[0]


def beats(problem: Problem, m: int, row: int, score: float, weights: Sequence[float]) -> bool:
    """Whether the search finds a sequence above this score if one mention is fixed to a row. If so, the search lost
    it."""
    held = problem.held_to({m: row})
    if problem.how.look_ahead:
        # The two directions score on different scales, so only the one that was followed can be compared.
        found = float(record(held)[int(np.argmax(weights))].final.max(initial=-np.inf))
    else:
        found = float(held.decode().totals[0])
    return found - HAIR > score


def score_of(problem: Problem, rows: dict[int, int], weights: Sequence[float]) -> float:
    """The score of one sequence, each direction weighted; -inf where a mention has no such row."""
    runs = record(problem.held_to(rows).with_width(1))
    if not all(len(run.final) for run in runs):
        return -np.inf
    return float(sum(weight * run.final[0] for weight, run in zip(weights, runs, strict=True)))
