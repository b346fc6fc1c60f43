"""Crews: workers that keep blocks of documents and answer questions about them, as training asks round after round.

Documents are cut into blocks once, and the worker that keeps a block answers questions about it. What it caches between
questions saves time and changes nothing else, so a block can be lost and made again. Answers come in the order
of the blocks, and results are put together in that order:

* answers by document or by row (gradients, chosen parts) follow each other, and sums over all of them are made in one
  place: the number of blocks does not matter, and is 1 where one thread works;
* where each block gives a sum (gradients of shared weights), blocks are cut by the data alone, into BLOCKS, and their
  sums are added in their order.

So the same seed gives the same model to the last bit for any number of workers. Threads share all memory, and compiled
code holds no lock; the workers of a Dask cluster are sent their blocks once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Final, Protocol, TypeVar

import numpy as np

from engine.arrays import Ints
from engine.workers.cluster import RETRIES, await_return, connected

B = TypeVar("B")
B_co = TypeVar("B_co", covariant=True)
S = TypeVar("S")
A = TypeVar("A")
R = TypeVar("R")

BLOCKS: Final = 8
"""Documents are handed out in this many blocks, however many workers there are."""
_LARGE: Final = 1 << 16
"""Arguments that all blocks share are sent to each worker once, not with every question, from this many bytes on."""


class Keepers(Protocol[B_co]):
    """Who keeps some blocks."""

    def ask(self, work: Callable[[B_co, S, A], R], shared: S, own: Sequence[A]) -> list[R]:
        """work(block, shared, own) of every block with its own argument, in the order of the blocks."""
        ...


class Crew(Protocol):
    """Who can be given blocks to keep."""

    @property
    def blocks(self) -> int:
        """Into how many blocks documents are cut whose answers do not depend on the cut."""
        ...

    def keep(self, blocks: Sequence[B]) -> Keepers[B]: ...


class _Here:
    """Blocks of this thread."""

    def __init__(self, blocks: Sequence[Any]) -> None:
        self._blocks = blocks

    def ask(self, work: Callable[[Any, S, A], R], shared: S, own: Sequence[A]) -> list[R]:
        return [work(block, shared, one) for block, one in zip(self._blocks, own, strict=True)]


class Alone:
    """The thread that asks."""

    blocks: int = 1

    def keep(self, blocks: Sequence[B]) -> Keepers[B]:
        return _Here(blocks)


ALONE: Final[Crew] = Alone()


class _Shared:
    """Blocks of this process, for several threads."""

    def __init__(self, pool: ThreadPoolExecutor, blocks: Sequence[Any]) -> None:
        self._pool, self._blocks = pool, blocks

    def ask(self, work: Callable[[Any, S, A], R], shared: S, own: Sequence[A]) -> list[R]:
        begun = [self._pool.submit(work, block, shared, one) for block, one in zip(self._blocks, own, strict=True)]
        return [one.result() for one in begun]


class Threads:
    """So many threads of this process."""

    blocks: int = BLOCKS

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    def keep(self, blocks: Sequence[B]) -> Keepers[B]:
        return _Shared(self._pool, blocks)


class _Sent:
    """Blocks that the workers of a cluster were sent. Those of a worker that is lost are sent to another."""

    def __init__(self, client: Any, blocks: Sequence[Any]) -> None:
        self._client, self._blocks = client, blocks
        # One after the other to all workers in turn. Blocks that say the same must not become one.
        self._sent = client.scatter(list(blocks), hash=False) if blocks else []
        self._told: tuple[Any, Any] | None = None

    def ask(self, work: Callable[[Any, S, A], R], shared: S, own: Sequence[A]) -> list[R]:
        try:
            told = self._tell(shared)
            found: list[R] = self._client.gather([self._submit(work, at, told, one) for at, one in enumerate(own)])
            return found
        except CancelledError:
            return [self._surely(work, at, shared, one) for at, one in enumerate(own)]

    def _submit(self, work: Callable[[Any, Any, Any], R], at: int, told: Any, own: Any) -> Any:
        return self._client.submit(work, self._sent[at], told, own, pure=False, retries=RETRIES)

    def _surely(self, work: Callable[[Any, Any, Any], R], at: int, shared: Any, own: Any) -> R:
        """The answer about one block, which is sent again as long as the workers that have it are lost."""
        for left in reversed(range(RETRIES)):
            try:
                found: R = self._submit(work, at, self._tell(shared), own).result()
                return found
            except CancelledError:
                if not left:
                    raise
                await_return(self._client)
                [self._sent[at]] = self._client.scatter([self._blocks[at]], hash=False)
                self._told = None
        raise AssertionError("a last try gives an answer or an error")

    def _tell(self, shared: Any) -> Any:
        """The shared arguments of a question; if they are large, as something that every worker already has."""
        if _size(shared) < _LARGE:
            return shared
        if self._told is None or self._told[0] is not shared:
            self._told = shared, self._client.scatter(shared, broadcast=True, hash=False)
        return self._told[1]


def _size(value: Any) -> int:
    """Bytes of the arrays in a value, as far as tuples and fields go."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, tuple | list):
        return sum(_size(one) for one in value)
    return sum(_size(one) for one in vars(value).values()) if hasattr(value, "__dict__") else 0


class Cluster:
    """The workers of a Dask cluster."""

    blocks: int = BLOCKS

    def __init__(self, client: Any) -> None:
        self._client = client

    def keep(self, blocks: Sequence[B]) -> Keepers[B]:
        return _Sent(self._client, blocks)


@contextmanager
def crew_for(jobs: int = 1, cluster: str | None = None) -> Iterator[Crew]:
    """The cluster of this address, so many threads, or the thread that asks; for as long as the context lasts."""
    if cluster is not None:
        with connected(cluster) as client:
            yield Cluster(client)
    elif jobs > 1:
        with ThreadPoolExecutor(jobs, thread_name_prefix="training") as pool:
            yield Threads(pool)
    else:
        yield ALONE


def spans(bounds: Ints, n_blocks: int) -> list[tuple[int, int]]:
    """Documents [first, last) of at most so many blocks with about equal numbers of rows: document d has the rows
    bounds[d]:bounds[d + 1]. One block at least, be it empty."""
    n = len(bounds) - 1
    cuts = np.searchsorted(bounds, np.linspace(0, bounds[-1], n_blocks + 1))
    found = [(first, last) for first, last in pairwise([0, *(int(c) for c in cuts[1:-1]), n]) if first < last]
    return found or [(0, n)]
