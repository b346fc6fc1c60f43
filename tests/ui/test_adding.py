"""Own data becomes a corpus without reading a manual: read, explained, named, divided, with a next step."""

from __future__ import annotations

import pytest

from engine.store.workspace import Workspace
from engine.tasks import registry
from tests.ui import harness
from tests.ui.conftest import SYSTEMS
from ui.views.corpora import words

TWEETS = "\n".join(f"tweet number {i} from Paris" for i in range(10))


@pytest.fixture
def page(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    harness.register(monkeypatch, SYSTEMS)
    for name in SYSTEMS:
        registry.get(name)  # imported here: it takes longer than a page may
    return lambda **query: harness.open_page("corpora", view=words.ADD, **query)


def links(at) -> list[str]:
    return [element.proto.label for element in at.get("page_link")]


def test_ten_pasted_tweets_are_ten_documents_with_words(workspace, page):
    at = page(**{"from": words.PASTE})
    at.text_area(key="corpora.pasted.0").set_value(TWEETS).run()
    assert at.selectbox(key="corpora.paste.unit.lines").value == "lines"
    at.button(key="corpora.add").click().run()
    assert not at.exception
    (info,) = workspace.corpora()
    documents = workspace.documents(info.id)
    assert len(documents) == 10 and documents[0].words[:2] == ("tweet", "number")
    assert harness.parameter(at, "corpus") == info.id
    assert any(words.ANNOTATE in label for label in links(at)), "there is a next step"


def test_a_table_with_other_names_is_mapped_and_can_be_learnt_from(workspace, page):
    at = page()
    table = b"Post;what;Where it leads\nback in Paris;Paris;Paris (Texas)\nMessi again;Messi;Lionel Messi\n"
    at.file_uploader(key="corpora.upload.0").set_value([("mine.csv", table, "text/csv")]).run()
    entity = next(box for box in at.selectbox if str(box.key).endswith(".mention.entity"))
    assert entity.value == "", "nothing says that this column holds entities"
    entity.set_value("Where it leads").run()
    at.button(key="corpora.add").click().run()
    assert not at.exception
    (info,) = workspace.corpora()
    found = [mention.entity for document in workspace.documents(info.id) for mention in document.gold.mentions]
    assert found == ["Paris (Texas)", "Lionel Messi"]
    assert any("Train entity linking" in label for label in links(at))


def test_what_is_missing_is_said_for_every_system_with_how_to_get_it(workspace, page):
    at = page(**{"from": words.PASTE})
    at.text_area(key="corpora.pasted.0").set_value(TWEETS).run()
    (table,) = (one.value for one in at.table if "Distant relations" in one.value.index)
    assert len(table) == len(SYSTEMS)
    assert "columns text, head, tail and relation" in table.loc["Distant relations", "because"]


def test_a_corpus_is_divided_and_its_parts_belong_together(workspace, page):
    at = page(**{"from": words.PASTE})
    at.text_area(key="corpora.pasted.0").set_value(TWEETS).run()
    at.segmented_control(key="corpora.shape").set_value(words.DIVIDED).run()
    at.button(key="corpora.add").click().run()
    assert not at.exception
    assert sorted(info.split for info in workspace.corpora()) in (["train"], ["dev", "test", "train"])
    assert len({info.name for info in workspace.corpora()}) == 1
    assert sum(info.n_documents for info in workspace.corpora()) == 10


def test_a_name_that_is_taken_and_texts_that_are_there_are_said(workspace, page):
    at = page(**{"from": words.PASTE})
    at.text_area(key="corpora.pasted.0").set_value(TWEETS).run()
    at.button(key="corpora.add").click().run()
    at.button(key="corpora.another").click().run()
    at.text_area(key="corpora.pasted.1").set_value(TWEETS).run()
    said = harness.words_on(at)
    assert "pasted text (2)" in said and words.SHARED in said and "10 by text" in said
    at.button(key="corpora.add").click().run()
    assert [info.name for info in workspace.corpora()] == ["pasted text", "pasted text (2)"]


def test_a_fault_in_a_table_names_its_row(workspace, page):
    at = page()
    at.file_uploader(key="corpora.upload.0").set_value([("x.csv", b"text,mention\nhello,bye\n", "text/csv")]).run()
    assert "x.csv, line 2" in harness.words_on(at) and "does not stand" in harness.words_on(at)
    assert workspace.corpora() == []


def test_constraints_are_uploaded_and_named(workspace, page):
    at = page(**{"from": words.OTHER})
    at.selectbox(key="corpora.kind").set_value("constraints").run()
    at.file_uploader(key="corpora.resource.constraints.0").set_value(("c.toml", b"", "text/plain")).run()
    at.button(key="corpora.resource.add").click().run()
    assert "empty" in harness.words_on(at) and workspace.resources() == []
    at.file_uploader(key="corpora.resource.constraints.0").set_value(("c.toml", b"# none\n", "text/plain")).run()
    at.text_input(key="corpora.resource.name.c.toml").set_value("My rules").run()
    at.button(key="corpora.resource.add").click().run()
    assert [info.name for info in workspace.resources("constraints")] == ["My rules"]
