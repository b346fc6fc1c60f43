"""A spinner stands where something is done for the first time, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ui.shell import first_time


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words of every spinner."""
    words: list[str] = []

    @contextmanager
    def spinner(text: str, **_: object) -> Iterator[None]:
        words.append(text)
        yield

    monkeypatch.setattr("streamlit.spinner", spinner)
    monkeypatch.setattr(first_time, "_done", set())
    return words


def test_it_is_drawn_once_for_each_thing(drawn: list[str]) -> None:
    for key in (("a", "1"), ("a", "1"), ("a", "2"), ("a", "1"), ("a", "2")):
        with first_time.spinner(" ".join(key), *key):
            pass
    assert drawn == ["a 1", "a 2"]


def test_what_failed_is_not_done(drawn: list[str]) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="no"), first_time.spinner("once more", "key"):
            raise ValueError("no")
    assert drawn == ["once more", "once more"]


def test_it_does_not_remember_without_end(drawn: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_time, "_MOST", 3)
    for number in range(10):
        with first_time.spinner("", str(number)):
            pass
        assert len(first_time._done) <= 3
