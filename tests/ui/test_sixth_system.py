"""A system more is one package, one view package and one line in the registry: nothing else has to know of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ui.views
from engine.store.workspace import Workspace
from tests.ui import harness
from tests.ui.conftest import SYSTEMS
from ui.tab import pages

VIEWS = Path(__file__).with_name("toy_views")


@pytest.fixture
def sixth(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy beside the five systems: its line in the registry, its folder among the views."""
    harness.register(monkeypatch, {**SYSTEMS, "toy": "tests.ui.toy:Toy"})
    monkeypatch.setattr(ui.views, "__path__", [*ui.views.__path__, str(VIEWS)])
    yield
    # Otherwise the toy has a page in the tests that come after these, too.
    for name in [name for name in sys.modules if name.startswith("ui.views.toy")]:
        del sys.modules[name]


@pytest.mark.usefixtures("sixth")
def test_the_page_of_a_sixth_system_is_listed_after_the_others() -> None:
    listed = [info.name for info in pages.groups()[pages.SEE]]
    assert listed == ["document", *SYSTEMS, "toy"]
    assert pages.own_keys("toy") == ((("w",), "next word (in the toy)"),)


@pytest.mark.usefixtures("sixth")
def test_the_page_of_a_sixth_system_opens(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    run = harness.trained(workspace, train, dev)
    at = harness.open_page("toy", run=run, corpus=dev)
    assert not at.exception
    text = harness.words_on(at)
    assert "Each word of the document with its score." in text
    assert "word adds" in text
    strip = harness.components(at)["see.strip"]
    assert strip["n"] > 0 and strip["name"] == "abstain"
