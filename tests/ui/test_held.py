"""Values that all visitors share: computed once, kept up to a number, and found without a digest of the arguments."""

from __future__ import annotations

import threading

import pytest
import sqlalchemy as sa

from engine.store.workspace import Workspace
from tests.ui import harness
from ui.background import opened
from ui.shell import cache
from ui.shell.held import held


def test_what_was_used_last_is_kept() -> None:
    made: list[str] = []

    @held(2)
    def shout(word: str, times: int = 1) -> str:
        made.append(word)
        return word.upper() * times

    assert [shout("a"), shout("b"), shout("a"), shout("a")] == ["A", "B", "A", "A"]
    assert made == ["a", "b"]
    shout("c")
    assert (shout("a"), made) == ("A", ["a", "b", "c"]), "a was used after b"
    assert (shout("b"), made) == ("B", ["a", "b", "c", "b"])
    assert shout("b", times=2) == "BB"
    shout.clear()
    assert shout("b", times=2) == "BB" and made[-2:] == ["b", "b"]


def test_a_failure_is_not_kept() -> None:
    asked: list[int] = []

    @held(4)
    def halves(n: int) -> int:
        asked.append(n)
        if len(asked) == 1:
            raise ValueError("not yet")
        return n // 2

    with pytest.raises(ValueError, match="not yet"):
        halves(8)
    assert halves(8) == 4 and asked == [8, 8]


def test_several_visitors_who_want_the_same_wait_for_one() -> None:
    made: list[int] = []
    begun, on = threading.Event(), threading.Event()

    @held(4)
    def slow(n: int) -> list[int]:
        made.append(n)
        begun.set()
        on.wait(20)
        return [n]

    found: list[list[int]] = []
    threads = [threading.Thread(target=lambda: found.append(slow(3))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert begun.wait(20)
    on.set()
    for thread in threads:
        thread.join(20)
    assert made == [3] and len(found) == 4 and all(one is found[0] for one in found)


def _questions(workspace: Workspace, corpus: str) -> int:
    """How often the database is asked for a page that has been drawn before."""
    at = harness.open_page("document", corpus=corpus)
    asked: list[str] = []

    def note(*told: object) -> None:
        asked.append(str(told[2]))

    engine = opened.workspace()._engine
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        at.run()
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
    assert not at.exception
    return len(asked)


def test_a_click_asks_the_database_as_often_with_many_corpora_as_with_few(workspace: Workspace) -> None:
    train, _ = harness.add_samples(workspace)
    few = _questions(workspace, train)
    for i in range(8):
        workspace.add_corpus(f"More {i}", harness.sample_documents(2), split="dev")
    assert _questions(workspace, train) == few > 0


def test_a_drawing_looks_nothing_up_by_a_digest_more_often_with_many_corpora(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.add_samples(workspace)
    for i in range(4):
        workspace.add_corpus(f"More {i}", harness.sample_documents(2))
    with opened.drawing():
        first = [cache.fits(info, "toy") for info in cache.corpora()]
    digests: list[object] = []
    monkeypatch.setattr("streamlit.runtime.caching.cache_utils._make_value_key", lambda **told: digests.append(told))
    with opened.drawing():
        assert [cache.fits(info, "toy") for info in cache.corpora()] == first
        assert all(cache.documents(info) for info in cache.corpora())
    assert digests == []
