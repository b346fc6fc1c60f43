"""Guards the test data: choose on dev, lock, reveal test once; and a sentence that tells whether that was done.

Nothing here prevents a second look, but it is recorded, and every report mentions it. Code that would show a score on
test data raises `Closed` first, and the page or command asks the user.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

TEST: Final = "test"
"""The split whose scores should be looked at once, after everything has been chosen."""


class Closed(Exception):
    """Scores of these runs on a test corpus were about to be shown, but the user has not confirmed it."""

    def __init__(self, corpus: str, runs: Sequence[str]) -> None:
        self.corpus, self.runs = corpus, tuple(runs)
        super().__init__(f"{corpus} is test data: its scores are shown when they are asked for")


class NotLocked(ValueError):
    """Test scores were requested before a setting was locked on dev."""


@dataclass(frozen=True)
class Lock:
    """The setting that was chosen, where, and when."""

    corpus: str
    bias: float
    time: str


@dataclass(frozen=True)
class Glance:
    """One look at a test corpus."""

    corpus: str
    bias: float
    time: str


def check(lock: Lock | None) -> Lock:
    """The lock; raises NotLocked, with what to do, if there is none."""
    if lock is None:
        raise NotLocked("choose an operating point on dev and lock it before test is revealed")
    return lock


def verdict(lock: Lock | None, glances: Sequence[Glance], *, kept: float | None = None) -> str:
    """A sentence for readers on how the setting was chosen; `kept` is the bias that the run now uses."""
    moved = lock is not None and kept is not None and kept != lock.bias
    return _history(lock, glances) + (f" The run now uses bias {kept:.3g}, not the locked one." if moved else "")


def _history(lock: Lock | None, glances: Sequence[Glance]) -> str:
    if not glances:
        if lock is None:
            return "No setting is locked; test has not been looked at."
        return f"Locked at bias {lock.bias:.3g} on {lock.corpus} ({_minute(lock.time)}); test has not been looked at."
    early = [one for one in glances if lock is None or one.time < lock.time or one.bias != lock.bias]
    times = _times(len(glances))
    if lock is None:
        return f"Test was looked at {times} and no setting was ever locked: the test scores are optimistic."
    if early:
        return (
            f"Test was looked at {times}, {_times(len(early))} with another setting or before the lock"
            f" at bias {lock.bias:.3g}: the test scores may be optimistic."
        )
    repeat = "" if len(glances) == 1 else f" (shown {times}, always with that setting)"
    return (
        f"Bias {lock.bias:.3g} was chosen on {lock.corpus} and locked {_minute(lock.time)};"
        f" test was revealed {_minute(glances[0].time)} with that setting{repeat}."
    )


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{n} times")


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")
