"""What is hostile or damaged: passwords stay hidden, what is added comes back, one bad record stops nothing else."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from engine import corpora
from engine.data.errors import InputError
from engine.store import database
from engine.store.workspace import Workspace

SECRET = "s3cret/wörd"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://me:s3cret%2Fw%C3%B6rd@127.0.0.1:1/nodb",
        "postgresql+psycopg://me@127.0.0.1:1/nodb?password=s3cret%2Fw%C3%B6rd&connect_timeout=2",
        "me:s3cret/wörd",
    ],
)
def test_the_password_is_in_no_message(url: str, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises((database.WorkspaceDamaged, InputError)) as caught:
        Workspace.open(tmp_path, url)
    said = f"{caught.value} {getattr(caught.value, 'place', '')}"
    assert "s3cret" not in said and "w%C3%B6rd" not in said
    assert "s3cret" not in database.shown(url)


def test_a_driver_that_quotes_the_password_is_not_quoted() -> None:
    url = "postgresql+psycopg://me:s3cret%2Fw%C3%B6rd@host/db"
    said = database.without_secrets(f"failed for {SECRET} and s3cret%2Fw%C3%B6rd", url)
    assert said == "failed for *** and ***"
    assert database.without_secrets("the disk is full", "") == "the disk is full", "no address, no secret"


def test_a_missing_driver_is_said_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InputError, match=r"espalier\[postgres\]"):
        Workspace.open(tmp_path, "postgresql+psycopg://me:secret@host/db")


SENTENCE = {"orig_id": "a", "tokens": ["Ada", "met", "Bob"], "entities": [], "relations": []}


@pytest.mark.parametrize("field", ["row", "surface", "layers", "e1", "text", "mentions", "shape", "extra", "label"])
@pytest.mark.parametrize("value", [1, "x", {}, [], {"gold": {}}])
def test_a_field_of_ones_own_changes_nothing_else(field: str, value: object, tmp_path: Path) -> None:
    """A SpERT record with a field that makes a native record another shape: it disabled the workspace, or its text
    became the value of that field."""
    (tmp_path / "c.spert.json").write_text(json.dumps([{**SENTENCE, field: value}]))
    [document] = corpora.read(tmp_path / "c.spert.json")
    workspace = Workspace.open(tmp_path / "w")
    [back] = workspace.documents(workspace.add_corpus("C", [document]))
    assert back == document and back.text == "Ada met Bob"
    corpora.write([document], tmp_path / "c.jsonl")
    assert corpora.read(tmp_path / "c.jsonl") == [document]


def test_a_record_without_an_id_keeps_the_name_that_its_line_gave_it(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('\n\n{"text": "Ada"}\n')
    documents = corpora.read(tmp_path / "c.jsonl")
    workspace = Workspace.open(tmp_path / "w")
    corpus = workspace.add_corpus("C", documents)
    assert [d.id for d in workspace.documents(corpus)] == workspace.document_ids(corpus) == ["3"]


def test_what_would_come_back_as_another_document_is_not_added(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "c.jsonl").write_text('{"id": "a", "text": "Ada"}\n')
    [document] = corpora.read(tmp_path / "c.jsonl")
    workspace = Workspace.open(tmp_path / "w")
    monkeypatch.setattr("engine.store.corpora.jsonl.record", lambda _: {"id": "a", "text": "Eve"})
    with pytest.raises(InputError, match="not come back"):
        workspace.add_corpus("C", [document])
    assert workspace.corpora() == []


@pytest.mark.parametrize("odd", ["a\x00b", "a\ud800b"])
def test_texts_that_a_database_cannot_keep_are_refused_by_name(odd: str, database_url: str, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path, database_url)
    (tmp_path / "c.jsonl").write_text('{"id": "a", "text": "Ada"}\n')
    [document] = corpora.read(tmp_path / "c.jsonl")
    with pytest.raises(InputError, match="id of document 1"):
        workspace.add_corpus("C", [replace(document, id=odd)])
    with pytest.raises(InputError, match="name"):
        workspace.add_corpus(odd, [document])
    corpus = workspace.add_corpus("C", [document])
    with pytest.raises(InputError, match="name"):
        workspace.freeze(corpus, odd, user="me")
    with pytest.raises(InputError, match="name"):
        workspace.save_slice(odd, "linking", {})
    assert [info.id for info in workspace.corpora()] == [corpus]


def test_connections_that_the_server_has_dropped_are_replaced(database_url: str, tmp_path: Path) -> None:
    """The first visit after PostgreSQL had dropped its connections failed."""
    workspace = Workspace.open(tmp_path, database_url)
    assert workspace.corpora() == []
    if database_url.startswith("postgresql"):
        other = sa.create_engine(database_url)
        with other.connect() as connection:
            ours = "pid <> pg_backend_pid() AND datname = current_database()"
            dropped = f"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {ours}"
            assert connection.exec_driver_sql(dropped).scalar_one() > 0
        other.dispose()
    assert workspace.corpora() == []


def _spoil(workspace: Workspace, statement: str) -> None:
    with workspace._engine.begin() as connection:
        connection.execute(sa.text(statement))


def test_one_bad_record_stops_its_corpus_and_no_other(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    (tmp_path / "c.jsonl").write_text('{"id": "a", "text": "Ada"}\n')
    documents = corpora.read(tmp_path / "c.jsonl")
    bad, good = workspace.add_corpus("Bad", documents), workspace.add_corpus("Good", documents)
    for record in ("{", "[]", '{"row": 1}', '{"layers": {}, "text": 3}', "null"):
        _spoil(workspace, f"UPDATE documents SET record = '{record}' WHERE corpus = '{bad}'".replace(":", r"\:"))
        with pytest.raises(InputError, match="document 'a' of corpus 'bad' cannot be read"):
            workspace.documents(bad)
        assert workspace.documents(good) == documents
    workspace.remove_corpus(bad)
    assert [info.id for info in workspace.corpora()] == [good]


@pytest.mark.parametrize("column", ["settings", "scores"])
def test_a_damaged_run_is_listed_as_failed_among_the_others(column: str, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    bad, good = workspace.start_run("toy", "count", {"seed": 1}), workspace.start_run("toy", "count", {"seed": 2})
    for text in ("{", "3"):
        _spoil(workspace, f"UPDATE runs SET {column} = '{text}' WHERE id = '{bad}'")
        listed = {run.id: run for run in workspace.runs()}
        assert listed[bad].status == "failed" and "damaged" in listed[bad].message
        assert listed[good].settings == {"seed": 2}
    workspace.remove_run(bad)
    assert [run.id for run in workspace.runs()] == [good]


def test_a_damaged_edit_is_named(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    with database.transaction(workspace._engine) as connection:
        connection.execute(
            database.edits.insert().values(
                corpus="c", document="a", layer="gold", user="me", time="", edit='{"kind": "unheard of"}'
            )
        )
    with pytest.raises(InputError, match="edit 1"):
        workspace.annotations("c").history()


def test_a_database_of_no_bytes_beside_models_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    Workspace.open(tmp_path / "w").close()
    (tmp_path / "w" / "models" / "run.zip").write_bytes(b"x")
    for suffix in ("-wal", "-shm"):
        (tmp_path / "w" / f"espalier.db{suffix}").unlink(missing_ok=True)
    (tmp_path / "w" / "espalier.db").write_bytes(b"")
    with pytest.raises(database.WorkspaceDamaged, match="empty"):
        Workspace.open(tmp_path / "w")
    (tmp_path / "w" / "models" / "run.zip").unlink()
    assert Workspace.open(tmp_path / "w").corpora() == []
