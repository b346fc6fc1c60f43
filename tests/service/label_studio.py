"""A Label Studio server of its own, as `pip install label-studio` gives it: in an environment of its own, on SQLite.

The environment is made once, in .venv-label-studio, and takes a few minutes; $ESPALIER_LABEL_STUDIO names the command
of one that is there already. Where it cannot be installed, the tests that need it are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".venv-label-studio"
TOKEN = "0123456789abcdef0123456789abcdef01234567"
WANTED = "label-studio>=1.20,<2"
PATIENCE = 900.0
"""Seconds for a first start, which makes all tables."""


def installed() -> Path | None:
    """The command `label-studio` where there is one already."""
    named = os.environ.get("ESPALIER_LABEL_STUDIO")
    found = Path(named) if named else PLACE / "bin" / "label-studio"
    return found if found.exists() else None


def command() -> Path:
    """The command `label-studio`, installed where there is none."""
    found = installed()
    if found is None:
        steps = [
            [sys.executable, "-m", "venv", str(PLACE)],
            [str(PLACE / "bin" / "python"), "-m", "pip", "install", "--quiet", "--retries", "1", WANTED],
        ]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True)
            if done.returncode:
                last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
                pytest.skip(f"Label Studio could not be installed: {last[:200]}")
        found = PLACE / "bin" / "label-studio"
    return found


@dataclass(frozen=True)
class Studio:
    """A running server."""

    url: str

    def ask(self, path: str, value: Any = None) -> Any:
        """The answer as JSON; None where it is empty."""
        content = None if value is None else json.dumps(value).encode()
        headers = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
        with urlopen(Request(self.url + path, content, headers), timeout=120) as answer:
            found = answer.read()
        return json.loads(found) if found else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(folder: Path) -> Iterator[Studio]:
    """A fresh server, whose data lie in the folder; it may ask servers of this machine."""
    found = command()
    made = _with_tables(found)
    shutil.copytree(made, folder, dirs_exist_ok=True)
    with _started(found, folder) as studio:
        yield studio


def _with_tables(found: Path) -> Path:
    """A folder in which a server has been started once: hundreds of migrations need not be repeated by every test."""
    made = found.parent.parent / f"tables-{found.stat().st_mtime_ns}"
    if not made.is_dir():
        begun = made.with_suffix(f".{os.getpid()}")
        begun.mkdir()
        with _started(found, begun):
            pass
        begun.rename(made)
    return made


@contextmanager
def _started(found: Path, folder: Path) -> Iterator[Studio]:
    port = free_port()
    settings = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "DJANGO_DB": "sqlite",
        "ML_BLOCK_LOCAL_IP": "false",
        "USE_DEFAULT_BANNED_SUBNETS": "false",
        **dict.fromkeys(("LATEST_VERSION_CHECK", "COLLECT_ANALYTICS"), "false"),
        **dict.fromkeys(("SENTRY_DSN", "FRONTEND_SENTRY_DSN"), ""),
    }
    arguments = ["start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1", "--data-dir", folder]
    account = ["--username", "ada@example.org", "--password", "analytical-engine", "--user-token", TOKEN]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen([found, *arguments, *account], env={**os.environ, **settings}, stdout=log, stderr=log)
        try:
            studio = Studio(f"http://127.0.0.1:{port}")
            until = time.monotonic() + PATIENCE
            while not _answers(studio):
                assert server.poll() is None and time.monotonic() < until, (folder / "log").read_text()[-2000:]
                time.sleep(1)
            yield studio
        finally:
            server.terminate()
            server.wait(60)


def _answers(studio: Studio) -> bool:
    try:
        return isinstance(studio.ask("/api/projects"), dict)
    except (URLError, OSError):
        return False
