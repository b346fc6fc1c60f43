"""Suggestions beside the page: an edit never waits for a model, and what the model says of it comes later."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.data.document import Document
from engine.data.edits import AddMention, State
from engine.store.annotations import LogRow
from engine.store.workspace import Workspace
from engine.workbench.suggestions import Suggestion, suggestions_of
from ui.views.annotate.desk import Desk
from ui.views.annotate.offers import Offers

TEXT = Document("d", "Oslo wins", tokens=((0, 4), (5, 9)))


@dataclass(frozen=True)
class Slow(Desk):
    """A desk whose model decides only when it is let; it suggests both words, unless they stand."""

    let: threading.Event = field(default_factory=threading.Event)
    asked: list[int] = field(default_factory=list)

    def suggestions(self, rows: Sequence[LogRow], state: State) -> tuple[list[Suggestion], str]:
        self.asked.append(rows[-1].number if rows else 0)
        assert self.let.wait(30)
        return suggestions_of(state, {"model": self.log.state(TEXT, layer="model").layer()}), ""


@pytest.fixture
def desk(tmp_path: Path) -> Slow:
    space = Workspace.open(tmp_path)
    log = space.annotations(space.add_corpus("c", [TEXT]))
    for id, start, end in (("a", 0, 4), ("b", 5, 9)):
        log.append(TEXT, AddMention(id, start, end), user="model", layer="model")
    return Slow(log, TEXT, "anna")


def spans(offered: Sequence[Suggestion]) -> list[tuple[int, int]]:
    return [(one.decision.start, one.decision.end) for one in offered]


def decided(offers: Offers, desk: Slow) -> list[tuple[int, int]]:
    """What is suggested once the model has had its time."""
    desk.let.set()
    while True:
        (offered, _), last_word = offers.now(desk, desk.rows(), desk.state())
        if last_word:
            return spans(offered)
        threading.Event().wait(0.01)


def test_nobody_waits_for_a_model_that_is_still_deciding(desk: Slow) -> None:
    offers = Offers()
    (offered, _), last_word = offers.now(desk, desk.rows(), desk.state())
    assert not offered and not last_word
    assert decided(offers, desk) == [(0, 4), (5, 9)]


def test_after_an_edit_what_was_suggested_stays_but_for_what_was_said(desk: Slow) -> None:
    offers = Offers()
    offers.now(desk, desk.rows(), desk.state())
    assert decided(offers, desk) == [(0, 4), (5, 9)]
    desk.let.clear()
    desk.log.append(TEXT, AddMention("mine", 0, 4), user="anna")
    (offered, _), last_word = offers.now(desk, desk.rows(), desk.state())
    assert spans(offered) == [(5, 9)] and not last_word
    assert decided(offers, desk) == [(5, 9)]


def test_of_several_edits_only_the_last_is_decided_about_after_the_one_under_way(desk: Slow) -> None:
    offers = Offers()
    offers.now(desk, desk.rows(), desk.state())
    numbers = []
    for i in range(4):
        numbers.append(desk.log.append(TEXT, AddMention(f"m{i}", i, i + 1), user="anna"))
        offers.now(desk, desk.rows(), desk.state())
    decided(offers, desk)
    assert desk.asked in ([0, numbers[-1]], [numbers[-1]])
