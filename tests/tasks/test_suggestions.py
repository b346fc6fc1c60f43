"""Accepting every suggestion makes the layer say all that the model said; rejecting one silences it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import Layer, Mention, Relation
from engine.data.edits import State, apply
from engine.metrics.differences import decisions
from engine.tasks.suggestions import accept, accept_all, reject, suggestions

ALL = ("link", "type", "coreference", "relation", "label")
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
    assert decisions(predicted, ALL) <= decisions(after.layer(), ALL)
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


def test_scores_of_mentions_and_relations_reach_their_suggestions():
    predicted = Layer(mentions=(Mention(0, 3, "PER", score=0.9), Mention(4, 6)), relations=(Relation(0, 1, "R", 0.4),))
    found = {one.decision.kind: one.score for one in suggestions(State.of(Layer()), predicted, ALL)}
    assert found == {"type": 0.9, "relation": 0.4}
