"""The Experiments page: saved experiments as tables and figures, and what it says where there is none."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.workbench.experiments import saved
from tests.ui import harness
from ui.figures import experiments as figures
from ui.views.experiments import data


@pytest.fixture
def experiment(workspace: Workspace, tmp_path: Path) -> Path:
    """Two systems of the toy on two shares, in the workspace."""
    corpora.write(harness.sample_documents(), tmp_path / "train.jsonl")
    corpora.write(harness.sample_documents(4), tmp_path / "dev.jsonl")
    out = tmp_path / "workspace" / data.FOLDER / "toys"
    out.parent.mkdir()
    files = ["--train", f"{tmp_path}/train.jsonl", "--dev", f"{tmp_path}/dev.jsonl", "--out", str(out)]
    assert main(["experiment", "toy", *files, "--vary", "epochs=2,3", "--shares", "0.5", "1", "--quiet"]) == 0
    return out


def test_without_an_experiment_the_page_says_how_to_make_one(workspace: Workspace) -> None:
    at = harness.open_page("experiments")
    assert not at.exception and "engine experiment" in at.code[0].value


def test_tables_and_figures_are_those_of_the_folder(experiment: Path) -> None:
    at = harness.open_page("experiments")
    assert not at.exception
    scores, shares = (frame.value for frame in at.dataframe[:2])
    assert list(scores["system"]) == ["count epochs=2", "count epochs=3"] and list(shares)[2:] == ["50 %", "100 %"]
    known = saved.load(experiment)
    systems = data.curves(known, "dev")
    assert list(systems) == ["count epochs=2", "count epochs=3"]
    whole = [one for one in known.outcomes.values() if one.trial.share == 1.0]
    assert max(systems["count epochs=2"].f1) == pytest.approx(100 * max(whole[0].curves["dev"]["f1"]))
    names = ["Tables", "F1 over the bias", "Precision and recall", "Learning", "Settings"]
    assert [label.label for label in at.tabs] == names
    scores = [100 * one.scores["dev"]["f1"] for one in whole]
    assert data.varied(known, registry.get("toy"), "dev") == {"epochs": {"count": [(2.0, scores[0]), (3.0, scores[1])]}}
    # Nobody who looks learns where on the server it lies.
    assert str(experiment.parent) not in harness.words_on(at)


def test_a_learning_curve_has_the_rounds_that_were_evaluated_and_is_none_where_they_are_two(experiment: Path) -> None:
    known, toy = saved.load(experiment), registry.get("toy")

    def curves(*scores: float) -> dict[str, list[tuple[int, float]]]:
        rounds = tuple({"round": i, "objective": 0.1 * i, "f1": one} for i, one in enumerate(scores, 1))
        outcomes = {key: dataclasses.replace(one, rounds=rounds) for key, one in known.outcomes.items()}
        return data.learning(dataclasses.replace(known, outcomes=outcomes), toy)

    systems = ["count epochs=2", "count epochs=3"]
    assert curves(0.25, 0.25, 0.5, 0.5, 0.75) == {name: [(1, 25.0), (3, 50.0), (5, 75.0)] for name in systems}
    assert curves(0.25, 0.25, 0.25, 0.5) == {} == curves()


def test_many_systems_are_told_apart_and_the_figure_opens_where_they_differ() -> None:
    curve = data.Curve([0.0, 50.0, 80.0, 120.0, 400.0], [0.0, 60.0, 70.0, 65.0, 20.0], [9.0, 1.0, 0.0, -1.0, -9.0])
    names = [f"system {i}" for i in range(20)]
    bias = figures.bias_figure(dict.fromkeys(names, curve), unit="links", dark=False)
    assert list(bias.layout.xaxis.range) == [50.0, 120.0] and bias.layout.yaxis.range[0] == 60.0
    sides = figures.sides_figure({name: (1.0, 1.0) for name in names}, dark=False)
    assert len({(one.marker.color, one.marker.symbol) for one in sides.data}) == 20


def test_an_unfinished_one_says_so_and_a_damaged_one_is_no_crash(experiment: Path) -> None:
    first = next(iter((experiment / "trials").glob("*.json")))
    first.unlink()
    at = harness.open_page("experiments", experiment="toys")
    assert not at.exception and "3 of 4" in at.info[0].value
    (experiment / "experiment.json").write_text("[]", encoding="utf-8")
    at = harness.open_page("experiments", experiment="toys")
    assert not at.exception and "cannot be read" in at.error[0].value
    assert str(experiment.parent) not in harness.words_on(at)
