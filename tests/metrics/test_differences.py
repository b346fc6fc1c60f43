"""Two layers differ in exactly the decisions that one makes and the other does not."""

from engine.data.document import Layer, Mention, Relation
from engine.metrics.differences import Decision, decisions, differences

FIRST = Layer(
    mentions=(Mention(0, 3, "PER", "Ann"), Mention(4, 8, "LOC"), Mention(9, 12)),
    clusters=((2, 0),),
    relations=(Relation(0, 1, "Live_In"),),
    labels=("news",),
)


def test_a_layer_says_one_thing_per_link_type_relation_chain_step_and_label():
    assert decisions(FIRST, ("link", "type", "relation", "coreference", "label")) == {
        Decision(0, 3, "link", "Ann"),
        Decision(0, 3, "type", "PER"),
        Decision(4, 8, "type", "LOC"),
        Decision(0, 3, "relation", "Live_In", (4, 8)),
        Decision(9, 12, "coreference", "", (0, 3)),
        Decision(0, 0, "label", "news"),
    }


def test_only_the_kinds_asked_for_count():
    second = Layer(mentions=(Mention(0, 3, "ORG", "Ann"),))
    assert differences(FIRST, second, ("link",)) == []
    found = differences(FIRST, second, ("type",))
    assert [(one.decision.value, one.side) for one in found] == [
        ("ORG", "second"),
        ("PER", "first"),
        ("LOC", "first"),
    ]
