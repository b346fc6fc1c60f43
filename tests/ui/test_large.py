"""Corpora that are too large to be held: every page works from the database and from computed files, and shows the
same as for a corpus in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.data.document import Document
from engine.store.workspace import Workspace
from tests.ui import harness
from ui.shell import cache
from ui.views.compare import results, words

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
    for key in ("rows", "bias", "correct", "found", "predicted", "gold", "band"):
        assert before.get(key) == after.get(key), key


def test_a_large_corpus_compares_as_a_small_one(
    run: tuple[str, str], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    dev, first = run
    second = harness.trained(workspace, dev, dev, epochs=1)
    biased = workspace.run(second)
    workspace.set_bias(biased.id, 1.5)

    def shown() -> list[object]:
        at = harness.open_page("compare", corpus=dev, run=first, other=second)
        assert not at.exception, at.exception
        told = set(harness.words_on(at).splitlines()) - {words.REPORT_CAPTION, words.LARGE_REPORT}
        seen: list[object] = [told, *(one.value.to_dict() for one in at.dataframe)]
        for name in ("found by both", "only by A", "only by B", "by neither", "false alarms only in A"):
            at.segmented_control(key="compare.which").set_value(name).run()
            assert not at.exception, at.exception
            seen += [at.segmented_control(key="compare.which").options]
            drawn = harness.components(at)
            seen += [drawn.get(part, {}).get("rows") for part in ("compare.cases", "compare.both")]
        for tab in (words.LEADERBOARD, words.LEARNING, words.SETTINGS):
            at.session_state["compare.tabs"] = tab
            at.run()
            assert not at.exception, at.exception
            seen += [one.value.to_dict() for one in at.dataframe]
            seen += [json.loads(one.proto.spec)["data"] for one in at.get("plotly_chart")]
        return seen

    before = shown()
    _large(monkeypatch)
    monkeypatch.setattr(results, "kept", _noted(results.kept, calls := []))
    after = shown()
    assert calls, "the large path"
    assert after == before


def test_what_flips_and_calibration_of_a_large_corpus(run: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    dev, id = run

    def shown(tab: str) -> tuple[str, list[object]]:
        at = harness.open_page("tune", corpus=dev, run=id, bias="3.5")
        at.session_state["tune.tabs"] = tab
        at.run()
        if any(button.key == "tune.find" for button in at.button):
            at.button(key="tune.find").click().run()
        assert not at.exception, at.exception
        return harness.words_on(at), [one.value.to_dict() for one in at.dataframe]

    before = [shown(tab) for tab in ("What flips", "Calibration")]
    assert "flip between bias" in before[0][0] and "answers with a probability" in before[1][0]
    _large(monkeypatch)
    assert [shown(tab) for tab in ("What flips", "Calibration")] == before


def _noted(function: Any, calls: list[object]) -> Any:
    def noted(*given: object) -> object:
        calls.append(given)
        return function(*given)

    return noted


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
