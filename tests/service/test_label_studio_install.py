"""Installing a Label Studio for tests: without a package index its tests are skipped; any other failure is one."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.service import label_studio


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ESPALIER_LABEL_STUDIO", raising=False)
    monkeypatch.setattr(label_studio, "PLACE", tmp_path)
    return tmp_path


def answering(monkeypatch: pytest.MonkeyPatch, *failing: str) -> list[Sequence[str]]:
    """Commands with one of these words fail, all others succeed; the commands that were run."""
    run: list[Sequence[str]] = []

    def pretended(step: Sequence[str], **_: Any) -> subprocess.CompletedProcess[str]:
        run.append(step)
        fails = any(word in step for word in failing)
        return subprocess.CompletedProcess(step, int(fails), "", "a long story\nno such host\n" if fails else "")

    monkeypatch.setattr(subprocess, "run", pretended)
    return run


def test_without_a_package_index_the_tests_are_skipped(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "install", "index")
    with pytest.raises(pytest.skip.Exception, match=r"no such host.*no package index"):
        label_studio.command()


def test_a_failure_although_there_is_an_index_is_not_hidden(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "install")
    with pytest.raises(pytest.fail.Exception, match="no such host"):
        label_studio.command()
    assert label_studio.installed() is None


def test_pip_is_tried_where_uv_fails_and_nothing_is_installed_twice(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda *_, **__: "uv")
    run = answering(monkeypatch, "uv")
    assert label_studio.command() == place / "bin" / "label-studio"
    assert [step[0] == "uv" for step in run] == [True, False, False]
    label_studio.command()
    assert len(run) == 3
