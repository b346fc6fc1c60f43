"""experiment and cross-validate: what is trained, what is kept when they are interrupted, and the tables they write."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import BAD_INPUT, INTERRUPTED, main
from engine.cli.progress import Clock
from engine.metrics import distant
from engine.tasks import registry
from engine.tasks.presets import changes
from engine.tasks.training.choosing import Choice
from engine.workbench.experiments import published, saved, tabled
from engine.workbench.experiments.plan import deviations, folds_of
from engine.workbench.experiments.plan import told as told_settings
from engine.workbench.experiments.running import Runner, shares
from tests.ui.harness import sample_documents
from tests.ui.toy import Toy

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "joint" / "dev.jsonl"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(registry.TASKS, "toy", "tests.ui.toy:Toy")
    corpora.write(sample_documents(), tmp_path / "train.jsonl")
    corpora.write(sample_documents(4), tmp_path / "dev.jsonl")
    return tmp_path


def experiment(folder: Path, *more: str) -> list[str]:
    files = ["--train", f"{folder}/train.jsonl", "--dev", f"{folder}/dev.jsonl", "--out", f"{folder}/out"]
    return ["experiment", "toy", *files, "--vary", "epochs=2,3", "--seeds", "0", "1", *more]


def told(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int = 0) -> dict[str, Any]:
    assert main(arguments) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_every_system_is_trained_with_every_seed_and_set_against_the_first(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, experiment(folder, "--json"))
    assert [one["system"] for one in found["systems"]] == ["count epochs=2", "count epochs=3"]
    assert found["done"] == 4 and all(one["runs"] == 2 for one in found["systems"])
    first, second = found["systems"]
    assert first["difference"] is None
    # The toy's counts grow with its epochs, their signs do not.
    assert second["difference"]["value"] == 0 and second["scores"] == first["scores"]
    rows = list(csv.DictReader((folder / "out" / "scores.csv").open(encoding="utf-8")))
    assert [row["system"] for row in rows] == ["count epochs=2", "count epochs=3"]
    assert f"{100 * first['scores']['f1']:.1f} ± 0.0" == rows[0]["f1"]
    assert "tabular" in (folder / "out" / "scores.tex").read_text(encoding="utf-8")
    assert "| dev | count epochs=2 |" in (folder / "out" / "tables.md").read_text(encoding="utf-8")


def test_an_interruption_keeps_what_is_done_and_the_same_command_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    whole = Runner.run

    def run(self: Runner, trial: Any) -> Any:
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(trial.key)
        return whole(self, trial)

    monkeypatch.setattr(Runner, "run", run)
    assert told(capsys, experiment(folder, "--json"), INTERRUPTED)["done"] == 3
    assert len(saved.load(folder / "out").outcomes) == 3 and (folder / "out" / "tables.md").exists()
    monkeypatch.setattr(Runner, "run", lambda self, trial: (made.append(trial.key), whole(self, trial))[1])
    assert told(capsys, experiment(folder, "--json"))["done"] == 4
    assert len(made) == 4 == len(set(made))
    # More of the same is added; something else is refused.
    assert told(capsys, experiment(folder, "--json", "--shares", "0.5", "1"))["done"] == 8
    assert "## Shares" in (folder / "out" / "tables.md").read_text(encoding="utf-8")
    assert main(experiment(folder, "--set", "pause=0.001")) == BAD_INPUT
    assert "name another" in capsys.readouterr().err


def test_a_trial_is_read_as_it_was_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, experiment(folder, "--json"))
    known = saved.load(folder / "out")
    for outcome in known.outcomes.values():
        path = known.path_of(outcome.trial)
        before = json.loads(path.read_text(encoding="utf-8"))
        known.with_outcome(outcome)
        assert json.loads(path.read_text(encoding="utf-8")) == before
        assert len(outcome.counts["dev"]) == 4 and outcome.rounds
    path.write_text('{"trial": 3}', encoding="utf-8")
    assert main(experiment(folder)) == BAD_INPUT
    assert "damaged" in capsys.readouterr().err


def test_cross_validation_judges_every_document_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["cross-validate", "toy", "--data", f"{folder}/train.jsonl", "--out", f"{folder}/cv", "--folds", "2"]
    (line,) = told(capsys, [*command, "--json"])["systems"]
    assert line["runs"] == 2 and line["corpus"] == "held out"
    outcomes = saved.load(folder / "cv").outcomes.values()
    assert sum(len(one.counts["held out"]) for one in outcomes) == len(sample_documents())


def test_folds_are_even_and_copies_share_theirs() -> None:
    documents = list(corpora.read(SAMPLE))
    folds = folds_of([*documents, *documents], 3)
    assert folds[: len(documents)] == folds[len(documents) :]
    sizes = [folds[: len(documents)].count(fold) for fold in range(3)]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--final"], "--eval"),
        (["--vary", "epochs"], "KEY=V1"),
        (["--set", "plains=3"], "plains"),
        (["--eval", "dev=x.jsonl"], "NAME=FILE"),
        (["--forced", "Kill"], "forced decisions"),
        (["--learners", "nobody"], "nobody"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_trained(
    folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    assert main(experiment(folder, *more)) == BAD_INPUT
    assert words in capsys.readouterr().err and not (folder / "out").exists()


def test_the_chosen_settings_are_trained_again_on_everything(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = [document for document in sample_documents() if document.id not in {d.id for d in sample_documents(4)}]
    corpora.write(train, folder / "train.jsonl")
    corpora.write(sample_documents(3), folder / "held.jsonl")
    found = told(capsys, experiment(folder, "--eval", f"held={folder}/held.jsonl", "--final", "--json"))
    assert {one["corpus"] for one in found["systems"]} == {"held"}
    outcome = next(iter(saved.load(folder / "out").outcomes.values()))
    # Without dev there are no scores while it trains.
    assert all(set(one) == {"round", "objective"} for one in outcome.rounds)


def test_a_look_at_test_data_is_written_down(folder: Path) -> None:
    corpora.write(sample_documents(3), folder / "test.jsonl")
    assert main(experiment(folder, "--eval", f"sealed={folder}/test.jsonl", "--reveal-test")) == 0
    assert (folder / "out.looks.jsonl").exists()


def test_the_clock_counts_and_tells_the_time_left() -> None:
    clock = Clock(2)
    assert clock.done("a").startswith("1 of 2: a; about 0 s left")
    assert clock.done("b") == "2 of 2: b"


def test_everything_evaluate_tells_is_kept_and_tabled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, experiment(folder, "--json", "--markdown", f"{folder}/lab.md"))
    known = saved.load(folder / "out")
    for outcome in known.outcomes.values():
        assert outcome.reports["dev"]["f1"] == outcome.scores["dev"]["f1"]
    rows = list(csv.DictReader((folder / "out" / "details.csv").open(encoding="utf-8")))
    f1 = next(row for row in rows if row["score"] == "f1")
    outcome = next(iter(known.outcomes.values()))
    assert f1["count epochs=2"].startswith(f"{100 * outcome.scores['dev']['f1']:.1f} ±")
    assert (folder / "lab.md").read_text(encoding="utf-8") == (folder / "out" / "tables.md").read_text(encoding="utf-8")


def test_details_leave_out_what_is_zero_in_every_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, experiment(folder, "--json"))
    known = saved.load(folder / "out")
    reports = [{"dev": {"f1": 0.5, "never": 0.0, "once": 0.0}}] * (len(known.outcomes) - 1)
    reports.append({"dev": {"f1": 0.5, "never": 0.0, "once": 0.1}})
    outcomes = {
        key: dataclasses.replace(one, reports=report)
        for (key, one), report in zip(known.outcomes.items(), reports, strict=True)
    }
    made = tabled.tables(registry.get("toy"), dataclasses.replace(known, outcomes=outcomes))
    (details,) = (table for table in made if table.name == "details")
    assert "once" in details.markdown() and "f1" in details.markdown() and "never" not in details.markdown()


def test_what_is_no_share_is_not_tabled_as_a_percentage() -> None:
    documents = sample_documents(3)
    report = distant.report(documents, [document.gold for document in documents], beta=0.2)
    assert report["beta"] == 0.2
    assert "beta" not in shares(report)
    assert shares(report)["f1"] == report["f1"]


@pytest.mark.parametrize("name", sorted(registry.TASKS))
def test_deviations_lead_from_the_default_to_the_paper(name: str) -> None:
    task = registry.get(name)
    for learner in task.learners:
        info = task.learner(learner)
        found = deviations(info)
        # Each is accepted by itself, its last setting is the one it is about, and all together are the paper's.
        assert [texts[-1].partition("=")[0] for texts in found] == [
            one.name for one in changes(info.settings, info.preset("paper"))
        ]
        for texts in found:
            told_settings(info.settings, texts, info.settings.seed)
        together = told_settings(info.settings, [texts[-1] for texts in found], info.settings.seed)
        assert together == info.preset("paper")


def test_deviations_are_set_against_the_learners_own_default(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = dataclasses.replace(Toy.learners["count"], paper={"case": "fold", "epochs": 3})
    monkeypatch.setitem(Toy.learners, "count", info)
    files = ["--train", f"{folder}/train.jsonl", "--dev", f"{folder}/dev.jsonl", "--out", f"{folder}/out"]
    assert (
        main(["experiment", "toy", *files, "--deviations", "--presets", "default", "paper", "--seeds", "0", "1"]) == 0
    )
    known = saved.load(folder / "out")
    # The toy scores the same whatever it is told: one deviation, and the paper's settings, are made to find nothing.
    for outcome in known.outcomes.values():
        if outcome.trial.changes == ("case=fold",) or outcome.trial.preset == "paper":
            nothing = [{**row, "correct": 0.0, "found": 0.0} for row in outcome.counts["dev"]]
            worse = dataclasses.replace(outcome, counts={"dev": nothing}, scores={"dev": {"f1": 0.0}})
            known = known.with_outcome(worse)
    (table,) = [one for one in tabled.tables(registry.get("toy"), known) if one.name == "deviations"]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert [row["setting as in the paper"] for row in rows] == ["default", "epochs=3", "case=fold", "paper: all"]
    f1 = next(iter(known.outcomes.values())).scores["dev"]["f1"]
    lost = f"−{100 * f1:.1f}"
    assert f1 > 0 and [row["f1 − default"] for row in rows] == ["", "+0.0", lost, lost]
    assert {row["runs"] for row in rows} == {2}


def test_systems_stand_in_the_order_of_the_plan_whatever_was_done_first(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(Toy.learners, "other", dataclasses.replace(Toy.learners["count"], name="other"))
    files = ["--train", f"{folder}/train.jsonl", "--dev", f"{folder}/dev.jsonl", "--out", f"{folder}/out", "--json"]
    told(capsys, ["experiment", "toy", *files, "--learners", "other"])
    found = told(capsys, ["experiment", "toy", *files, "--learners", "count", "other"])["systems"]
    assert [(one["system"], one["difference"] is None) for one in found] == [("count", True), ("other", False)]
    # A copy has other times.
    for number, path in enumerate(sorted((folder / "out" / "trials").glob("*.json"), reverse=True)):
        for times in ((number, number), (-number, -number)):
            os.utime(path, times)
            systems = [one.trial.system for one in saved.load(folder / "out").outcomes.values()]
            assert systems == ["count", "other"]


def test_deviations_on_a_share_of_the_documents_are_tabled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Toy.learners, "count", dataclasses.replace(Toy.learners["count"], paper={"epochs": 3}))
    files = ["--train", f"{folder}/train.jsonl", "--dev", f"{folder}/dev.jsonl", "--out", f"{folder}/out"]
    assert main(["experiment", "toy", *files, "--deviations", "--shares", "0.5"]) == 0
    names = [one.name for one in tabled.tables(registry.get("toy"), saved.load(folder / "out"))]
    assert "deviations" in names


def test_published_numbers_name_learners_that_there_are() -> None:
    for name, paper in published.papers().items():
        known = registry.get(name).learners
        assert all(learner in known for column in paper.columns for learner in column.values)
        assert paper.source and paper.differs


def test_settings_that_depend_on_the_amount_of_data_are_chosen_as_train_chooses_them(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, frozenset[str]]] = []

    def chosen(task: Any, train: Any, learner: str, settings: Any, resources: Any, *, fixed: Any) -> Any:
        asked.append((len(train), frozenset(fixed)))
        return dataclasses.replace(settings, epochs=7), Choice({"epochs": 7}, (("epochs=7", 0.5),), len(train))

    monkeypatch.setattr("engine.workbench.experiments.choosing.choose", chosen)
    told(capsys, experiment(folder, "--json", "--set", "case=fold"))
    outcomes = saved.load(folder / "out").outcomes.values()
    assert asked == [(len(sample_documents()), frozenset({"epochs", "case"}))] * 4
    assert all(len(one.rounds) == 7 and "epochs=7" in one.suited for one in outcomes)
    assert "cross-validation on 6 training documents" in (folder / "out" / "tables.md").read_text(encoding="utf-8")
