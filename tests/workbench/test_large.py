"""What is kept of a large corpus answers as the same errors, curves and scores in memory do."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.data.document import GOLD, Document, Layer, Mention
from engine.metrics.cases import cases, surest_first
from engine.metrics.errors import Doubts, Error, Filter, blame_gold, most_confident_first
from engine.store.large.casebook import Casebook, CasebookWriter
from engine.store.large.chosen import Chosen, HeldDigest, Kind
from engine.store.large.room import Room
from engine.store.large.shown import key_of
from engine.tasks import registry
from engine.tasks.base import AnyModel, Model
from engine.tuning.band import band_of, bootstrap_band
from engine.tuning.window import useful_window
from engine.workbench.answers import Judge, flips, reliability, scored_answers
from engine.workbench.comparison import compare, found_by_both, gold_items, shared
from engine.workbench.large import flipping, judging, piecewise, survey, together
from engine.workbench.large.judging import HeldSource, Judgement
from engine.workbench.large.results import BAND_POINTS, KeptCurve, KeptErrors
from tests.ui.toy import Toy, ToySettings

pytestmark = pytest.mark.thorough

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
    assert folder is not None and ticks == [256, 512, 600, 600]
    kept, whole = KeptCurve(folder), task.curve(task.score(documents, model))
    for name in ARRAYS:
        assert np.array_equal(getattr(kept.curve, name), getattr(whole, name)), name
    assert (kept.curve.gold, kept.curve.exact, kept.at) == (whole.gold, whole.exact, 0.25)
    assert kept.report(task) == task.evaluate(documents, task.predict(documents, model, bias=0.25))
    assert kept.resampled is not None and not list(folder.glob("*.steps"))
    for beta in (1.0, 2.0):
        mine = band_of(kept.curve, kept.resampled, beta=beta)
        theirs = bootstrap_band(whole, beta=beta, points=BAND_POINTS, window=useful_window(whole))
        for name in ("bias", "precision", "recall", "f"):
            assert np.array_equal(getattr(mine, name), getattr(theirs, name), equal_nan=True), name


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


def test_nothing_is_counted_twice(
    tmp_path: Path, documents: list[Document], model: AnyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = Room(tmp_path)
    judging.blame(_judgement(room, "errors", documents, model, []))
    folder = room.folder("errors")
    assert folder is not None
    asked: list[str] = []
    plain = Casebook.rows

    def rows(self: Casebook, query: str, values: Any = ()) -> list[Any]:
        asked.append(query)
        return plain(self, query, values)

    monkeypatch.setattr(Casebook, "rows", rows)
    book = KeptErrors(folder).cases
    filters = [Filter("stage", ("scored lower",)), Filter("type", ("PER",))]
    for cell in ([], filters[:1], filters):
        chosen = book.select(cell)
        numbers = book.n_errors, book.table, book.attributes, len(chosen), len(chosen.cases())
        assert all(numbers) and not [query for query in asked if "COUNT" in query]
    # What nobody foresaw is counted once.
    for times in range(2):
        asked.clear()
        assert len(book.select([Filter("length", (2, 3))])) > 0
        assert len([query for query in asked if "COUNT" in query]) == 1 - times


def test_a_long_list_is_read_case_by_case(
    tmp_path: Path, documents: list[Document], model: AnyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = Room(tmp_path)
    judging.blame(_judgement(room, "errors", documents, model, []))
    folder = room.folder("errors")
    assert folder is not None
    book = KeptErrors(folder).cases
    listed = book.select([Filter("stage", ("scored lower",))]).cases()
    plain, plans = Casebook.rows, []

    def rows(self: Casebook, query: str, values: Any = ()) -> list[Any]:
        plans.append(str(plain(self, "EXPLAIN QUERY PLAN " + query, values)))
        return plain(self, query, values)

    monkeypatch.setattr(Casebook, "rows", rows)
    listed.index_of(listed.part(0, 20)[10].key)
    assert "errors_by_case" in plans[0] and "errors_by_case" in plans[-1]
    assert not any("errors_by_cell" in plan for plan in plans), "a scan of a whole stage for every case"


def test_two_runs_in_files_compare_as_in_memory(tmp_path: Path, documents: list[Document], model: AnyModel) -> None:
    room, task = Room(tmp_path), Toy()
    rng = np.random.default_rng(2)
    other = replace(model, state={word: score + float(rng.normal(scale=0.5)) for word, score in model.state.items()})
    kept, errors, layers = [], [], []
    for name, one in (("a", model), ("b", other)):
        judging.blame(_judgement(room, name, documents, one, []))
        folder = room.folder(name)
        assert folder is not None
        kept.append(KeptErrors(folder))
        layers.append(task.predict(documents, one, bias=0.25))
        errors.append(most_confident_first(task.errors(task.score(documents, one).at(0.25), layers[-1])))
        assert kept[-1].gold_items == gold_items(task, documents)
    pair = together.Pair(task, kept[0], kept[1], documents, documents[:2])
    together.compare(room, ("pair",), pair, lambda doing, of, unit: None, lambda n: None)
    folder = room.folder("pair")
    assert folder is not None
    found, want = together.KeptComparison(folder), shared(gold_items(task, documents), errors[0], errors[1])
    assert found.comparison == compare(task, documents, layers[0], layers[1])
    assert found.numbers["both"] == want.both > 0
    for name in together.GROUPS:
        own = getattr(want, name)
        listed = surest_first(cases(own))
        theirs = found.group(name).select([]).cases()
        assert found.numbers[name] == len(own) > 0, name
        assert list(theirs.part(0, len(listed))) == listed, name
    missed = [*want.only_first, *want.only_second, *want.neither]
    both = [(document.id, one) for document, one in found_by_both(task.decides, documents, missed)]
    assert found.both.part(0, len(found.both)) == both and found.both.part(7, 9) == both[7:9]
    assert found.both.index_of(key_of(*both[8])) == 8 and found.both.index_of("none") is None


def test_flips_and_calibration_of_blocks_are_those_of_the_whole(
    tmp_path: Path, documents: list[Document], model: AnyModel
) -> None:
    room, task = Room(tmp_path), Toy()
    flipping.flip(_judgement(room, "flips", documents, model, []), -0.1)
    folder = room.folder("flips")
    assert folder is not None
    layers = [task.predict(documents, model, bias=bias) for bias in (-0.1, 0.25)]
    errors = [task.errors(task.score(documents, model), own) for own in layers]
    want = flips(documents, layers[0], layers[1], task.decides, (Judge(errors[0]), Judge(errors[1])))
    kept = flipping.KeptFlips(folder)
    assert Counter((one.appears, one.right) for one in want) == Counter(
        {key: n for key, n in kept.numbers.items() if n}
    )
    assert len(want) > flipping.LISTED and list(kept.listed) == want[: flipping.LISTED]
    judging.blame(_judgement(room, "errors", documents, model, []))
    folder = room.folder("errors")
    assert folder is not None
    assert reliability(*KeptErrors(folder).answers) == reliability(*scored_answers(documents, layers[1], errors[1]))


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
