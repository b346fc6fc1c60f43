"""What all workers promise, and the simplest of them: this process."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
P = TypeVar("P")
R = TypeVar("R")

Places: TypeAlias = Callable[[Path], Path]
"""Where a file of the machine that sent the work lies on the one that does it."""


def as_named(path: Path) -> Path:
    """The same place: on this machine, or on one that shares its disks."""
    return path


class WorkersFailed(RuntimeError):
    """The workers could not do the work, for reasons of theirs; the message says what to do."""


class Recipe(Protocol[T_co]):
    """How to make what all pieces share. A recipe is small and can be sent; every worker makes the thing once."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that a worker on another machine is sent."""
        ...

    def make(self, places: Places = as_named) -> T_co: ...


class Workers(Protocol):
    """Who does the work."""

    def map(self, work: Callable[[T, P], R], recipe: Recipe[T], pieces: Iterable[P]) -> Iterator[R]:
        """work(shared, piece) of every piece, in the order of the pieces."""
        ...


class Here:
    """This process, one piece after the other."""

    def map(self, work: Callable[[T, P], R], recipe: Recipe[T], pieces: Iterable[P]) -> Iterator[R]:
        shared = recipe.make()
        for piece in pieces:
            yield work(shared, piece)


F = TypeVar("F")


def in_order(begin: Callable[[P], F], end: Callable[[F], R], pieces: Iterable[P], ahead: int) -> Iterator[R]:
    """The results of pieces that are begun up to `ahead` before their turn."""
    waiting: deque[F] = deque()
    for piece in pieces:
        waiting.append(begin(piece))
        if len(waiting) > ahead:
            yield end(waiting.popleft())
    while waiting:
        yield end(waiting.popleft())
