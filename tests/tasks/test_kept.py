"""Scored corpora are kept, known by identity, and leave in the order of their last use."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event, Thread

import numpy as np

from engine.data.document import Document
from engine.settings import Settings
from engine.tasks.base import Model
from engine.tasks.kept import Kept, Latest
from engine.tasks.scored import Scored, column

Corpora = Kept["Tenfold"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Tenfold(Scored):
    """Eighty bytes a document."""

    scores: np.ndarray = column()


def a_model(settings: Settings | None = None) -> Model:
    return Model("toy", "toy", settings or Settings(), object())


def asked(kept: Corpora, made: list[str], *documents: Document, model: Model) -> Tenfold:
    def make() -> Tenfold:
        made.append("".join(document.id for document in documents))
        return Tenfold(documents=documents, scores=np.zeros((len(documents), 10)))

    return kept.get(documents, model, make)


def test_what_was_made_is_found_again_by_identity() -> None:
    kept, made, model = Corpora(1000), [], a_model()
    one, twin = Document("a", "Ada"), Document("a", "Ada")
    assert asked(kept, made, one, model=model) is asked(kept, made, one, model=model)
    assert asked(kept, made, twin, model=model).documents[0] is twin
    asked(kept, made, one, model=a_model())
    asked(kept, made, one, model=Model("toy", "toy", Settings(seed=5), model.state))
    assert made == ["a"] * 4
    asked(kept, made, one, model=model.with_bias(3.0))
    assert made == ["a"] * 4, "at another bias the scores are the same"


def test_the_one_that_was_not_asked_for_longest_leaves_first() -> None:
    kept, made, model = Corpora(200), [], a_model()
    a, b, c = (Document(id, id) for id in "abc")
    for document in (a, b, a, c, a, b):
        asked(kept, made, document, model=model)
    assert made == ["a", "b", "c", "b"]


def test_the_latest_is_kept_however_large_it_is() -> None:
    kept, made, model = Corpora(5), [], a_model()
    large, other = Document("a", "a"), Document("b", "b")
    for document in (large, large, other, large):
        assert asked(kept, made, document, model=model).documents[0] is document
    assert made == ["a", "b", "a"]


def test_a_document_of_a_corpus_that_was_scored_whole_is_not_scored_again() -> None:
    kept, made, model = Corpora(1000), [], a_model()
    a, b = Document("a", "a"), Document("b", "b")
    asked(kept, made, a, b, model=model)
    assert asked(kept, made, b, model=model).documents == (b,)
    assert made == ["ab"]


def test_one_document_does_not_wait_for_its_corpus_to_be_scored() -> None:
    kept, made, model = Corpora(1000), [], a_model()
    a, b = Document("a", "a"), Document("b", "b")
    begun, go_on = Event(), Event()

    def slowly() -> Tenfold:
        begun.set()
        assert go_on.wait(60)
        return Tenfold(documents=(a, b), scores=np.zeros((2, 10)))

    beside = Thread(target=lambda: kept.get((a, b), model, slowly))
    beside.start()
    assert begun.wait(60)
    assert asked(kept, made, b, model=model).documents == (b,) and made == ["b"]
    go_on.set()
    beside.join()


def test_a_failure_is_not_kept() -> None:
    kept, made, model = Corpora(1000), [], a_model()
    a = Document("a", "a")

    def fail() -> Tenfold:
        raise ValueError("no")

    for _ in range(2):
        try:
            kept.get((a,), model, fail)
        except ValueError:
            made.append("failed")
    asked(kept, made, a, model=model)
    assert made == ["failed", "failed", "a"]


def test_the_latest_is_made_again_only_for_another_key() -> None:
    latest: Latest[str] = Latest()
    made: list[str] = []

    def make() -> str:
        made.append("x")
        return f"{len(made)}"

    document = Document("a", "a")
    assert [latest.get((document, 1), make) for _ in range(2)] == ["1", "1"]
    assert latest.get((document, 2), make) == "2"
    assert latest.get((document, 1), make) == "3"
