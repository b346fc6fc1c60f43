"""Background work for pages: low-priority threads with progress and cancellation, whose results are looked up by key.

A page asks again at every redraw and gets the same work. Right after the work has begun, a page waits a moment for it;
later it draws everything else and shows the progress.
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
"""Seconds after the first request for which pages wait for the work before they draw everything else."""
GIVES_WAY: Final = 5
"""The niceness of the work: lower priority than pages and browsers, higher than training."""
MOST: Final = 32
"""Maximum number of results kept in memory."""

Key: TypeAlias = tuple[str, ...]


class Stopped(Exception):
    """The work was cancelled."""


class Progress:
    """The progress of a piece of work. The worker calls `tick`; pages read it."""

    def __init__(self) -> None:
        self.doing, self.done, self.of, self.unit = "", 0, 0, "documents"
        self.outdated = False
        """Whether the data have changed since: who waits for this has to ask again."""
        self._begun = time.monotonic()
        self._stop = threading.Event()

    def begin(self, doing: str, of: int, unit: str = "documents") -> None:
        """Begin a stage of the work, with `of` documents or other units to process."""
        self.doing, self.done, self.of, self.unit, self._begun = doing, 0, of, unit, time.monotonic()

    def tick(self, done: int) -> None:
        """Set the number of units done; raises Stopped if the work was cancelled."""
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
        """Estimated seconds left in this stage, at the pace so far; None if it cannot be estimated yet."""
        if not self.done or not self.of:
            return None
        return (time.monotonic() - self._begun) / self.done * (self.of - self.done)


@dataclass(frozen=True)
class Soon(Generic[T]):
    """A result that is computed in the background."""

    future: Future[T]
    asked: float
    """The time of the first request."""
    progress: Progress = field(default_factory=Progress)
    forget: Callable[[], None] = lambda: None
    """Start over at the next request."""
    lasting: bool = True
    """Whether it is kept while nobody is there."""

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
        self._about: dict[Key, Key] = {}
        self._most = most
        self._guard = threading.Lock()

    def soon(
        self,
        key: Key,
        compute: Callable[[Progress], T],
        *,
        again: bool = True,
        lasting: bool = True,
        about: Key | None = None,
    ) -> Soon[T]:
        """The result known by this key, else begun now. One that failed is begun `again`, unless that is not wanted;
        one that somebody cancelled is not. What was computed `about` the same thing under another key is dropped: it is
        of data that have changed since."""
        with self._guard:
            if about is not None:
                self._replace(about, key)
            known = self._known.get(key)
            if known is None or (again and known.failed() and not known.stopped()):
                progress = Progress()
                future = self._workers.submit(compute, progress)
                self._known[key] = Soon(future, time.monotonic(), progress, lambda: self.forget(key), lasting)
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)[1].cancel()
            return self._known[key]

    def _replace(self, about: Key, key: Key) -> None:
        before = self._about.get(about)
        if before is not None and before != key and before in self._known:
            old = self._known.pop(before)
            old.progress.outdated = True
            old.cancel()
        self._about[about] = key
        while len(self._about) > self._most:
            self._about.pop(next(iter(self._about)))

    def has(self, key: Key) -> bool:
        """Whether somebody has asked for it."""
        with self._guard:
            return key in self._known

    def clear(self) -> None:
        """Let go of results that are not lasting."""
        with self._guard:
            for key in [key for key, one in self._known.items() if not one.lasting and one.future.done()]:
                del self._known[key]

    def forget(self, key: Key) -> None:
        """Start over at the next request."""
        with self._guard:
            self._known.pop(key, None)


def _give_way() -> None:
    """Let pages and browsers go first: somebody looks at those. Linux has priorities of threads, others of processes
    only. Work does not fail where the system has its own idea of priorities."""
    if sys.platform == "linux":
        with suppress(OSError):
            lowest = max(GIVES_WAY, os.getpriority(os.PRIO_PROCESS, 0))
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), lowest)
