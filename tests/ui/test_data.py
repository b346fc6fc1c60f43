"""Curves that are computed beside the pages: who waits for them, and for how long."""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import Any

import pytest

from ui.background import beside
from ui.shell import cache


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each page would have waited."""
    times: list[float] = []
    true = beside.wait

    def wait(futures: Any, timeout: float) -> Any:
        times.append(timeout)
        return true(futures, timeout=0)

    monkeypatch.setattr(beside, "wait", wait)
    monkeypatch.setattr(beside, "PATIENCE", 2.0)
    return times


def test_pages_wait_only_right_after_a_curve_was_asked_for(waited: list[float]) -> None:
    now = time.monotonic()
    assert not beside.Soon(Future(), now).is_here()
    assert not beside.Soon(Future(), now - 60).is_here()
    assert 0 < waited[0] <= 2 and waited[1] == 0
    done: Future[Any] = Future()
    done.set_result(None)
    assert beside.Soon(done, now - 60).is_here()


def test_a_curve_that_failed_is_tried_again() -> None:
    calls: list[int] = []

    def compute() -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise OSError("no room")
        return "curve"

    first = cache.curve_beside(("a key of this test",), compute)
    with pytest.raises(OSError, match="no room"):
        first.future.result(timeout=60)
    again = cache.curve_beside(("a key of this test",), compute)
    assert again.future.result(timeout=60) == "curve"
    assert cache.curve_beside(("a key of this test",), compute) is again
