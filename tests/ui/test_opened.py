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
