"""Which run stands in the sidebar where nobody chose one: one that has something to say, and the same on return."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.data.document import Document
from engine.store.workspace import Workspace
from tests.ui import harness
from tests.ui.toy import Toy
from ui.shell import cache, sidebar


def test_whoever_comes_back_to_a_corpus_finds_the_run_they_left_it_with(workspace: Workspace) -> None:
    train, dev = harness.add_samples(workspace)
    first = harness.trained(workspace, train, dev)
    at = harness.open_page("annotate", corpus=dev)
    assert harness.parameter(at, "run") == first
    second = harness.trained(workspace, train, dev)
    assert harness.parameter(harness.open_page("annotate", corpus=dev), "run") == second, "the newer one leads now"
    at.sidebar.selectbox(key="sidebar.corpus").select(train).run()
    at.sidebar.selectbox(key="sidebar.corpus").select(dev).run()
    assert harness.parameter(at, "run") == first


def test_on_plain_text_a_run_that_starts_from_mentions_is_no_default(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, dev = harness.add_samples(workspace)
    harness.trained(workspace, train, dev)
    raw = workspace.corpus(workspace.add_corpus("Raw", [Document("r", "Ada met Charles.")]))
    harness.open_page("annotate", corpus=raw.id)
    usable = list(cache.runs("toy", usable=True))
    monkeypatch.setattr(Toy, "fits", lambda self, documents: "no gold")
    assert sidebar._able(replace(raw, hash="x"), [], usable) == usable
    monkeypatch.setattr(Toy, "given", lambda self, document, model: document.gold.mentions)
    assert sidebar._able(replace(raw, hash="x"), [], usable) == []
