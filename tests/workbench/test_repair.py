"""Repairing all errors of a layer gives gold's decisions; repairing one class leaves the others as they are."""

import numpy as np
import pytest

from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.metrics.differences import decisions
from engine.metrics.errors import Error
from engine.workbench.chains import earlier, relinked
from engine.workbench.repair import repair

TEXT = "Ann Bo Cy Di"
SPANS = [(0, 3), (4, 6), (7, 9), (10, 12)]


def document(layer):
    return Document("d", TEXT, layers={GOLD: layer})


def error(kind, span, gold="", predicted=""):
    return Error("d", kind, "scored lower", "", *span, gold, predicted, 0.5)


def links(**entities):
    return Layer(tuple(Mention(*SPANS[int(i[1:])], entity=name) for i, name in entities.items()))


def test_a_wrong_link_is_two_errors_and_each_can_be_repaired_alone():
    gold, predicted = links(m0="Ann", m1="Bo"), links(m0="Anna", m1="Bo")
    alarm, miss = error("false alarm", SPANS[0], "Ann", "Anna"), error("miss", SPANS[0], "Ann", "Anna")
    both = repair(document(gold), predicted, [miss, alarm], ("link",))
    assert decisions(both, ("link",)) == decisions(gold, ("link",))
    only_alarm = repair(document(gold), predicted, [alarm], ("link",))
    assert [m.entity for m in only_alarm.mentions] == [None, "Bo"]


def test_an_invented_link_disappears_and_others_stay():
    predicted = links(m0="Ann", m2="Cy")
    fixed = repair(document(links(m0="Ann")), predicted, [error("false alarm", SPANS[2], "", "Cy")], ("link",))
    assert [m.entity for m in fixed.mentions if m.is_linked] == ["Ann"]


@pytest.mark.parametrize("hull", [False, True])
def test_relations_are_found_at_their_head_or_their_stretch(hull):
    mentions = tuple(Mention(*span, type="PER") for span in SPANS)
    gold = Layer(mentions, relations=(Relation(0, 1, "Kill"),))
    predicted = Layer(mentions, relations=(Relation(2, 3, "Kill"),))
    miss = error("miss", (0, 6) if hull else (0, 3), "Kill")
    alarm = error("false alarm", (7, 12) if hull else (7, 9), "", "Kill")
    fixed = repair(document(gold), predicted, [miss, alarm], ("relation",))
    assert decisions(fixed, ("relation",)) == decisions(gold, ("relation",))


def test_labels_and_types():
    gold = Layer((Mention(0, 3, "PER"),), labels=("born",))
    predicted = Layer((Mention(0, 3, "LOC"),), labels=("lives",))
    all_errors = [
        error("miss", (0, 3), "PER", "LOC"),
        error("false alarm", (0, 3), "PER", "LOC"),
        error("miss", (0, 0), "born"),
        error("false alarm", (0, 0), "", "lives"),
    ]
    fixed = repair(document(gold), predicted, all_errors, ("type", "label"))
    assert decisions(fixed, ("type", "label")) == decisions(gold, ("type", "label"))


def test_a_missed_chain_step_joins_and_a_false_one_leaves():
    mentions = tuple(Mention(*span) for span in SPANS)
    gold = Layer(mentions, clusters=((0, 1), (2, 3)))
    predicted = Layer(mentions, clusters=((0, 2),))
    misses = [error("miss", SPANS[1], "Ann", "new"), error("miss", SPANS[3], "Cy", "new")]
    alarm = error("false alarm", SPANS[2], "new", "Ann")
    fixed = repair(document(gold), predicted, [*misses, alarm], ("coreference",))
    assert decisions(fixed, ("coreference",)) == decisions(gold, ("coreference",))
    joined = repair(document(gold), predicted, misses[:1], ("coreference",))
    assert set(map(frozenset, joined.clusters)) == {frozenset({0, 1, 2})}


def chains(draw_from, seed):
    """A layer over some spans with random clusters, all of two or more."""
    rng = np.random.default_rng(seed)
    names = rng.integers(0, 4, len(draw_from))
    clusters = [tuple(np.flatnonzero(names == k).tolist()) for k in range(4)]
    return Layer(tuple(Mention(*span) for span in draw_from), clusters=tuple(c for c in clusters if len(c) > 1))


def as_sets(layer):
    return {frozenset(layer.mentions[i].span for i in cluster) for cluster in layer.clusters}


@pytest.mark.parametrize("seed", range(30))
def test_links_read_from_a_layer_give_it_back_and_all_errors_corrected_give_gold(seed):
    spans = [(2 * i, 2 * i + 1) for i in range(9)]
    gold, predicted = chains(spans[:8], seed), chains(spans[1:], seed + 1000)
    assert as_sets(relinked(predicted, gold)) == as_sets(predicted)
    mine, theirs = earlier(predicted), earlier(gold)
    alarms = [s for s, before in mine.items() if before and not set(before) & set(theirs.get(s, ()))]
    misses = [s for s, before in theirs.items() if before and not set(before) & set(mine.get(s, ()))]
    errors = [error("false alarm", s) for s in alarms] + [error("miss", s) for s in misses]
    fixed = repair(Document("d", "x" * 20, layers={GOLD: gold}), predicted, errors, ("coreference",))
    assert as_sets(fixed) == as_sets(gold)
    assert as_sets(relinked(gold, predicted, cut=misses)) == as_sets(relinked(predicted, gold, cut=alarms))
