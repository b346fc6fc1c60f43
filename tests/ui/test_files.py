"""Files besides corpora: chosen by name or uploaded. No form and no model file names a path of the server."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine import corpora
from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.data.errors import InputError
from engine.data.plain_text import tokenised
from engine.store import modelfile, resources
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.saving import save_model
from tests.ui import harness
from tests.ui.conftest import SYSTEMS
from ui.background import files, first, jobs
from ui.shell import models


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
    # As the first start adds it.
    sample = corpora.read(first.SAMPLES / "joint" / "train.jsonl")[:40]
    workspace.add_corpus("Joint", sample, split="train", source="sample joint")


def add_own(workspace):
    """A corpus of the visitor's, with other types and relations than the sample."""
    text = "Ada Lovelace leads Acme in Berlin."
    mentions = (Mention(0, 12, "Person"), Mention(19, 23, "Company"), Mention(27, 33, "Place"))
    gold = Layer(mentions, relations=(Relation(0, 1, "leads"), Relation(1, 2, "based_in")))
    return workspace.add_corpus("Own", [tokenised(Document("d1", text, layers={GOLD: gold}))], split="train")


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
    assert at.multiselect(key="train.joint.constraints").value == ["sample:constraints.toml"]


def test_the_samples_files_are_not_kept_for_other_data(workspace, systems, monkeypatch):
    own = add_own(workspace)
    told = {}
    monkeypatch.setattr(jobs, "start", lambda *_, **named: told.update(named) or "none")
    at = harness.open_page("train", task="joint")
    at.multiselect(key="train.joint.train").set_value([own]).run()
    box = at.multiselect(key=f"train.joint.constraints.{own}")
    assert box.value == [] and box.options == []
    said = " ".join(one.value for one in [*at.text, *at.caption])
    assert "Not offered: sample constraints.toml" in said and "learnt from the training data" in said
    at.button(key="train.start").click().run()
    assert told["train"] == [own] and not told["files"].get("constraints")


def test_constraints_with_the_labels_of_the_data_are_offered(workspace, systems):
    own = add_own(workspace)
    rule = '[[constraint]]\nname = "a"\nkind = "arguments"\nrelation = "leads"\nhead = ["Person"]\ntail = ["Company"]\n'
    fitting = files.keep(workspace, "constraints", [Sent("own.toml", rule.encode())])
    at = harness.open_page("train", task="joint")
    assert at.multiselect(key="train.joint.constraints").options == ["sample constraints.toml"]
    at.multiselect(key="train.joint.train").set_value([own]).run()
    at.multiselect(key=f"train.joint.constraints.{own}").set_value(fitting).run()
    assert at.multiselect(key=f"train.joint.constraints.{own}").value == fitting


def test_a_lexicon_of_the_wrong_kind_is_not_offered(workspace, systems):
    workspace.add_resource("lexicon", "gender.tsv", b"aunt\tfemale\n")
    workspace.add_resource("lexicon", "names.jsonl", b'{"surface": "acme", "entities": [["Acme", 1, []]]}\n')
    offers = files.offered(workspace, "linking", "lexicon")
    fits = {
        task: [
            offer.label
            for offer in offers.values()
            if files.misfit(registry.get(task), "lexicon", offer.path, []) is None
        ]
        for task in ("linking", "coreference")
    }
    assert fits == {"linking": ["sample lexicon", "names"], "coreference": ["gender"]}


def test_linking_on_own_data_gets_a_lexicon_made_from_it(workspace, systems, monkeypatch):
    mention = Mention(0, 4, entity="Acme Corporation")
    own = workspace.add_corpus("Own", [Document("d1", "Acme sells.", layers={GOLD: Layer((mention,))})], split="train")
    told = {}
    monkeypatch.setattr(jobs, "start", lambda *_, **named: told.update(named) or "none")
    at = harness.open_page("train", task="linking")
    assert at.multiselect(key=f"train.linking.lexicon.{own}").value == ["gathered"]
    at.button(key="train.start").click().run()
    (path,) = told["files"]["lexicon"]
    assert json.loads(Path(path).read_text()) == {
        "surface": "acme",
        "entities": [["Acme Corporation", 1, ["tweets_train"]]],
    }


@pytest.mark.parametrize("name", ["{secret}", "../../../server/secret.txt", "uploaded ../secret.txt", "sample /etc"])
def test_a_path_is_not_a_name(workspace, systems, secret, name):
    with pytest.raises(InputError, match="no file"):
        files.chosen(workspace, "joint", {"gazetteers": [name.format(secret=secret)]})


def test_an_upload_stays_in_the_workspace_whatever_it_is_called(workspace, systems):
    names = files.keep(
        workspace, "gazetteers", [Sent("../../../etc/cities.txt", b"Paris\n"), Sent("/a\\b/..txt", b"x\n")]
    )
    kept = [Path(path) for path in files.chosen(workspace, "joint", {"gazetteers": names})["gazetteers"]]
    assert [path.parents[1] for path in kept] == [workspace.directory / "files" / "gazetteers"] * 2
    assert kept[0].name == "cities.txt" and kept[0].read_bytes() == b"Paris\n"


def test_the_same_upload_is_kept_once_and_another_of_its_name_beside_it(workspace, systems):
    first_name = files.keep(workspace, "gazetteers", [Sent("cities.txt", b"Paris\n")])
    again = files.keep(workspace, "gazetteers", [Sent("cities.txt", b"Paris\n")])
    other = files.keep(workspace, "gazetteers", [Sent("cities.txt", b"Rome\n")])
    assert first_name == again != other
    assert [info.name for info in workspace.resources("gazetteers")] == ["cities", "cities (2)"]
    paths = [workspace.resource_path(info) for info in workspace.resources("gazetteers")]
    assert [path.name for path in paths] == ["cities.txt"] * 2 and paths[1].read_bytes() == b"Rome\n"


def test_uploads_of_another_kind_or_size_are_refused(workspace, systems, monkeypatch):
    with pytest.raises(InputError, match="ends in"):
        files.keep(workspace, "constraints", [Sent("x.py", b"")])
    monkeypatch.setattr(resources, "WHOLE_LIMIT", 4)
    with pytest.raises(InputError, match="larger"):
        files.keep(workspace, "gazetteers", [Sent("x.txt", b"12345")])


def test_the_administrators_directory_is_offered_by_name(workspace, systems, monkeypatch, tmp_path):
    (tmp_path / "shared" / "gazetteers").mkdir(parents=True)
    (tmp_path / "shared" / "gazetteers" / "rivers.txt").write_text("Elbe\n")
    (tmp_path / "shared" / "gazetteers" / ".hidden").write_text("x")
    monkeypatch.setenv(files.ADMINISTRATORS, str(tmp_path / "shared"))
    assert list(files.offered(workspace, "joint", "gazetteers")) == ["shared:rivers.txt"]
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
