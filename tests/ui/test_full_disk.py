"""A database that fails while somebody annotates, on a server of its own: the page says what happened and what to do,
never the name of an exception, and goes on by itself when the fault is over."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from engine.store.workspace import Workspace
from tests.browser.conftest import Server, serving
from tests.trials.visitor import Visitor
from tests.ui import harness

FAULTS: Final = {
    "database or disk is full": "The database is not available",
    "attempt to write a readonly database": "The database is not available",
    "database is locked": "The workspace is busy",
}
"""What SQLite says -> what the page says."""


def change(workspace: Path, statement: str) -> None:
    with closing(sqlite3.connect(workspace / "espalier.db", timeout=15)) as database, database:
        database.execute(statement)


async def annotate(server: Server, corpus: str) -> dict[str, tuple[str, str]]:
    """What the page says after an edit while the database fails, and after the same edit is sent again later."""
    visitor = Visitor("anna", repeats=False)
    await visitor.opened(server.address, "annotate", f"user=anna&corpus={corpus}")
    found = {}
    for number, fault in enumerate(FAULTS):
        data = visitor.components["editor"].data
        told = {"document": data["document"], "layer": data["layer"], "base": data["version"]}
        fails = f"CREATE TRIGGER fault BEFORE INSERT ON edits BEGIN SELECT RAISE(ABORT, '{fault}'); END"
        change(server.workspace, fails)
        await visitor.sent("editor", "edit", edit={"kind": "SetType", "id": "g0", "type": f"T{number}"}, **told)
        failed = visitor.words
        change(server.workspace, "DROP TRIGGER fault")
        await visitor.again("editor")
        found[fault] = failed, visitor.words
    await visitor.close()
    return found


def test_a_database_that_fails_is_said_in_words_and_the_edit_is_saved_when_it_is_back(tmp_path: Path) -> None:
    """It was a raw OperationalError: fragments and callbacks are outside the frame that catches what a page raises."""
    corpus, _ = harness.add_samples(Workspace.open(tmp_path))
    with serving(tmp_path) as server:
        found = asyncio.run(annotate(server, corpus))
    for fault, (failed, later) in found.items():
        assert FAULTS[fault] in failed and "damaged" not in failed, fault
        assert FAULTS[fault] not in later, fault
    edits = [row.edit for row in Workspace.open(tmp_path).annotations(corpus).history()]
    assert [getattr(edit, "type", None) for edit in edits] == ["T0", "T1", "T2"], "each once, none lost"
