"""The one loop of all learners: what it refuses to save, and generators of random numbers as arrays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.learners.base import Round, Saved
from engine.learners.training import Training, prefixed, rng_from, rng_parts, under


class Counting(Training[Round[int]]):
    """Adds one per round; in the round `broken` it is interrupted after it has changed something."""

    kind = "counting"

    def __init__(self, broken: int = -1) -> None:
        super().__init__()
        self.total, self._broken = 0, broken

    @property
    def size(self) -> tuple[int, ...]:
        return (1,)

    def step(self) -> Round[int]:
        self.total += 1
        if self.done == self._broken:
            raise KeyboardInterrupt
        return Round(self.done, 0.0, self.total)

    def save(self) -> Saved:
        return {"total": np.array(self.total)}

    def restore(self, saved: Saved) -> None:
        self.total = int(saved["total"])


def test_what_an_interrupted_round_leaves_behind_is_not_saved() -> None:
    stream = Counting(broken=2).rounds(5, None)
    next(stream)
    second = next(stream)
    assert second.to_parts()["total"] == 2
    with pytest.raises(KeyboardInterrupt):
        next(stream)
    with pytest.raises(ValueError, match="before the next one is made"):
        second.to_parts()


def test_a_training_that_was_complete_makes_no_round_more() -> None:
    *_, last = Counting().rounds(3, None)
    assert last.is_last and list(Counting().rounds(3, last.to_parts())) == []


@pytest.mark.parametrize("drawn", range(4))
def test_a_generator_goes_on_from_its_parts(drawn: int) -> None:
    rng = np.random.default_rng(7)
    # Numbers of 32 bits are drawn in twos: half of one may be left over.
    rng.integers(0, 2**31, size=drawn, dtype=np.int32)
    again = rng_from(rng_parts(rng))
    for one in (rng, again):
        one.permutation(3)
    assert rng.integers(0, 2**31, size=5, dtype=np.int32).tolist() == again.integers(0, 2**31, 5, np.int32).tolist()
    assert rng.normal() == again.normal()


def test_parts_under_a_prefix_come_back() -> None:
    parts = {"a": np.zeros(1), "b_c": np.ones(2)}
    found = under("x_", {**prefixed("x_", parts), **prefixed("y_", parts)})
    assert found.keys() == parts.keys() and all(found[name] is parts[name] for name in parts)
