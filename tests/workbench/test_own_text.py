"""A text of one's own becomes a document that each system can decide, and no more is said of it than was typed."""

from __future__ import annotations

import pytest

from engine.data.document import Document
from engine.data.errors import InputError
from engine.features.coreference import plain_text
from engine.tasks import registry
from engine.workbench.own_text import own_document, proposed
from tests.ui import tiny

TEXT = "Ada Lovelace met Charles Babbage in Turin. She left Turin with Ada Lovelace and Charles Babbage."


def test_names_are_proposed_once_each() -> None:
    assert proposed(TEXT) == ["Ada Lovelace", "Charles Babbage", "Turin"]


@pytest.mark.parametrize("name", registry.names())
def test_every_system_decides_an_own_text(name: str) -> None:
    task, model = registry.get(name), tiny.model(name)
    document = own_document(task, TEXT, proposed(TEXT))
    scored = task.score([document], model)
    (layer,) = task.decide(scored)
    assert task.trace(scored) is not None
    assert all(m.end <= len(document.text) for m in layer.mentions)
    if task.starts_from != "text":
        found = {document.surface(m) for m in document.gold.mentions}
        assert found <= {"Ada Lovelace", "Charles Babbage", "Turin"}
        assert not document.gold.labels and all(m.entity is m.type is None for m in document.gold.mentions)


def test_a_pair_is_every_sentence_that_has_both() -> None:
    document = own_document(registry.get("distant"), TEXT, ["Ada Lovelace", "Charles Babbage"])
    assert document.bag is not None and len(document.bag.members) == 2
    assert [document.surface(m) for m in document.gold.mentions] == ["Ada Lovelace", "Charles Babbage"] * 2
    for names in (["Ada Lovelace"], ["Ada Lovelace", "Rome"]):
        with pytest.raises(InputError):
            own_document(registry.get("distant"), TEXT, names)


def test_words_that_are_not_in_the_text_are_refused() -> None:
    with pytest.raises(InputError, match="does not stand"):
        own_document(registry.get("joint"), TEXT, ["Rome"])


def test_plain_english_is_tagged_by_rule_where_no_tagger_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "can_tag", lambda language="english": False)
    read = plain_text.tagged(Document("d", "She gave her dog to Bob Smith's sister."), "english")
    found = dict(zip(read.words, read.columns["pos"], strict=True))
    wanted = {"She": "PRP", "her": "PRP$", "dog": "NN", "Bob": "NNP", "Smith": "NNP", "'s": "POS", "sister": "NN"}
    assert {word: found[word] for word in wanted} == wanted
    assert plain_text.tagged(read, "english") is read
