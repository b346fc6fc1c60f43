"""--jobs, --block and --resume on the command line: the same bytes, and nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.tasks import registry
from engine.workbench.blocks.predicting import Predicting
from tests.ui.harness import sample_documents


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.setitem(registry.TASKS, "toy", "tests.ui.toy:Toy")
    corpora.write(sample_documents(), tmp_path / "d.jsonl")
    assert main(["train", "toy", "--train", f"{tmp_path}/d.jsonl", "--model", f"{tmp_path}/m.zip", "--quiet"]) == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("how", ["--block 1", "--block 2 --jobs 2"])
def test_the_result_is_the_same_whoever_works(folder: Path, capsys: pytest.CaptureFixture[str], how: str) -> None:
    for command in ("evaluate", "curve", "errors"):
        told = []
        for more in ([], how.split()):
            assert main([command, "toy", "--model", "m.zip", "--data", "d.jsonl", "--json", *more]) == 0
            told.append(capsys.readouterr().out)
        assert told[0] == told[1]
    told = []
    for more in ([], how.split()):
        assert main(["compare", "toy", "--data", "d.jsonl", "--systems", "m.zip", "d.jsonl", "--json", *more]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    predict = ["predict", "toy", "--model", "m.zip", "--data", "d.jsonl", "--out"]
    assert main([*predict, "one.jsonl"]) == 0 and main([*predict, "other.jsonl", *how.split()]) == 0
    assert Path("one.jsonl").read_bytes() == Path("other.jsonl").read_bytes()


def test_an_interrupted_prediction_leaves_no_output_and_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    predict = "predict toy --model m.zip --data d.jsonl --block 1 --resume j --out".split()
    done: list[int] = []
    work = Predicting.__call__

    def interrupted(self: Predicting, made: object, items: list[tuple[object, object]]) -> object:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(1)
        return work(self, made, items)

    with monkeypatch.context() as patched:
        patched.setattr(Predicting, "__call__", interrupted)
        assert main([*predict, "o.jsonl"]) == 2
    assert not Path("o.jsonl").exists() and len(list(Path("j").glob("predicting-*"))) == 2
    assert main([*predict, "o.jsonl", "--bias", "0.5"]) == 1  # other work
    assert main([*predict, "o.jsonl"]) == 0
    assert not Path("j").exists()
    assert main([*predict[:-3], "--out", "whole.jsonl"]) == 0
    assert Path("o.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()
