"""On every See page a text of one's own is decided in place of the document, with names that can be edited; and a page
that cannot use a corpus says what is missing and what to do."""

from __future__ import annotations

import pytest

from engine import corpora
from engine.data.document import Document
from engine.tasks import registry
from tests.ui import harness, tiny
from tests.ui.conftest import SYSTEMS
from ui.background import first

TEXT = "Ada Lovelace met Charles Babbage in London. She liked London."


@pytest.fixture
def prepared(workspace, monkeypatch):
    harness.register(monkeypatch, SYSTEMS)

    def prepare(name: str) -> str:
        sample = corpora.read(next((first.SAMPLES / name).glob("dev.*")))[:3]
        corpus = workspace.add_corpus("Sample", sample, split="dev", source=f"sample {name}")
        tiny.add_run(workspace, registry.get(name), tiny.model(name), corpus)
        return corpus

    return prepare


# Linking has tests of its own.
@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "linking"])
def test_an_own_text_is_on_screen_and_its_names_can_be_edited(prepared, name):
    at = harness.open_page(name, corpus=prepared(name), text=TEXT)
    assert not at.exception and "This is your text" in harness.words_on(at)
    if registry.get(name).starts_from == "text":
        return
    box = at.multiselect(key=f"{name}.marks")
    assert box.value[:2] == ["Ada Lovelace", "Charles Babbage"]
    box.set_value(["Charles Babbage", "London"]).run()
    assert not at.exception and at.query_params["marks"] == ["Charles Babbage", "London"]


def test_a_corpus_that_a_system_cannot_use_says_what_is_missing(prepared, workspace):
    prepared("distant")
    plain = workspace.add_corpus("Plain", [Document("d", TEXT)])
    at = harness.open_page("distant", corpus=plain)
    assert not at.exception
    assert "pairs of entities" in harness.words_on(at) and "columns text, head, tail" in harness.words_on(at)
