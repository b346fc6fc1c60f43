"""Bags from plain arrays against enumeration: decisions, pins, curve, flips, ranking; and scores that are refused."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.data.document import NIL, Bag, Document, Layer, Member, Mention
from engine.data.errors import InputError
from engine.data.pins import LabelPin, Pin, RelationPin
from engine.metrics.distant import ranked_curve
from engine.tasks.distant.deciding import decide
from engine.tasks.distant.ranking import RankingTable, ranked_tally
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.task import Distant
from engine.tasks.distant.trace import why

TASK = Distant()
RELATIONS = ("born in", "lives in", "died in")
HAIR = 1e-6
Output = tuple[int, ...]


def bag(id: str, n_members: int, labels: Sequence[str] = ()) -> Document:
    """A bag whose every sentence is "Ann Bonn"."""
    bare = Document.from_words(id, [["Ann", "Bonn"]] * n_members)
    mentions = tuple(Mention(*span) for span in bare.tokens)
    members = tuple(Member(2 * m, 2 * m + 1) for m in range(n_members))
    return dataclasses.replace(
        bare, layers={"gold": Layer(mentions, labels=tuple(labels))}, bag=Bag("Ann", "Bonn", members), shape="bag"
    )


@st.composite
def corpora(draw: st.DrawFn, most_bags: int = 3) -> DistantScored:
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=most_bags))
    names = RELATIONS[: draw(st.integers(1, 3))]
    gold = st.lists(st.sampled_from([*names, "wrote"]), unique=True, max_size=2)
    documents = [bag(f"b{i}", size, draw(gold)) for i, size in enumerate(sizes)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    made = DistantScored.of(
        documents,
        names,
        rng.normal(size=(sum(sizes), len(names) + 1)),
        rng.normal(size=(len(sizes), len(names))),
        bias=draw(st.sampled_from([0.0, 0.7, -0.4])),
        bags=draw(st.sampled_from(["positive", "entire"])),
    )
    return dataclasses.replace(made, shares=rng.uniform(0.3, 1.0, sum(sizes)))


def total(scored: DistantScored, row: int, output: Output, bias: float) -> float:
    """Equation 15's objective of one bag, spelled out; nil is raised by the bias as much as the member counts."""
    first = int(scored.member_offsets[row])
    score = sum(float(scored.label_scores[row, label - 1]) for label in set(output) - {0})
    for m, label in enumerate(output):
        score += float(scored.member_scores[first + m, label])
        score += bias * float(scored.shares[first + m]) if label == 0 else 0.0
    return score


def outputs(scored: DistantScored, row: int) -> Iterator[Output]:
    size = int(np.diff(scored.member_offsets)[row])
    yield from itertools.product(range(len(scored.relations) + 1), repeat=size)


def best(
    scored: DistantScored, row: int, bias: float, allowed: Callable[[Output], bool] = lambda _: True
) -> Output | None:
    legal = [output for output in outputs(scored, row) if allowed(output)]
    return max(legal, key=lambda output: total(scored, row, output, bias), default=None)


def names(scored: DistantScored, output: Output) -> set[str]:
    return {scored.relations[label - 1] for label in output if label}


