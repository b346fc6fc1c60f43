"""A search over one document with everything it did kept: what the trace and the explanations read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.learners.sgtb import Block, Choices
from engine.learners.sgtb_blocks import Search
from engine.learners.sgtb_pools import Trees
from engine.learners.sgtb_search import FREE, search
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


def record(choices: Choices, forest: Trees, how: Search, nil: NDArray[np.float64]) -> list[Recorded]:
    """The last search of every direction, as `sgtb_corpus.decode` makes them."""
    order = choices.order.copy()
    n_rows, n = len(choices.codes), len(order)
    block = Block(choices)
    best, best_nil = np.zeros(n_rows), np.zeros(n)
    back, back_nil = np.zeros(n_rows), np.zeros(n)
    beams = [room(n, n_rows, how.width) for _ in range(2)]

    def run(backward: int, future: Any, future_nil: Any, beam: Beam, out: Any, out_nil: Any) -> None:
        while len(block.cache.scores) - block.cache.counters[0] < (how.width + 1) * (n_rows + n) or len(
            block.cache.keys
        ) < 2 * (block.cache.counters[1] + (how.width + 1) * n):
            block.cache.make_room(0)
        search(
            (order, reverse)[backward], choices.data, choices.pairs, 0, choices.n_slots[0], forest, block.cache.arrays,
            0, FREE, backward, how.width, nil, future, future_nil, beam, out, out_nil,
        )  # fmt: skip

    reverse = order[::-1].copy()
    ahead = np.zeros(n_rows), np.zeros(n)
    run(0, *ahead, beams[0], best, best_nil)
    for r in range(how.rounds):
        if r > 0:
            ahead = back.copy(), back_nil.copy()
            run(0, *ahead, beams[0], best, best_nil)
        run(1, best, best_nil, beams[1], back, back_nil)
    last = Recorded(order, beams[0], block, *ahead)
    return [last, Recorded(reverse, beams[1], block, best, best_nil)] if how.rounds else [last]


def better(runs: Sequence[Recorded]) -> int:
    """Which of them is the answer: the one with the higher probability within its own beam."""
    return int(len(runs) > 1 and runs[1].log_probability > runs[0].log_probability)
