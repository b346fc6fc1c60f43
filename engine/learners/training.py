"""The training loop of all learners, and the state from which a round can be resumed.

Everything that a learner changes from round to round is in its `Training`. After any round it can be converted to
arrays, saved, and given to another process, whose next round is the same to the last bit as without the interruption.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Final, Generic, TypeVar

import numpy as np

from engine.arrays import Array, Words
from engine.learners.base import Round, Saved

Q = TypeVar("Q", bound=Round[Any])

_HALF: Final = (1 << 64) - 1


class Training(ABC, Generic[Q]):
    """Everything that changes from round to round. A learner creates one and yields the rounds from `rounds`."""

    kind: ClassVar[str]
    """The name of the learner; a saved state of another kind is refused."""

    def __init__(self) -> None:
        self.done = 0
        self.finished = False
        """Whether another round would change nothing."""
        self._between = True
        """False while a round is being made, because the state of an interrupted round must not be saved."""

    @abstractmethod
    def step(self) -> Q:
        """Make the next round; its number and its state are added by `rounds`."""

    @abstractmethod
    def save(self) -> Saved:
        """Everything that `step` has changed, as arrays."""

    @abstractmethod
    def restore(self, saved: Saved) -> None:
        """Restore what `save` returned, in a training on the same instances."""

    @property
    @abstractmethod
    def size(self) -> tuple[int, ...]:
        """The size of the training data, to detect that a saved state belongs to other data."""

    def rounds(self, n_rounds: int, resume: Saved | None) -> Iterator[Q]:
        """The rounds up to `n_rounds`, from the first or from a saved state."""
        if resume is not None:
            self._resume(resume)
        while self.goes_on(n_rounds):
            self._between = False
            made = self.step()
            self.done += 1
            self._between = True
            yield dataclasses.replace(
                made,
                index=self.done - 1,
                is_last=not self.goes_on(n_rounds),
                to_parts=partial(self._state, self.done),
            )

    def goes_on(self, n_rounds: int) -> bool:
        return self.done < n_rounds and not self.finished

    def _state(self, done: int) -> Saved:
        if done != self.done or not self._between:
            raise ValueError("training has gone on: the state of a round must be taken before the next one is made")
        own = self.save()
        about = {"learner": self.kind, "size": self.size, "done": self.done, "finished": self.finished}
        return {**{name: np.array(value) for name, value in about.items()}, **own}

    def _resume(self, saved: Saved) -> None:
        if str(saved["learner"]) != self.kind:
            raise ValueError(f"this training was saved by {saved['learner']}, not by {self.kind}")
        if tuple(saved["size"].tolist()) != self.size:
            raise ValueError("this training was saved with other data: resume it with the instances it began with")
        self.restore(saved)
        self.done, self.finished = int(saved["done"]), bool(saved["finished"])


def rng_parts(rng: np.random.Generator) -> Words:
    """The current state of a random number generator, as an array."""
    state = rng.bit_generator.state
    inner = state["state"]
    numbers = [inner["state"], inner["inc"]]
    halves = [half for number in numbers for half in (number & _HALF, number >> 64)]
    return np.array([*halves, state["has_uint32"], state["uinteger"]], dtype=np.uint64)


def rng_from(parts: Array) -> np.random.Generator:
    """The generator that `rng_parts` took apart."""
    low, high, step_low, step_high, has_half, half = (int(number) for number in parts)
    rng = np.random.default_rng()
    rng.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": step_high << 64 | step_low},
        "has_uint32": has_half,
        "uinteger": half,
    }
    return rng


def prefixed(prefix: str, parts: Saved) -> dict[str, Array]:
    """Arrays under prefixed names, so that several states can be saved together."""
    return {f"{prefix}{name}": part for name, part in parts.items()}


def under(prefix: str, parts: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays that `prefixed` stored under this prefix."""
    return {name.removeprefix(prefix): part for name, part in parts.items() if name.startswith(prefix)}
