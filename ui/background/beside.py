"""Work beside the pages: threads of low priority that say how far they are, can be cancelled, and are asked for by key.

Pages ask again at every drawing and get the same work; right after it was begun a page waits a moment for it, later it
draws everything else and says how far the work is.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeAlias, TypeVar

T = TypeVar("T")

PATIENCE: float = 0.5
"""Seconds after work was first asked for in which pages wait for it before they show everything else."""
GIVES_WAY: Final = 5
"""The priority of the work: after pages and browsers, before training."""
MOST: Final = 32
"""Results that are kept in memory."""

Key: TypeAlias = tuple[str, ...]


class Stopped(Exception):
    """Somebody cancelled the work."""


class Progress:
    """How far a piece of work is. Whoever does it ticks; whoever looks asks."""

    def __init__(self) -> None:
        self.doing, self.done, self.of, self.unit = "", 0, 0, "documents"
        self._begun = time.monotonic()
        self._stop = threading.Event()

    def begin(self, doing: str, of: int, unit: str = "documents") -> None:
        """A stage of the work begins: `of` documents, or other things, are to be done."""
        self.doing, self.done, self.of, self.unit, self._begun = doing, 0, of, unit, time.monotonic()

    def tick(self, done: int) -> None:
        """So many are done; Stopped where somebody cancelled."""
        self.done = done
        if self._stop.is_set():
            raise Stopped

    def cancel(self) -> None:
        self._stop.set()

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.of) if self.of else 0.0

    @property
    def left(self) -> float | None:
        """Seconds that this stage will take yet, at the pace so far; None as long as nobody can tell."""
        if not self.done or not self.of:
            return None
        return (time.monotonic() - self._begun) / self.done * (self.of - self.done)


@dataclass(frozen=True)
class Soon(Generic[T]):
    """A result that is made beside the pages."""

    future: Future[T]
    asked: float
    """When somebody first wanted it."""
    progress: Progress = field(default_factory=Progress)
    forget: Callable[[], None] = lambda: None
    """Begin afresh when somebody asks the next time."""

    @classmethod
    def done(cls, result: T) -> Soon[T]:
        """A result that was there before."""
        future: Future[T] = Future()
        future.set_result(result)
        return cls(future, time.monotonic())

    def failed(self) -> bool:
        return self.future.cancelled() or (self.future.done() and self.future.exception() is not None)

    def stopped(self) -> bool:
        """Whether somebody cancelled it."""
        return self.failed() and (self.future.cancelled() or isinstance(self.future.exception(), Stopped))

    def is_here(self) -> bool:
        """Whether it is computed; right after it was asked for that is worth waiting for, later it is not."""
        return bool(wait([self.future], timeout=max(0.0, self.asked + PATIENCE - time.monotonic())).done)

    def cancel(self) -> None:
        self.progress.cancel()
        self.future.cancel()


class Beside:
    """Some threads, and the latest results by key."""

    def __init__(self, name: str, threads: int = 2, most: int = MOST) -> None:
        self._workers = ThreadPoolExecutor(max_workers=threads, thread_name_prefix=name, initializer=_give_way)
        self._known: OrderedDict[Key, Soon[Any]] = OrderedDict()
        self._most = most
        self._guard = threading.Lock()

    def soon(self, key: Key, compute: Callable[[Progress], T], *, again: bool = True) -> Soon[T]:
        """The result known by this key, else begun now. One that failed is begun `again`, unless that is not wanted;
        one that somebody cancelled is not."""
        with self._guard:
            known = self._known.get(key)
            if known is None or (again and known.failed() and not known.stopped()):
                progress = Progress()
                future = self._workers.submit(compute, progress)
                self._known[key] = Soon(future, time.monotonic(), progress, lambda: self.forget(key))
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)[1].cancel()
            return self._known[key]

    def has(self, key: Key) -> bool:
        """Whether somebody has asked for it."""
        with self._guard:
            return key in self._known

    def forget(self, key: Key) -> None:
        """Begin afresh when somebody asks the next time."""
        with self._guard:
            self._known.pop(key, None)


def _give_way() -> None:
    """Let pages and browsers go first: somebody looks at those. Linux has priorities of threads, others of processes
    only. Work does not fail where the system has its own idea of priorities."""
    if sys.platform == "linux":
        with suppress(OSError):
            lowest = max(GIVES_WAY, os.getpriority(os.PRIO_PROCESS, 0))
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), lowest)
