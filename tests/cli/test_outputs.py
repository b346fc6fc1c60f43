"""What the commands say of their work: --json, the counts per document, bars on a terminal only."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from engine import corpora
from engine.cli import progress
from engine.cli.main import main
from engine.lexicon.build import build
from engine.tasks import registry
from tests.ui.harness import sample_documents


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Documents, and a model of the toy that was trained on others: on its own ones it would say so."""
    monkeypatch.setitem(registry.TASKS, "toy", "tests.ui.toy:Toy")
    corpora.write(sample_documents(), tmp_path / "train.jsonl")
    corpora.write(sample_documents(5), tmp_path / "others.jsonl")
    assert main(["train", "toy", "--train", f"{tmp_path}/others.jsonl", "--model", f"{tmp_path}/m.zip", "--quiet"]) == 0
    capsys.readouterr()
    return tmp_path


def using(folder: Path, command: str, *more: str) -> list[str]:
    return [command, "toy", "--model", f"{folder}/m.zip", "--data", f"{folder}/train.jsonl", *more]


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The one object on stdout; nothing else was said."""
    captured = capsys.readouterr()
    assert captured.err == ""
    found = json.loads(captured.out)
    assert isinstance(found, dict)
    return found


def test_predict_says_what_it_wrote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "p.conll"
    assert main(using(folder, "predict", "--out", str(out), "--json")) == 0
    found = told(capsys)
    written = corpora.read(out)
    assert found["out"] == str(out) and found["format"] == "conll2012" and found["documents"] == len(written) == 6
    # CoNLL-2012 holds mentions in chains only; what could not be written is said instead.
    assert found["mentions"] and "mention types" in str(found["lost"])
    assert main(using(folder, "predict", "--out", f"{folder}/p.jsonl")) == 0
    assert capsys.readouterr().out == f"wrote {folder}/p.jsonl: 6 documents, {found['mentions']} mentions\n"


def test_predictions_can_stand_beside_gold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(using(folder, "predict", "--out", f"{folder}/in_place.jsonl")) == 0
    assert main(using(folder, "predict", "--out", f"{folder}/beside.jsonl", "--layer", "toy")) == 0
    given = corpora.read(folder / "train.jsonl")
    for was, there, beside in zip(
        given, corpora.read(folder / "in_place.jsonl"), corpora.read(folder / "beside.jsonl"), strict=True
    ):
        assert beside.gold == was.gold and beside.layers["toy"].mentions == there.gold.mentions
    # A format without layers would hold gold and nothing of the predictions.
    assert main(using(folder, "predict", "--out", f"{folder}/p.conll", "--layer", "toy")) == 1
    assert "no room for layers" in capsys.readouterr().err and not (folder / "p.conll").exists()


def test_convert_says_what_it_wrote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["convert", "--to", "conll2012", f"{folder}/train.jsonl", f"{folder}/x.conll"]
    assert main([*arguments, "--json"]) == 0
    found = told(capsys)
    assert (found["out"], found["format"], found["documents"]) == (f"{folder}/x.conll", "conll2012", 6)
    assert found["lost"]
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"wrote {folder}/x.conll: 6 documents\n"


def test_select_features_says_what_it_chose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.tasks.coreference.training import selection

    def quickly(documents, settings, *, start, pool, gender, known, on_trial):  # type: ignore[no-untyped-def]
        known["trial"] = 0.5
        on_trial(selection.Trial("- a", 0.5, 1, 1))
        yield selection.SelectionStep("- a", 0.5, start)

    monkeypatch.setattr(selection, "select_templates", quickly)
    corpora.write(sample_documents(), tmp_path / "train.jsonl")
    files = ["--train", f"{tmp_path}/train.jsonl", "--out", f"{tmp_path}/t.json"]
    assert main(["select-features", "coreference", *files, "--json"]) == 0
    found = told(capsys)
    chosen = json.loads((tmp_path / "t.json").read_text())
    assert found["templates"] == {part: len(names) for part, names in chosen["templates"].items()}
    assert found["steps"] == chosen["log"] == [{"change": "- a", "conll": 0.5}] and found["trials"] == 1
    # The same command goes on from its file; one with other settings has nothing to learn from it.
    assert main(["select-features", "coreference", *files, "--json"]) == 0
    capsys.readouterr()
    assert main(["select-features", "coreference", *files, "--set", "seed=7"]) == 1
    assert "other settings or other documents" in capsys.readouterr().err
    assert json.loads((tmp_path / "t.json").read_text()) == chosen


def test_evaluate_lists_the_counts_of_each_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(using(folder, "evaluate", "--per-document", "--json")) == 0
    found = told(capsys)
    rows = found["per_document"]
    assert isinstance(rows, list) and [row["id"] for row in rows] == [f"d{i}" for i in range(6)]
    total = {name: sum(row[name] for row in rows) for name in ("correct", "predicted", "gold")}
    assert found["precision"] == total["correct"] / total["predicted"]
    assert found["recall"] == total["correct"] / total["gold"]
    assert main(using(folder, "evaluate", "--json")) == 0
    assert told(capsys) == {name: value for name, value in found.items() if name != "per_document"}
    assert main(using(folder, "evaluate", "--per-document")) == 0
    lines = capsys.readouterr().out.splitlines()[-7:]
    assert lines[0].split("\t") == list(rows[0])
    assert lines[1].split("\t") == [str(value) for value in rows[0].values()]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """What the commands write to stderr from now on, which they take for a terminal. Not a fixture: pytest puts its
    own stderr in place between the fixtures and the test."""
    terminal = Terminal()
    monkeypatch.setattr(progress, "UNSEEN_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr", terminal)
    return terminal


@pytest.mark.parametrize("command", ["convert", "predict", "evaluate", "curve"])
def test_a_terminal_sees_progress_unless_json_is_asked_for(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = on_a_terminal(monkeypatch)
    arguments = {
        "convert": ["convert", "--to", "jsonl", f"{folder}/train.jsonl", f"{folder}/copy.jsonl"],
        "predict": using(folder, "predict", "--out", f"{folder}/p.jsonl"),
    }.get(command) or using(folder, command)
    assert main([*arguments, "--json"]) == 0
    assert terminal.getvalue() == ""
    assert main(arguments) == 0
    assert "train.jsonl: " in terminal.getvalue()


def test_a_bar_does_not_stay_before_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_a_terminal(monkeypatch)
    (tmp_path / "x.jsonl").write_text('{"id":"1","text":"Ada","mentions":[]}\n{oops\n')
    assert main(["convert", "--to", "jsonl", f"{tmp_path}/x.jsonl", f"{tmp_path}/y.jsonl"]) == 1
    *_, last = terminal.getvalue().rstrip("\n").split("\r")
    assert last.startswith(f"{tmp_path}/x.jsonl, line 2: ")


def test_building_a_lexicon_tells_its_stages_and_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"surface": "new york", "entities": [["New_York", 3, ["wiki"]]]}\n')
    (tmp_path / "entities.tsv").write_text("New_York\t5\t\t\t\t\t\n")
    stages: list[str] = []

    def watch(things, stage):  # type: ignore[no-untyped-def]
        stages.append(stage)
        return things

    watched, alone = build([tmp_path], watch), build([tmp_path])
    assert watched.readings("new york") == alone.readings("new york") == {"New_York": 3}
    assert stages == ["reading surfaces", "reading entities", "collecting names", "writing postings", "finding aliases"]


def test_predictions_in_a_layer_are_scored_by_its_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(using(folder, "predict", "--layer", "ours", "--out", f"{folder}/beside.jsonl")) == 0
    capsys.readouterr()
    assert main(using(folder, "evaluate", "--json")) == 0
    expected = told(capsys)
    data = ["evaluate", "toy", "--data", f"{folder}/train.jsonl", "--predictions", f"{folder}/beside.jsonl"]
    assert main([*data, "--layer", "ours", "--json"]) == 0
    found = told(capsys)
    assert found["f1"] == expected["f1"]
    assert main(data) == 1
    assert "--layer" in capsys.readouterr().err


def test_errors_say_why_a_document_is_not_answered_as_gold(tmp_path, capsys) -> None:
    text = '{"id": "a", "text": "Ann", "layers": {"gold": {"mentions": [{"start": 0, "end": 3, "entity": "A"}]}}}\n'
    scores = (
        '{"id": "a", "scale": "logit", "alternatives": "all",'
        ' "parts": [{"start": 0, "end": 3, "entity": "A", "score": 1.0},'
        ' {"start": 0, "end": 3, "entity": "B", "score": 2.5}]}\n'
    )
    data, theirs = tmp_path / "data.jsonl", tmp_path / "theirs.jsonl"
    data.write_text(text, encoding="utf-8")
    theirs.write_text(scores, encoding="utf-8")
    common = ["errors", "linking", "--data", str(data), "--scores", str(theirs), "--why"]
    assert main([*common, "a", "--json"]) == 0
    [case] = json.loads(capsys.readouterr().out)["cases"]
    assert case["lead"] == 1.5
    assert case["exact"]
    assert main([*common, "a"]) == 0
    assert "It takes 1.5 more for gold's answer to win" in capsys.readouterr().out
    assert main([*common, "nobody"]) == 1
    assert "nobody" in capsys.readouterr().err
