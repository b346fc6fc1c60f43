"""Corrections become exactly the pins they mean; queues put the promised document first."""

from typing import get_args

import pytest

from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.data.edits import (
    AddMention,
    AddRelation,
    Reject,
    RemoveMention,
    RemoveRelation,
    SetCluster,
    SetEntity,
    SetLabel,
    SetType,
    State,
    Together,
    apply,
)
from engine.data.pins import ClusterPin, LabelPin, LinkPin, RelationPin, TypePin
from engine.workbench.annotation import asked, pins_of
from engine.workbench.queue import ABOUT, Order, entropy, narrowest, queue

ALL = ("link", "type", "coreference", "relation", "label")
START = State.of(
    Layer(
        mentions=(Mention(0, 3), Mention(4, 6, entity="Oslo"), Mention(7, 9), Mention(10, 12)),
        clusters=((0, 2), (1, 3)),
        relations=(Relation(0, 1, "Live_In"),),
    )
)


def pins(*edits, decides=ALL):
    now = START
    for edit in edits:
        now = apply(now, edit)
    return pins_of(START, now, edits, decides)


def test_a_new_link_is_pinned_and_nothing_else_is():
    assert pins(SetEntity("g0", "Ann")) == (LinkPin((0, 3), "Ann"),)


def test_only_kinds_that_the_task_decides_are_pinned():
    assert pins(SetEntity("g0", "Ann"), decides=("coreference",)) == ()


def test_a_removed_mention_may_not_come_back():
    assert pins(RemoveMention("g1")) == (LinkPin((4, 6), None),)


def test_a_moved_mention_stays_with_its_new_chain_and_apart_from_its_old_one():
    assert set(pins(SetCluster("g2", "c1"))) == {ClusterPin((4, 6), (7, 9)), ClusterPin((0, 3), (7, 9), holds=False)}


def test_a_mention_taken_out_of_its_chain_is_kept_out():
    assert pins(SetCluster("g2", None)) == (ClusterPin((0, 3), (7, 9), holds=False),)


def test_relations_are_pinned_on_and_off():
    assert pins(AddRelation("x", "g0", "g3", "Kill")) == (RelationPin((0, 3), (10, 12), "Kill"),)
    assert pins(RemoveRelation("r0")) == (RelationPin((0, 3), (4, 6), "Live_In", holds=False),)
    assert pins(SetLabel("born", False)) == (LabelPin("born", False),)


def test_a_rejected_suggestion_is_forbidden():
    assert pins(Reject("link", 0, 3, "Rome")) == (LinkPin((0, 3), "Rome", holds=False),)
    assert pins(Reject("coreference", 7, 9, "", 0, 3)) == (ClusterPin((0, 3), (7, 9), holds=False),)
    assert pins(Reject("label", 0, 0, "born")) == (LabelPin("born", holds=False),)


def test_of_what_was_said_and_unsaid_only_what_stands_is_pinned():
    assert pins(SetLabel("born", False), SetLabel("born", True)) == (LabelPin("born"),)
    assert pins(Reject("label", 0, 0, "born"), SetLabel("born", True)) == (LabelPin("born"),)
    assert pins(Reject("type", 0, 3, "PER"), SetType("g0", "PER")) == (TypePin((0, 3), "PER"),)
    assert pins(RemoveMention("g1"), AddMention("n", 4, 6, entity="Rome")) == (LinkPin((4, 6), "Rome"),)
    again = (RemoveRelation("r0"), AddRelation("x", "g0", "g1", "Live_In"))
    assert pins(*again) == (RelationPin((0, 3), (4, 6), "Live_In"),)


def test_bulk_edits_pin_each_of_their_parts_and_an_added_then_removed_mention_pins_nothing():
    assert pins(Together((SetEntity("g0", "A"), SetEntity("g2", "B")))) == (LinkPin((0, 3), "A"), LinkPin((7, 9), "B"))
    assert pins(AddMention("n", 1, 2, entity="X"), RemoveMention("n")) == ()


def test_a_model_is_asked_about_given_mentions_that_the_layer_lacks_and_told_what_the_source_says_beside_its_own():
    document = Document("d", "Oslo and Ann", layers={GOLD: Layer((Mention(0, 4, entity="Oslo"), Mention(9, 12)))})
    given = (Mention(0, 4, "LOC", extra={"candidates": ["Oslo"]}), Mention(9, 12, "PER"))
    own = apply(State.of(Layer()), AddMention("n", 0, 4, entity="Oslo (song)"))
    assert asked(document, own, given).gold.mentions == (
        Mention(0, 4, "LOC", "Oslo (song)", extra={"candidates": ["Oslo"]}),
        Mention(9, 12, "PER"),
    )
    assert asked(document, own, ()).gold.mentions == (Mention(0, 4, None, "Oslo (song)"),)


def scored(*probabilities):
    return Layer(mentions=tuple(Mention(i, i + 1, score=p) for i, p in enumerate(probabilities)))


DOCUMENTS = [
    Document("a", "the cat sat", layers={GOLD: Layer()}),
    Document("b", "the cat sat down"),
    Document("c", "stocks fell"),
]


def order(kind, predicted, **options):
    return [DOCUMENTS[one.position].id for one in queue(DOCUMENTS, predicted, kind, **options)]


def test_entropy_and_margin_follow_their_definitions():
    assert entropy(scored(0.5, 1.0, 0.0)) == pytest.approx(1.0)
    assert narrowest(scored(0.9, 0.4)) == pytest.approx(0.2)
    assert narrowest(scored()) == 1.0


def test_the_queue_is_ordered_by_what_it_says():
    predicted = [scored(0.99), scored(0.8, 0.8), scored(0.55)]
    assert order("uncertainty", predicted) == ["b", "c", "a"]
    assert order("margin", predicted) == ["c", "b", "a"]
    assert order("document order", predicted, done={"a"}) == ["b", "c"]
    assert order("diversity", predicted) == ["a", "c", "b"]


def test_disagreement_counts_the_decisions_that_differ():
    mine = [Layer(labels=("x",)), Layer(), Layer(labels=("x", "y"))]
    theirs = [Layer(labels=("x",)), Layer(labels=("x",)), Layer()]
    assert order("disagreement", mine, other=theirs, decides=("label",)) == ["c", "b", "a"]
    with pytest.raises(ValueError, match="second run"):
        queue(DOCUMENTS, mine, "disagreement")


def test_every_place_in_the_queue_says_what_it_comes_from():
    document = Document("a", "Oslo and Lima")
    layer = Layer((Mention(0, 4, score=0.95), Mention(9, 13, score=0.4)))
    (doubted,) = queue([document], [layer], "uncertainty")
    assert doubted.why == "1 of 2 under 90 %; closest: “Lima” 40.0 %"
    (close,) = queue([document], [layer], "margin")
    assert close.why == "closest: “Lima” 40.0 %"
    (differ,) = queue([document], [layer], "disagreement", other=[Layer()], decides=("span",))
    assert differ.why == "span 2"
    whys = [one.why for one in queue(DOCUMENTS[:1] * 2, [Layer()] * 2, "diversity")]
    assert whys[0].startswith(f"{len(set(DOCUMENTS[0].text.split()))} of") and whys[1].startswith("0 of")
    assert set(ABOUT) == set(get_args(Order))
