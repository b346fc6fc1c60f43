"""`make run` with an address that will not do: one line that says what is wrong, exit code 1."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.harness import ROOT
from ui.server import serve


@pytest.fixture
def unused() -> int:
    """A port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_free_port_is_fine(unused: int) -> None:
    assert serve.fault_of("127.0.0.1", str(unused)) is None
    assert serve.is_free("127.0.0.1", unused)


def test_only_a_port_in_use_is_called_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not serve.is_free("127.0.0.1", port)
        fault = serve.fault_of("127.0.0.1", str(port))
    assert fault is not None and f"port {port} on 127.0.0.1 is in use" in fault and f"PORT={port + 1}" in fault


@pytest.mark.parametrize("port", ["0", "65536", "99999", "-1", "eight", "", "8501.5", "²"])
def test_what_is_no_port_is_said(port: str) -> None:
    assert (serve.fault_of("127.0.0.1", port) or "").startswith("PORT is a whole number from 1 to 65535")


@pytest.mark.parametrize(
    ("host", "words"),
    [
        ("nosuch.invalid", "HOST 'nosuch.invalid' is not known"),
        ("", "HOST is empty"),
        # An address for documentation, which no machine has.
        ("192.0.2.1", "cannot listen on 192.0.2.1"),
        ("a" * 70, "a" * 70),
    ],
)
def test_a_host_that_will_not_do_is_not_called_in_use(host: str, words: str, unused: int) -> None:
    fault = serve.fault_of(host, str(unused))
    assert fault is not None and words in fault
    assert "in use" not in fault and "\n" not in fault


def test_a_port_that_takes_more_rights_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> bool:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(serve, "is_free", refused)
    assert "needs more rights" in (serve.fault_of("127.0.0.1", "80") or "")


def test_the_command_ends_with_one_line_and_exit_code_1() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ui.server.serve", "--port", "99999"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1 and "99999" in done.stderr


@pytest.mark.parametrize(
    ("host", "login", "is_open", "refused"),
    [
        ("127.0.0.1", False, False, False),
        ("localhost", False, False, False),
        ("0.0.0.0", False, False, True),
        ("192.168.1.2", False, False, True),
        ("0.0.0.0", False, True, False),
        ("0.0.0.0", True, False, False),
    ],
)
def test_other_machines_are_served_with_a_login_or_when_it_is_meant(
    host: str, login: bool, is_open: bool, refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serve, "APP", tmp_path / "app.py")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    if login:
        (tmp_path / ".streamlit").mkdir()
        (tmp_path / ".streamlit" / "secrets.toml").write_text("[auth]\ncookie_secret = 'x'\n")
    fault = serve.exposure(host, serve.ESPALIER, is_open=is_open)
    assert (fault is not None) is refused
    assert not refused or "--open" in str(fault)


def test_secrets_that_cannot_be_read_are_no_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serve, "APP", tmp_path / "app.py")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text("[auth")
    assert not serve.has_login()


def test_a_login_whose_library_is_missing_is_said_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "has_login", lambda: True)
    assert serve.missing_for_login() is None
    monkeypatch.setattr(serve, "find_spec", lambda name: None)
    assert "espalier[login]" in (serve.missing_for_login() or "")
    monkeypatch.setattr(serve, "has_login", lambda: False)
    assert serve.missing_for_login() is None
