"""Scores that no model of ours made: decisions, curve and beam against brute force, pins, slices and broken files."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.data.document import GOLD, NIL, Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import LinkPin
from engine.learners.sgtb.cache import FlatForest
from engine.structures.base import Infeasible
from engine.tasks import scored as waist
from engine.tasks.disambiguation.deciding import decide
from engine.tasks.disambiguation.scored import GOLD_MISSING, GOLD_NIL, NEVER, NO_GOLD, DisambiguationScored
from engine.tasks.disambiguation.search.steps import TreeSteps
from engine.tasks.disambiguation.task import Disambiguation
from engine.tasks.registry import the
from tests.tasks.stumps import stump

TASK = the(Disambiguation)
TITLES = ("A", "B", "C", "D")


def document(name: str, *entities: str | None) -> Document:
    """One letter per mention."""
    mentions = tuple(Mention(2 * i, 2 * i + 1, entity=entity) for i, entity in enumerate(entities))
    return Document(name, "x " * len(entities), layers={GOLD: Layer(mentions)})


@st.composite
def corpora(draw: st.DrawFn) -> DisambiguationScored:
    """Up to three documents of up to three mentions; quarters as scores, so that there are ties."""
    documents, scores, nil = [], [], []
    quarters = st.integers(-12, 12).map(lambda n: n / 4)
    for d in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, 3))
        documents.append(document(f"d{d}", *(draw(st.sampled_from((None, NIL, *TITLES))) for _ in range(n))))
        titles = [draw(st.lists(st.sampled_from(TITLES), unique=True, max_size=3)) for _ in range(n)]
        scores.append([{title: draw(quarters) for title in of_mention} for of_mention in titles])
        nil.append([draw(quarters) for _ in range(n)])
    return DisambiguationScored.from_scores(
        documents, scores, nil=nil if draw(st.booleans()) else None, bias=draw(st.sampled_from((NEVER, 0.0, -1.1, 2.3)))
    )


def best_alone(scored: DisambiguationScored, m: int) -> str:
    """The obvious way: the best candidate, unless declining scores more."""
    assert scored.score is not None
    rows = scored.rows(m)
    if not rows:
        return NIL
    top = max(rows, key=lambda row: scored.score[row])
    declining = scored.nil[m] + scored.bias + np.logaddexp.reduce(scored.score[rows.start : rows.stop])
    assume(abs(declining - scored.score[top]) > 1e-9)
    return NIL if scored.bias > NEVER and declining > scored.score[top] else scored.title(top)


def entities(scored: DisambiguationScored) -> list[str | None]:
    return [mention.entity for layer in TASK.decide(scored) for mention in layer.mentions]


@given(corpora())
def test_every_mention_takes_its_best_candidate(scored: DisambiguationScored) -> None:
    assert entities(scored) == [best_alone(scored, m) for m in range(scored.n_mentions)]


@given(corpora(), st.integers(1, 5))
def test_a_beam_of_any_width_finds_the_best_and_the_next_best_sequences(
    scored: DisambiguationScored, width: int
) -> None:
    """Where scores stand alone the best sequences are sums of the best scores: enumerate all of them."""
    for d in range(len(scored)):
        one = TASK.with_width(scored.one(d), width)
        trace = TASK.trace(one)
        assert [decision.entity for decision in trace.decisions] == [best_alone(one, m) for m in range(one.n_mentions)]
        assert one.score is not None
        values = []
        for m in range(one.n_mentions):
            own = [float(one.score[row]) for row in one.rows(m)]
            total = float(np.logaddexp.reduce(own)) if own else 0.0
            values.append(own + ([one.nil[m] + one.bias + total] if one.bias > NEVER or not own else []))
        sums = sorted((sum(path) for path in itertools.product(*values)), reverse=True) if values else []
        assert [found.score for found in trace.k_best] == pytest.approx(sums[:width])
        assert trace.verdict != "search error"


@given(corpora(), st.floats(-9, 9))
def test_the_curve_counts_what_would_be_decided_at_every_bias(scored: DisambiguationScored, bias: float) -> None:
    curve = TASK.curve(scored)
    assert curve.exact
    assume(np.abs(curve.bias - bias).min() > 1e-9)
    for at in (bias, *(curve.bias_of(i) for i in range(len(curve.bias)))):
        moved = scored.at(at)
        counts = TASK.counts(scored.documents, TASK.decide(moved))
        point = curve.index_at(at)
        assert curve.predicted[point] == sum(row["predicted"] for row in counts)
        assert curve.correct[point] == sum(row["correct"] for row in counts)


@given(corpora())
def test_errors_are_the_decisions_that_gold_contradicts(scored: DisambiguationScored) -> None:
    layers = TASK.decide(scored)
    wrong = {
        (d, mention.span)
        for d, (one, layer) in enumerate(zip(scored.documents, layers, strict=True))
        for mention, said in zip(one.gold.mentions, layer.mentions, strict=True)
        if mention.entity is not None and said.entity != mention.entity
    }
    found = TASK.errors(scored, layers)
    names = [one.id for one in scored.documents]
    assert {(names.index(error.document), (error.start, error.end)) for error in found} == wrong
    assert "pruned by search" not in {error.stage for error in found}


def test_gold_is_a_candidate_or_says_why_not() -> None:
    scored = DisambiguationScored.from_scores(
        [document("d", "B", "C", NIL, None)], [[{"A": 1.0, "B": 2.0}, {"A": 1.0}, {"A": 1.0}, {"A": 1.0}]]
    )
    assert scored.gold.tolist() == [1, GOLD_MISSING, GOLD_NIL, NO_GOLD]


def test_without_log_odds_of_nil_scores_are_relative_to_declining() -> None:
    scored = DisambiguationScored.from_scores([document("d", "A", "A")], [[{"A": 0.5, "B": 0.1}, {"A": -0.5}]])
    assert entities(scored) == ["A", NIL]
    assert entities(scored.at(0.4)) == ["A", NIL] and entities(scored.at(0.6)) == [NIL, NIL]
    assert entities(scored.at(-0.6)) == ["A", "A"]


# Pins on what nobody scored


def by_trees() -> DisambiguationScored:
    """Two mentions with two candidates; A1 leads by a hair, and A2 and B2 know each other."""
    pairs = np.zeros((4, 4, 1), dtype=np.uint8)
    pairs[1, 3] = pairs[3, 1] = 255
    steps = TreeSteps(
        trees=FlatForest([stump(0, 0, 0.0, 0.1), stump(2, 100, 0.0, 3.0)]).arrays,
        codes=np.array([[1], [0], [1], [0]], dtype=np.uint8),
        slot=np.arange(4),
        surface=np.arange(2),
        n_slots=np.array([4]),
        pair_offsets=np.array([0, 16]),
        pairs=pairs.reshape(-1, 1),
    )
    return DisambiguationScored(
        documents=(document("d", "A2", "B2"),),
        bias=NEVER,
        mention_offsets=np.array([0, 2]),
        row_offsets=np.array([0, 2, 4]),
        entity=np.arange(4),
        titles=("A1", "A2", "B1", "B2"),
        gold=np.array([1, 3]),
        nil=np.zeros(2),
        steps=steps,
        width=1,
    )


def test_a_pinned_entity_that_nobody_scored_is_taken_and_supports_nobody() -> None:
    first = (0, 1)
    scored = by_trees()
    assert entities(scored) == ["A1", "B1"]
    told = {entity: decide(scored, {"d": [LinkPin(first, entity)]})[0] for entity in ("A2", "A3", NIL)}
    assert {entity: [m.entity for m in layer.mentions] for entity, layer in told.items()} == {
        "A2": ["A2", "B2"],
        "A3": ["A3", "B1"],
        NIL: [NIL, "B1"],
    }
    assert [m.score for m in told["A3"].mentions] == [m.score for m in told[NIL].mentions]
    trace = TASK.trace(scored, pins=[LinkPin(first, "A3")])
    assert trace.decisions[0].entity == "A3" and trace.decisions[0].runner_up is None
    assert trace.passes[0].steps[0].hypotheses[0].entity == "A3"
    assert trace.k_best[0].entities == ("A3", "B1")
    alone = DisambiguationScored.from_scores(scored.documents, [[{"A1": 1.0}, {"B1": 1.0}]])
    assert [m.entity for m in decide(alone, {"d": [LinkPin(first, "A3")]})[0].mentions] == ["A3", "B1"]
    for clash in (LinkPin(first, "A1"), LinkPin(first, NIL), LinkPin(first, "A3", holds=False)):
        with pytest.raises(Infeasible):
            decide(scored, {"d": [LinkPin(first, "A3"), clash]})


def test_a_wider_beam_keeps_what_a_narrow_one_pruned() -> None:
    scored = by_trees()
    narrow = TASK.trace(scored)
    assert (narrow.verdict, narrow.width_needed) == ("search error", 2)
    assert entities(TASK.with_width(scored, 2)) == ["A2", "B2"]
    # B2 alone would not have won: one mention is corrected at a time.
    stages = {error.start: error.stage for error in TASK.errors(scored, TASK.decide(scored))}
    assert stages == {0: "pruned by search", 2: "scored lower"}


# Documents larger than what a search remembers at first


def test_a_wide_beam_over_many_candidates_ends() -> None:
    """The search's memory has a size at which it stops growing, which one document alone can exceed."""
    n, k = 12, 60
    names = [f"e{i}" for i in range(k)]
    one = document("d", *("e0" for _ in range(n)))
    scored = DisambiguationScored.from_scores([one], [[{name: -i / 8 for i, name in enumerate(names)}] * n])
    assert TASK.trace(TASK.with_width(scored, 128)).verdict == "right"
    steps = TreeSteps(
        trees=FlatForest([stump(0, 0, 0.1, 0.0)]).arrays,
        codes=np.tile(np.arange(k), n).astype(np.uint8)[:, None],
        slot=np.tile(np.arange(k), n),
        surface=np.arange(n),
        n_slots=np.array([k]),
        pair_offsets=np.array([0, k * k]),
        pairs=np.zeros((k * k, 1), dtype=np.uint8),
        backward=0.3,
    )
    searched = replace(scored, score=None, steps=steps, width=64, bias=NEVER)
    assert set(entities(searched)) == {"e0"}
    assert TASK.trace(searched).verdict == "right"


