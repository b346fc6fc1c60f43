"""Who searches blocks of documents: threads of this process, or the workers of a Dask cluster.

A block's cache outlives the epoch: on threads it simply stays; in the processes of a Dask cluster each worker keeps the
blocks it has seen and is sent a block's arrays only when it lacks them. Remembered or not, the numbers are the same.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol, TypeAlias

from engine.arrays import Ints
from engine.learners.sgtb.blocks import Block, Points, Search
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.pools import Trees

BLOCKS: Final = 8
"""Documents are handed out in this many blocks, however many workers there are."""

Job: TypeAlias = tuple[int, Ints]
"""A block and which of its documents."""


class Workers(Protocol):
    """Who searches the blocks."""

    def points(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search) -> list[Points]: ...


class Threads:
    """Threads of this process: the compiled search holds no lock."""

    def __init__(self, blocks: Sequence[Choices], jobs: int) -> None:
        self.blocks = [Block(choices) for choices in blocks]
        self.jobs = jobs

    def points(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search) -> list[Points]:
        if self.jobs == 1:
            return [self.blocks[b].points(documents, forest, epoch, how) for b, documents in jobs]
        import joblib

        parallel = joblib.Parallel(n_jobs=self.jobs, backend="threading")
        return list(
            parallel(joblib.delayed(self.blocks[b].points)(documents, forest, epoch, how) for b, documents in jobs)
        )


_KEPT: OrderedDict[str, Block] = OrderedDict()
"""In a worker process of a cluster: the blocks it was sent, most recently used last."""


def remote_points(
    key: str, choices: Choices | None, documents: Ints, forest: Trees, epoch: int, how: Search
) -> Points | None:
    """The points of a block that this process keeps under the key; None if it has none and was sent none."""
    block = _KEPT.get(key)
    if block is None:
        if choices is None:
            return None
        block = _KEPT[key] = Block(choices)
        while len(_KEPT) > 2 * BLOCKS:
            _KEPT.popitem(last=False)
    _KEPT.move_to_end(key)
    return block.points(documents, forest, epoch, how)


class Cluster:
    """The workers of a Dask cluster, through joblib's Dask backend."""

    def __init__(self, blocks: Sequence[Choices]) -> None:
        self.blocks = blocks
        self.run = uuid.uuid4().hex

    def points(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search) -> list[Points]:
        found: dict[int, Points | None] = {}
        for send in (False, True):
            missing = [(b, documents) for b, documents in jobs if found.get(b) is None]
            # In the first epoch nobody has anything yet.
            if not missing or (epoch == 0 and not send):
                continue
            found.update(zip([b for b, _ in missing], self._ask(missing, forest, epoch, how, send), strict=True))
        return [points for b, _ in jobs if (points := found[b]) is not None]

    def _ask(self, jobs: Sequence[Job], forest: Trees, epoch: int, how: Search, send: bool) -> list[Points | None]:
        import joblib

        with joblib.parallel_config(backend="dask"):
            return list(
                joblib.Parallel()(
                    joblib.delayed(remote_points)(
                        f"{self.run}/{b}", self.blocks[b] if send else None, documents, forest, epoch, how
                    )
                    for b, documents in jobs
                )
            )


@contextmanager
def workers_for(blocks: Sequence[Choices], jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Threads, or the cluster at this address for as long as the context lasts."""
    if cluster is None:
        yield Threads(blocks, jobs)
        return
    from distributed import Client

    with Client(cluster):
        yield Cluster(blocks)
