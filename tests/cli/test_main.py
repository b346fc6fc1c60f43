"""The front door: exit codes, one line for wrong use and bad input; an interrupted training keeps its model."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from engine import corpora
from engine.cli import options
from engine.cli.main import COMMANDS, main, parser
from engine.cli.models import describe
from engine.store import modelfile
from engine.tasks.base import Resources
from engine.tasks.training.checkpoint import Checkpoint, about
from tests.ui import harness
from tests.ui.toy import Toy, ToySettings

WITH_TOY = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(harness.ROOT / "tests" / "ui" / "with_toy"), str(harness.ROOT)]),
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "engine", *arguments], capture_output=True, text=True, env=WITH_TOY, check=False
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from engine import corpora

    folder = tmp_path_factory.mktemp("cli")
    corpora.write(harness.sample_documents(), folder / "train.jsonl")
    corpora.write(harness.sample_documents(4), folder / "dev.jsonl")
    return folder


@pytest.mark.parametrize("command", [name.split(".")[-1] for name in COMMANDS])
def test_every_command_explains_itself_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = command.replace("_", "-")
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([name, "--help"])
    assert ended.value.code == 0
    _, found, examples = capsys.readouterr().out.partition("example")
    assert found and f"python -m engine {name}" in examples


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["train", "linking"],
        ["train", "nothing", "--train", "x", "--model", "y"],
        ["evaluate", "linking", "--data", "missing.jsonl", "--model", "missing.zip"],
        ["evaluate", "linking", "--data", "a", "--model", "m", "--predictions", "p"],
        ["train", "linking", "--train", "missing.jsonl", "--model", "/nowhere/m.zip"],
        ["train", "linking", "--train", "missing.jsonl", "--set", "trees", "--model", "m.zip"],
        ["train", "linking", "--train", "missing.jsonl", "--set", "colour=red", "--model", "m.zip"],
        ["train", "linking", "--train", "missing.jsonl", "--learner", "nobody", "--model", "m.zip"],
        ["score", "coreference", "missing.key", "missing.response"],
    ],
)
def test_wrong_use_is_one_line_and_exit_code_1(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
    told = capsys.readouterr()
    assert code == 1 and told.out == ""
    assert len(told.err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("task", "given", "idle"),
    [
        ("distant", ["--jobs", "2", "--gazetteer", "here"], "--gazetteer"),
        ("joint", ["--gazetteer", "here", "--constraints", "here"], ""),
        ("disambiguation", ["--vectors", "here", "--jobs", "2"], ""),
        ("linking", ["--lexicon", "here", "--vectors", "here"], "--vectors"),
    ],
)
def test_files_that_a_system_makes_no_use_of_are_named(
    task: str,
    given: list[str],
    idle: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").touch()
    options.resources_of(parser().parse_args(["train", task, "--train", "x", "--model", "y", *given]))
    assert capsys.readouterr().err == (f"warning: {task} makes no use of {idle}\n" if idle else "")


def test_a_file_that_is_no_model_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.zip").write_bytes(b"no zip")
    (tmp_path / "d.jsonl").write_text('{"id": "1", "text": "x", "mentions": []}\n')
    assert main(["evaluate", "linking", "--data", str(tmp_path / "d.jsonl"), "--model", str(tmp_path / "m.zip")]) == 1
    assert "m.zip" in capsys.readouterr().err


def test_what_set_takes_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "joint", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["default"] in {one["name"] for one in told["learners"]}
    assert main(["describe", "joint", "--learner", "lp", "--json"]) == 0
    asked = {one["name"]: one for one in json.loads(capsys.readouterr().out)["settings"]}
    assert asked["classifier"]["takes"] == "one of logistic, winnow" and asked["seed"]["low"] == 0
    for more in (["--learner", "lp"], ["--features"], []):
        assert main(["describe", "joint", *more]) == 0
        assert capsys.readouterr().out.count("\n    ") > 3
    assert main(["describe", "joint", "--learner", "nobody"]) == 1


def test_train_predict_evaluate_curve_compare_report(files: Path) -> None:
    trained = run(
        "train",
        "toy",
        "--train",
        f"{files}/train.jsonl",
        "--dev",
        f"{files}/dev.jsonl",
        "--model",
        f"{files}/m.zip",
        "--json",
    )
    assert trained.returncode == 0 and json.loads(trained.stdout)["rounds"] == 4
    made = json.loads(run("describe", "toy", "--model", f"{files}/m.zip", "--json").stdout)
    assert made["learner"] == "count" and made["settings"]["epochs"] == "4"
    assert (
        run(
            "predict", "toy", "--model", f"{files}/m.zip", "--data", f"{files}/dev.jsonl", "--out", f"{files}/p.jsonl"
        ).returncode
        == 0
    )
    told = run(
        "predict", "toy", "--model", f"{files}/m.zip", "--data", f"{files}/dev.jsonl", "--out", f"{files}/p.conll"
    )
    assert told.returncode == 0 and told.stderr.startswith("warning: CoNLL-2012 cannot hold mention types")
    scores = [
        json.loads(run("evaluate", "toy", "--data", f"{files}/dev.jsonl", *source, "--json").stdout)
        for source in (("--model", f"{files}/m.zip"), ("--predictions", f"{files}/p.jsonl"))
    ]
    assert scores[0] == scores[1] and 0 < scores[0]["f1"] < 1
    curve = json.loads(
        run("curve", "toy", "--model", f"{files}/m.zip", "--data", f"{files}/dev.jsonl", "--json").stdout
    )
    assert curve["best"]["f1"] == max(point["f1"] for point in curve["points"])
    systems = ("--systems", f"{files}/m.zip", f"{files}/p.jsonl")
    compared = json.loads(run("compare", "toy", "--data", f"{files}/dev.jsonl", *systems, "--json").stdout)
    assert all(score["difference"]["value"] == 0 for score in compared["scores"])
    many = ("compare", "toy", "--data", f"{files}/dev.jsonl", *systems, f"{files}/p.conll")
    beside = json.loads(run(*many, "--json").stdout)
    assert [one["name"] for one in beside["systems"]] == list(many[-3:])
    assert beside["systems"][0]["difference"] is None and beside["systems"][1]["difference"]["value"] == 0
    assert all(one["score"] == one["scores"][beside["score"]] for one in beside["systems"])
    told = run(*many).stdout.splitlines()
    assert [line.split()[0] for line in told[:4]] == ["system", *many[-3:]]
    assert [name in told[0] for name in ("precision", "recall", "f1", "95 % interval", "p (Holm)", "letters")] == [
        True
    ] * 6
    assert told[2].split()[4] == "+0.0" and "corrected for 2 differences" in told[-2]
    assert "named twice" in run(*many, f"{files}/p.conll").stderr
    assert "two systems or more" in run(*many[:4], "--systems", f"{files}/m.zip").stderr
    assert (
        run(
            "report", "toy", "--model", f"{files}/m.zip", "--data", f"{files}/dev.jsonl", "--out", f"{files}/r.html"
        ).returncode
        == 0
    )
    assert (files / "r.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_an_interrupted_training_keeps_the_last_round(files: Path) -> None:
    model = files / "interrupted.zip"
    command = [sys.executable, "-m", "engine", "train", "toy", "--train", f"{files}/train.jsonl", "--model", str(model)]
    # The bar is for terminals only, and for such as have some width.
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [*command, "--set", "epochs=1000", "--set", "pause=0.05"],
        env=WITH_TOY,
        stderr=theirs,
        stdout=subprocess.PIPE,
        # A shell that runs the tests in the background has them ignore Ctrl-C, and so would the child.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(theirs)
    told = b""
    while b"training" not in told:  # said with the first round
        told += os.read(ours, 1000)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 2 and b"interrupted; kept" in out
    assert run("evaluate", "toy", "--data", f"{files}/dev.jsonl", "--model", str(model)).returncode == 0
    state = model.with_name("interrupted.zip.resume")
    assert int(modelfile.read(state)[1]["done"]) >= 1
    assert "had other settings" in run(*command[3:], "--set", "epochs=2", "--resume").stderr
    # The whole training leaves nothing to go on with.
    assert run(*command[3:], "--set", "epochs=2").returncode == 0 and not state.exists()
    assert "no training to go on with" in run(*command[3:], "--set", "epochs=2", "--resume").stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_that_the_compiler_loses_still_ends_in_one_line(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    presses = [True]

    def compiled(args: object) -> int:
        if presses.pop():
            # As in a callback of llvmlite, which an exception does not leave.
            with suppress(KeyboardInterrupt):
                os.kill(os.getpid(), number)
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr(describe, "run", compiled)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore Ctrl-C
    try:
        assert main(["describe", "linking"]) == 2
        assert capsys.readouterr().err == "interrupted\n"
        presses.append(False)
        with pytest.raises(RuntimeError, match="no compiled object"):
            main(["describe", "linking"])
    finally:
        for one, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(one, handler)


def test_an_interrupted_training_that_is_resumed_ends_as_the_whole_one(files: Path) -> None:
    model, whole = files / "resumed.zip", files / "whole.zip"
    command = ["train", "toy", "--train", f"{files}/train.jsonl", "--set", "epochs=5", "--quiet"]
    assert run(*command, "--model", str(whole)).returncode == 0
    settings = ToySettings(epochs=5)
    train = corpora.read(files / "train.jsonl")
    *_, third = itertools.islice(Toy().rounds(train, [], "count", settings, Resources()), 3)
    checkpoint = Checkpoint(files / "resumed.zip.resume", about("count", settings, train, [], Resources()))
    checkpoint.keep(third)
    told = run(*command, "--model", str(model), "--resume", "--json")
    assert json.loads(told.stdout)["rounds"] == 5 and not checkpoint.path.exists()
    assert model.read_bytes() == whole.read_bytes()


def test_a_command_imports_no_other() -> None:
    """Thirty commands take longer to import than most of them work."""
    look = "import sys; from engine.cli.main import parser; parser('convert'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("engine.cli.") and name.count(".") == 3}
    assert loaded == {"engine.cli.corpora.convert"}


@pytest.mark.parametrize("command", ["push", "restore"])
def test_a_command_that_shares_a_module_is_found(command: str) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
