"""The tour: started by a button, seven stops on real pages, left at any time, and never back unasked."""

from __future__ import annotations

import pytest

from engine.store.workspace import Workspace
from tests.ui import harness
from ui.components import tour
from ui.tab import pages


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tour of pages that the toy has."""
    monkeypatch.setattr(tour, "STOPS", (tour.Stop("document", "Look."), tour.Stop("corpora", "Look here.")))


def test_every_stop_is_a_page_and_says_what_to_do() -> None:
    names = {info.name for group in pages.groups().values() for info in group} | {"linking"}
    assert {stop.page for stop in tour.STOPS} <= names
    assert all("**" in stop.text for stop in tour.STOPS)


@pytest.mark.usefixtures("short")
def test_the_tour_is_walked_and_left_and_does_not_come_back(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("help")
    assert not at.exception and "Tour," not in harness.words_on(at)
    at.button(key="help.tour").click().run()
    assert not at.exception
    assert "Tour, 1 of 2" in harness.words_on(at) and at.title[0].value == "Document"
    at.button(key="tour.next").click().run()
    assert "Tour, 2 of 2" in harness.words_on(at) and at.title[0].value == "Corpora"
    assert any(button.key == "tour.end" for button in at.button), "the last stop leads on"
    at.switch_page("pages/train.py").run()
    assert "waits at stop 2" in harness.words_on(at)
    at.button(key="tour.leave").click().run()
    for page in ("train", "help", "home"):
        at.switch_page(f"pages/{page}.py").run()
        told = harness.words_on(at)
        assert "Tour," not in told and "waits at stop" not in told


def test_without_linking_there_is_no_tour(workspace: Workspace) -> None:
    at = harness.open_page("help")
    assert all(button.key != "help.tour" for button in at.button)


@pytest.mark.usefixtures("short")
def test_the_end_of_the_tour_is_where_own_texts_are_added(workspace: Workspace) -> None:
    harness.add_samples(workspace)
    at = harness.open_page("help")
    at.button(key="help.tour").click().run()
    at.button(key="tour.next").click().run()
    at.button(key="tour.end").click().run()
    assert not at.exception and "Tour," not in harness.words_on(at)
    assert at.title[0].value == "Corpora" and harness.parameter(at, "view") == "Add"
