"""How the browser of the browser tests is found: on machines made of a folder of scripts that stand for programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser import chromium


class Machine:
    """A PATH with nothing on it but the programs that a test puts there; each writes down that it was called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.programs, self.calls = folder / "bin", folder / "calls"
        self.download = folder / "cache" / "chrome"
        self.programs.mkdir()
        self.download.parent.mkdir()
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("PATH", str(self.programs))
        monkeypatch.setattr(chromium, "playwrights_own", lambda: self.download)
        self.be(root=False)
        self.playwright_leads_to("exit 1")

    def be(self, *, root: bool) -> None:
        self._monkeypatch.setattr(os, "geteuid", lambda: 0 if root else 1000)

    def has(self, name: str, script: str = "exit 0") -> str:
        return str(_program(self.programs / name, f'echo "{name} $1" >> {self.calls}\n{script}'))

    def playwright_leads_to(self, script: str) -> None:
        command = self.has("playwright", script)
        self._monkeypatch.setattr(chromium, "FROM_PLAYWRIGHT", ((command, "install"),))

    def called(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


def _program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def _makes(path: Path) -> str:
    """A script that puts a browser there, with what the shell itself can do: there is no other program."""
    return f"echo '#!/bin/sh' > {path}; /bin/chmod 755 {path}"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.mark.parametrize("name", chromium.NAMES)
def test_a_browser_on_the_path_is_used_and_nothing_is_installed(machine: Machine, name: str) -> None:
    machine.be(root=True)
    machine.has("apt-get")
    path = machine.has(name)
    assert chromium.provide() == path
    assert machine.called() == [f"{name} --version"]


def test_a_browser_that_does_not_start_is_passed_over(machine: Machine) -> None:
    machine.has("chromium", "echo 'install the snap' >&2; exit 1")
    assert chromium.find() is None
    path = machine.has("google-chrome")
    assert chromium.find() == path


def test_playwrights_own_is_found_where_it_was_downloaded_before(machine: Machine) -> None:
    _program(machine.download, "exit 0")
    assert chromium.provide() == str(machine.download)
    assert machine.called() == []


def test_root_installs_debians_first(machine: Machine) -> None:
    machine.be(root=True)
    machine.has("apt-get", f'if test "$1" = install; then {_makes(machine.programs / "chromium")}; fi')
    assert chromium.provide() == str(machine.programs / "chromium")
    assert machine.called() == ["apt-get update", "apt-get install"]


def test_who_is_not_root_leaves_the_system_alone(machine: Machine) -> None:
    machine.has("apt-get", _makes(machine.programs / "chromium"))
    machine.playwright_leads_to(_makes(machine.download))
    assert chromium.provide() == str(machine.download)
    assert machine.called() == ["playwright install"]


def test_playwrights_own_is_the_next_way_where_debian_has_none(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.be(root=True)
    machine.has("apt-get", "echo 'E: no such package' >&2; echo '}' >&2; exit 100")
    machine.playwright_leads_to(_makes(machine.download))
    assert chromium.provide() == str(machine.download)
    assert machine.called() == ["apt-get update", "playwright install"]
    assert "that failed: E: no such package\n" in capsys.readouterr().err


def test_a_download_that_does_not_start_is_no_browser(machine: Machine) -> None:
    machine.playwright_leads_to(f"echo 'exit 127' > {machine.download}; /bin/chmod 755 {machine.download}")
    assert chromium.provide() is None


def test_where_no_way_leads_to_one_it_is_said_in_one_sentence(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert chromium.main() == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == chromium.ABSENT
    assert machine.called() == ["playwright install"]


def test_finding_installs_nothing(machine: Machine) -> None:
    machine.be(root=True)
    machine.has("apt-get", _makes(machine.programs / "chromium"))
    assert chromium.find() is None
    assert machine.called() == []
