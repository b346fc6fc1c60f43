"""--cluster: an address where nobody answers, or Dask not being there, is one line before any work."""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.workers import scheduler
from tests.ui.harness import sample_documents


def said(address: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that training with a cluster at this address ends with."""
    corpora.write(sample_documents(), folder / "train.jsonl")
    files = ["--train", str(folder / "train.jsonl"), "--model", str(folder / "m.zip")]
    assert main(["train", "disambiguation", *files, "--cluster", address]) == 1
    assert not (folder / "m.zip").exists()
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_without_dask_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "distributed"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "needs dask and distributed: pip install dask distributed" in said("127.0.0.1:8786", tmp_path, capsys)


def test_a_dead_address_is_named_soon(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(scheduler, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    before = time.monotonic()
    assert f"no Dask scheduler answers at {address}" in said(address, tmp_path, capsys)
    assert time.monotonic() - before < 20


@pytest.mark.parametrize("address", ["nosuch", "letter://127.0.0.1:1"])
def test_what_is_no_address_is_said(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    assert f"{address!r} is not the address of a Dask scheduler" in said(address, tmp_path, capsys)


def test_a_scheduler_that_answers_is_fine() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=None) as local:
        scheduler.check_scheduler(local.scheduler_address)
