"""Stopping a training gracefully: after the current round, or during it if that takes too long."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

PATIENCE: Final = 2.0
"""Seconds that the current round has to finish."""


class Stop:
    """Whether somebody has asked to stop."""

    asked = False


@contextmanager
def polite(number: signal.Signals) -> Iterator[Stop]:
    """The first signal asks the training to stop; a second one, or PATIENCE running out, raises KeyboardInterrupt.

    Only the main thread receives signals; in other threads the Stop is never set.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def hear(_number: int, _frame: FrameType | None) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def insist(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before, alarm = signal.signal(number, hear), signal.signal(signal.SIGALRM, insist)
    try:
        yield stop
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(number, before)
        signal.signal(signal.SIGALRM, alarm)
