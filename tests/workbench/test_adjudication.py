"""Adjudication: gold is complete when everything agreed is taken over and every question is answered."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from engine.data.document import Layer, Mention, Relation
from engine.data.edits import State, apply
from engine.workbench.adjudication import Reading, open_places, ready, settle, take_over, weights

EMPTY = State.of(Layer())


def taken(layers: dict[str, Layer], gold: State = EMPTY, threshold: str = "all") -> State:
    edit = take_over(gold, layers, threshold, weights({n: [one] for n, one in layers.items()}), f"a{len(gold.agreed)}")
    return gold if edit is None else apply(gold, edit)


def answered(layers: dict[str, Layer], name: str, gold: State = EMPTY) -> State:
    """Gold after a curator who always sides with one annotator."""
    gold = taken(layers, gold)
    for step in range(200):
        open_ = open_places(layers, gold)
        if not open_:
            return gold
        reading = next((one for one in open_[0].readings if name in one.by), open_[0].readings[0])
        gold = taken(layers, apply(gold, settle(gold, open_[0], reading, "", f"q{step}")))
    raise AssertionError("questions never end")


def test_what_all_agree_on_is_in_gold_and_says_who_agreed() -> None:
    """The review's first finding: Benjamin=X by both, Franklin=Y by one and Z by the other."""
    shared = Mention(0, 8, "PER", "X")
    layers = {
        "anna": Layer((shared, Mention(9, 17, "PER", "Y"))),
        "bob": Layer((shared, Mention(9, 17, "PER", "Z"))),
    }
    assert len(ready(EMPTY, layers)) == 1
    gold = taken(layers)
    assert [(m.span, m.entity, m.extra["agreed"]) for m in gold.layer().mentions] == [((0, 8), "X", ["anna", "bob"])]
    (question,) = open_places(layers, gold)
    assert [one.by for one in question.readings] == [("anna",), ("bob",)]
    edit = settle(gold, question, question.readings[0], "guideline 3", "q")
    gold = apply(gold, edit)
    assert [(m.entity, m.extra["agreed"]) for m in gold.layer().mentions] == [
        ("X", ["anna", "bob"]),
        ("Y", ["anna"]),
    ]
    assert open_places(layers, gold) == [] and ready(gold, layers) == []
    assert gold.settled[question.key].reason == "guideline 3"


def test_boundaries_that_exclude_each_other_are_one_question() -> None:
    layers = {"anna": Layer((Mention(0, 4, "PER"),)), "bob": Layer((Mention(0, 13, "PER"),))}
    (question,) = open_places(layers, EMPTY)
    assert question.spans == ((0, 4), (0, 13)) and len(question.readings) == 2
    gold = apply(EMPTY, settle(EMPTY, question, question.readings[1], "", "q"))
    assert [m.span for m in gold.layer().mentions] == [(0, 13)]


def test_nested_mentions_that_both_marked_are_no_alternatives() -> None:
    outer = Mention(0, 13, "ORG")
    layers = {"anna": Layer((outer, Mention(0, 4, "LOC"))), "bob": Layer((outer, Mention(0, 4, "PER")))}
    (question,) = open_places(layers, taken(layers))
    assert question.spans == ((0, 4),)


def test_a_changed_mind_asks_the_question_anew_and_undo_opens_it() -> None:
    layers = {"anna": Layer((Mention(0, 4, "PER"),)), "bob": Layer((Mention(0, 4, "LOC"),))}
    (question,) = open_places(layers, EMPTY)
    gold = apply(EMPTY, settle(EMPTY, question, question.readings[0], "", "q"))
    assert open_places(layers, gold) == [] and open_places(layers, EMPTY) == [question]
    assert len(open_places({**layers, "bob": Layer((Mention(0, 4, "ORG"),))}, gold)) == 1


@pytest.mark.parametrize(("threshold", "types"), [("all", []), ("majority", ["PER"]), ("weight", ["PER"])])
def test_thresholds(threshold: str, types: list[str]) -> None:
    layers = {name: Layer((Mention(0, 4, "PER"),)) for name in ("anna", "bob")} | {
        "cem": Layer((Mention(0, 4, "LOC"),))
    }
    gold = taken(layers, threshold=threshold)
    assert [m.type for m in gold.layer().mentions] == types
    assert len(open_places(layers, gold)) == (0 if types else 1)


