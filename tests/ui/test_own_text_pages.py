"""On every See page a text of one's own is decided in place of the document, with names that can be edited; and a page
that cannot use a corpus says what is missing and what to do."""

from __future__ import annotations

import pytest

from engine import corpora
from engine.data.document import Document, Layer, Mention
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


@pytest.mark.parametrize("name", SYSTEMS)
def test_nothing_of_an_own_text_is_called_right_or_wrong(prepared, name):
    """Nobody has annotated it: no sign in the text, in the picture or in a table."""
    at = harness.open_page(name, corpus=prepared(name), text=TEXT)
    shown = harness.components(at)
    for key, data in shown.items():
        if key.endswith(".text"):
            assert not data["judged"], key
    beam = shown.get("disambiguation.beam", {"columns": []})["columns"]
    assert not any(column["judged"] or any(cell["gold"] for cell in column["cells"]) for column in beam)
    drawn = shown.get("joint.graph", {"before": [], "after": []})
    assert all(arrow["gold"] is None for arrow in [*drawn["before"], *drawn["after"]])
    for table in at.dataframe:
        cells = [str(cell) for name in table.value.columns for cell in table.value[name]]
        assert not any(cell in ("✓", "✗", "∅", "▲✓", "▼✓", "▲▼✓") for cell in cells), table.value


def test_a_corpus_that_a_system_cannot_use_says_what_is_missing(prepared, workspace):
    prepared("distant")
    plain = workspace.add_corpus("Plain", [Document("d", TEXT)])
    at = harness.open_page("distant", corpus=plain)
    assert not at.exception
    assert "pairs of entities" in harness.words_on(at) and "columns text, head, tail" in harness.words_on(at)


@pytest.mark.parametrize("name", ["joint", "disambiguation"])
def test_a_text_without_mentions_is_tried_with_names_proposed(prepared, workspace, name):
    prepared(name)
    marked = Document("m", TEXT).with_layer("gold", Layer((Mention(0, 12),)))
    plain = workspace.add_corpus("Plain", [Document("d", TEXT), marked])
    at = harness.open_page(name, corpus=plain, doc="d")
    assert not at.exception and "No mentions are marked" in harness.words_on(at)
    at.button(key="own.propose").click().run()
    assert not at.exception and "This is your text" in harness.words_on(at)


@pytest.mark.parametrize("page", ["tune", "errors", "compare"])
def test_a_text_without_gold_gets_a_run_that_can_decide_it_and_a_way_to_gold(prepared, workspace, page):
    prepared("distant")
    prepared("linking")
    plain = workspace.add_corpus("Plain", [Document("d", TEXT)])
    at = harness.open_page(page, corpus=plain)
    assert not at.exception
    assert workspace.run(harness.parameter(at, "run")).task == "linking"
    assert "has no gold" in harness.words_on(at)
    assert any("Annotate it" in element.proto.label for element in at.get("page_link"))
