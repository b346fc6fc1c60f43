"""Scores of another program in the app: checked, added as a run, and offered by every page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.corpora.formats import jsonl
from engine.data.errors import InputError
from engine.store.workspace import Workspace
from engine.tasks.registry import get
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
    assert (told.learner, told.status, told.message, told.dev) == ("outside", "done", "theirs", corpus)
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
    assert outside.programs(get("linking")) == [outside.RECORDS, "refined", "neleval", "rel", "spotlight"]
    assert outside.programs(get("distant")) == [outside.RECORDS, "opennre"]
    document = jsonl.document({"id": "b1", **GOLD["distant"]})
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"entpair": ["Ada", "London"], "relation": "born_in", "score": 0.7}), encoding="utf-8")
    offered = outside.check(get("distant"), path, [document], "opennre")
    assert offered.file == "rows.jsonl" and "prob, alternatives: all" in offered.told
