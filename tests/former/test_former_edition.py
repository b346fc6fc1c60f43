"""What the first edition wrote is read: models answer as they answered then, or are refused; workspaces open with all
they hold.

The files beside this one were written by the first edition (version 0.1) from the sample corpora: per system a model, a
few documents, and what the model said of them; and a workspace as SQL.
"""

from __future__ import annotations

import json
import math
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from engine.data.edits import SetEntity
from engine.store.workspace import Workspace
from engine.tasks import registry

pytestmark = pytest.mark.thorough

HERE = Path(__file__).parent


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def alike(one: Any, other: Any) -> bool:
    """The same decisions; confidences may differ in their last digits between machines."""
    if isinstance(one, float) or isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


def without_confidences(records: list[Any]) -> list[Any]:
    mentions = [[{**one, "score": None} for one in record["mentions"]] for record in records]
    return [{**record, "mentions": found} for record, found in zip(records, mentions, strict=True)]


@pytest.mark.parametrize("system", [name for name in registry.names() if name != "joint"])
def test_a_model_says_what_it_said_then(system: str, tmp_path: Path) -> None:
    data, model, out = HERE / f"{system}.jsonl", HERE / f"{system}.zip", tmp_path / "said.jsonl"
    assert main(["predict", system, "--data", str(data), "--model", str(model), "--out", str(out)]) == 0
    said, then = lines(out), lines(HERE / f"{system}.said.jsonl")
    if system == "disambiguation":
        # Confidences are defined otherwise since: shares of all expansions, no longer of those that the beam kept.
        said, then = without_confidences(said), without_confidences(then)
    assert alike(said, then)


def test_a_model_that_knew_other_word_lists_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "said.jsonl"
    joint = ["predict", "joint", "--data", str(HERE / "joint.jsonl"), "--model", str(HERE / "joint.zip")]
    assert main([*joint, "--out", str(out)]) == 1
    assert "wordlists" in (told := capsys.readouterr().err) and "train it again" in told
    assert not out.exists()


def test_a_workspace_opens_with_all_it_holds(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "espalier.db") as connection:
        connection.executescript((HERE / "workspace.sql").read_text(encoding="utf-8"))
    connection.close()
    space = Workspace.open(tmp_path)
    (corpus,) = space.corpora()
    documents = space.documents(corpus.id)
    assert (corpus.name, corpus.split, [document.id for document in documents]) == (
        "Tweets",
        "dev",
        ["dev-020", "dev-037", "dev-001"],
    )
    log = space.annotations(corpus.id)
    assert [row.edit for row in log.history()] == [SetEntity("g0", "Q1"), SetEntity("g0", "Q2")]
    assert log.state(documents[0]).mentions["g0"].entity == "Q2"
    (frozen,) = space.versions(corpus.id)
    assert space.gold_documents(corpus.id, frozen.name)[0].gold.mentions[0].entity == "Q1"
    assert len(space.layer(corpus.id, "outside")) == 3
    (run,) = space.runs()
    assert (run.learner, run.status, run.bias, run.scores) == ("s-mart", "done", 0.25, {"f1": 0.5})
    assert [made.objective for made in space.rounds(run.id)] == [1.5]
    assert space.lock_of(run.id) is not None
    assert space.saved_slices("linking") == {"short": {"length": 3}}
    space.close()
