"""What is kept of a large corpus answers as the same errors, curves and scores in memory do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.data.document import GOLD, Document, Layer, Mention
from engine.metrics.errors import Doubts, Error, Filter, blame_gold, most_confident_first
from engine.store.large.casebook import Casebook, CasebookWriter
from engine.store.large.chosen import Chosen, HeldDigest, Kind
from engine.store.large.room import Room
from engine.tasks import registry
from engine.tasks.base import AnyModel, Model
from engine.workbench.large import judging, piecewise, survey
from engine.workbench.large.judging import HeldSource, Judgement
from engine.workbench.large.results import KeptCurve, KeptErrors
from tests.ui.toy import Toy, ToySettings

ARRAYS = ("bias", "correct", "found", "predicted")


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(registry, "TASKS", {"toy": "tests.ui.toy:Toy"})
    registry.get.cache_clear()
    yield
    registry.get.cache_clear()


def _corpus(n: int, words: int = 10) -> list[Document]:
    rng = np.random.default_rng(0)
    found = []
    for d in range(n):
        document = Document.from_words(f"d{d}", [[f"w{rng.integers(300)}" for _ in range(words)]])
        mentions = tuple(
            Mention(*document.char_range(i, i + 1 + int(rng.random() < 0.3)), type=("PER", "LOC")[i % 2])
            for i in range(0, words - 1, 2)
        )
        found.append(document.with_layer(GOLD, Layer(mentions)))
    return found


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return _corpus(600)


@pytest.fixture(scope="module")
def model() -> AnyModel:
    rng = np.random.default_rng(1)
    return Model("toy", "count", ToySettings(), {f"w{i}": float(rng.normal()) for i in range(300)})


def _judgement(room: Room, key: str, documents: list[Document], model: AnyModel, ticks: list[int]) -> Judgement:
    source = HeldSource("toy", model, 0.25)
    return Judgement(room, (key,), source, documents, lambda doing, of: None, ticks.append)


def test_a_kept_curve_is_that_of_one_piece(tmp_path: Path, documents: list[Document], model: AnyModel) -> None:
    room, ticks, task = Room(tmp_path), [], Toy()
    judging.trace(_judgement(room, "curve", documents, model, ticks))
    folder = room.folder("curve")
    assert folder is not None and ticks == [256, 512, 600]
    kept, whole = KeptCurve(folder), task.curve(task.score(documents, model))
    for name in ARRAYS:
        assert np.array_equal(getattr(kept.curve, name), getattr(whole, name)), name
    assert (kept.curve.gold, kept.curve.exact, kept.at) == (whole.gold, whole.exact, 0.25)
    assert kept.report(task) == task.evaluate(documents, task.predict(documents, model, bias=0.25))


FILTERS = [
    [],
    [Filter("type", ("PER",))],
    [Filter("stage", ("scored lower",)), Filter("confidence", low=0.5)],
    [Filter("length", high=2)],
    [Filter("length", (2, 3)), Filter("kind", ("miss",))],
    [Filter("document", ("d3",))],
    [Filter("no such attribute", ("x",))],
    [Filter('"; DROP TABLE errors', low=0)],
]


def test_a_casebook_answers_as_errors_in_memory(tmp_path: Path, documents: list[Document], model: AnyModel) -> None:
    room, task = Room(tmp_path), Toy()
    judging.blame(_judgement(room, "errors", documents, model, []))
    folder = room.folder("errors")
    assert folder is not None
    kept = KeptErrors(folder)
    predicted = task.predict(documents, model, bias=0.25)
    errors = task.errors(task.score(documents, model).at(0.25), predicted)
    held, book = HeldDigest(most_confident_first(errors)), kept.cases
    assert book.n_errors == held.n_errors > 1000 and book.table == held.table and book.attributes == held.attributes
    assert kept.reports(task)["now"] == task.evaluate(documents, predicted)
    for filters in FILTERS:
        _same_answers(held.select(filters), book.select(filters))


def _same_answers(ours: Chosen, theirs: Chosen) -> None:
    assert len(ours) == len(theirs) and ours.confusions() == theirs.confusions()
    kinds: tuple[Kind, ...] = ("all", "miss", "false alarm")
    for kind in kinds:
        mine, other = ours.cases(kind), theirs.cases(kind)
        assert (len(mine), mine.of_kind("miss"), mine.counted) == (len(other), other.of_kind("miss"), other.counted)
        page = list(mine.part(3, 40))
        assert page == list(other.part(3, 40)) and mine.index_of("none") is None and other.index_of("none") is None
        # Two answers of one document may have the same key: then the first is meant.
        assert [mine.index_of(case.key) for case in page] == [other.index_of(case.key) for case in page]
    (n, by), (m, worst) = ours.by_document(), theirs.by_document(most=5)
    assert n == m and len(worst) == min(5, n) and all(by[id] == stages for id, stages in worst.items())
    assert not worst or min(sum(one.values()) for one in worst.values()) >= max(
        (sum(one.values()) for id, one in by.items() if id not in worst), default=0
    )


def test_doubts_about_gold_come_and_go(tmp_path: Path) -> None:
    errors = [
        Error("a", "miss", "scored lower", "PER", 0, 4, "x", "", 0.5),
        Error("a", "miss", "scored lower", "PER", 10, 14, "y", "", 0.7),
        Error("b", "false alarm", "scored lower", "", 0, 4, "", "z", 0.9, {"n": 1}, ((0, 1), (2, 3)), False),
    ]
    with CasebookWriter(tmp_path / "cases.db") as writer:
        writer.add([vars(error) for error in errors])
    book, doubts = Casebook(tmp_path / "cases.db"), {"a": Doubts(spans=frozenset({(0, 4)}))}
    for version, now in (("1", doubts), ("2", doubts), ("3", {})):
        book.doubt(now, version)
        held = HeldDigest(blame_gold(errors, now))
        assert book.table == held.table and book.attributes["stage"] == held.attributes["stage"]
        assert list(book.select([]).cases().part(0, 9)) == list(held.select([]).cases().part(0, 9))


def test_pieces_give_the_curve_and_errors_of_the_whole(documents: list[Document], model: AnyModel) -> None:
    task, done = Toy(), []
    watch = piecewise.Watch(lambda doing, of: done.append((doing, of)), lambda n: done.append(n))
    scored = piecewise.scored(task, documents, model, watch)
    curve, whole = piecewise.curve(task, scored, watch), task.curve(task.score(documents, model))
    assert done[0] == ("Scoring", 600) and len(done) == 6, "two pieces of each"
    for name in ARRAYS:
        assert np.array_equal(getattr(curve, name), getattr(whole, name)), name
    assert curve.steps is not None and whole.steps is not None
    assert np.array_equal(curve.steps.counts, whole.steps.counts)
    assert piecewise.errors(task, scored, watch) == task.errors(scored, task.decide(scored))


def test_a_survey_says_what_all_documents_would(tmp_path: Path) -> None:
    plain = [Document.from_words(f"p{i}", [["Text", str(i)]]) for i in range(3)]
    emptied = Document.from_words("m", [["Ada"]])
    odd = emptied.with_layer(GOLD, Layer((Mention(0, 3, type="PER"),)))
    originals, task = [*plain, odd], Toy()
    found = survey.make(Room(tmp_path), "hash", originals, lambda n: None)
    assert found.fits(task, originals, []) == task.fits(originals) != task.fits(plain)
    assert found.fits(task, originals, [(odd, emptied)]) == task.fits([*plain, emptied])
    assert found.find("ada").tolist() == [3] and len(found.texts) == 4
    assert survey.known(Room(tmp_path), "hash") == found and survey.known(Room(tmp_path), "other") is None
