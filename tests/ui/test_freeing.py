"""What visitors leave behind in the server is freed: counted, in a server of its own."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.store.workspace import Workspace
from tests.ui import harness
from ui.server import freeing
from ui.shell import cache


def test_sessions_of_visitors_who_left_are_freed(tmp_path: Path) -> None:
    harness.add_samples(Workspace.open(tmp_path / "workspace"))
    command = [sys.executable, "-m", "tests.trials.leaving", "--workspace", str(tmp_path / "workspace")]
    ended = subprocess.run(
        [*command, "--visitors", "4", "--turns", "2"], cwd=harness.ROOT, capture_output=True, text=True, check=False
    )
    turns = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith('{"AppSession"')]
    assert len(turns) == 2, ended.stdout + ended.stderr
    for found in turns:
        # Eight sessions have come and gone in every turn; the server's own variables may still name the last one.
        assert found["AppSession"] <= 2 and found["ScriptRunner"] <= 2, found


class Knot:
    """Refers to itself, so that only the collector of cycles frees it."""

    freed = 0

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        type(self).freed += 1


def test_what_was_frozen_is_freed_once_nothing_refers_to_it() -> None:
    knot: Knot | None = Knot()
    gc.freeze()
    before = Knot.freed
    knot = None
    gc.collect()
    assert Knot.freed == before and knot is None
    freeing.give_back()
    assert Knot.freed == before + 1
    gc.unfreeze()


@pytest.mark.parametrize(("active", "n_given"), [(0, 3), (1, 1)], ids=["nobody is there", "somebody is there"])
def test_memory_is_given_back_after_somebody_has_left(
    monkeypatch: pytest.MonkeyPatch, active: int, n_given: int
) -> None:
    """At once where nobody is there to be kept waiting, else seldom."""
    looks = [{"a"}, {"a", "b"}, {"b"}, {"b"}, {"b", "c"}, {"b"}, {"b"}]
    clock = [0.0, 1.0, 2.0, 500.0, 501.0, 502.0, 503.0, 504.0, 505.0, 506.0]
    given: list[int] = []
    forgotten: list[int] = []
    left = iter([*looks, set(), set()])

    def look() -> set[str]:
        there = next(left, None)
        if there is None:
            raise asyncio.CancelledError
        return there

    monkeypatch.setattr(freeing, "EVERY", 0.0)
    monkeypatch.setattr(freeing, "sessions", look)
    monkeypatch.setattr(freeing, "give_back", lambda: given.append(1))
    monkeypatch.setattr(freeing, "forget", lambda: forgotten.append(1))
    monkeypatch.setattr(freeing, "manager", lambda: SimpleNamespace(num_active_sessions=lambda: active))
    ticks = iter(clock)
    monkeypatch.setattr(freeing, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    with suppress(asyncio.CancelledError):
        asyncio.run(freeing._watch())
    assert (len(given), len(forgotten)) == (n_given, 0 if active else 1)


def test_models_and_scores_are_forgotten_and_documents_stay(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    run, info = cache.known_run(harness.trained(workspace, train, dev)), cache.known_corpus(dev)
    documents, model = cache.documents(info), cache.model(run).state
    predictions, task = cache.predictions(run, info), cache.task("toy")
    scored = task.scored(documents, cache.model(run))
    assert cache.model(run).state is model and cache.predictions(run, info) is predictions
    assert task.scored(documents, cache.model(run)).documents is scored.documents
    assert task._kept._known
    freeing.forget()
    assert cache.documents(info) is documents
    assert cache.model(run).state is not model and cache.predictions(run, info) == predictions
    freeing.forget()
    assert not task._kept._known
