"""The best output of a bag by linear and integer programming: equation 15 of Haffari et al. (2015) as printed.

Far slower than the exact search of `engine.structures.bag`; it is used to check that search, and instead of it if it
gives up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from engine.arrays import Floats, Ints

if TYPE_CHECKING:
    from engine.structures.program import Program

Way: TypeAlias = Literal["lp", "ilp"]
"""By the linear program, followed by the integer one if that is fractional; or by the integer program at once."""


class BagPrograms:
    """Programs of bags. Bags with the same number of mentions share one and its warm solver, so threads must not share
    this.

    `solved` counts all bags, `fractional` those whose linear program was fractional.
    """

    def __init__(self, way: Way) -> None:
        self.way: Final = way
        self.solved = self.fractional = 0
        self._programs: dict[tuple[int, int], Program] = {}

    def __call__(self, scores: Floats, prices: Floats, offsets: Ints) -> Ints:
        """Best labels of all mentions of a corpus, as `engine.structures.bag.argmax_all` gives them."""
        labels = np.zeros(len(scores), dtype=np.int64)
        for b in np.flatnonzero(np.diff(offsets)):
            here = slice(offsets[b], offsets[b + 1])
            labels[here], _ = self.solve(scores[here], prices[b])
        return labels

    def solve(self, scores: Floats, prices: Floats) -> tuple[Ints, Way]:
        """Labels of one bag's mentions, and which program gave them."""
        n_mentions, width = scores.shape
        program = self._program(n_mentions, width)
        values = np.concatenate([scores.ravel(), prices])
        self.solved += 1
        used: Way = "ilp"
        if self.way == "ilp":
            # A bag is so small that branch and bound is never stopped.
            parts, _ = program.integer_argmax(values)
        else:
            solution = program.solve(values)
            parts = solution.parts
            if solution.integral:
                used = "lp"
            else:
                self.fractional += 1
        labels = np.zeros(n_mentions, dtype=np.int64)
        for part in parts[parts < n_mentions * width]:
            labels[part // width] = part % width
        return labels, used

    def _program(self, n_mentions: int, width: int) -> Program:
        if (n_mentions, width) not in self._programs:
            self._programs[n_mentions, width] = _stated(n_mentions, width)
        return self._programs[n_mentions, width]


def _stated(n_mentions: int, width: int) -> Program:
    """The program. Its parts are "mention m takes label l" (0 is nil), followed by "label l holds"."""
    from engine.structures.program import Program, Row  # PuLP is only loaded when a bag needs it.

    n_z = n_mentions * width
    rows = [Row(tuple(range(m * width, (m + 1) * width)), (1.0,) * width, "==", 1.0) for m in range(n_mentions)]
    for label in range(1, width):
        y = n_z + label - 1
        # A label holds if some mention takes it ...
        rows += [Row((m * width + label, y), (1.0, -1.0), "<=", 0.0) for m in range(n_mentions)]
        # ... and only then.
        takers = tuple(m * width + label for m in range(n_mentions))
        rows.append(Row((y, *takers), (1.0, *(-1.0,) * n_mentions), "<=", 0.0))
    return Program(n_z + width - 1, rows)
