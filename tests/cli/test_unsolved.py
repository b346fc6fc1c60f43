"""A training that stops before it has solved its problem says so, whichever command trains."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.learners.linear.logistic import Logistic
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.joint import training
from engine.tasks.saving import load_model
from tests.tasks.test_contract import sample

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "distant"
DEV = str(SAMPLES / "dev.jsonl")
DATA = ["--train", str(SAMPLES / "train.jsonl"), "--dev", DEV]
SHORT = ["--set", "n_rounds=1", "--set", "planes=3", "--set", "choose=false"]


@pytest.mark.parametrize(
    "command",
    [
        ["train", "distant", *DATA, "--learner", "mm-hamming", "--model", "OUT", "--quiet"],
        ["tune", "distant", *DATA, "--learner", "mm-hamming", "--grid", "C=1", "--model", "OUT"],
        ["experiment", "distant", *DATA, "--learners", "mm-hamming", "--out", "OUT", "--quiet"],
        ["cross-validate", "distant", "--data", DEV, "--learners", "mm-hamming", "--folds", "2", "--out", "OUT"],
        ["subsample", "distant", *DATA, "--learners", "mm-hamming", "--times", "2", "--share", "0.5"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_that_trains_tells(command, tmp_path, capsys):
    out = tmp_path / "made"
    assert main([*(str(out) if word == "OUT" else word for word in command), *SHORT]) == 0
    assert "warning: " in (said := capsys.readouterr().err) and "its limit of 3 planes" in said
    if command[0] == "subsample":
        assert said.startswith("1 of 2: mm-hamming, F1 ") and "\n2 of 2: " in said
    if command[0] in ("train", "tune"):
        [note] = load_model(registry.get("distant"), out).notes
        assert "raise planes" in note


def test_a_logistic_regression_that_ran_out_of_steps_is_told_and_remembered(monkeypatch):
    monkeypatch.setattr(training, "Logistic", partial(Logistic, most_iterations=2))
    task = registry.get("joint")
    settings = replace(task.learner("lp").settings, folds=2)
    documents = sample("joint", "train")[:80]
    states, notes = [], ()
    for one in task.rounds(documents, [], "lp", settings, Resources()):
        states.append(one.to_parts())
        notes = one.model.notes
    assert [note.split(":")[0] for note in notes] == ["types", "relations"] and "lower strength" in notes[0]
    *_, resumed = task.rounds(documents, [], "lp", settings, Resources(), resume=states[0])
    assert resumed.model.notes == notes
