"""Scores of another program in the app: checked, added as a run, and offered by every page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli.main import main
from engine.corpora.formats import jsonl
from engine.corpora.scores.importers.reading import Asked
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from engine.tasks.registry import get
from engine.tasks.saving import load_model
from tests.ui import harness
from ui.views.train import outside

SYSTEMS = ("linking", "disambiguation", "coreference", "distant", "joint")
BAG = {"sid": "s0", "tokens": ["Ada", "of", "London"], "e1": [0, 1], "e2": [2, 3]}
GOLD: dict[str, dict[str, Any]] = {
    "linking": {"text": "Nero sang in Rome.", "mentions": [{"start": 13, "end": 17, "entity": "Rome"}]},
    "disambiguation": {"text": "Rome fell.", "mentions": [{"start": 0, "end": 4, "entity": "Rome"}]},
    "coreference": {
        "text": "Ada left. She ran.",
        "layers": {"gold": {"mentions": [{"start": 0, "end": 3}, {"start": 10, "end": 13}], "clusters": [[0, 1]]}},
    },
    "distant": {"e1": "Ada", "e2": "London", "relations": ["born_in"], "mentions": [BAG]},
    "joint": {
        "tokens": ["Booth", "shot", "Lincoln"],
        "entities": [{"start": 0, "end": 1, "type": "Peop"}, {"start": 2, "end": 3, "type": "Peop"}],
        "relations": [{"head": 0, "tail": 1, "type": "Kill"}],
    },
}
PARTS: dict[str, list[dict[str, Any]]] = {
    "linking": [
        {"start": 0, "end": 4, "entity": "Nero", "score": 0.5},
        {"start": 13, "end": 17, "entity": "Rome", "score": 2.1},
        {"start": 13, "end": 17, "entity": "Roma (film)", "score": 1.0},
    ],
    "disambiguation": [{"mention": 0, "entity": "Rome", "score": 1.9}, {"mention": 0, "entity": "Roma", "score": 0.3}],
    "coreference": [
        {"mention": [10, 13], "antecedent": [0, 3], "score": 3.0},
        {"mention": [10, 13], "antecedent": None, "score": 0.5},
    ],
    "distant": [{"sid": "s0", "relation": "born_in", "score": 1.4}, {"relation": "lives_in", "score": -1.0}],
    "joint": [
        {"entity": 0, "type": "Peop", "score": 2.0},
        {"entity": 0, "type": "Loc", "score": -1.0},
        {"entity": 1, "type": "Peop", "score": 1.0},
        {"head": 0, "tail": 1, "type": "Kill", "score": 1.5},
    ],
}


def record(name: str) -> dict[str, Any]:
    return {"id": "d1", **GOLD[name], "scale": "logit", "parts": PARTS[name]}


def added(workspace: Workspace, name: str, folder: Path) -> tuple[str, str]:
    """A corpus of one document and a run of outside scores for it."""
    document = jsonl.document({"id": "d1", **GOLD[name]})
    corpus = workspace.add_corpus("Dev", [document], split="dev")
    path = folder / "scores.jsonl"
    path.write_text(json.dumps(record(name)) + "\n", encoding="utf-8")
    offered = outside.check(get(name), path, [document], outside.RECORDS)
    assert offered.told.startswith(f"1 document, {len(PARTS[name])} parts; logit, alternatives: all.")
    # Kernels are compiled here: a page has only so long.
    task: Any = get(name)
    scored = task.scored([document], offered.model)
    assert task.trace(scored) is not None and task.curve(scored).gold == 1
    assert all(one.kind == "false alarm" for one in task.errors(scored, task.decide(scored)))
    return corpus, outside.add(workspace, get(name), offered, corpus=corpus, name="theirs")


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_page_offers_a_run_of_outside_scores(
    name: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.register(monkeypatch, {name: f"engine.tasks.{name}.task:{name.title()}"})
    corpus, run = added(workspace, name, tmp_path)
    told = workspace.run(run)
    assert (told.learner, told.status, told.name, told.dev) == ("outside", "done", "theirs", corpus)
    for page in (name, "tune", "errors", "document", "train"):
        at = harness.open_page(page, corpus=corpus, run=run, doc="d1", task=name)
        assert not at.exception, page
        assert "This could not be done" not in harness.words_on(at), page


def test_what_cannot_be_used_is_refused_and_leaves_no_run(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.register(monkeypatch, {"linking": "engine.tasks.linking.task:Linking"})
    document = jsonl.document({"id": "d1", **GOLD["linking"]})
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps({**record("linking"), "scale": "percent"}), encoding="utf-8")
    with pytest.raises(InputError, match="scale"):
        outside.check(get("linking"), path, [document], outside.RECORDS)
    monkeypatch.setattr(outside, "MOST_BYTES", 10)
    with pytest.raises(InputError, match="use the command line"):
        outside.check(get("linking"), path, [document], outside.RECORDS)
    assert workspace.runs() == []


def test_files_of_programs_are_read_for_the_systems_they_are_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.register(monkeypatch, {name: f"engine.tasks.{name}.task:{name.title()}" for name in SYSTEMS})
    ours = [outside.RECORDS, outside.ANSWERS]
    assert outside.programs(get("linking")) == [*ours, "refined", "neleval", "rel", "spotlight"]
    assert outside.programs(get("distant")) == [*ours, "opennre"]
    document = jsonl.document({"id": "b1", **GOLD["distant"]})
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"entpair": ["Ada", "London"], "relation": "born_in", "score": 0.7}), encoding="utf-8")
    offered = outside.check(get("distant"), path, [document], "opennre")
    assert offered.file == "rows.jsonl" and "prob, alternatives: all" in offered.told


def test_what_a_file_leaves_open_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which column is no antecedent (in an NPZ file too), and what the numbers of a table are."""
    harness.register(monkeypatch, {name: f"engine.tasks.{name}.task:{name.title()}" for name in SYSTEMS})
    texts = [jsonl.document({"id": "d1", **GOLD["coreference"]})]
    path = tmp_path / "arrays.npz"
    scores = np.array([[0.0, -10000.0, 0.0], [5.0, 3.0, 0.0]])
    np.savez(path, **{"d1/mentions": np.array([[0, 3], [10, 13]]), "d1/scores": scores})
    task: Any = get("coreference")
    found = {}
    for null in ("first", "last"):
        offered = outside.check(task, path, texts, "antecedents", asked=Asked(null=null))
        found[null] = task.decide(task.scored(texts, offered.model))[0].clusters
    assert (0, 1) not in found["first"] and (0, 1) in found["last"]
    monkeypatch.setattr(outside, "MOST_BYTES", 100)
    with pytest.raises(InputError, match="use the command line"):
        outside.check(task, path, texts, "antecedents")
    monkeypatch.undo()
    harness.register(monkeypatch, {"linking": "engine.tasks.linking.task:Linking"})
    rows = tmp_path / "theirs.tsv"
    rows.write_text("d1\t13\t16\tRome\t0.9\tplace\n", encoding="utf-8")
    texts = [jsonl.document({"id": "d1", **GOLD["linking"]})]
    told = [outside.check(get("linking"), rows, texts, "neleval", asked=Asked(scale=s)).told for s in (None, "prob")]
    assert "margin" in told[0] and "across mentions" in told[0]
    assert "prob" in told[1] and "across mentions" not in told[1]