@given(corpora())
def test_every_bag_is_decided_as_enumeration_decides_it(scored: DistantScored) -> None:
    for row, layer in enumerate(decide(scored)):
        wanted = best(scored, row, scored.bias)
        assert wanted is not None and set(layer.labels) == names(scored, wanted)
        said = {arc.head // 2: arc.type for arc in layer.relations}
        assert said == {m: scored.relations[label - 1] for m, label in enumerate(wanted) if label}


@given(corpora(), st.lists(st.floats(-4, 4), min_size=1, max_size=5))
def test_the_curve_counts_what_enumeration_decides_at_any_bias(scored: DistantScored, biases: list[float]) -> None:
    curve = TASK.curve(scored)
    assert curve.exact
    counted = [row for row in range(len(scored)) if scored.bags == "entire" or scored.documents[row].gold.labels]
    assert curve.gold == sum(len(scored.documents[row].gold.labels) for row in counted)
    for bias in biases:
        if np.abs(curve.bias[1:] - bias).min(initial=1.0) < 1e-6:
            continue
        held = {row: names(scored, best(scored, row, bias) or ()) for row in counted}
        at = curve.index_at(bias)
        assert curve.predicted[at] == sum(map(len, held.values()))
        assert curve.correct[at] == sum(len(on & set(scored.documents[row].gold.labels)) for row, on in held.items())


def member_pin(document: Document, member: int, relation: str, holds: bool) -> RelationPin:
    head, tail = (document.gold.mentions[2 * member + side].span for side in (0, 1))
    return RelationPin(head, tail, relation, holds)


@st.composite
def pinned(draw: st.DrawFn) -> tuple[DistantScored, list[Pin], Callable[[Output], bool]]:
    scored = draw(corpora(most_bags=1))
    [document] = scored.documents
    size = len(scored.shares)
    pins: list[Pin] = []
    tests: list[Callable[[Output], bool]] = []
    for _ in range(draw(st.integers(1, 3))):
        holds = draw(st.booleans())
        label = draw(st.integers(0 if size else 1, len(scored.relations)))
        if size and (label == 0 or draw(st.booleans())):
            member = draw(st.integers(0, size - 1))
            pins.append(member_pin(document, member, scored.relations[label - 1] if label else NIL, holds))
            tests.append(lambda output, m=member, label=label, holds=holds: (output[m] == label) == holds)
        else:
            pins.append(LabelPin(scored.relations[label - 1], holds))
            tests.append(lambda output, label=label, holds=holds: (label in output) == holds)
    return scored, pins, lambda output: all(test(output) for test in tests)


@given(pinned())
def test_pins_leave_exactly_the_outputs_that_respect_them(
    case: tuple[DistantScored, list[Pin], Callable[[Output], bool]],
) -> None:
    scored, pins, allowed = case
    wanted = best(scored, 0, scored.bias, allowed)
    trace = TASK.trace(scored, pins=pins)
    if wanted is None:
        assert trace.conflict
        with pytest.raises(InputError, match="cannot hold together"):
            TASK.decide(scored, pins={"b0": pins})
        free = TASK.trace(scored)
        assert (trace.members, trace.score) == (free.members, free.score)
        return
    assert trace.conflict == ()
    [layer] = TASK.decide(scored, pins={"b0": pins})
    assert set(layer.labels) == names(scored, wanted)
    assert trace.score == pytest.approx(total(scored, 0, wanted, scored.bias), abs=1e-9)
    assert [one.label for one in trace.members] == [scored.relations[k - 1] if k else None for k in wanted]


@given(pinned())
def test_a_sentence_flips_exactly_at_the_change_that_is_named(
    case: tuple[DistantScored, list[Pin], Callable[[Output], bool]],
) -> None:
    scored, pins, allowed = case
    if best(scored, 0, scored.bias, allowed) is None:
        pins, allowed = [], lambda _: True
    for member in range(len(scored.shares)):
        told = why(scored, member, pins)
        for option, flip in enumerate(told.flips):
            taken = flip.label == told.label
            if flip.change is None:
                free = {output[member] == option for output in outputs(scored, 0) if allowed(output)}
                assert free == {taken}
                continue
            for beyond, expected in ((-HAIR, taken), (HAIR, not taken)):
                moved = scored.member_scores.copy()
                moved[member, option] += flip.change + beyond * (-1 if taken else 1)
                changed = dataclasses.replace(scored, member_scores=moved)
                found = best(changed, 0, changed.bias, allowed)
                assert found is not None and (found[member] == option) == expected


@given(corpora(), st.floats(-2, 2))
def test_the_ranking_does_not_depend_on_the_bias(scored: DistantScored, bias: float) -> None:
    ours, theirs = TASK.ranking(scored), TASK.ranking(scored.at(bias))
    assert ours.precision.tolist() == theirs.precision.tolist() and ours.area == theirs.area
    assert ours.bags == int(scored.counted.sum())


def pairs(drawn: list[tuple[bool, int]]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which pairs are right, and their scores; -3 stands for none."""
    right, score = np.array(drawn, dtype=np.int64).reshape(-1, 2).T
    return (right == 1) & (score > -3), np.where(score > -3, score / 3, -np.inf)


@pytest.mark.filterwarnings("ignore:invalid value encountered in subtract")
@given(st.lists(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), max_size=7), min_size=1, max_size=4))
def test_the_table_of_a_ranking_is_the_same_in_blocks(blocks: list[list[tuple[bool, int]]]) -> None:
    found = RankingTable()
    for one in blocks:
        found.take(ranked_tally(*pairs(one), len(one) + 1))
    every = [pair for one in blocks for pair in one]
    ranked = ranked_curve(*pairs(every), len(every) + len(blocks))
    [rows] = found.tables().values()
    assert [row["recall"] for row in rows] == ranked.recall.tolist()
    assert [row["precision"] for row in rows] == ranked.precision.tolist()


def test_a_long_ranking_is_shown_in_part_from_its_first_to_its_last_score() -> None:
    rng = np.random.default_rng(0)
    right, sure = rng.random(500) < 0.5, rng.normal(size=500)
    found = RankingTable()
    found.take(ranked_tally(right, sure, 300))
    [rows] = found.tables().values()
    ranked = ranked_curve(right, sure, 300)
    shown = np.linspace(0, 499, 40).astype(int)
    assert [row["precision"] for row in rows] == ranked.precision[shown].tolist()


def test_other_gold_judges_the_same_scores() -> None:
    scored = DistantScored.of([bag("a", 1, ["born in"]), bag("b", 1, ["lives in"])], RELATIONS, np.eye(4)[[1, 1]])
    assert TASK.evaluate(scored.documents, TASK.decide(scored), scored)["precision"] == 0.5
    other = [bag("a", 1, ["born in"]), bag("b", 1, ["born in"])]
    report = TASK.evaluate(other, TASK.decide(scored), scored)
    assert report["precision"] == report["ranked"]["area"] == 1.0
    assert scored.against(other).gold.tolist() == [[True, False, False]] * 2


def test_five_lines_make_a_corpus_that_can_be_decided_tuned_and_blamed() -> None:
    documents = [bag("a", 2, ["born in"]), bag("b", 1, ["lives in"])]
    scores = [[0.0, 2.0, 1.0, -1.0], [0.0, -1.0, -2.0, -3.0], [0.0, 1.0, 0.5, 0.0]]
    scored = DistantScored.of(documents, RELATIONS, scores)
    assert [layer.labels for layer in TASK.decide(scored)] == [("born in",), ("born in",)]
    assert [(error.document, error.kind, error.type) for error in TASK.errors(scored, TASK.decide(scored))] == [
        ("b", "miss", "lives in"),
        ("b", "false alarm", "born in"),
    ]
    assert TASK.curve(scored).at(1.5).precision == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"member_scores": np.zeros((2, 3))}, "member_scores must have the shape"),
        ({"label_scores": np.zeros((2, 3))}, "label_scores must have the shape"),
        ({"member_offsets": np.array([0, 1])}, "the bags have 1 members, but 2 are scored"),
        ({"gold": np.zeros((1, 1), dtype=bool)}, "gold must have the shape"),
    ],
)
def test_arrays_that_do_not_fit_each_other_are_refused(change: dict[str, np.ndarray], message: str) -> None:
    scored = DistantScored.of([bag("a", 2)], RELATIONS, np.zeros((2, 4)))
    with pytest.raises(InputError, match=message):
        dataclasses.replace(scored, **change)


def test_scores_that_are_not_finite_and_documents_that_are_no_bags_are_refused() -> None:
    with pytest.raises(InputError, match="finite"):
        DistantScored.of([bag("a", 1)], RELATIONS, [[0.0, np.nan, 0.0, 0.0]])
    with pytest.raises(InputError, match="finite"):
        DistantScored.of([bag("a", 1)], RELATIONS, np.zeros((1, 4)), [[0.0, -np.inf, 0.0]])
    with pytest.raises(InputError, match="is not a bag"):
        DistantScored.of([Document("d", "text")], RELATIONS, np.zeros((0, 4)))
