"""The workers of a Dask cluster. Pieces are its tasks: those of a worker that is lost are done by another.

The files of the recipe are sent to every worker once and laid into a folder of its own; what is made of them is kept
for the pieces to come.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.workers.base import Recipe, WorkersFailed, in_order

T = TypeVar("T")
P = TypeVar("P")
R = TypeVar("R")

RETRIES: Final = 3
PATIENCE: Final = 60
"""Seconds to wait for the first worker."""
LONG_PATIENCE: Final = 900
"""Seconds to wait for a worker to come back if all are lost; it may have to be started again by a queue."""

_made: dict[str, Any] = {}
"""In a worker of a cluster: what the pieces of the latest work share, by the name of the work."""


class Cluster:
    """The cluster whose scheduler has this address."""

    def __init__(self, address: str) -> None:
        self.address = address

    def map(self, work: Callable[[T, P], R], recipe: Recipe[T], pieces: Iterable[P]) -> Iterator[R]:
        with connected(self.address) as client:
            ahead = 2 * max(1, sum(client.nthreads().values()))
            yield from _Run(client, work, recipe).results(pieces, ahead)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at this address, which has workers."""
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        await_worker(client, f"the scheduler at {address} has no workers: start some with `dask worker {address}`")
        yield client


def await_worker(client: Any, told: str, patience: float = PATIENCE) -> None:
    """Wait until there is a worker; WorkersFailed with this message if none comes."""
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError as error:
        raise WorkersFailed(told) from error


def await_return(client: Any) -> None:
    """Wait for a worker after all that had the data were lost."""
    told = "all workers of the cluster were lost and none came back: start some and run the command again"
    await_worker(client, told, LONG_PATIENCE)


@dataclass
class _Task:
    """A piece and its future; the piece is kept until the result is here, in case that all workers are lost."""

    piece: Any
    future: Any


class _Run:
    """One piece of work for many pieces."""

    def __init__(self, client: Any, work: Callable[[Any, Any], Any], recipe: Recipe[Any]) -> None:
        self.client, self.work, self.recipe = client, work, recipe
        self.name = uuid.uuid4().hex
        self.contents = {str(path): path.read_bytes() for path in recipe.files}
        self.sent = self._send()

    def results(self, pieces: Iterable[Any], ahead: int) -> Iterator[Any]:
        return in_order(self._begin, self._end, pieces, ahead)

    def _send(self) -> Any:
        return self.client.scatter(self.contents, broadcast=True, hash=False)

    def _begin(self, piece: Any) -> _Task:
        return _Task(piece, self._submit(piece))

    def _submit(self, piece: Any) -> Any:
        return self.client.submit(
            call, self.name, self.work, self.recipe, self.sent, piece, pure=False, retries=RETRIES
        )

    def _end(self, task: _Task) -> Any:
        for _ in range(RETRIES):
            try:
                return task.future.result()
            except CancelledError:
                # Every worker that had the files is gone, so they are sent again to those that came later.
                await_return(self.client)
                self.sent = self._send()
                task.future = self._submit(task.piece)
        return task.future.result()


def call(
    name: str,
    work: Callable[[Any, Any], Any],
    recipe: Recipe[Any],
    contents: Mapping[str, bytes],
    piece: Any,
) -> Any:
    """On a worker: one piece."""
    if name not in _made:
        _made.clear()
        _made[name] = recipe.make(_laid_out(contents))
    return work(_made[name], piece)


def _laid_out(contents: Mapping[str, bytes]) -> Callable[[Path], Path]:
    """Where the files that were sent lie now; others lie where they did, on disks that all machines share."""
    folder = Path(tempfile.mkdtemp(prefix="espalier-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    found: dict[str, Path] = {}
    for name, content in contents.items():
        found[name] = folder / f"{hashlib.blake2b(name.encode(), digest_size=8).hexdigest()}-{Path(name).name}"
        found[name].write_bytes(content)
    return lambda path: found.get(str(path), path)
