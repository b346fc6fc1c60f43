"""Options of the command line for joint: other constraints than the model's, and forced decisions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from engine.corpora import read, write
from engine.tasks.base import Resources
from engine.tasks.joint.constraints.language import to_toml
from engine.tasks.joint.constraints.together import with_switch
from engine.tasks.joint.task import Joint
from engine.tasks.saving import load_model, save_model

SAMPLES = Path(__file__).parents[2] / "sample_data" / "joint"
TASK = Joint()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, documents to judge it on, and constraints that are the model's own, all switched off."""
    folder = tmp_path_factory.mktemp("joint")
    resources = Resources(constraints=SAMPLES / "constraints.toml")
    *_, last = TASK.rounds(read(SAMPLES / "train.jsonl"), [], "lp", TASK.learner("lp").settings, resources)
    save_model(TASK, last.model, folder / "m.zip")
    write(read(SAMPLES / "dev.jsonl"), folder / "dev.jsonl")
    own = last.model.state.constraints
    (folder / "own.toml").write_text(to_toml(own), encoding="utf-8")
    for one in own:
        own = with_switch(own, one.name, on=False)
    (folder / "off.toml").write_text(to_toml(own), encoding="utf-8")
    return folder


def told(capsys: pytest.CaptureFixture[str], files: Path, command: str, *more: str) -> Any:
    where = ["--model", str(files / "m.zip"), "--data", str(files / "dev.jsonl"), "--json"]
    assert main([command, "joint", *where, *more]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("command", ["evaluate", "curve", "errors"])
def test_other_constraints_decide_in_place_of_the_models(
    files: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    plain = told(capsys, files, command)
    assert told(capsys, files, command, "--constraints", str(files / "own.toml")) == plain
    assert told(capsys, files, command, "--constraints", str(files / "off.toml")) != plain


def test_predict_and_report_follow_the_file_too(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    off = ["--constraints", str(files / "off.toml")]
    where = ["--model", str(files / "m.zip"), "--data", str(files / "dev.jsonl")]
    assert main(["predict", "joint", *where, *off, "--out", str(files / "p.jsonl")]) == 0
    dev, model = (
        read(SAMPLES / "dev.jsonl"),
        TASK.with_constraints(load_model(TASK, files / "m.zip"), files / "off.toml"),
    )
    wanted = [[(r.head, r.tail, r.type) for r in layer.relations] for layer in TASK.predict(dev, model)]
    found = [[(r.head, r.tail, r.type) for r in document.gold.relations] for document in read(files / "p.jsonl")]
    assert found == wanted
    assert main(["report", "joint", *where, *off, "--out", str(files / "r.html")]) == 0
    assert "m with off.toml" in (files / "r.html").read_text(encoding="utf-8")


def test_constraints_that_do_not_fit_are_refused_in_one_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "strange.toml").write_text(
        '[[constraint]]\nname = "x"\nkind = "symmetric"\nrelation = "Marries"\n', encoding="utf-8"
    )
    where = ["--model", str(files / "m.zip"), "--data", str(files / "dev.jsonl")]
    assert main(["curve", "joint", *where, "--constraints", str(files / "strange.toml")]) == 1
    assert "Marries" in capsys.readouterr().err
    decided = ["--data", str(files / "dev.jsonl"), "--predictions", str(files / "dev.jsonl")]
    assert main(["evaluate", "joint", *decided, "--constraints", str(files / "own.toml")]) == 1
    assert "--constraints needs --model" in capsys.readouterr().err


def test_forced_decisions_are_told_by_system(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    killings = told(capsys, files, "evaluate", "--forced")["forced"]
    dev = read(SAMPLES / "dev.jsonl")
    assert killings["relation"] == "Kill"
    assert killings["sentences"] == sum(any(r.type == "Kill" for r in d.gold.relations) for d in dev)
    assert set(killings["systems"]) == {"basic", "lp"}
    assert all(one["right"] == one["accuracy"] * killings["sentences"] for one in killings["systems"].values())
    jobs = told(capsys, files, "evaluate", "--forced", "Work_For")["forced"]
    assert jobs["relation"] == "Work_For" and "forced" not in told(capsys, files, "evaluate")
    where = ["--model", str(files / "m.zip"), "--data", str(files / "dev.jsonl")]
    assert main(["evaluate", "joint", *where, "--forced", "Work_For"]) == 0
    assert "  Work_For\n" in capsys.readouterr().out, "a relation is printed as --forced takes it"
    assert main(["evaluate", "joint", "--data", "x", "--predictions", "x", "--forced"]) == 1
    assert "--forced needs --model" in capsys.readouterr().err
