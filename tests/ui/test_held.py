"""Values that all visitors share: computed once, kept up to a number, and found without a digest of the arguments."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
import sqlalchemy as sa
import streamlit as st

from engine.store.workspace import Workspace
from tests.ui import harness
from ui.background import opened
from ui.background.beside import Beside, Progress
from ui.shell import cache
from ui.shell.held import brief, forget, held


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


def test_what_is_brief_is_let_go_of_while_nobody_is_there() -> None:
    made: list[str] = []

    @brief
    @st.cache_resource(show_spinner=False)
    def passing(word: str) -> list[str]:
        made.append(word)
        return [word]

    @held(4)
    def staying(word: str) -> list[str]:
        made.append(word)
        return [word]

    @held(4, lasting=False)
    def brief_too(word: str) -> list[str]:
        made.append(word)
        return [word]

    for _ in range(2):
        assert [passing("a"), staying("b"), brief_too("c")] == [["a"], ["b"], ["c"]]
    assert made == ["a", "b", "c"]
    forget()
    assert [passing("a"), staying("b"), brief_too("c")] == [["a"], ["b"], ["c"]]
    assert made == ["a", "b", "c", "a", "c"]


def test_results_for_one_bias_are_let_go_of_and_others_stay() -> None:
    beside, made = Beside("test"), []

    def compute(name: str) -> Callable[[Progress], str]:
        def work(_: Progress) -> str:
            made.append(name)
            return name

        return work

    on = threading.Event()
    slow = beside.soon(("slow",), lambda _: on.wait(20), lasting=False)
    for _ in range(2):
        assert beside.soon(("curve",), compute("curve")).future.result(20) == "curve"
        assert beside.soon(("errors",), compute("errors"), lasting=False).future.result(20) == "errors"
    assert made == ["curve", "errors"]
    beside.clear()
    assert (beside.has(("curve",)), beside.has(("errors",)), beside.has(("slow",))) == (True, False, True)
    on.set()
    assert slow.future.result(20) is True, "what is being computed is computed to its end"
    beside.clear()
    assert not beside.has(("slow",))


def test_what_is_of_data_that_have_changed_is_dropped() -> None:
    beside = Beside("test", threads=1)
    begun, on = threading.Event(), threading.Event()

    def compute(progress: Progress) -> str:
        begun.set()
        assert on.wait(20)
        progress.tick(1)
        return "old"

    about = ("curve", "run", "corpus")
    old = beside.soon((*about, "gold 1"), compute, about=about)
    assert begun.wait(20) and beside.soon((*about, "gold 1"), compute, about=about) is old
    waits = beside.soon(("curve", "run", "other", "gold 1"), lambda _: "other", about=("curve", "run", "other"))
    new = beside.soon((*about, "gold 2"), lambda _: "new", about=about)
    assert old.progress.outdated and not (new.progress.outdated or waits.progress.outdated)
    on.set()
    assert (new.future.result(20), waits.future.result(20)) == ("new", "other")
    assert old.stopped() and not beside.has((*about, "gold 1")) and beside.has(("curve", "run", "other", "gold 1"))
    assert beside.soon((*about, "gold 2"), compute, about=about) is new
    later = beside.soon((*about, "gold 3"), lambda _: "newer", about=about)
    assert later.future.result(20) == "newer" and not beside.has((*about, "gold 2")), "what is done is dropped, too"
