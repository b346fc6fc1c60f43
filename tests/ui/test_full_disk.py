"""A database that fails while somebody annotates, on a server of its own: the page says what happened and what to do,
never the name of an exception, and goes on by itself when the fault is over."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from engine.store.workspace import Workspace
from tests.browser.conftest import Server, serving
from tests.trials.visitor import Visitor
from tests.ui import harness

FULL = "CREATE TRIGGER full BEFORE INSERT ON edits BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"


def change(workspace: Path, statement: str) -> None:
    with closing(sqlite3.connect(workspace / "espalier.db", timeout=15)) as database, database:
        database.execute(statement)


async def annotate(server: Server, corpus: str) -> tuple[str, str]:
    """What the page says after an edit while the disk is full, and after the same edit is sent again later."""
    visitor = Visitor("anna", repeats=False)
    await visitor.opened(server.address, "annotate", f"user=anna&corpus={corpus}")
    data = visitor.components["editor"].data
    told = {"document": data["document"], "layer": data["layer"], "base": data["version"]}
    edit = {"kind": "SetType", "id": "g0", "type": "LOC"}
    change(server.workspace, FULL)
    await visitor.sent("editor", "edit", edit=edit, **told)
    failed = visitor.words
    change(server.workspace, "DROP TRIGGER full")
    await visitor.again("editor")
    await visitor.close()
    return failed, visitor.words


def test_a_full_disk_is_said_in_words_and_the_edit_is_saved_when_there_is_room(tmp_path: Path) -> None:
    """It was a raw OperationalError: fragments and callbacks are outside the frame that catches what a page raises."""
    corpus, _ = harness.add_samples(Workspace.open(tmp_path))
    with serving(tmp_path) as server:
        failed, later = asyncio.run(annotate(server, corpus))
    assert "The database cannot be used now" in failed and "Nothing has been changed" in failed
    assert "cannot be used" not in later
    log = Workspace.open(tmp_path).annotations(corpus)
    assert [row.user for row in log.history()] == ["anna"]
