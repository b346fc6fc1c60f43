"""A database of any earlier schema is brought up to date and keeps its rows; one of a later schema is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine.store import database, migrations
from engine.store.workspace import Workspace

FIRST = """
CREATE TABLE corpora (id TEXT PRIMARY KEY, name TEXT NOT NULL, split TEXT NOT NULL, source TEXT NOT NULL,
  hash TEXT NOT NULL, n_documents INTEGER NOT NULL, created TEXT NOT NULL);
CREATE TABLE edits (number INTEGER PRIMARY KEY AUTOINCREMENT, corpus TEXT NOT NULL, document TEXT NOT NULL,
  layer TEXT NOT NULL, user TEXT NOT NULL, time TEXT NOT NULL, edit TEXT NOT NULL, undoes INTEGER);
INSERT INTO corpora VALUES ('c', 'C', '', '', 'h', 0, '2026');
INSERT INTO edits (corpus, document, layer, user, time, edit) VALUES ('c', 'd', 'gold', 'me', 't', '{"kind": "done"}');
"""
"""Two tables as the first edition made them: no token, no batch, no version."""


def columns_of(url: str) -> dict[str, set[str]]:
    inspector = sa.inspect(sa.create_engine(url))
    return {name: {column["name"] for column in inspector.get_columns(name)} for name in inspector.get_table_names()}


def wanted() -> dict[str, set[str]]:
    return {table.name: {column.name for column in table.columns} for table in database.metadata.sorted_tables}


def test_a_new_database_has_all_tables_and_the_version(database_url: str) -> None:
    with database.connect(database_url).connect() as connection:
        assert migrations.version_of(connection) == migrations.HEAD
    there = columns_of(database_url)
    assert {name: there[name] for name in wanted()} == wanted()


def test_a_database_of_the_first_edition_is_brought_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    with sqlite3.connect(tmp_path / "espalier.db") as connection:
        connection.executescript(FIRST)
    connection.close()
    workspace = Workspace.open(tmp_path)
    assert [info.id for info in workspace.corpora()] == ["c"]
    there = columns_of(database.url_of(tmp_path))
    assert {name: there[name] for name in wanted()} == wanted()
    with workspace._engine.connect() as open_one:
        assert open_one.exec_driver_sql("SELECT document, token, batch FROM edits").all() == [("d", None, None)]
        assert migrations.version_of(open_one) == migrations.HEAD


def test_opening_again_changes_nothing(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    database.connect(database_url).dispose()
    monkeypatch.setattr(migrations, "upgrade", lambda _: pytest.fail("it was up to date"))
    database.connect(database_url).dispose()


def test_a_database_of_a_newer_version_is_refused_and_left_alone(database_url: str) -> None:
    engine = database.connect(database_url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(database.NewerSchema, match=r"newer version.*9999"):
        database.connect(database_url)
    with engine.connect() as connection:
        assert migrations.version_of(connection) == "9999"


def test_every_revision_leads_to_the_head() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    script = ScriptDirectory.from_config(config)
    assert script.get_heads() == [migrations.HEAD]


def test_corpora_of_one_name_get_numbers_and_keep_their_ids(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    with sqlite3.connect(tmp_path / "espalier.db") as connection:
        connection.executescript(FIRST + "INSERT INTO corpora VALUES ('c-2', 'C', '', '', 'h', 0, '2027');")
    connection.close()
    workspace = Workspace.open(tmp_path)
    assert {info.id: info.name for info in workspace.corpora()} == {"c": "C", "c-2": "C (2)"}
