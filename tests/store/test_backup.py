"""A backup is taken while others write, read back, and restored elsewhere as it was; what is damaged is refused."""

from __future__ import annotations

import json
import threading
import zipfile
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.corpora import read
from engine.data.document import Document
from engine.data.edits import Comment
from engine.data.errors import InputError
from engine.store import backup, database
from engine.store.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def no_other_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ESPALIER_DATABASE_URL", raising=False)
    monkeypatch.delenv("ESPALIER_WORKSPACE", raising=False)


def documents() -> list[Document]:
    return read(ROOT / "sample_data" / "joint" / "train.jsonl")[:3]


def filled(directory: Path, url: str | None = None) -> Workspace:
    workspace = Workspace.open(directory, url)
    corpus = workspace.add_corpus("Ünïcode", documents(), split="train")
    workspace.annotations(corpus).append(documents()[0], Comment("document", "=note\n"), user="anna")
    run = workspace.start_run("joint", "lp", {"seed": 3}, train=corpus)
    workspace.add_round(run, 1, 0.5, {"f1": 0.25}, {"total": 2})
    workspace.finish_run(run, "done", scores={"f1": 0.5}, bias=0.1)
    workspace.lock(run, corpus, 0.1)
    workspace.record_look(run, corpus, 0.1, {"f1": 0.5})
    workspace.save_slice("mine", "joint", {"stage": ["scoring"]})
    workspace.freeze(corpus, "v1", user="anna")
    workspace.model_path(run).write_bytes(b"model")
    (directory / "files" / "gazetteers").mkdir(parents=True)
    (directory / "files" / "gazetteers" / "cities.txt").write_text("Paris\n")
    (directory / "models" / "half.part").write_bytes(b"cut short")
    return workspace


def everything(workspace: Workspace) -> dict[str, list[tuple[object, ...]]]:
    with workspace._engine.connect() as connection:
        return {
            table.name: sorted(tuple(row) for row in connection.execute(table.select()))
            for table in database.metadata.sorted_tables
        }


def test_what_is_restored_is_what_was_backed_up(tmp_path: Path, database_url: str) -> None:
    workspace = filled(tmp_path / "w", database_url)
    before = everything(workspace)
    made = backup.write(workspace, tmp_path / "b.zip")
    assert made.rows["edits"] == 1 and set(made.files) == {
        f"models/{workspace.runs()[0].id}.zip",
        "files/gazetteers/cities.txt",
    }
    backup.restore(tmp_path / "b.zip", tmp_path / "there")
    there = Workspace.open(tmp_path / "there")
    assert everything(there) == before
    assert there.model_path(there.runs()[0].id).read_bytes() == b"model"
    corpus = there.corpora()[0].id
    assert there.documents(corpus) == documents()
    assert there.annotations(corpus).append(documents()[1], Comment("document", "x"), user="bob") > 1


def test_a_backup_into_another_database_goes_on_counting(tmp_path: Path, database_url: str) -> None:
    backup.write(filled(tmp_path / "w"), tmp_path / "b.zip")
    backup.restore(tmp_path / "b.zip", tmp_path / "there", database_url)
    there = Workspace.open(tmp_path / "there", database_url)
    corpus = there.corpora()[0].id
    assert there.annotations(corpus).append(documents()[1], Comment("document", "x"), user="bob") == 2
    with pytest.raises(InputError, match="not empty"):
        backup.restore(tmp_path / "b.zip", tmp_path / "again", database_url)


def test_a_backup_beside_writers_holds_one_state(tmp_path: Path) -> None:
    workspace = filled(tmp_path / "w")
    corpus = workspace.corpora()[0].id
    stop = threading.Event()

    def edit() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            workspace.annotations(corpus).append(documents()[0], Comment("document", f"note {number}"), user="anna")

    writer = threading.Thread(target=edit)
    writer.start()
    try:
        made = [backup.write(workspace, tmp_path / f"b{i}.zip") for i in range(3)]
    finally:
        stop.set()
        writer.join()
    backup.restore(tmp_path / "b2.zip", tmp_path / "there")
    there = Workspace.open(tmp_path / "there")
    assert there.annotations(corpus).version() == made[2].rows["edits"] <= workspace.annotations(corpus).version()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    workspace = filled(tmp_path / "w")
    backup.write(workspace, tmp_path / "b.zip")
    with pytest.raises(InputError, match="exists"):
        backup.write(workspace, tmp_path / "b.zip")
    with pytest.raises(InputError, match="not an empty folder"):
        backup.restore(tmp_path / "b.zip", tmp_path / "w")