def test_scores_without_a_zero_of_their_own_say_so_on_the_pages(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.register(monkeypatch, {"linking": "engine.tasks.linking.task:Linking"})
    document = jsonl.document({"id": "d1", **GOLD["linking"]})
    corpus = workspace.add_corpus("Dev", [document], split="dev")
    gold, path = tmp_path / "gold.jsonl", tmp_path / "scores.jsonl"
    gold.write_text(json.dumps({"id": "d1", **GOLD["linking"]}), encoding="utf-8")
    nil = {"start": 13, "end": 17, "entity": None, "score": 0.2}
    for parts, minds in ((PARTS["linking"], True), ([*PARTS["linking"], nil], False)):
        path.write_text(json.dumps({**record("linking"), "scale": "margin", "parts": parts}), encoding="utf-8")
        offered = outside.check(get("linking"), path, [document], outside.RECORDS)
        assert ("across mentions" in offered.told) == minds
        run = outside.add(workspace, get("linking"), offered, corpus=corpus, name="theirs")
        for page in ("linking", "tune"):
            at = harness.open_page(page, corpus=corpus, run=run, doc="d1", task="linking")
            assert ("across mentions" in harness.words_on(at)) == minds, page
        using = ["--scores", str(path), "--data", str(gold)]
        for more, told in (([], minds), (["--bias", "0.1"], False)):
            assert main(["evaluate", "linking", *using, *more, "--json"]) == 0
            assert ("across mentions" in capsys.readouterr().err) == told


@dataclass
class Sent:
    """An uploaded file."""

    name: str
    content: bytes

    def getvalue(self) -> bytes:
        return self.content


WRONG: dict[str, dict[str, Any]] = {
    "linking": {"mentions": [{"start": 0, "end": 4, "entity": "Nero"}]},
    "disambiguation": {"mentions": [{"start": 0, "end": 4, "entity": "Roma"}]},
    "coreference": {"layers": {"gold": {"mentions": [{"start": 0, "end": 3}, {"start": 10, "end": 13}]}}},
    "distant": {"relations": ["lives_in"]},
    "joint": {"relations": [{"head": 1, "tail": 0, "type": "Kill"}]},
}
"""What another program answers, in place of gold."""


@pytest.mark.parametrize("name", SYSTEMS)
def test_answers_without_scores_are_a_run_like_any_other(
    name: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Errors, Compare on either side, Document and the report; with the numbers of the command line."""
    harness.register(monkeypatch, {name: f"engine.tasks.{name}.task:{name.title()}"})
    corpus, scored_run = added(workspace, name, tmp_path)
    gold, answers = tmp_path / "gold.jsonl", tmp_path / "theirs.jsonl"
    document = jsonl.document({"id": "d1", **GOLD[name]})
    gold.write_text(json.dumps({"id": "d1", **GOLD[name]}), encoding="utf-8")
    answers.write_text(json.dumps({"id": "d1", **GOLD[name], **WRONG[name]}), encoding="utf-8")
    offered = outside.check_answers(get(name), [Sent(answers.name, answers.read_bytes())], [document])
    assert offered.told.startswith("Answers of 1 document:") and "came without scores" in offered.told
    run = outside.add(workspace, get(name), offered, corpus=corpus, name="theirs")
    task: Any = get(name)
    model = load_model(task, workspace.model_path(run))
    [layer] = task.predict([document], model)
    assert layer == jsonl.document({"id": "d1", **GOLD[name], **WRONG[name]}).gold
    for page, query in (("errors", {}), ("document", {}), (name, {}), ("tune", {}), ("compare", {"other": scored_run})):
        at = harness.open_page(page, corpus=corpus, run=run, doc="d1", task=name, **query)
        said = harness.words_on(at)
        assert not at.exception and "This could not be done" not in said, page
        assert page not in ("errors", "tune") or "came without scores" in said
    at = harness.open_page("compare", corpus=corpus, run=scored_run, other=run)
    assert not at.exception
    at.session_state["compare.tabs"] = "Report"
    at.run()
    at.button(key="compare.report").click().run()
    assert at.get("download_button")
    # The command line, with the file itself and with the run, finds the errors that the page shows.
    found = []
    for source in (["--predictions", str(answers)], ["--model", str(workspace.model_path(run))]):
        capsys.readouterr()
        assert main(["errors", name, *source, "--data", str(gold), "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["errors"])
    at = harness.open_page("errors", corpus=corpus, run=run)
    # A miss and a false alarm about the same thing are one case in the list.
    assert found[0] == found[1] and 0 < len(harness.components(at)["errors.cases"]["rows"]) <= len(found[0])
    assert {one["stage"] for one in found[0] if one["kind"] == "miss"} == {"not listed"}


def test_the_app_refuses_the_answers_that_the_command_line_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    harness.register(monkeypatch, {"linking": "engine.tasks.linking.task:Linking"})
    documents = [jsonl.document({"id": id, **GOLD["linking"]}) for id in ("d1", "d2")]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(json.dumps({"id": id, **GOLD["linking"]}) for id in ("d1", "d2")), encoding="utf-8")
    rows = "d1\t13\t16\tRome\t1.0\n"
    elsewhere = {"id": "d1", "text": "Rome.", "mentions": [{"start": 0, "end": 4, "entity": "Rome"}]}
    cases = {
        # Without texts, and silent about the second document.
        "theirs.neleval": (rows.encode(), "no prediction for document 'd2'"),
        "theirs.jsonl": (json.dumps(elsewhere).encode(), "is 'Nero', not 'Rome'"),
        "broken.jsonl": (b"{", "not JSON"),
    }
    for name, (content, says) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError, match=says):
            outside.check_answers(get("linking"), [Sent(name, content)], documents)
        assert main(["evaluate", "linking", "--predictions", str(path), "--data", str(gold)]) == 1
        assert says in capsys.readouterr().err
