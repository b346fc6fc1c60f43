"""The interface of structures: legal sets of parts, as learners, tuning and views use them.

An output is a set of parts; its score is the sum of the scores of the parts that are on. Scores are
maximised everywhere and forbidden is -inf. Declining (Nil, root, none) is not a part: subtract its score from
the parts that compete with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from engine.arrays import Flags, Floats, Ints, Places

Scores: TypeAlias = Floats
"""One score per part."""
Parts: TypeAlias = Places
"""Sorted ids of the parts that are on."""
Mask: TypeAlias = Flags
"""One flag per part."""


class Infeasible(ValueError):
    """No legal output satisfies the pins; the message names those that conflict."""


@dataclass(frozen=True)
class Pins:
    """Parts that must be on, and parts that must be off."""

    on: tuple[int, ...] = ()
    off: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        both = sorted(set(self.on) & set(self.off))
        if both:
            raise Infeasible(f"part {both[0]} is pinned both on and off")

    def __bool__(self) -> bool:
        return bool(self.on or self.off)


NO_PINS: Final = Pins()


@runtime_checkable
class Structure(Protocol):
    """Defines which sets of parts are legal, and finds the best of them."""

    @property
    def n_parts(self) -> int: ...

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts: ...


@runtime_checkable
class Normalised(Structure, Protocol):
    """A structure that can also sum over all its outputs."""

    def marginals(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[float, Scores]:
        """log Z, and the probability that each part is on."""
        ...


@runtime_checkable
class Declining(Structure, Protocol):
    """A structure in which no part has to be on, so that forbidding all other parts is not enough to obtain gold."""

    def completion(self, scores: Scores, consistent: Mask) -> Parts:
        """The best output among those with as many consistent parts as possible and no other parts."""
        ...


@runtime_checkable
class Batch(Structure, Protocol):
    """Many documents as one structure; part ids are numbered across the corpus."""

    @property
    def n_documents(self) -> int: ...

    @property
    def offsets(self) -> Ints:
        """offsets[d]:offsets[d + 1] are the parts of document d."""
        ...

    def part(self, first: int, last: int) -> Batch:
        """Documents [first, last), with part ids of their own; what it says of them is the same to the last bit."""
        ...

    def marginals_by_document(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[Scores, Scores]:
        """log Z of every document, and the probability that each part is on."""
        ...

    def completion(self, scores: Scores, consistent: Mask) -> Parts: ...

    def completion_marginals(self, scores: Scores, consistent: Mask) -> tuple[Scores, Scores]:
        """log Z of every document and marginals over the outputs that agree with the annotation."""
        ...


def as_mask(parts: Parts, n_parts: int) -> Mask:
    mask = np.zeros(n_parts, dtype=np.bool_)
    mask[parts] = True
    return mask


def restrict(scores: Scores, allowed: Mask) -> Scores:
    """The same scores with every part that is not allowed forbidden."""
    return np.where(allowed, scores, -np.inf)
