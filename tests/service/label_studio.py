"""A real Label Studio server, as `pip install label-studio` gives it: in a virtual environment of its own, on SQLite.

The environment is made once, in .venv-label-studio. uv does this in half a minute; where there is no uv, or it cannot
reach a package index, pip takes a few minutes. $ESPALIER_LABEL_STUDIO names the `label-studio` command of an existing
installation. Without a package index the tests that need the server are skipped; if there is an index and the
installation fails all the same, so do they.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
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
COMPLETE = "complete"
"""A file that marks a finished installation: one that was interrupted is made again."""
PATIENCE = 900.0
"""Seconds to wait for the first start, which creates all tables."""


def installed() -> Path | None:
    """The command `label-studio`, if it is installed."""
    named = os.environ.get("ESPALIER_LABEL_STUDIO")
    if named:
        return Path(named)
    return PLACE / "bin" / "label-studio" if (PLACE / COMPLETE).exists() else None


def command() -> Path:
    """The command `label-studio`, which is installed first if necessary."""
    found = installed()
    if found is None:
        reasons = []
        for steps in _ways():
            if (reason := _failure(steps)) is None:
                break
            reasons.append(reason)
        else:
            told = f"Label Studio could not be installed: {'; '.join(reasons)}"
            if _failure([[sys.executable, "-m", "pip", "index", "versions", "--retries", "0", "label-studio"]]):
                pytest.skip(f"{told}; no package index that has it can be reached")
            pytest.fail(told)
        (PLACE / COMPLETE).touch()
        found = PLACE / "bin" / "label-studio"
    return found


def _ways() -> Iterator[list[list[str]]]:
    """The commands that install the server with uv, then those that do so with pip."""
    python = str(PLACE / "bin" / "python")
    beside = str(Path(sys.executable).parent)
    if uv := shutil.which("uv", path=os.pathsep.join([beside, os.environ.get("PATH", "")])):
        yield [
            [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(PLACE)],
            [uv, "pip", "install", "--quiet", "--python", python, WANTED],
        ]
    yield [
        [sys.executable, "-m", "venv", "--clear", str(PLACE)],
        [python, "-m", "pip", "install", "--quiet", "--retries", "1", WANTED],
    ]


def _failure(steps: Sequence[Sequence[str]]) -> str | None:
    """The last line that the first failing command prints; None if none fails."""
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True)
        if done.returncode:
            return (done.stderr.strip().splitlines() or ["no reason given"])[-1].strip()[:200]
    return None


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
    """A fresh server that keeps its data in the folder and may connect to servers on this machine."""
    found = command()
    made = _with_tables(found)
    shutil.copytree(made, folder, dirs_exist_ok=True)
    with _started(found, folder) as studio:
        yield studio


def _with_tables(found: Path) -> Path:
    """A folder with the database of a server that was started once, so that its migrations run only once."""
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
