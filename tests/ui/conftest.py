"""A workspace for every test, and the toy system in the registry."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from engine.store.workspace import Workspace
from engine.tasks import registry
from tests.ui import harness

HERE = Path(__file__).resolve().parent


SYSTEMS = dict(registry.TASKS)
"""The systems that come with the app, which the tests of its pages put aside for the toy."""


@pytest.fixture(scope="session", autouse=True)
def packages_are_read_once() -> Iterator[None]:
    """A server looks for components in every installed package when it starts; AppTest starts one for every run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Only the toy, here and in the processes that train it."""
    harness.register(monkeypatch, {"toy": "tests.ui.toy:Toy"})
    # What a page shows must not depend on how fast the machine is.
    monkeypatch.setattr("ui.background.beside.PATIENCE", 600.0)
    path = os.pathsep.join([str(HERE / "with_toy"), str(HERE.parents[1])])
    monkeypatch.setenv("PYTHONPATH", path)
    yield
    registry.get.cache_clear()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """An empty workspace that the app will open; the samples stay out."""
    monkeypatch.setenv("ESPALIER_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.delenv("ESPALIER_DATABASE_URL", raising=False)
    monkeypatch.setenv("ESPALIER_SAMPLES", "off")
    return Workspace.open(tmp_path / "workspace")
