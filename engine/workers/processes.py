"""Several processes of this machine.

Where the system can fork, what the pieces share is made before the processes are: its pages are mapped by all of them
and copied by none that only reads. Elsewhere every process makes its own.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, TypeVar

from engine.workers.base import Recipe, WorkersFailed, in_order

T = TypeVar("T")
P = TypeVar("P")
R = TypeVar("R")

WATCH_SECONDS: Final = 2.0
"""How often a process looks whether the one that started it is still there."""

_given: list[tuple[Callable[[Any, Any], Any], Any]] = []
"""In a worker process: the work, and what its pieces share."""


class Processes:
    """So many processes, each with one piece at a time."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def map(self, work: Callable[[T, P], R], recipe: Recipe[T], pieces: Iterable[P]) -> Iterator[R]:
        forks = "fork" in multiprocessing.get_all_start_methods()
        if forks:
            recipe.make()
            # What is there now is not looked through for garbage again, so that looking copies no page.
            gc.freeze()
        pool = ProcessPoolExecutor(
            self.jobs,
            multiprocessing.get_context("fork" if forks else "spawn"),
            initializer=_begin,
            initargs=(work, recipe, os.getpid()),
        )

        def begin(piece: P) -> Future[R]:
            return pool.submit(_call, piece)

        try:
            yield from in_order(begin, _result, pieces, ahead=2 * self.jobs)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            if forks:
                gc.unfreeze()


def _begin(work: Callable[[Any, Any], Any], recipe: Recipe[Any], parent: int) -> None:
    # Ctrl-C reaches every process of the terminal; the one that started the others stops them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    _given[:] = [(work, recipe.make())]


def _follow(parent: int) -> None:
    """End with the process that started this one: it may be killed without a word."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)


def _call(piece: Any) -> Any:
    [(work, shared)] = _given
    return work(shared, piece)


def _result(future: Future[R]) -> R:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise WorkersFailed(
            "a worker process was ended from outside, perhaps for lack of memory: take fewer --jobs or smaller blocks"
        ) from error
