"""Corpora that are too large to be held: every page works from the database and from computed files, and shows the
same as for a corpus in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.data.document import Document
from engine.store.workspace import Workspace
from tests.ui import harness
from ui.shell import cache

PAGES = ("tune", "errors", "document", "corpora", "annotate", "compare", "home", "train")


@pytest.fixture
def run(workspace: Workspace) -> tuple[str, str]:
    train, dev = harness.add_samples(workspace)
    return dev, harness.trained(workspace, train, dev)


def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on two documents are many, and whoever holds a corpus fails."""
    monkeypatch.setattr(cache, "LARGE", 1)

    def refuse(*_: object) -> list[Document]:
        raise AssertionError("a page holds a large corpus")

    monkeypatch.setattr(cache, "_original", refuse)
    monkeypatch.setattr(cache, "_documents", refuse)


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_a_large_corpus_open(
    page: str, run: tuple[str, str], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _large(monkeypatch)
    at = harness.open_page(page, corpus=run[0], run=run[1])
    assert not at.exception, at.exception
    assert list((workspace.directory / "computed").iterdir()), "the survey is kept"


@pytest.mark.parametrize("page", ["errors", "tune"])
def test_a_large_corpus_shows_what_a_small_one_does(
    page: str, run: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = {"errors": "errors.table", "tune": "tune.chart"}[page]
    before = harness.components(harness.open_page(page, corpus=run[0], run=run[1]))[name]
    _large(monkeypatch)
    after = harness.components(harness.open_page(page, corpus=run[0], run=run[1]))[name]
    for key in ("rows", "bias", "correct", "found", "predicted", "gold"):
        assert before.get(key) == after.get(key), key


def test_a_search_finds_documents_of_a_large_corpus(run: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    dev, _ = run
    info = cache.known_corpus(dev)
    word = cache.documents(info)[1].words[0]
    small = list(cache.found(info, word))
    _large(monkeypatch)
    harness.open_page("document", corpus=dev)
    assert 1 in small and list(cache.found(info, word)) == small
    assert not len(cache.found(info, "nowhere")) and len(cache.found(info, "")) == info.n_documents


def test_results_are_kept_for_the_next_server(
    run: tuple[str, str], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    _large(monkeypatch)
    harness.open_page("tune", corpus=run[0], run=run[1])
    kept = sorted(Path(workspace.directory / "computed").iterdir())
    cache.beside.clear()

    def refuse(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr("engine.workbench.large.judging.trace", refuse)
    at = harness.open_page("tune", corpus=run[0], run=run[1])
    assert "tune.chart" in harness.components(at)
    assert sorted(Path(workspace.directory / "computed").iterdir()) == kept
