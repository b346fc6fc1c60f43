"""Suggestions in portions: those in sight first, all of them in the end, none twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.components.editor.portions import PORTION, Portions

N = 3 * PORTION + 10


def offered(n: int = N, doc: str = "d gold") -> dict[str, Any]:
    """One suggestion every ten characters."""
    items = [{"key": f"s{i}", "start": 10 * i, "end": 10 * i + 5} for i in range(n)]
    return {"doc": doc, "suggestions": items, "place": None}


def keys(data: dict[str, Any]) -> list[str]:
    return [one["key"] for one in data["suggestions"]]


def test_the_first_portion_is_the_beginning_of_the_text_or_the_place_that_a_link_is_about() -> None:
    assert keys(Portions().next(offered())) == [f"s{i}" for i in range(PORTION)]
    middle = 10 * (N // 2)
    there = Portions().next({**offered(), "place": [middle, middle + 5]})
    found = [int(key[1:]) for key in keys(there)]
    assert len(found) == PORTION and there["held"] == N - PORTION
    assert abs(sum(found) / PORTION - N / 2) < 2, "as many before it as behind"


def test_after_scrolling_the_next_portion_is_the_one_in_sight() -> None:
    portions = Portions()
    first = portions.next(offered())
    portions.look({"doc": "d gold", "start": 10 * (N - 20), "end": 10 * N})
    second = portions.next(offered())
    assert set(keys(second)) == set(keys(first)) | {f"s{i}" for i in range(N - PORTION, N)}
    assert keys(second) == sorted(keys(second), key=lambda key: int(key[1:])), "in their own order"


@given(st.lists(st.integers(0, 10 * N), max_size=6))
def test_every_drawing_adds_a_portion_until_all_are_there(places: list[int]) -> None:
    portions, before = Portions(), set[str]()
    for place in [*places, 0, 0, 0, 0]:
        portions.look({"doc": "d gold", "start": place, "end": place + 500})
        data = portions.next(offered())
        now = set(keys(data))
        assert before <= now and len(now) == min(N, len(before) + PORTION) and data["held"] == N - len(now)
        before = now
    assert len(before) == N


def test_what_is_suggested_anew_comes_at_once_when_all_is_there() -> None:
    portions = Portions()
    for _ in range(4):
        portions.next(offered())
    more = offered(N + 3)
    more["suggestions"] = more["suggestions"][5:]
    data = portions.next(more)
    assert data["suggestions"] == more["suggestions"] and data["held"] == 0


def test_another_document_begins_anew() -> None:
    portions = Portions()
    for _ in range(4):
        portions.next(offered())
    assert portions.next(offered(doc="e gold"))["held"] == N - PORTION


@pytest.mark.parametrize(
    "message", [{}, {"doc": "e gold", "start": 9000, "end": 9100}, {"doc": "d gold", "start": "9000", "end": None}]
)
def test_a_page_that_speaks_of_something_else_moves_nothing(message: dict[str, Any]) -> None:
    portions = Portions()
    first = set(keys(portions.next(offered())))
    portions.look(message)
    assert set(keys(portions.next(offered()))) - first == {f"s{i}" for i in range(PORTION, 2 * PORTION)}
