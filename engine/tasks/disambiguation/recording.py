"""A search over one document with everything it did kept: what the trace and the explanations read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.learners.sgtb.blocks import Search
from engine.learners.sgtb.learner import NIL_ROW, Block, Choices
from engine.learners.sgtb.pools import Trees
from engine.learners.sgtb.search import FREE, search
from engine.structures.beam import Beam, room


@dataclass(frozen=True, eq=False)
class Recorded:
    """One recorded search."""

    mentions: NDArray[np.int64]
    beam: Beam
    block: Block
    future: NDArray[np.float64]
    future_nil: NDArray[np.float64]

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

    @property
    def final(self) -> NDArray[np.float64]:
        return self.beam.scores[self.n - 1, : self.beam.n_kept[self.n - 1]]

    @property
    def log_probability(self) -> float:
        return float(self.final.max() - np.logaddexp.reduce(self.final))


@dataclass(frozen=True, eq=False)
class Answer:
    """All sequences that the searches ended with (row by mention), their scores, and where the best one was found."""

    sequences: tuple[dict[int, int], ...]
    scores: NDArray[np.float64]
    run: Recorded
    k: int
    backward: bool

    @property
    def best(self) -> int:
        return int(np.argmax(self.scores))

    @property
    def shares(self) -> NDArray[np.float64]:
        """Probabilities among these sequences."""
        return np.asarray(np.exp(self.scores - np.logaddexp.reduce(self.scores)), dtype=np.float64)


def record(choices: Choices, forest: Trees, how: Search, nil: NDArray[np.float64]) -> list[Recorded]:
    """The search of every direction, as `sgtb_corpus.decode` makes them."""
    order = choices.order.copy()
    n_rows, n = len(choices.codes), len(order)
    block = Block(choices)

    def run(mentions: NDArray[np.int64], backward: int, future: Any, future_nil: Any) -> tuple[Recorded, Any, Any]:
        beam, out, out_nil = room(n, n_rows, how.width), np.zeros(n_rows), np.zeros(n)
        while len(block.cache.scores) - block.cache.counters[0] < (how.width + 1) * (n_rows + n) or len(
            block.cache.keys
        ) < 2 * (block.cache.counters[1] + (how.width + 1) * n):
            block.cache.make_room(0)
        search(
            mentions, choices.data, choices.pairs, 0, choices.n_slots[0], forest, block.cache.arrays, 0, FREE, backward,
            how.width, nil, future, future_nil, beam, out, out_nil,
        )  # fmt: skip
        return Recorded(mentions, beam, block, future, future_nil), out, out_nil

    forward, best, best_nil = run(order, 0, np.zeros(n_rows), np.zeros(n))
    return [forward, run(order[::-1].copy(), 1, best, best_nil)[0]] if how.backward else [forward]


def answer(choices: Choices, forest: Trees, how: Search, nil: NDArray[np.float64], runs: Sequence[Recorded]) -> Answer:
    """What decoding chooses among the final sequences, as `sgtb_corpus.best_of_both` does."""
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    for at, run in enumerate(runs):
        for k in range(len(run.final)):
            rows = dict(zip(run.mentions.tolist(), run.path(k), strict=True))
            found.setdefault(tuple(rows[m] for m in sorted(rows)), (at, k))
    sequences = tuple(dict(enumerate(rows)) for rows in found)
    if len(runs) == 1:
        scores = [float(runs[0].final[k]) for _, k in found.values()]
    else:
        scores = [score_of(choices, forest, how, nil, rows) for rows in sequences]
    at, k = list(found.values())[int(np.argmax(scores))]
    return Answer(sequences, np.array(scores), runs[at], k, bool(at))


def score_of(choices: Choices, forest: Trees, how: Search, nil: NDArray[np.float64], rows: dict[int, int]) -> float:
    """The score of one sequence, of both directions where both count; -inf where a mention has no such row."""
    allowed = np.zeros(len(choices.codes), dtype=np.bool_)
    declined = np.zeros(len(choices.gold), dtype=np.bool_)
    for m, row in rows.items():
        if row == NIL_ROW:
            declined[m] = True
        else:
            allowed[row] = True
    runs = record(replace(choices, allowed=allowed, nil_allowed=declined), forest, replace(how, width=1), nil)
    if not all(len(run.final) for run in runs):
        return -np.inf
    return float(sum(weight * run.final[0] for weight, run in zip((1.0, how.backward), runs, strict=False)))
