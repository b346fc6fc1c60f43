"""Why this and not gold, on Errors and on every See page, with models that know next to nothing."""

from __future__ import annotations

import pytest

from engine.corpora import read
from engine.store.workspace import Workspace
from engine.tasks.registry import get
from tests.ui import harness, tiny
from tests.ui.conftest import SYSTEMS

TOLD = ("for gold's answer to win", "was no option here", "the search lost it")


@pytest.mark.parametrize("name", list(SYSTEMS))
def test_a_wrong_answer_says_why_it_is_not_golds(
    name: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.register(monkeypatch, SYSTEMS)
    [sample] = (harness.ROOT / "sample_data" / name).glob("dev.*")
    corpus = workspace.add_corpus("Some", read(sample)[:6], split="dev")
    run = tiny.add_run(workspace, get(name), tiny.model(name), corpus)
    at = harness.open_page("errors", corpus=corpus, run=run)
    at.toggle(key="errors.why").set_value(True).run()
    assert not at.exception
    assert any(words in harness.words_on(at) for words in TOLD)
    at = harness.open_page(name, corpus=corpus, run=run, doc=harness.parameter(at, "doc") or read(sample)[0].id)
    asked = [one for one in at.toggle if one.key == f"{name}.contrast.why"]
    if asked:
        asked[0].set_value(True).run()
        assert not at.exception
        assert any(words in harness.words_on(at) for words in TOLD)