def test_many_mentions_without_candidates_are_all_declined() -> None:
    n = 3000
    scored = DisambiguationScored.from_scores([document("d", *("A" for _ in range(n)))], [[{}] * n])
    assert entities(scored) == [NIL] * n


# Slices and files


@given(corpora(), st.data())
def test_a_slice_is_a_corpus_of_its_own(scored: DisambiguationScored, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(scored)))
    last = data.draw(st.integers(first, len(scored)))
    part = scored.part(first, last)
    part.check()
    assert TASK.decide(part) == TASK.decide(scored)[first:last]


def test_a_slice_with_steps_is_a_corpus_of_its_own() -> None:
    one = by_trees()
    other = replace(one, titles=("B2", "B1", "A2", "A1"), entity=np.arange(4)[::-1])
    third = replace(one, nil=np.array([0.5, -0.5]))
    pieces = (one, other, third)
    whole = DisambiguationScored.joined(pieces)
    whole.check()
    for d, piece in enumerate(pieces):
        part = whole.one(d)
        part.check()
        assert repr(TASK.trace(part.at(0.0))) == repr(TASK.trace(piece.at(0.0)))
    assert whole.n_bytes > whole.one(0).n_bytes > 0


@given(corpora(), corpora())
def test_joined_corpora_decide_as_each_does(one: DisambiguationScored, other: DisambiguationScored) -> None:
    other = other.at(one.bias)
    whole = DisambiguationScored.joined([one, other])
    whole.check()
    assert TASK.decide(whole) == TASK.decide(one) + TASK.decide(other)
    assert whole.gold.tolist() == [*one.gold, *(row + one.n_rows if row >= 0 else row for row in other.gold.tolist())]