@pytest.mark.parametrize("damage", ["cut", "no manifest", "rows", "file", "path", "newer", "not a zip"])
def test_a_damaged_or_hostile_backup_is_refused_and_nothing_is_left(tmp_path: Path, damage: str) -> None:
    backup.write(filled(tmp_path / "w"), tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members[backup.MANIFEST])
    if damage == "rows":
        members["tables/edits.jsonl"] = b""
    if damage == "file":
        members["files/gazetteers/cities.txt"] = b"Rome\n"
    if damage == "path":
        manifest["files"]["files/../../evil"] = manifest["files"].pop("files/gazetteers/cities.txt")
        members["files/../../evil"] = b"Paris\n"
    if damage == "newer":
        manifest["schema"] = "9999"
    members[backup.MANIFEST] = json.dumps(manifest).encode()
    if damage == "no manifest":
        del members[backup.MANIFEST]
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    if damage == "cut":
        (tmp_path / "b.zip").write_bytes((tmp_path / "b.zip").read_bytes()[:300])
    if damage == "not a zip":
        (tmp_path / "b.zip").write_text("text")
    with pytest.raises(InputError):
        backup.restore(tmp_path / "b.zip", tmp_path / "there")
    assert not (tmp_path / "there").exists() and not (tmp_path / "evil").exists()


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(tmp_path / "w").close()
    assert main(["backup", str(tmp_path / "b.zip"), "--workspace", str(tmp_path / "w")]) == 0
    assert "3 documents, 1 edits, 1 runs, 2 files" in capsys.readouterr().out
    assert main(["restore", str(tmp_path / "b.zip"), "--workspace", str(tmp_path / "v")]) == 0
    assert main(["restore", str(tmp_path / "b.zip"), "--workspace", str(tmp_path / "v")]) == 1
    assert main(["backup", str(tmp_path / "c.zip"), "--workspace", str(tmp_path / "none")]) == 1
    assert "no workspace" in capsys.readouterr().err and not (tmp_path / "none").exists()


def test_the_doctor_finds_what_is_wrong_and_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace = Workspace.open(tmp_path / "w")
    corpus = workspace.add_corpus("Good", documents())
    assert main(["doctor", "--workspace", str(tmp_path / "w")]) == 0
    capsys.readouterr()
    bad = workspace.add_corpus("Bad", documents())
    with workspace._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE documents SET record = '{' WHERE corpus = 'bad' AND position = 1")
    gone = workspace.start_run("joint", "lp", {})
    workspace.finish_run(gone, "done")
    broken = workspace.start_run("joint", "lp", {})
    workspace.finish_run(broken, "done")
    workspace.model_path(broken).write_bytes(b"PK")
    dead = workspace.start_run("joint", "lp", {})
    (tmp_path / "w" / "models" / "stray.zip").write_bytes(b"")
    assert main(["doctor", "--workspace", str(tmp_path / "w"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    levels = {one["about"]: one["level"] for one in told["findings"]}
    assert told["wrong"] == 3
    assert {about for about, level in levels.items() if level == "wrong"} == {
        f"corpus {bad}",
        f"run {gone}",
        f"run {broken}",
    }
    assert levels[f"corpus {corpus}"] == "fine" and levels[f"run {dead}"] == "odd" and levels["stray.zip"] == "odd"
    assert all(one["advice"] for one in told["findings"] if one["level"] != "fine")


def test_the_advice_about_a_damaged_database_can_be_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = filled(tmp_path / "w")
    workspace.add_corpus("Other", documents())
    assert main(["backup", str(tmp_path / "b.zip"), "--workspace", str(tmp_path / "w")]) == 0
    capsys.readouterr()
    assert main(["doctor", "--workspace", str(tmp_path / "w"), "--json"]) == 1  # its model is not one
    found = json.loads(capsys.readouterr().out)["findings"]
    about = [one["sentence"] for one in found if one["about"].startswith("corpus")]
    assert about == ["3 documents, the latest edit is number 1", "3 documents, never edited"]
    with workspace._engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("DELETE FROM runs")
        connection.commit()
    assert main(["doctor", "--workspace", str(tmp_path / "w"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    [advice] = [one["advice"] for one in found if one["about"] == "database"]
    _, command = advice.split("espalier ")
    names = {"FILE": str(tmp_path / "b.zip"), "NEW": str(tmp_path / "new")}
    assert main([names.get(word, word) for word in command.split()]) == 0
    assert everything(Workspace.open(tmp_path / "new"))["runs"]
