"""Edits fold into states; independent edits commute; a layer survives the trip through a state."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data import edits
from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention, Relation
from engine.data.edits import (
    AddMention,
    AddRelation,
    Comment,
    DoubtGold,
    EditRefused,
    MarkDone,
    Reject,
    RemoveMention,
    RemoveRelation,
    SetCluster,
    SetEntity,
    SetLabel,
    SetRelationType,
    SetSpan,
    SetType,
    State,
    Together,
)

START = Layer(
    mentions=(Mention(0, 3, "PER"), Mention(4, 6, "LOC", "Oslo"), Mention(7, 9)),
    clusters=((0, 2),),
    relations=(Relation(0, 1, "Live_In"),),
    labels=("news",),
)

ids = st.sampled_from(["g0", "g1", "g2"])
one_edit = st.one_of(
    st.builds(SetType, ids, st.sampled_from(["PER", "LOC", None])),
    st.builds(SetEntity, ids, st.sampled_from(["Oslo", "Bergen", None])),
    st.builds(SetCluster, ids, st.sampled_from(["c0", "c1", None])),
    st.builds(SetSpan, ids, st.integers(0, 3), st.integers(4, 9)),
    st.builds(AddMention, st.sampled_from(["a", "b"]), st.just(1), st.integers(2, 9)),
    st.builds(AddRelation, st.sampled_from(["x", "y"]), ids, ids, st.just("Kill")),
    st.builds(RemoveMention, ids),
    st.builds(SetLabel, st.sampled_from(["news", "sport"]), st.booleans()),
    st.builds(Comment, ids, st.sampled_from(["", "why?"])),
    st.builds(DoubtGold, ids, st.booleans()),
    st.builds(Reject, st.just("link"), st.just(0), st.just(3), st.sampled_from(["Oslo", "Rome"])),
)


def test_a_layer_survives_the_trip_through_a_state():
    assert State.of(START).layer() == START


def test_removing_a_mention_takes_its_relations_and_cluster_place_along():
    layer = edits.apply(State.of(START), RemoveMention("g0")).layer()
    assert [mention.span for mention in layer.mentions] == [(4, 6), (7, 9)]
    assert layer.relations == ()
    assert layer.clusters == ((1,),)


def test_chains_that_change_stand_in_text_order_and_the_others_as_they_were():
    start = Layer(mentions=tuple(Mention(i, i + 1) for i in range(6)), clusters=((5, 3), (4, 0), (1,)))
    changed = edits.apply(State.of(start), SetCluster("g2", "c1"))
    assert changed.layer().clusters == ((0, 2, 4), (5, 3), (1,))
    assert edits.apply(changed, SetCluster("g2", None)).layer() == start


def test_relations_can_be_added_retyped_and_removed():
    state = edits.apply(State.of(START), AddRelation("x", "g2", "g1", "Live_In"))
    state = edits.apply(state, SetRelationType("x", "Kill"))
    state = edits.apply(state, RemoveRelation("r0"))
    assert [(r.head, r.tail, r.type) for r in state.layer().relations] == [(2, 1, "Kill")]


@pytest.mark.parametrize(
    "edit",
    [
        RemoveMention("g9"),
        SetType("g9", "PER"),
        AddMention("g0", 0, 1),
        AddRelation("r0", "g0", "g1", "Kill"),
        AddRelation("x", "g0", "g9", "Kill"),
        RemoveRelation("r9"),
    ],
)
def test_an_edit_of_what_is_not_there_is_refused(edit):
    with pytest.raises(EditRefused):
        edits.apply(State.of(START), edit)


@given(one_edit, one_edit)
def test_edits_that_touch_nothing_in_common_commute(first, second):
    if edits.touches(first) & edits.touches(second):
        return
    outcomes = []
    for order in ((first, second), (second, first)):
        state = State.of(START)
        try:
            for edit in order:
                state = edits.apply(state, edit)
        except EditRefused:
            return  # one removes what the other relates: replay drops it in either order
        outcomes.append(state.layer())
    assert outcomes[0].mentions == outcomes[1].mentions
    assert set(map(frozenset, outcomes[0].clusters)) == set(map(frozenset, outcomes[1].clusters))
    assert set(outcomes[0].labels) == set(outcomes[1].labels)


@given(st.lists(one_edit, max_size=4).map(tuple))
def test_edits_survive_json(several):
    bulk = Together(several)
    assert edits.from_json(edits.to_json(bulk)) == bulk


@pytest.mark.parametrize(
    "record", [{}, {"kind": "Explode"}, {"kind": "SetType", "id": "g0"}, {"kind": "RemoveMention", "id": "g0", "x": 1}]
)
def test_records_that_are_no_edits_are_refused(record):
    with pytest.raises(EditRefused):
        edits.from_json(record)


def test_a_bulk_edit_is_all_or_nothing():
    with pytest.raises(EditRefused):
        edits.apply(State.of(START), Together((SetType("g0", "LOC"), RemoveMention("g9"))))


spans = st.tuples(st.integers(0, 8), st.integers(9, 12))


@st.composite
def bags(draw):
    """Documents as importers make them: mentions, chains and members in any order."""
    mentions = tuple(Mention(a, b, draw(st.sampled_from(["PER", None]))) for a, b in draw(st.lists(spans, min_size=1)))
    places = st.sampled_from(range(len(mentions)))
    shuffled = draw(st.permutations(range(len(mentions))))
    cut = draw(st.integers(0, len(mentions)))
    clusters = tuple(tuple(part) for part in (shuffled[:cut], shuffled[cut:]) if part)
    relations = tuple(
        draw(st.lists(st.builds(Relation, places, places, st.just("Kill"), st.sampled_from([None, 0.5]))))
    )
    gold = Layer(mentions, clusters, relations, draw(st.sampled_from([(), ("b", "a")])), {"kept": 1})
    side = st.one_of(st.none(), places)
    bag = Bag("x", "y", tuple(draw(st.lists(st.builds(Member, side, side)))))
    return Document("d", "a" * 12, layers={GOLD: gold}, bag=bag)


says_nothing = st.one_of(
    st.just(MarkDone()),
    st.builds(Comment, st.sampled_from(["", "g0"]), st.just("why?")),
    st.just(DoubtGold("g0")),
    st.just(Reject("link", 0, 9, "Oslo")),
)


@given(bags(), st.lists(says_nothing))
def test_a_document_whose_annotation_nobody_changed_is_given_back_as_it_came(document, several):
    state = edits.apply(State.of_gold(document), Together(tuple(several)))
    assert state.document(document) == document


def arguments(document):
    """The text places that the bag is about."""
    mentions = document.gold.mentions
    return [tuple(None if i is None else mentions[i].span for i in (m.head, m.tail)) for m in document.bag.members]


@given(bags(), st.lists(spans, max_size=3), st.data())
def test_a_bag_keeps_its_arguments_whatever_comes_and_goes_around_them(document, added, data):
    named = {i for member in document.bag.members for i in (member.head, member.tail)}
    free = [i for i in range(len(document.gold.mentions)) if i not in named]
    gone = data.draw(st.lists(st.sampled_from(free), unique=True)) if free else []
    several = [*(AddMention(f"n{i}", *span) for i, span in enumerate(added)), *(RemoveMention(f"g{i}") for i in gone)]
    after = edits.apply(State.of_gold(document), Together(tuple(several))).document(document)
    assert arguments(after) == arguments(document)
    assert len(after.gold.mentions) == len(document.gold.mentions) + len(added) - len(gone)
