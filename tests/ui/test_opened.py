"""What is asked of the workspace while a page is drawn is asked once, and never old after a write of this server."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.data.edits import SetEntity
from engine.store.workspace import Workspace
from tests.ui import harness
from ui.background import opened
from ui.shell import cache


def edited(workspace: Workspace, corpus: str, name: str) -> None:
    document = workspace.documents(corpus)[0]
    workspace.annotations(corpus).append(document, SetEntity("g0", name), user="anna")


def test_gold_is_asked_for_once_a_drawing_and_again_after_a_write(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    ours, others = opened.workspace(), Workspace.open(workspace.directory)
    info = cache.known_corpus(train)
    asked: list[str] = []
    sa.event.listen(ours._engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    with opened.drawing():
        before = cache.content(info)
        n_asked = len(asked)
        assert cache.content(info) == before and len(asked) == n_asked
        edited(others, train, "Theirs")
        assert cache.content(info) == before, "a page is not changed half-way by what others write"
        edited(ours, train, "Ours")
        after = cache.content(info)
        assert after != before
    edited(others, train, "Theirs again")
    assert cache.content(info) != after, "outside a drawing, a fragment or a callback, it is asked for each time"
    with opened.drawing():
        assert cache.content(info) != after


def test_the_workspace_follows_its_variables_and_is_opened_once(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opened.workspace()
    assert opened.workspace() is first and first.directory == workspace.directory
    monkeypatch.setenv("ESPALIER_WORKSPACE", str(tmp_path / "other"))
    assert opened.workspace().directory == tmp_path / "other"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ESPALIER_WORKSPACE", "")
    assert opened.directory() == tmp_path / "workspace"


def test_runs_corpora_and_models_are_asked_for_once_a_drawing(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    harness.trained(workspace, train, dev)
    ours, others = opened.workspace(), Workspace.open(workspace.directory)
    asked: list[str] = []
    sa.event.listen(ours._engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    with opened.drawing():
        before = (cache.runs(usable=True), cache.corpora(), opened.project(train))
        n_asked = len(asked)
        assert cache.runs("toy") == cache.runs() == before[0] and cache.corpora() == before[1]
        assert cache.known_run(before[0][0].id) == before[0][0]
        cache.runs().clear()
        assert cache.runs() == before[0], "who changes the list changes nobody else's"
        assert opened.project(train) == before[2] and len(asked) == n_asked
        later = harness.trained(others, train, dev)
        assert cache.runs() == before[0], "a page is not changed half-way by what others write"
        ours.set_bias(later, 2.0)
        assert {run.id: run.bias for run in cache.runs()}[later] == 2.0
    others.set_bias(later, 3.0)
    assert cache.known_run(later).bias == 3.0, "outside a drawing it is asked for each time"


def test_what_the_server_does_not_write_is_asked_for_once_whatever_it_writes(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    asked: list[int] = []

    def ask() -> int:
        asked.append(1)
        return len(asked)

    with opened.drawing():
        assert opened.steady("secrets", ask) == 1
        edited(opened.workspace(), train, "Ours")
        assert opened.steady("secrets", ask) == 1
    with opened.drawing():
        assert opened.steady("secrets", ask) == 2
    assert [opened.steady("secrets", ask), opened.steady("secrets", ask)] == [3, 4]
