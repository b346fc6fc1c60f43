"""The gate on test data: no page, tab or download judges a run on a test split before somebody has asked for it."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine import corpora
from engine.data.document import Document
from engine.store.workspace import Workspace
from engine.tasks.base import AnyTask
from engine.tasks.registry import get
from tests.ui import harness, tiny
from tests.ui.conftest import SYSTEMS
from ui.background.first import sample_files
from ui.shell import glances, naming
from ui.tab import pages

JUDGING = ("evaluate", "curve", "errors", "counts")
PAGES = tuple(info.name for entries in pages.groups().values() for info in entries)
TABS = {"annotate": ("annotate.part", "Versions and scores")}
"""A tab that judges, of a page that is not closed as a whole."""


def watched(task: AnyTask, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The judging functions of a system as they are called from now on."""
    calls: list[str] = []
    for name in JUDGING:
        own = getattr(type(task), name)

        def called(*args: Any, _own: Any = own, _name: str = name, **options: Any) -> Any:
            calls.append(_name)
            return _own(*args, **options)

        monkeypatch.setattr(type(task), name, called)
    return calls


def add_test(workspace: Workspace, task: str) -> tuple[str, str]:
    """A run of the system and a test corpus that it could be judged on."""
    sample = sample_files(task)
    documents = corpora.read(sample["test"])[:2] if sample else harness.sample_documents(3)
    test = workspace.add_corpus("Held out", documents, split="test")
    if task == "toy":
        return tiny.add_run(workspace, get(task), tiny.model(task), test), test
    # A page that asks first opens no model: any file will do, and nothing has to be compiled.
    run = workspace.start_run(task, get(task).default_learner, {}, dev=test)
    workspace.model_path(run).write_bytes(b"no model")
    workspace.finish_run(run, "done")
    return run, test


def opened(page: str, run: str, test: str) -> AppTest:
    at = harness.open_page(page, run=run, corpus=test)
    if page in TABS:
        key, tab = TABS[page]
        at.session_state[key] = tab
        at.run()
    return at


@pytest.mark.parametrize("page", PAGES)
def test_no_page_judges_on_test_unasked(page: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in SYSTEMS:
        harness.register(monkeypatch, SYSTEMS)
    task = page if page in SYSTEMS else "toy"
    run, test = add_test(workspace, task)
    calls = watched(get(task), monkeypatch)
    at = opened(page, run, test)
    assert not at.exception
    assert calls == [] and workspace.looks(run) == []
    assert (glances.TITLE in harness.words_on(at)) == (page not in glances.UNJUDGING)
    if page in SYSTEMS or page in glances.UNJUDGING:
        return
    at.button(key="gate.reveal").click().run()
    assert not at.exception
    assert [look.corpus for look in workspace.looks(run)] == [test]
    assert glances.TITLE not in harness.words_on(at)
    # With nothing to compare with, Compare judges when its report is made.
    assert calls or page == "compare"
    assert glances.NOTED in harness.words_on(at)


def test_the_document_page_shows_test_texts_without_what_runs_say(workspace: Workspace) -> None:
    run, test = add_test(workspace, "toy")
    drawn = harness.components(opened("document", run, test))
    assert "see.strip" not in drawn
    assert drawn["document.text"]["spans"] and not any(span["predicted"] for span in drawn["document.text"]["spans"])


def test_a_second_run_is_asked_for_too(trained: tuple[Workspace, str, str]) -> None:
    """Opening test for one run opens it for no other: Compare would show both."""
    workspace, first, dev = trained
    test = workspace.add_corpus("Sample", harness.sample_documents(5), split="test")
    second = harness.trained(workspace, "sample-train", dev, epochs=2)
    workspace.record_look(first, test, 0.0, {})
    at = harness.open_page("compare", run=first, corpus=test, other=second)
    told = harness.words_on(at)
    assert glances.TITLE in told and naming.run_label(workspace.run(second)) in told and not at.dataframe
    at.button(key="gate.reveal").click().run()
    assert [look.corpus for look in workspace.looks(second)] == [test]
    assert at.dataframe


@pytest.fixture
def trained(workspace: Workspace) -> tuple[Workspace, str, str]:
    train, dev = harness.add_samples(workspace)
    return workspace, harness.trained(workspace, train, dev), dev


@pytest.mark.parametrize("page", ["tune", "errors", "compare"])
def test_a_look_at_another_bias_is_written_down_too(trained: tuple[Workspace, str, str], page: str) -> None:
    workspace, run, dev = trained
    test = workspace.add_corpus("Sample", harness.sample_documents(5), split="test")
    at = harness.open_page(page, run=run, corpus=test, bias="0.5")
    at.button(key="gate.reveal").click().run()
    harness.open_page(page, run=run, corpus=test, bias="0.5")
    assert [look.bias for look in workspace.looks(run)] == [0.5]
    harness.open_page(page, run=run, corpus=test, bias="0.75")
    harness.open_page("corpora", run=run, corpus=test, bias="0.25")
    assert [look.bias for look in workspace.looks(run)] == [0.5, 0.75]
    assert "test scores are optimistic" in harness.words_on(harness.open_page("tune", run=run, corpus=dev))


@pytest.mark.parametrize("page", [name for name in PAGES if name not in SYSTEMS])
def test_a_run_on_what_it_learnt_from_is_said_on_every_page_that_judges(
    page: str, trained: tuple[Workspace, str, str]
) -> None:
    workspace, run, dev = trained
    on_train = harness.words_on(harness.open_page(page, run=run, corpus="sample-train"))
    assert ("The run learnt from this corpus" in on_train) == (page not in glances.UNJUDGING)
    # The sample's dev repeats texts of its train.
    on_dev = harness.words_on(harness.open_page(page, run=run, corpus=dev))
    assert ("have the text of a document that the run learnt from" in on_dev) == (page not in glances.UNJUDGING)
    new = workspace.add_corpus("New", [Document.from_words("n", [["Another", "text"]])], split="dev")
    told = harness.words_on(harness.open_page(page, run=run, corpus=new))
    assert "The run learnt from" not in told and "document that the run learnt from" not in told