def written(scored: DisambiguationScored, path: Path) -> DisambiguationScored:
    waist.save(scored, path, task="disambiguation")
    return waist.load(DisambiguationScored, path, task="disambiguation")


def test_scores_come_back_from_a_file(tmp_path: Path) -> None:
    by_hand = DisambiguationScored.from_scores([document("d", "A")], [[{"A": 1.0, "B": 0.5}]], alternatives="top-k")
    for scored in (by_trees(), replace(by_hand, familiar={"x": ("A", "B")})):
        again = written(scored, tmp_path / "scores.zip")
        assert TASK.decide(again) == TASK.decide(scored)
        assert repr(TASK.trace(again)) == repr(TASK.trace(scored))
        assert (again.titles, again.width, again.alternatives) == (scored.titles, scored.width, scored.alternatives)
        layers = TASK.decide(scored)
        assert TASK.evaluate(again.documents, layers, again) == TASK.evaluate(scored.documents, layers, scored)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mention_offsets", np.array([0, 1])),
        ("row_offsets", np.array([0, 3, 2])),
        ("row_offsets", np.array([0, 2, 9])),
        ("row_offsets", np.array([0.0, 2.0, 4.0])),
        ("entity", np.array([0, 1, 2, 4])),
        ("entity", np.array([0, 1, 2, -1])),
        ("gold", np.array([1, 1])),
        ("gold", np.array([1, -9])),
        ("gold", np.array([1])),
        ("nil", np.array([0.0, np.inf])),
        ("nil", np.zeros(3)),
        ("width", 0),
    ],
)
def test_a_file_whose_arrays_do_not_fit_is_refused(name: str, value: object, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        written(replace(by_trees(), **{name: value}), tmp_path / "scores.zip")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("codes", np.zeros((3, 1), dtype=np.uint8)),
        ("codes", np.zeros(4, dtype=np.uint8)),
        ("codes", np.zeros((4, 1))),
        ("slot", np.array([0, 1, 2, 4])),
        ("slot", np.array([0, 1, 2, -1])),
        ("surface", np.arange(3)),
        ("n_slots", np.array([2**32])),
        ("pair_offsets", np.array([0, 17])),
        ("pairs", np.zeros((15, 1), dtype=np.uint8)),
        ("backward", -1.0),
    ],
)
def test_steps_that_would_read_elsewhere_are_refused(name: str, value: object, tmp_path: Path) -> None:
    scored = by_trees()
    assert scored.steps is not None
    with pytest.raises(InputError):
        written(replace(scored, steps=replace(scored.steps, **{name: value})), tmp_path / "scores.zip")


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [("feature", 0, 9), ("left", 0, 0), ("right", 0, 3), ("left", 3, -1), ("value", 1, np.nan), ("offsets", 1, 4)],
)
def test_trees_that_a_walk_would_not_leave_are_refused(name: str, place: int, value: float, tmp_path: Path) -> None:
    scored = by_trees()
    assert scored.steps is not None
    broken = getattr(scored.steps.trees, name).copy()
    broken[place] = value
    steps = replace(scored.steps, trees=scored.steps.trees._replace(**{name: broken}))
    with pytest.raises(InputError):
        written(replace(scored, steps=steps), tmp_path / "scores.zip")


def test_scores_that_do_not_fit_the_documents_are_refused() -> None:
    one = document("d", "A", "B")
    for scores, nil in (
        ([[{"A": 1.0}]], None),
        ([[{"A": 1.0}, {"B": float("nan")}]], None),
        ([[{"A": 1.0}, {"B": 1.0}]], [[0.0]]),
        ([[{"A": 1.0}, {"B": 1.0}], []], None),
    ):
        with pytest.raises(InputError):
            DisambiguationScored.from_scores([one], scores, nil=nil)
    with pytest.raises(ValueError, match="either"):
        replace(by_trees(), score=np.zeros(4))
