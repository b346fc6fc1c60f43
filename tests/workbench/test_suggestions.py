"""Accepting every suggestion makes the layer say all that the model said; rejecting one silences it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Layer, Mention, Relation
from engine.data.edits import State, apply
from engine.metrics.differences import decisions
from engine.workbench.suggestions import (
    KINDS,
    accept,
    accept_all,
    refused,
    reject,
    reject_all,
    settled,
    suggestions,
    suggestions_of,
)

ALL = KINDS
spans = [(0, 3), (4, 6), (5, 9), (10, 12)]


@st.composite
def layers(draw):
    chosen = draw(st.lists(st.sampled_from(spans), unique=True))
    mentions = tuple(
        Mention(a, b, draw(st.sampled_from(["PER", None])), draw(st.sampled_from(["Oslo", "Rome", None])), 0.5)
        for a, b in chosen
    )
    n = len(mentions)
    clusters = (tuple(range(n)),) if n > 1 and draw(st.booleans()) else ()
    relations = (Relation(0, n - 1, "Kill", 0.7),) if n > 1 and draw(st.booleans()) else ()
    return Layer(mentions, clusters, relations, draw(st.sampled_from([(), ("born",)])))


@given(layers(), layers())
def test_accepting_all_suggestions_adds_all_that_the_model_says(mine, predicted):
    state = State.of(Layer(mine.mentions, (), mine.relations, mine.labels))
    found = suggestions(state, predicted, ALL)
    after = apply(state, accept_all(state, found, "n"))
    assert decisions(predicted, ALL) <= settled(after) - refused(after)
    assert suggestions(after, predicted, ALL) == []


@given(layers(), layers())
def test_a_rejected_suggestion_does_not_come_back(mine, predicted):
    state = State.of(mine)
    for one in suggestions(state, predicted, ALL):
        assert one.key not in {s.key for s in suggestions(apply(state, reject(one)), predicted, ALL)}


def test_a_link_on_a_known_span_changes_it_and_on_a_new_span_adds_it():
    state = State.of(Layer(mentions=(Mention(0, 3, "PER"),)))
    predicted = Layer(mentions=(Mention(0, 3, entity="Ann", score=0.9), Mention(4, 6, entity="Oslo")))
    for one in suggestions(state, predicted, ("link",)):
        state = apply(state, accept(state, one, f"n{one.decision.start}"))
    assert [(m.span, m.type, m.entity) for m in state.layer().mentions] == [
        ((0, 3), "PER", "Ann"),
        ((4, 6), None, "Oslo"),
    ]


def test_another_relation_of_the_same_two_takes_the_place_of_the_one_that_stands():
    pair = (Mention(0, 3, "firm"), Mention(4, 6, "town"))
    state = State.of(Layer(pair, relations=(Relation(0, 1, "lives in"), Relation(1, 0, "has"))))
    says = Layer(pair, relations=(Relation(0, 1, "sits in", 0.9),))
    after = apply(state, accept_all(state, suggestions(state, says, ("relation",)), "n"))
    assert {(r.head, r.tail, r.type) for r in after.layer().relations} == {(0, 1, "sits in"), (1, 0, "has")}


def test_a_relation_that_the_model_says_as_well_stays_beside_the_new_one():
    pair = (Mention(0, 3), Mention(4, 6))
    state = State.of(Layer(pair, relations=(Relation(0, 1, "born in"),)))
    says = Layer(pair, relations=(Relation(0, 1, "born in"), Relation(0, 1, "lives in"), Relation(0, 1, "died in")))
    after = apply(state, accept_all(state, suggestions(state, says, ("relation",)), "n"))
    assert {r.type for r in after.layer().relations} == {"born in", "lives in", "died in"}


def test_scores_of_mentions_and_relations_reach_their_suggestions():
    predicted = Layer(mentions=(Mention(0, 3, "PER", score=0.9), Mention(4, 6)), relations=(Relation(0, 1, "R", 0.4),))
    found = {one.decision.kind: one.score for one in suggestions(State.of(Layer()), predicted, ALL)}
    assert found == {"type": 0.9, "relation": 0.4}


def test_what_several_people_say_is_suggested_once_with_their_names():
    mine = State.of(Layer((Mention(0, 3, "PER"),)))
    anna, ben = Layer((Mention(0, 3), Mention(4, 6, "LOC"))), Layer((Mention(4, 6, "LOC"), Mention(5, 9)))
    offered = suggestions_of(mine, {"ben": ben, "anna": anna})
    # That there is a mention at 0-3 is known; one of which nothing is said is a suggestion of its own.
    assert [(one.decision.kind, one.decision.start, one.by) for one in offered] == [
        ("type", 4, ("anna", "ben")),
        ("span", 5, ("ben",)),
    ]
    state = apply(mine, accept_all(mine, offered, "n"))
    assert [m.span for m in state.layer().mentions] == [(0, 3), (4, 6), (5, 9)]
    assert suggestions_of(state, {"ben": ben, "anna": anna}) == []


def test_two_mentions_of_one_chain_are_not_offered_to_be_joined_and_a_chain_is_offered_once() -> None:
    """The review: "the letter = A letter" where both were in chain 1 already, with a mention between them."""
    mentions = (Mention(0, 3), Mention(4, 6), Mention(7, 9))
    state = State.of(Layer(mentions, clusters=((0, 1, 2),)))
    assert suggestions(state, Layer(mentions, clusters=((0, 2),)), ["coreference"]) == []
    apart = State.of(Layer(mentions, clusters=((0, 1),)))
    assert len(suggestions(apart, Layer(mentions, clusters=((0, 2),)), ["coreference"])) == 1


def test_after_rejecting_all_the_next_best_reading_of_the_same_words_is_not_offered() -> None:
    """The review: three presses of D to clear "apple"."""
    state = State.of(Layer())
    first = suggestions(state, Layer((Mention(0, 5, entity="Apple_Inc."), Mention(8, 12, entity="Oslo"))), ["link"])
    assert len(first) == 2
    after = apply(state, reject_all(first, state))
    assert suggestions(after, Layer((Mention(0, 5, entity="Apple"), Mention(2, 7, entity="Pie"))), ["link"]) == []
    single = apply(state, reject_all(first[:1]))
    assert len(suggestions(single, Layer((Mention(0, 5, entity="Apple"),)), ["link"])) == 1, "one no asks for the next"
