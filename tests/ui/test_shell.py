"""No page runs outside the shell; what cannot be read is said, and nothing is lost."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from engine.store import modelfile
from engine.store.workspace import Workspace
from tests.ui import harness
from tests.ui.conftest import SYSTEMS
from ui.tab import pages

PAGES = sorted((harness.ROOT / "pages").glob("*.py"))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_page_starts_with_the_guard(page: Path) -> None:
    body = ast.parse(page.read_text(encoding="utf-8")).body
    statements = body[1:] if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body
    assert ast.unparse(statements[0]) == "from ui.shell import navigation"
    assert ast.unparse(statements[1]) == "navigation.guard()"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_page_has_its_place_in_the_navigation(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.register(monkeypatch, SYSTEMS)
    assert page.stem in {info.name for entries in pages.groups().values() for info in entries}


@pytest.mark.parametrize("folder", ["pages", "ui"])
def test_only_the_session_touches_session_state_and_the_address(folder: str) -> None:
    touching = [
        path.name
        for path in sorted((harness.ROOT / folder).rglob("*.py"))
        if any(word in path.read_text(encoding="utf-8") for word in ("st.session_state", "st.query_params"))
    ]
    assert touching in ([], ["session.py"])


def test_a_page_of_a_system_is_offered_only_if_the_system_is_registered() -> None:
    assert not pages.exists("linking")
    assert pages.exists("train")


def test_a_damaged_database_is_said_kept_and_replaced_on_request(workspace: Workspace) -> None:
    workspace.close()
    for left in workspace.directory.glob("espalier.db*"):
        left.unlink()
    (workspace.directory / "espalier.db").write_bytes(b"this was never a database" * 100)
    at = harness.app().run()
    assert not at.exception
    assert "cannot be read" in harness.words_on(at)
    at.button(key="shell.fresh").click().run()
    assert not at.exception
    kept = list(workspace.directory.glob("espalier-damaged-*.db"))
    assert len(kept) == 1 and kept[0].read_bytes().startswith(b"this was never a database")
    assert "cannot be read" not in harness.words_on(at)
    assert Workspace.open(workspace.directory).corpora() == []


def test_a_database_that_does_not_answer_is_not_called_damaged(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ESPALIER_DATABASE_URL", f"sqlite:///{workspace.directory}/nowhere/at/all.db")
    at = harness.app().run()
    assert not at.exception
    assert "is not available" in harness.words_on(at)
    assert [button.key for button in at.button if button.key and button.key.startswith("shell.")] == ["shell.again"]


def test_a_model_of_another_version_is_said_so_and_can_be_trained_again(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    run = harness.trained(workspace, train, dev)
    header, parts = modelfile.read(workspace.model_path(run))
    modelfile.write(workspace.model_path(run), {**header, "settings": {"gone": 1}}, parts)
    at = harness.open_page("document", corpus=dev, run=run)
    assert not at.exception
    assert "made by another version" in harness.words_on(at)
    assert any("train" in str(link.proto.page) for link in at.get("page_link"))


@pytest.mark.parametrize("address", ["1e309", "inf", "-inf", "nan", "abc", "1e400"])
def test_a_number_in_the_address_that_is_not_finite_counts_as_absent(workspace, address):
    """/tune?bias=1e309&beta=inf was a ValueError."""
    run = harness.trained(workspace, *harness.add_samples(workspace))
    at = harness.open_page("tune", run=run, bias=address, beta=address)
    assert not at.exception
