"""Files besides corpora: chosen by name or uploaded. No form and no model file names a path of the server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine import corpora
from engine.data.errors import InputError
from engine.store import modelfile
from engine.tasks import registry
from engine.tasks.base import Resources, save_model
from tests.ui import harness
from tests.ui.conftest import SYSTEMS
from ui.background import files, first, jobs, models


class Sent:
    """An upload as Streamlit hands it over."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name, self._content = name, content

    def getvalue(self) -> bytes:
        return self._content


@pytest.fixture
def systems(workspace, monkeypatch):
    """The systems that come with the app, and a corpus that one of them learns from."""
    harness.register(monkeypatch, SYSTEMS)
    workspace.add_corpus("Joint", corpora.read(first.SAMPLES / "joint" / "train.jsonl")[:4], split="train")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the server that is nobody's business."""
    path = tmp_path / "server" / "secret.txt"
    path.parent.mkdir()
    path.write_text("The Password\n")
    return path


def test_the_form_has_no_field_for_a_path(workspace, systems):
    at = harness.open_page("train", task="joint")
    assert not at.exception
    assert [box.key for box in at.text_input if box.key in ("train.joint.gazetteers", "train.joint.constraints")] == []
    assert at.multiselect(key="train.joint.gazetteers").options == []
    assert at.multiselect(key="train.joint.constraints").value == ["sample constraints.toml"]


@pytest.mark.parametrize("name", ["{secret}", "../../../server/secret.txt", "uploaded ../secret.txt", "sample /etc"])
def test_a_path_is_not_a_name(workspace, systems, secret, name):
    with pytest.raises(InputError, match="no file"):
        files.chosen(workspace, "joint", {"gazetteers": [name.format(secret=secret)]})


def test_an_upload_stays_in_the_workspace_whatever_it_is_called(workspace, systems):
    names = files.keep(
        workspace, "gazetteers", [Sent("../../../etc/cities.txt", b"Paris\n"), Sent("/a\\b/..txt", b"x\n")]
    )
    kept = [Path(path) for path in files.chosen(workspace, "joint", {"gazetteers": names})["gazetteers"]]
    assert [path.parent for path in kept] == [workspace.directory / "files" / "gazetteers"] * 2
    assert kept[0].name == "cities.txt" and kept[0].read_bytes() == b"Paris\n"


def test_the_same_upload_is_kept_once_and_another_of_its_name_beside_it(workspace, systems):
    first_name = files.keep(workspace, "gazetteers", [Sent("cities.txt", b"Paris\n")])
    again = files.keep(workspace, "gazetteers", [Sent("cities.txt", b"Paris\n")])
    other = files.keep(workspace, "gazetteers", [Sent("cities.txt", b"Rome\n")])
    assert first_name == again == ["uploaded cities.txt"] and other == ["uploaded cities-2.txt"]


def test_uploads_of_another_kind_or_size_are_refused(workspace, systems, monkeypatch):
    with pytest.raises(InputError, match="ends in"):
        files.keep(workspace, "constraints", [Sent("x.py", b"")])
    monkeypatch.setattr(files, "WHOLE_LIMIT", 4)
    with pytest.raises(InputError, match="larger"):
        files.keep(workspace, "gazetteers", [Sent("x.txt", b"12345")])


def test_the_administrators_directory_is_offered_by_name(workspace, systems, monkeypatch, tmp_path):
    (tmp_path / "shared" / "gazetteers").mkdir(parents=True)
    (tmp_path / "shared" / "gazetteers" / "rivers.txt").write_text("Elbe\n")
    (tmp_path / "shared" / "gazetteers" / ".hidden").write_text("x")
    monkeypatch.setenv(files.ADMINISTRATORS, str(tmp_path / "shared"))
    assert list(files.offered(workspace, "joint", "gazetteers")) == ["rivers.txt"]
    at = harness.open_page("train", task="joint")
    assert at.multiselect(key="train.joint.gazetteers").options == ["rivers.txt"]


def test_chosen_and_uploaded_files_reach_the_training(workspace, systems, monkeypatch):
    told = {}
    monkeypatch.setattr(jobs, "start", lambda *_, **named: told.update(named) or "none")
    at = harness.open_page("train", task="joint")
    at.file_uploader(key="train.joint.gazetteers.upload").set_value([("cities.txt", b"Paris\n", "text/plain")])
    at.run()
    at.button(key="train.start").click().run()
    assert told["train"] == ["joint-train"]
    assert [Path(path).name for path in told["files"]["gazetteers"]] == ["cities.txt"]
    assert [Path(path).name for path in told["files"]["constraints"]] == ["constraints.toml"]


def test_a_model_file_cannot_make_the_server_open_a_path(workspace, systems, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(harness.ROOT))  # all systems, not the toy alone
    task = registry.get("linking")
    folder = first.SAMPLES / "linking"
    documents = corpora.read(folder / "train.jsonl")[:12]
    settings = replace(task.learner("perceptron").settings, n_rounds=1, folds=0)
    *_, last = task.rounds(documents, [], "perceptron", settings, Resources(lexicon=(folder / "lexicon",)))
    save_model(task, last.model, tmp_path / "m.zip")
    header, parts = modelfile.read(tmp_path / "m.zip")
    parts = {name: part for name, part in parts.items() if not name.startswith("lexicon-")}
    parts["linking"]["lexicon"]["path"] = str(tmp_path / "server")
    modelfile.write(tmp_path / "m.zip", header, parts)
    with pytest.raises(InputError, match="elsewhere on this machine"):
        models.adopt(workspace, tmp_path / "m.zip")
    assert workspace.runs() == []


def test_a_setting_that_names_a_file_is_not_in_the_form(workspace, systems):
    """Coreference's `templates`: on the command line it is a path, and what a file there holds shows in the model."""
    at = harness.open_page("train", task="coreference")
    learner = registry.get("coreference").default_learner
    keys = {str(box.key) for kind in (at.text_input, at.number_input, at.selectbox, at.toggle) for box in kind}
    assert f"train.coreference.{learner}.beam" in keys
    assert f"train.coreference.{learner}.templates" not in keys
