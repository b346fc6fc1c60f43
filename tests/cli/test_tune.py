"""tune: the best model is on disk as soon as it is found, and Ctrl-C keeps it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import main
from engine.cli.models import tune
from engine.cli.models.train import progress
from engine.tasks import registry
from engine.tasks.saving import load_model
from tests.ui.harness import sample_documents
from tests.ui.toy import Toy


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(registry.TASKS, "toy", "tests.ui.toy:Toy")
    corpora.write(sample_documents(), tmp_path / "train.jsonl")
    corpora.write(sample_documents(4), tmp_path / "dev.jsonl")
    return tmp_path


def tuning(folder: Path, *more: str, task: str = "toy") -> list[str]:
    files = ["--train", f"{folder}/train.jsonl", "--dev", f"{folder}/dev.jsonl", "--model", f"{folder}/m.zip"]
    return ["tune", task, *files, *more]


def interrupt_at(combination: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after the first round of this combination, counted from 0."""
    begun = 0

    def watched(rounds: Any, *, quiet: bool = False) -> Iterator[Any]:
        nonlocal begun
        begun += 1
        for one in rounds:
            yield one
            if begun > combination:
                raise KeyboardInterrupt

    monkeypatch.setattr(tune, "progress", watched)


def test_the_best_on_dev_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:

    assert main(tuning(folder, "--grid", "epochs=2,3", "--json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["settings"] for one in told["tried"]] == [["epochs=2"], ["epochs=3"]]
    assert told["best"] == max(one["score"] for one in told["tried"]) and not told["interrupted"]
    model = load_model(Toy(), folder / "m.zip")
    assert model.settings.epochs == 2 and model.scores["f1"] == told["best"]  # type: ignore[attr-defined]


def test_an_interruption_keeps_the_best_so_far(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_at(2, monkeypatch)
    assert main(tuning(folder, "--grid", "epochs=1,2,3,4")) == 2
    told = capsys.readouterr()
    tried = [line for line in told.err.splitlines() if " of 4: " in line]
    assert [line.split(": ")[:2] for line in tried[:2]] == [
        ["1 of 4", "epochs=1"],
        ["2 of 4", "epochs=2"],
    ]
    assert told.err.splitlines()[-1] == "interrupted: 2 of 4 combinations were tried"
    assert told.out.startswith(f"wrote {folder}/m.zip: epochs=1")
    assert load_model(Toy(), folder / "m.zip").settings.epochs == 1  # type: ignore[attr-defined]


def test_an_interruption_before_the_first_leaves_the_old_file(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "m.zip").write_bytes(b"old")
    interrupt_at(0, monkeypatch)
    assert main(tuning(folder, "--grid", "epochs=1,2", "--json")) == 2
    assert json.loads(capsys.readouterr().out) == {"model": None, "best": None, "tried": [], "interrupted": True}
    assert (folder / "m.zip").read_bytes() == b"old"


@pytest.mark.parametrize("learner", ["ssvm", "poly-ssvm"])
def test_without_a_grid_the_papers_values_are_tried(learner: str) -> None:
    task = registry.get("linking")
    assert tune._axes(task, task.learner(learner), []) == [["C=0.5", "C=1", "C=5", "C=10"]]
    assert tune._axes(task, task.learner(learner), ["C=3"]) == [["C=3"]]


def test_the_papers_values_are_settings_of_their_learners() -> None:
    for name in registry.TASKS:
        for info in registry.get(name).learners.values():
            for setting, values in info.grid.items():
                for value in values:
                    tune.options.settings_of(info.settings, [f"{setting}={value}"])


def test_where_the_paper_names_no_values_a_grid_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(tuning(folder)) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "give --grid" in line and "epochs" in line
    assert not (folder / "m.zip").exists()


def test_the_chosen_settings_are_trained_again_on_train_and_dev(folder: Path) -> None:
    assert main(tuning(folder, "--grid", "epochs=2,3")) == 0
    alone = load_model(Toy(), folder / "m.zip")
    assert main(tuning(folder, "--grid", "epochs=2,3", "--final")) == 0
    both = load_model(Toy(), folder / "m.zip")
    assert both.settings == alone.settings and both.scores == alone.scores
    # The toy counts words; dev's are counted once more in each epoch.
    assert sum(map(abs, both.state.values())) > sum(map(abs, alone.state.values()))
    assert both.data_hash != alone.data_hash


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_shows_itself_before_the_first_round_and_not_in_a_log(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Told(io.StringIO):
        def isatty(self) -> bool:
            return terminal

    def rounds() -> Iterator[Any]:
        shown.append(told.getvalue())
        yield from ()

    shown: list[str] = []
    told = Told()
    monkeypatch.setattr(sys, "stderr", told)
    assert list(progress(rounds())) == []
    assert [("preparing" in text) for text in shown] == [terminal]
