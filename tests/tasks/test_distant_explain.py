"""Why sentences and pairs of the sample score what they do, and what a pinned sentence has left."""

from __future__ import annotations

import pytest

from engine.data.pins import RelationPin
from engine.tasks.distant.task import Distant
from engine.tasks.distant.trace import why
from engine.tasks.registry import the
from tests.tasks.test_contract import sample, trained


def test_every_part_of_a_bag_is_explained_by_what_adds_up_to_its_score() -> None:
    task, model = the(Distant), trained("distant")
    document = next(d for d in sample("distant", "dev") if d.bag and len(d.bag.members) >= 2)
    scored = task.score([document], model).at(0.3)
    structure, scores = scored.bag()
    trace = task.trace(scored)
    groups = set()
    for part in range(structure.n_parts):
        told = task.explain(scored, model, part)
        adds = [one.adds for one in told.contributions]
        assert told.base + sum(adds) == pytest.approx(told.score, abs=1e-4)
        assert [abs(add) for add in adds] == sorted((abs(add) for add in adds), reverse=True)
        member, label = structure.meaning(part)
        if member is None:
            assert told.score == scores[part]
        elif label:
            assert told.score == trace.members[member].scores[label - 1]
        groups |= {one.group for one in told.contributions}
    assert {"pair", "nil", "between", "entity"} <= groups


def test_a_sentence_of_a_bag_leads_by_what_its_runner_up_lacks() -> None:
    task, model = the(Distant), trained("distant")
    document = next(d for d in sample("distant", "dev") if d.bag and len(d.bag.members) >= 2)
    scored = task.score([document], model).at(0.3)
    trace = task.trace(scored)
    for member in range(len(document.bag.members)):
        found = why(scored, member)
        assert found.label == trace.members[member].label
        flips = {flip.label: flip.change for flip in found.flips}
        assert flips[found.label] == pytest.approx(-found.margin)
        assert all(change >= -1e-9 for label, change in flips.items() if label != found.label)
        assert flips[found.runner_up] == pytest.approx(min(c for label, c in flips.items() if label != found.label))


def test_a_pinned_sentence_has_no_other_way() -> None:
    task, model = the(Distant), trained("distant")
    document = next(d for d in sample("distant", "dev") if d.bag and d.bag.members[0].head is not None)
    mentions, member = document.gold.mentions, document.bag.members[0]
    relation = model.state.relations[0]
    pin = RelationPin(mentions[member.head].span, mentions[member.tail].span, relation)
    found = why(task.score([document], model), 0, [pin])
    assert found.label == relation and found.margin is None
    assert all(flip.change is None for flip in found.flips)
