"""What a workspace keeps, it gives back; what it cannot read, it says."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.edits import SetEntity
from engine.data.errors import InputError
from engine.store import annotations, database, runs, tables
from engine.store.database import WorkspaceDamaged
from engine.store.workspace import Workspace


def tweet(id="1", text="Oslo 😀 wins"):
    return Document(id, text, layers={GOLD: Layer(mentions=(Mention(0, 4, entity="Oslo"),))}, shape="tweet")


@pytest.fixture
def workspace(database_url, tmp_path):
    space = Workspace.open(tmp_path, database_url)
    yield space
    space.close()


def test_a_corpus_comes_back_as_it_was_added(workspace):
    documents = [tweet("1"), tweet("2", "Oslo e\u0301 שלום 漢字")]
    id = workspace.add_corpus("My Tweets", documents, split="dev")
    assert id == "my-tweets-dev"
    assert workspace.documents(id) == documents
    assert workspace.document_ids(id) == ["1", "2"]
    assert [info.n_documents for info in workspace.corpora()] == [2]


def test_the_same_name_twice_gives_two_corpora(workspace):
    assert workspace.add_corpus("a", []) == "a"
    assert workspace.add_corpus("a", []) == "a-2"


def test_repeated_ids_are_refused_and_nothing_is_kept(workspace):
    with pytest.raises(InputError, match="'1'"):
        workspace.add_corpus("a", [tweet("1"), tweet("1")])
    assert workspace.corpora() == []


def test_removing_a_corpus_removes_its_documents_and_layers(workspace):
    id = workspace.add_corpus("a", [tweet()])
    workspace.add_layer(id, "other", {"1": Layer()})
    workspace.remove_corpus(id)
    assert workspace.corpora() == [] and workspace.documents(id) == [] and workspace.layer_names(id) == []


def test_a_corpus_of_the_same_name_does_not_inherit_the_edits_of_a_removed_one(workspace):
    id = workspace.add_corpus("a", [tweet()])
    workspace.annotations(id).append(tweet(), SetEntity("g0", "Bergen"), user="anna")
    workspace.freeze(id, "v1", user="anna")
    workspace.remove_corpus(id)
    assert workspace.add_corpus("a", [tweet()]) == id
    assert workspace.gold_documents(id) == [tweet()]
    assert workspace.annotations(id).history() == [] and workspace.versions(id) == []


def test_a_workspace_of_an_earlier_version_gets_the_columns_added_since(workspace):
    with workspace._engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE edits DROP COLUMN batch")
        connection.exec_driver_sql("DROP TABLE alembic_version")
    database._bring_up_to_date(workspace._engine, "here")
    id = workspace.add_corpus("a", [tweet()])
    workspace.annotations(id).append_all([(tweet(), SetEntity("g0", "Bergen"))], user="anna")
    assert workspace.annotations(id).history()[0].batch


def test_an_imported_layer_comes_back_and_strangers_are_refused(workspace):
    id = workspace.add_corpus("a", [tweet()])
    layer = Layer(mentions=(Mention(5, 6, "X", "Oslo", 0.5),), labels=("l",))
    workspace.add_layer(id, "theirs", {"1": layer})
    assert workspace.layer(id, "theirs") == {"1": layer}
    with pytest.raises(InputError, match="'9'"):
        workspace.add_layer(id, "theirs", {"9": layer})
    assert workspace.layer(id, "theirs") == {"1": layer}


def test_a_run_keeps_settings_rounds_scores_and_bias(workspace):
    run = workspace.start_run("linking", "s-mart", {"seed": 3, "C": 0.5}, train="t", dev="d")
    workspace.set_data_hash(run, "h")
    workspace.add_round(run, 1, 2.5, {"f1": 0.5}, {"gap": 0.1})
    workspace.add_round(run, 2, 1.5, {"f1": 0.6})
    workspace.finish_run(run, "done", scores={"f1": 0.6}, bias=-0.5)
    info = workspace.run(run)
    assert (info.status, info.seed, info.settings["C"], info.scores, info.bias) == ("done", 3, 0.5, {"f1": 0.6}, -0.5)
    assert info.data_hash == "h"
    assert [(r.index, r.objective, r.scores["f1"]) for r in workspace.rounds(run)] == [(1, 2.5, 0.5), (2, 1.5, 0.6)]
    workspace.set_bias(run, 0.25)
    assert workspace.runs("linking")[0].bias == 0.25 and workspace.runs("joint") == []
    workspace.remove_run(run)
    assert workspace.runs() == [] and workspace.rounds(run) == []


def test_looks_at_test_data_are_written_down_in_order(workspace):
    run = workspace.start_run("linking", "mart", {})
    workspace.record_look(run, "test", 0.5, {"f1": 0.7})
    workspace.record_look(run, "test", 0.6, {"f1": 0.71})
    assert [(look.bias, look.scores) for look in workspace.looks(run)] == [(0.5, {"f1": 0.7}), (0.6, {"f1": 0.71})]


def test_unknown_corpora_and_runs_are_named(workspace):
    with pytest.raises(InputError, match="no corpus 'x'"):
        workspace.corpus("x")
    with pytest.raises(InputError, match="no run 'x'"):
        workspace.run("x")


def test_a_gold_version_freezes_a_point_of_the_log(workspace):
    id = workspace.add_corpus("a", [tweet()])
    log = workspace.annotations(id)
    log.append(tweet(), SetEntity("g0", "Bergen"), user="anna")
    version = workspace.freeze(id, "v1", user="anna")
    log.append(tweet(), SetEntity("g0", "Paris"), user="anna")
    assert workspace.versions(id) == [version]
    assert log.state(tweet(), upto=version.upto).layer().mentions[0].entity == "Bergen"
    assert log.state(tweet()).layer().mentions[0].entity == "Paris"
    with pytest.raises(InputError, match="already"):
        workspace.freeze(id, "v1", user="ben")


def test_a_damaged_database_is_reported_and_can_be_set_aside(tmp_path):
    Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db").close()
    (tmp_path / "espalier.db").write_bytes(b"this was a database once" * 100)
    with pytest.raises(WorkspaceDamaged, match="set it aside"):
        Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db")
    kept = Workspace.set_aside(tmp_path)
    assert kept.read_bytes().startswith(b"this was a database once")
    assert Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db").corpora() == []


WRITER = textwrap.dedent(
    """
    import sys
    from engine.data.document import Document
    from engine.store.workspace import Workspace
    space = Workspace.open(sys.argv[1], "sqlite:///" + sys.argv[1] + "/espalier.db")
    number = 0
    while True:
        space.add_corpus(f"c{number}", [Document(str(i), "text " * 50) for i in range(20)])
        print(number, flush=True)
        number += 1
    """
)


def test_a_clock_that_jumps_loses_nothing_and_changes_no_order_of_edits(workspace, monkeypatch):
    jumps = iter([0, -400, 800, -800, -1, 0, 0, 30, -4000] * 20)

    class Jumping(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2026, 1, 1, tzinfo=tz) + timedelta(days=next(jumps))

    for module in (annotations, runs, tables):
        monkeypatch.setattr(module, "datetime", Jumping)
    id = workspace.add_corpus("a", [tweet()])
    log = workspace.annotations(id)
    for name in "ABCDEFGH":
        log.append(tweet(), SetEntity("g0", name), user="anna")
        workspace.freeze(id, f"at {name}", user="anna")
    times = [row.time for row in log.history()]
    assert times != sorted(times), "the clock did jump"
    assert [row.edit.entity for row in log.history()] == list("ABCDEFGH")
    assert log.state(tweet()).layer().mentions[0].entity == "H"
    for name in "ABCDEFGH":
        frozen = workspace.gold_documents(id, version=f"at {name}")
        assert frozen[0].layers[GOLD].mentions[0].entity == name
    begun = [workspace.start_run("linking", "mart", {}) for _ in range(5)]
    assert len(set(begun)) == 5 and {run.id for run in workspace.runs()} == set(begun)


@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1])
def test_a_kill_at_any_moment_leaves_the_last_good_state(tmp_path, delay):
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert writer.stdout is not None
    writer.stdout.readline()  # the first corpus is acknowledged
    time.sleep(delay)
    writer.send_signal(signal.SIGKILL)
    acknowledged = 1 + sum(1 for _ in writer.stdout)
    writer.wait()
    space = Workspace.open(tmp_path, f"sqlite:///{tmp_path}/espalier.db")
    kept = space.corpora()
    assert len(kept) >= acknowledged
    assert all(len(space.documents(info.id)) == info.n_documents == 20 for info in kept)


def test_documents_can_be_had_with_gold_as_edited_or_as_frozen(workspace):
    id = workspace.add_corpus("a", [tweet("1"), tweet("2")])
    workspace.annotations(id).append(tweet("1"), SetEntity("g0", "Bergen"), user="anna")
    workspace.freeze(id, "v1", user="anna")
    workspace.annotations(id).append(tweet("2"), SetEntity("g0", "Paris"), user="anna")

    def entities(documents):
        return [document.gold.mentions[0].entity for document in documents]

    assert entities(workspace.gold_documents(id)) == ["Bergen", "Paris"]
    assert entities(workspace.gold_documents(id, "v1")) == ["Bergen", "Oslo"]
    assert entities(workspace.documents(id)) == ["Oslo", "Oslo"]
    originals = workspace.documents(id)
    assert workspace.gold_documents(id, "v1", originals=originals)[1] is originals[1]
    with pytest.raises(InputError, match="'v9'"):
        workspace.gold_documents(id, "v9")


def test_no_two_corpora_are_called_the_same(workspace):
    """Boxes of the app tell corpora apart by what they are called."""
    for name, split in [
        ("dev", "dev"),
        ("dev", "dev"),
        ("dev", ""),
        ("dev (2)", "dev"),
        (" dev ", "dev"),
        ("a", "train"),
    ]:
        workspace.add_corpus(name, [], split=split)
    workspace.add_corpus("a train", [])
    labels = [info.label for info in workspace.corpora()]
    assert len(set(labels)) == len(labels)
    assert labels[:2] == ["dev", "dev (2)"] and labels[-2:] == ["a train", "a train (2)"]


def test_a_file_is_kept_by_its_content_and_known_by_its_name(workspace):
    id = workspace.add_resource("gazetteers", "rivers.txt", b"Elbe\n", name="Rivers of Europe")
    info = workspace.resource(id)
    assert (info.name, info.file, info.size) == ("Rivers of Europe", "rivers.txt", 5)
    assert workspace.resource_path(info).read_bytes() == b"Elbe\n"
    assert workspace.resources("constraints") == []
    copy = workspace.add_resource("gazetteers", "brooks.txt", b"Elbe\n")
    workspace.remove_resource(id)
    assert workspace.resource_path(workspace.resource(copy)).read_bytes() == b"Elbe\n"
    workspace.remove_resource(copy)
    assert not workspace.resource_path(info).exists() and workspace.resources() == []


@pytest.mark.parametrize(
    ("kind", "file", "content"),
    [("spells", "a.txt", b"x"), ("gazetteers", "a.toml", b"x"), ("gazetteers", "a.txt", b"")],
)
def test_what_is_no_file_of_its_kind_is_not_kept(workspace, kind, file, content):
    with pytest.raises(InputError):
        workspace.add_resource(kind, file, content)
    assert workspace.resources() == []


def test_a_run_has_a_name_a_note_and_a_star_and_keeps_the_bias_of_its_score(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    run = workspace.start_run("toy", "count", {})
    workspace.finish_run(run, "done", scores={"f1": 0.5}, bias=0.25)
    workspace.set_bias(run, 1.0)
    workspace.describe_run(run, name="  with the  new lexicon ", note="try again\n", starred=True)
    found = Workspace.open(tmp_path).run(run)
    assert (found.name, found.note, found.starred) == ("with the new lexicon", "try again", True)
    assert (found.judged_at, found.bias) == (0.25, 1.0)
    with pytest.raises(InputError, match="at most"):
        workspace.describe_run(run, name="x" * 81, note="", starred=False)
