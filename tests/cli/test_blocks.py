"""--jobs, --block and --resume on the command line: the same bytes, and nothing half-written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import main
from engine.tasks import registry
from engine.workbench.blocks.blaming import Blaming
from engine.workbench.blocks.comparing import Comparing
from engine.workbench.blocks.curves import Tracing
from engine.workbench.blocks.evaluating import Evaluating
from engine.workbench.blocks.predicting import Predicting
from engine.workbench.reporting.summary import Reporting
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
    report = "report toy --model m.zip --data d.jsonl --against d.jsonl --out".split()
    assert main([*report, "one.html"]) == 0 and main([*report, "other.html", *how.split()]) == 0
    assert Path("one.html").read_bytes() == Path("other.html").read_bytes()
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


def after(n_blocks: int, work: Callable[..., Any], done: list[int]) -> Callable[..., Any]:
    """The work, which is interrupted when so many blocks are done."""

    def interrupted(self: Any, made: object, items: list[Any]) -> Any:
        if len(done) == n_blocks:
            raise KeyboardInterrupt
        done.append(1)
        return work(self, made, items)

    return interrupted


@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("evaluate toy --data d.jsonl --model m.zip --per-document --json", Evaluating),
        ("curve toy --data d.jsonl --model m.zip --json", Tracing),
        ("errors toy --data d.jsonl --model m.zip --json", Blaming),
        ("compare toy --data d.jsonl --systems m.zip d.jsonl --json", Comparing),
    ],
)
def test_interrupted_work_says_nothing_and_goes_on_after_the_last_finished_block(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, work: type
) -> None:
    assert main(command.split()) == 0
    whole = capsys.readouterr().out
    n_blocks = len(corpora.read("d.jsonl"))
    for stops_after, expected in ((2, 2), (2, 2), (n_blocks, n_blocks - 4)):
        done: list[int] = []
        with monkeypatch.context() as patched:
            patched.setattr(work, "__call__", after(stops_after, work.__call__, done))
            code = main([*command.split(), "--block", "1", "--resume", "j"])
        told = capsys.readouterr().out
        assert len(done) == expected, "finished blocks are not worked on again"
        assert (code, told) == ((2, "") if stops_after == 2 else (0, whole))
    assert not Path("j").exists()


def test_an_interrupted_report_writes_nothing_and_goes_on_after_the_last_finished_block(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "report toy --data d.jsonl --model m.zip --against d.jsonl".split()
    assert main([*command, "--out", "whole.html", "--tables", "whole"]) == 0
    in_blocks = [*command, "--block", "1", "--resume", "j", "--out", "r.html", "--tables", "tables"]
    n_blocks = len(corpora.read("d.jsonl"))
    for stops_after, expected in ((2, 2), (2, 2), (n_blocks, n_blocks - 4)):
        done: list[int] = []
        with monkeypatch.context() as patched:
            patched.setattr(Reporting, "__call__", after(stops_after, Reporting.__call__, done))
            assert main(in_blocks) == (2 if stops_after == 2 else 0)
        assert len(done) == expected, "finished blocks are not worked on again"
        assert Path("r.html").exists() == Path("tables").exists() == (stops_after != 2)
    assert not Path("j").exists()
    assert Path("r.html").read_bytes() == Path("whole.html").read_bytes()
    for table in Path("whole").iterdir():
        assert (Path("tables") / table.name).read_bytes() == table.read_bytes()
