"""All five systems on a Dask cluster of two worker processes, one of which is killed: the bytes of one process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from engine.tasks import registry
from engine.workers.cluster import _Run

FORMER = Path(__file__).resolve().parents[1] / "former"
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield local


def dev_of(system: str) -> Path:
    [dev] = (SAMPLES / system).glob("dev.*")
    return dev


def told(command: str, system: str, out: Path, capsys: pytest.CaptureFixture[str], *more: str) -> bytes:
    """What a command writes to its file, or to the terminal."""
    asked = [command, system, "--model", str(FORMER / f"{system}.zip"), "--data", str(dev_of(system)), "--block", "3"]
    asked += ["--out", str(out)] if command == "predict" else ["--json"]
    capsys.readouterr()
    assert main([*asked, *more]) == 0
    return out.read_bytes() if command == "predict" else capsys.readouterr().out.encode()


@pytest.mark.parametrize("system", registry.names())
@pytest.mark.parametrize("command", ["predict", "curve", "errors"])
def test_a_cluster_says_what_one_process_says(
    command: str, system: str, cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"out{dev_of(system).suffix}"
    alone = told(command, system, out, capsys)
    assert told(command, system, out, capsys, "--cluster", cluster.scheduler_address) == alone


def test_a_worker_killed_in_the_middle_changes_nothing(
    cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.jsonl"
    alone = told("predict", "linking", out, capsys)
    ended = _Run._end
    done: list[int] = []

    def counted(self: _Run, task: Any) -> Any:
        done.append(1)
        if len(done) == 3:
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        return ended(self, task)

    monkeypatch.setattr(_Run, "_end", counted)
    assert told("predict", "linking", out, capsys, "--cluster", cluster.scheduler_address) == alone
    assert len(done) > 6