def test_by_weight_two_who_agree_with_each_other_outvote_three_who_agree_with_nobody() -> None:
    shared = tuple(Mention(10 * i, 10 * i + 4, "PER") for i in range(1, 9))
    noise = {
        name: tuple(Mention(100 * n + i, 100 * n + i + 1, "X") for i in range(30)) for n, name in enumerate("cde", 1)
    }
    layers = {name: Layer((Mention(0, 4, "PER"), *shared)) for name in ("anna", "bob")}
    layers |= {name: Layer((Mention(0, 4, "LOC"), *more)) for name, more in noise.items()}
    types = [
        [m.type for m in taken(layers, threshold=threshold).layer().mentions if m.start == 0]
        for threshold in ("majority", "weight")
    ]
    assert types == [["LOC"], ["PER"]]


def test_a_relation_survives_a_boundary_that_was_settled_otherwise() -> None:
    oslo = Mention(20, 24, "LOC")
    layers = {
        "anna": Layer((Mention(0, 13, "PER"), oslo), relations=(Relation(0, 1, "Live_In"),)),
        "bob": Layer((Mention(0, 4, "PER"), oslo), relations=(Relation(0, 1, "Live_In"),)),
    }
    gold = answered(layers, "anna").layer()
    assert [m.span for m in gold.mentions] == [(0, 13), (20, 24)]
    assert [(r.head, r.tail, r.type, r.extra["agreed"]) for r in gold.relations] == [(0, 1, "Live_In", ["anna", "bob"])]


spans = some.sampled_from([(0, 4), (0, 9), (5, 9), (10, 14), (10, 19), (15, 19), (20, 24)])


@some.composite
def layer(draw: some.DrawFn) -> Layer:
    chosen = sorted(draw(some.sets(spans, max_size=5)))
    mentions = tuple(
        Mention(*span, draw(some.sampled_from([None, "PER", "LOC"])), draw(some.sampled_from([None, "A", "B"])))
        for span in chosen
    )
    numbers = [draw(some.integers(0, 2)) for _ in mentions]
    chains = [tuple(i for i, n in enumerate(numbers) if n == number) for number in (1, 2)]
    pairs = [(i, j) for i in range(len(mentions)) for j in range(len(mentions)) if i != j]
    related = draw(some.sets(some.sampled_from(pairs), max_size=2)) if pairs else set()
    return Layer(
        mentions,
        tuple(chain for chain in chains if len(chain) > 1),
        tuple(Relation(head, tail, "near") for head, tail in sorted(related)),
        tuple(sorted(draw(some.sets(some.sampled_from(["news", "sport"]))))),
    )


def content(layer: Layer) -> object:
    spans = [m.span for m in layer.mentions]
    return (
        sorted((m.span, m.type or "", m.entity or "") for m in layer.mentions),
        {frozenset(spans[i] for i in chain) for chain in layer.clusters if len(chain) > 1},
        sorted((spans[r.head], spans[r.tail], r.type) for r in layer.relations),
        sorted(layer.labels),
    )


@settings(max_examples=60)
@given(layer())
def test_gold_of_people_who_agree_is_what_they_say(one: Layer) -> None:
    assert content(taken({"anna": one, "bob": one}).layer()) == content(one)


@settings(max_examples=60)
@given(layer(), layer(), some.sampled_from(["anna", "bob"]))
def test_a_curator_who_always_sides_with_one_gets_their_layer(one: Layer, other: Layer, name: str) -> None:
    """Complete: whoever is sided with, nothing of their layer is missing from gold and nothing is added to it."""
    layers = {"anna": one, "bob": other}
    assert content(answered(layers, name).layer()) == content(layers[name])


def test_nobody_is_right_is_an_answer() -> None:
    layers = {"anna": Layer((Mention(0, 4, "PER"),)), "bob": Layer((Mention(0, 13, "PER"),))}
    (question,) = open_places(layers, EMPTY)
    gold = apply(EMPTY, settle(EMPTY, question, Reading(frozenset(), ()), "not a name", "q"))
    assert gold.layer().mentions == () and open_places(layers, gold) == []
