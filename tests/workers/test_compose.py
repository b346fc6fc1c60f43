"""The commands of docker/compose.yaml, as they stand there, without containers: a scheduler and a worker of their own
processes on which work is done. `espalier run`, the image's own command, is run by tests/test_packaging.py."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from engine.workers.cluster import Cluster
from tests.browser.conftest import free_port
from tests.workers.test_workers import Number, times

ROOT = Path(__file__).resolve().parents[2]


def command_of(service: str) -> list[str]:
    services = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text(encoding="utf-8"))["services"]
    name, *options = services[service]["command"]
    return [str(Path(sys.executable).with_name(name)), *options]


@contextmanager
def started(command: list[str], folder: Path) -> Iterator[None]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(address: str) -> None:
    host, _, port = address.rpartition(":")
    until = time.monotonic() + 120
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=2).close()
        except OSError:
            assert time.monotonic() < until, "the scheduler does not answer"
            time.sleep(0.1)
        else:
            return


def test_the_scheduler_and_the_worker_of_the_compose_file_do_work(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    address = f"127.0.0.1:{free_port()}"
    (tmp_path / "number").write_text("3")
    host = {"0.0.0.0": "127.0.0.1"}  # nobody else is to reach a test
    scheduler = [host.get(word, word) for word in command_of("scheduler")]
    scheduler += ["--port", address.rpartition(":")[2], "--no-dashboard"]
    worker = [re.sub(r"^tcp://scheduler:8786$", f"tcp://{address}", word) for word in command_of("worker")]
    assert f"tcp://{address}" in worker
    with started(scheduler, tmp_path), started([*worker, "--no-dashboard"], tmp_path):
        wait_for(address)
        assert list(Cluster(address).map(times, Number(tmp_path / "number"), range(8))) == [3 * i for i in range(8)]
