"""Prepared documents are kept, known by identity, and leave in the order of their last use."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from engine.data.document import Document
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.shelf import Shelf

SETTINGS = CoreferenceSettings()


def asked(shelf: Shelf, made: list[str], document: Document, state: Any, settings: Any = SETTINGS) -> Any:
    def make() -> Any:
        made.append(document.id)
        return SimpleNamespace(arcs=SimpleNamespace(heads=range(10)), of=document)

    return shelf.get(document, state, settings, make)


def test_what_was_made_is_found_again_by_identity() -> None:
    shelf, made, state = Shelf(100), [], SimpleNamespace()
    one, twin = Document("a", "Ada"), Document("a", "Ada")
    assert asked(shelf, made, one, state) is asked(shelf, made, one, state)
    assert asked(shelf, made, twin, state).of is twin
    asked(shelf, made, one, SimpleNamespace())
    asked(shelf, made, one, state, CoreferenceSettings(window=5))
    assert made == ["a"] * 4


def test_the_one_that_was_not_asked_for_longest_leaves_first() -> None:
    shelf, made, state = Shelf(25), [], SimpleNamespace()
    a, b, c = (Document(id, id) for id in "abc")
    for document in (a, b, a, c, a, b):
        asked(shelf, made, document, state)
    assert made == ["a", "b", "c", "b"]


def test_a_document_larger_than_the_shelf_is_made_each_time() -> None:
    shelf, made, state = Shelf(5), [], SimpleNamespace()
    large = Document("a", "a")
    assert asked(shelf, made, large, state).of is large
    asked(shelf, made, large, state)
    assert made == ["a", "a"]
