"""Scores from anywhere: a corpus built from arrays is decided, tuned, cut, saved and judged without any model."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Document, Layer, Mention, Relation
from engine.data.errors import InputError
from engine.data.pins import RelationPin, TypePin
from engine.tasks import scored as waist
from engine.tasks.joint.constraints import Arguments, Constraint, Count, Exclusive, SameType, Symmetric
from engine.tasks.joint.constraints.space import Space
from engine.tasks.joint.constraints.terms import Output
from engine.tasks.joint.constraints.together import violations
from engine.tasks.joint.deciding import decide, decisions
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.task import Joint
from engine.tasks.joint.trace import closest_call, trace
from engine.tasks.joint.what_if.ledger import totals

TASK = Joint()
SPACE = Space(("Loc", "Peop"), ("none", "Kill", "Live"))
KILL = Arguments(name="people kill people", relation="Kill", head=("Peop",), tail=("Peop",))
CHOICES: tuple[Constraint, ...] = (
    KILL,
    Arguments(name="people live in places", relation="Live", head=("Peop",), tail=("Loc",), weight=0.8),
    Exclusive(name="one way", relations=("Kill",)),
    Symmetric(name="both ways", relation="Live", weight=0.4),
    Count(name="one killing", relation="Kill", at_most=1),
    Count(name="a place", type="Loc", at_least=1, weight=0.6),
    SameType(name="same words", source="phrase"),
)


def document(number: int, n: int, rng: np.random.Generator) -> Document:
    """A document of n mentions, of one letter each; the first two are sometimes the same word, and gold is random."""
    words = ["a", str(rng.choice(["a", "b"])), "c"][:n]
    mentions = tuple(Mention(2 * i, 2 * i + 1, str(rng.choice(SPACE.types))) for i in range(n))
    relations = [
        Relation(i, j, str(rng.choice(SPACE.relations)))
        for i, j in itertools.permutations(range(n), 2)
        if rng.random() < 0.4
    ]
    return Document(f"d{number}", " ".join(words), layers={"gold": Layer(mentions, relations=tuple(relations))})


def built(documents: list[Document], rng: np.random.Generator) -> JointScored:
    spans = [[mention.span for mention in one.gold.mentions] for one in documents]
    sizes = np.array([len(own) for own in spans])
    scores = rng.normal(size=(sizes.sum(), 2)), rng.normal(size=((sizes * (sizes - 1)).sum(), 3))
    return JointScored.of(documents, spans, SPACE, scores)


@st.composite
def corpora(draw: st.DrawFn) -> JointScored:
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    sizes = draw(st.lists(st.integers(0, 2), min_size=1, max_size=3))
    chosen = draw(st.lists(st.sampled_from(CHOICES), unique=True, max_size=4))
    made = built([document(k, n, rng) for k, n in enumerate(sizes)], rng)
    return replace(made, constraints=tuple(chosen), bias=draw(st.sampled_from([-0.7, 0.0, 0.9])))


def best_by_enumeration(one: JointScored, bias: float) -> tuple[float, Output]:
    """Every output of a sentence, its scores less the prices of what it breaks."""
    n = int(one.sizes[0])
    outputs = []
    for types in itertools.product(range(2), repeat=n):
        for labels in itertools.product(range(3), repeat=n * (n - 1)):
            output = Output(SPACE, np.array(types, dtype=int), np.array(labels, dtype=int), one.sameness)
            total = sum(one.type_score[i, t] for i, t in enumerate(types)) + bias * labels.count(0)
            total += sum(one.label_score[p, y] for p, y in enumerate(labels))
            outputs.append((total - sum(v.price for v in violations(one.deciding, output)), output))
    return max(outputs, key=lambda pair: pair[0])


@given(corpora())
def test_decisions_are_the_best_of_all_outputs(whole: JointScored) -> None:
    decided = decisions(whole)
    layers = decide(whole)
    for s in range(len(whole)):
        value, best = best_by_enumeration(whole.one(s), whole.bias)
        assert decided.objective[s] == pytest.approx(value)
        assert [mention.type for mention in layers[s].mentions] == [SPACE.types[t] for t in best.types]
        found = {(r.head, r.tail, r.type) for r in layers[s].relations}
        assert found == {(*best.pairs[p], SPACE.labels[y]) for p, y in enumerate(best.labels) if y}


@given(corpora(), st.lists(st.floats(-4, 4), min_size=1, max_size=4))
def test_the_curve_counts_what_the_best_outputs_say_at_every_bias(whole: JointScored, biases: list[float]) -> None:
    curve = TASK.curve(whole)
    assert curve.gold == sum(len(one.gold.relations) for one in whole.documents)
    for bias in biases:
        correct = predicted = 0
        for one in map(whole.one, range(len(whole))):
            _, best = best_by_enumeration(one, bias)
            predicted += int((best.labels > 0).sum())
            correct += int(((best.labels > 0) & (best.labels == one.gold_label)).sum())
        at = curve.index_at(bias)
        assert (curve.predicted[at], curve.correct[at]) == (predicted, correct)


@given(corpora())
def test_cut_joined_and_saved_it_is_the_same_corpus(whole: JointScored) -> None:
    pieces = [whole.one(s) for s in range(len(whole))]
    parts = whole.to_parts()
    for again in (JointScored.joined(pieces), JointScored.from_parts(parts)):
        assert again.constraints == whole.constraints and again.space == whole.space and again.bias == whole.bias
        assert again.tied_by == whole.tied_by and again.tied_pair.tolist() == whole.tied_pair.tolist()
        assert decide(again) == decide(whole)


def corefer(first: int, second: int) -> Document:
    """Three names of which two are one thing, in a layer of its own."""
    mentions = tuple(Mention(i, i + 1) for i in (0, 2, 4))
    return Document("c", "a b c", layers={"gold": Layer(mentions), "chains": Layer(mentions, ((first, second),))})


@pytest.mark.parametrize("order", [(0, 2), (2, 0)])
def test_clusters_tie_types_in_whatever_order_they_name_mentions(order: tuple[int, int]) -> None:
    types = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    made = JointScored.of([corefer(*order)], [[(0, 1), (2, 3), (4, 5)]], SPACE, (types, np.zeros((6, 3))))
    assert decisions(made).types.tolist() == [0, 1, 1]
    tied = replace(made, constraints=(SameType(name="one thing", layer="chains"),))
    assert decisions(tied).types.tolist() == [0, 1, 0]
    [broken] = TASK.trace(tied).before_violations
    assert broken.nodes == (0, 2) and broken.text == "the same thing is Loc here and Peop there"
    elsewhere = replace(made, constraints=(SameType(name="one thing", layer="gold"),))
    assert decisions(elsewhere).types.tolist() == [0, 1, 1]


def test_documents_with_and_without_clusters_can_be_joined(tmp_path) -> None:
    rng = np.random.default_rng(3)
    plain = built([document(0, 3, rng)], rng)
    types = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    tied = JointScored.of([corefer(0, 2)], [[(0, 1), (2, 3), (4, 5)]], SPACE, (types, np.zeros((6, 3))))
    constraints = (SameType(name="one thing", layer="chains"), KILL)
    whole = replace(JointScored.joined([plain, tied, plain]), constraints=constraints)
    assert decisions(whole).types[3:6].tolist() == [0, 1, 0]
    waist.save(whole, tmp_path / "s.zip", task="joint")
    again = waist.load(JointScored, tmp_path / "s.zip", task="joint")
    assert decide(again) == decide(whole) and repr(trace(again.one(1))) == repr(trace(whole.one(1)))


def test_scores_of_another_shape_are_refused() -> None:
    rng = np.random.default_rng(0)
    one = document(0, 2, rng)
    with pytest.raises(ValueError, match="shapes"):
        JointScored.of([one], [[(0, 1), (2, 3)]], SPACE, (np.zeros((2, 3)), np.zeros((2, 3))))


def test_constraints_that_are_not_enforced_are_told_and_decide_nothing() -> None:
    rng = np.random.default_rng(1)
    whole = replace(built([document(k, 2, rng) for k in range(30)], rng), constraints=(KILL,))
    told = replace(whole, enforced=False)
    assert decide(told) == decide(replace(whole, constraints=())) != decide(whole)
    alone, together = (TASK.evaluate(one.documents, decide(one), one)["legal"] for one in (told, whole))
    assert alone < together == 1.0
    seen = [TASK.trace(told.one(s)) for s in range(len(told))]
    assert any(one.after_violations for one in seen)
    assert all(one.after_violations == one.before_violations and one.constraints == (KILL,) for one in seen)


def test_totals_are_those_of_the_decisions_and_absent_where_constraints_clash() -> None:
    rng = np.random.default_rng(2)
    whole = replace(built([document(k, 2, rng) for k in range(20)], rng), constraints=(KILL,))
    found, report = totals(whole), TASK.evaluate(whole.documents, decide(whole))
    micro = report["relations"]["micro"]
    assert found is not None
    assert (found.precision, found.recall, found.f1) == pytest.approx(
        (micro["precision"], micro["recall"], micro["f1"])
    )
    assert found.types == pytest.approx(report["entity_accuracy"])
    assert totals(replace(whole, constraints=(Count(name="nine", relation="Kill", at_least=9),))) is None
    with pytest.raises(InputError, match="nine"):
        decide(replace(whole, constraints=(Count(name="nine", relation="Kill", at_least=9),)))


def one_pair(types: list[list[float]], labels: list[list[float]], bias: float = 0.0) -> JointScored:
    gold = Layer((Mention(0, 1), Mention(2, 3)))
    made = JointScored.of(
        [Document("p", "a b", layers={"gold": gold})], [[(0, 1), (2, 3)]], SPACE, (np.array(types), np.array(labels))
    )
    return replace(made, constraints=(KILL,), bias=bias)


def test_a_trace_tells_the_strongest_relation_of_every_pair_and_what_it_breaks() -> None:
    told = trace(one_pair([[0.0, 2.0], [2.0, 0.0]], [[0.0, 1.5, -2.0], [0.0, -5.0, -1.0]]))
    first, second = told.strongest
    assert (first.pair, first.label, first.until, first.breaks) == (0, 1, 1.5, (KILL.name,))
    assert (second.pair, second.label, second.until, second.breaks) == (1, 2, -1.0, ())
    assert told.before_labels.tolist() == [1, 0] and told.after_labels.tolist() == [0, 0]
    # At a bias where none is chosen it still is the strongest, and would break the same; far away it is left out.
    later = trace(one_pair([[0.0, 2.0], [2.0, 0.0]], [[0.0, 1.5, -2.0], [0.0, -5.0, -1.0]], bias=3.5))
    assert [(one.pair, one.breaks) for one in later.strongest] == [(0, (KILL.name,))]


def test_what_deserves_a_look_first_breaks_a_constraint_or_is_a_close_call() -> None:
    broken = one_pair([[0.0, 0.1], [2.0, 0.0]], [[0.0, -5.0, -5.0], [0.0, 1.5, -1.0]])
    assert closest_call(trace(broken)) == broken.numbering.pair(1, 0)
    close = one_pair([[0.0, 3.0], [2.0, 1.9]], [[0.0, -5.0, -5.0], [0.0, -1.0, -1.0]])
    assert closest_call(trace(close)) == close.numbering.node(1, 0)
    biased = one_pair([[0.0, 3.0], [2.0, 1.9]], [[0.0, -5.0, -5.0], [0.0, -1.0, -1.5]], bias=-0.95)
    assert closest_call(trace(biased)) == biased.numbering.pair(1, 0)
    nothing = JointScored.of([Document("e", "x")], [[]], SPACE, (np.zeros((0, 2)), np.zeros((0, 3))))
    assert closest_call(trace(nothing)) is None


def test_pins_are_checked_and_held() -> None:
    one = one_pair([[0.0, 2.0], [2.0, 0.0]], [[0.0, 1.5, -2.0], [0.0, -5.0, -1.0]])
    pin = RelationPin((0, 1), (2, 3), "Kill")
    TASK.check_pin(one, pin)
    [layer] = decide(one, {"p": [pin]})
    assert [mention.type for mention in layer.mentions] == ["Peop", "Peop"] and layer.relations[0].type == "Kill"
    [free] = decide(one, {"another": [pin]})
    assert free.relations == ()
    with pytest.raises(InputError, match=r"people kill people.*pin: b is Loc"):
        decide(one, {"p": [pin, TypePin((2, 3), "Loc")]})
    for wrong in (TypePin((0, 2), "Loc"), TypePin((0, 1), "Planet"), RelationPin((0, 1), (0, 1), "Kill")):
        with pytest.raises(InputError):
            TASK.check_pin(one, wrong)
