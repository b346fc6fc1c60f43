"""serve: what it refuses to serve, and a server that is asked over a socket."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from engine.cli.app.serve import _resources
from engine.cli.main import main, parser
from engine.data.errors import InputError
from engine.service.requests.tokens import read_token
from engine.service.serving import Plan, is_local, made
from engine.store.workspace import Workspace
from engine.tasks import registry
from tests.service.serving import model_file

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name a model"),
        (["--model", "linking"], "SYSTEM=FILE"),
        (["--model", "linking=/nowhere/m.zip"], "no such model file"),
        (["--model", "unlinking=m.zip"], "no system 'unlinking'"),
        (["--run", "r", "--workspace", "/nowhere"], "no such workspace"),
        (["--model", "linking=m.zip", "--host", "0.0.0.0"], "--token-file"),
        (["--token-file", "/nowhere/token"], "cannot be read"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 1
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1


def test_a_run_without_a_model_is_not_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.TASKS, "toy", "tests.ui.toy:Toy")
    workspace = Workspace.open(tmp_path)
    run = workspace.start_run("toy", "count", {})
    with pytest.raises(InputError, match="no model yet"):
        made(Plan(runs=[run], workspace=tmp_path))


def test_a_token_is_long_and_has_no_spaces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "token"
    for wrong in ("short", "x" * 15, "with a space inside it", "sixteen/with/slashes"):
        file.write_text(wrong)
        with pytest.raises(InputError, match="at least 16"):
            read_token(file)
    file.write_text("0123456789abcdef\n")
    file.chmod(0o644)
    assert read_token(file) == "0123456789abcdef" and "others on this machine" in capsys.readouterr().err
    file.chmod(0o600)
    assert read_token(file) and capsys.readouterr().err == ""


def test_which_addresses_are_this_machine() -> None:
    assert all(map(is_local, ("127.0.0.1", "localhost", "::1", "127.8.8.8")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.0.7", "example.org")))


def test_resources_are_handed_to_the_training() -> None:
    given = ["--lexicon", "a", "b", "--constraints", "c.toml"]
    args = parser().parse_args(["serve", "--learn", *given])
    assert _resources(args) == [*given, "--jobs", "1"]


def test_a_server_answers_and_stops_when_told(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "engine", "serve", "--model", f"joint={model_file('joint')}", "--port", str(port)]
    server = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    try:
        address = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 120
        while True:
            try:
                with urllib.request.urlopen(f"{address}/ready", timeout=10) as answer:
                    assert json.load(answer)["systems"] == ["joint"]
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < until, server.communicate()
                time.sleep(0.2)
        request = urllib.request.Request(
            f"{address}/v1/models/joint/predict",
            data=json.dumps({"document": {"tokens": ["Ada", "slept"], "entities": [{"start": 0, "end": 1}]}}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert len(json.load(answer)["documents"][0]["layer"]["mentions"]) == 1
    finally:
        server.send_signal(signal.SIGTERM)
        said, faults = server.communicate(timeout=60)
    assert f"at {address}" in said and "Traceback" not in faults
