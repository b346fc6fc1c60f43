"""Explanations are exact: shares sum to scores, and a decision flips exactly where it is said to."""

from __future__ import annotations

import numpy as np
import pytest
from engine.tasks.distant.pinning import bag_pins

from engine.data.pins import RelationPin
from engine.structures.typed_pairs import Corpus
from engine.tasks.distant import explain as distant
from engine.tasks.joint import explain as joint
from engine.tasks.joint import model as joint_model
from engine.tasks.joint.inference import Scored
from engine.tasks.registry import get
from tests.tasks.test_contract import sample, trained

HAIR = 1e-6


@pytest.mark.parametrize("kind", ["n", "p"])
def test_a_joint_decision_flips_exactly_at_the_change_that_is_named(kind: str) -> None:
    model = trained("joint")
    decoder = joint_model.decoder(model)
    document = next(d for d in sample("joint", "dev") if 2 <= len(d.gold.mentions) <= 4 and d.gold.relations)
    mentions, scored = joint_model.score([document], model)
    best = decoder.decode(scored, model.bias)
    for index in range(len(best.types if kind == "n" else best.labels)):
        why = joint.explain(document, mentions[0], scored, model, decoder, model.bias, (), kind, index)
        names = decoder.space.types if kind == "n" else decoder.space.labels
        row = (scored.corpus.types if kind == "n" else scored.corpus.labels)[index]
        odds = row[names.index(why.chosen)] - row[names.index(why.rival)]
        assert sum(share.adds for share in why.shares) == pytest.approx(odds, abs=1e-5)
        for option, flip in enumerate(why.flips):
            if flip.change is None:
                continue
            taken = flip.option == why.chosen
            for beyond, expected in ((-HAIR, taken), (HAIR, not taken)):
                types, labels = scored.corpus.types.copy(), scored.corpus.labels.copy()
                step = flip.change + beyond * (np.sign(flip.change) or (-1 if taken else 1))
                (types if kind == "n" else labels)[index, option] += step
                changed = Scored(Corpus.of(types, labels, scored.sizes), scored.groups)
                found = decoder.decode(changed, model.bias)
                now = (found.types if kind == "n" else found.labels)[index] == option
                assert now == expected, (index, flip)


def test_a_sentence_of_a_bag_flips_exactly_at_the_change_that_is_named() -> None:
    task, model = get("distant"), trained("distant")
    document = next(d for d in sample("distant", "dev") if d.bag and len(d.bag.members) >= 2)
    no_pins = bag_pins(document, (), model.state.relations)
    trace = task.trace(document, model, bias=0.3)
    for member in range(len(document.bag.members)):
        why = distant.why(document, model, member, 0.3, no_pins)
        assert why.label == trace.members[member].label
        for relation, score in zip(trace.relations, trace.members[member].scores, strict=True):
            parts = distant.shares(document, model, member, relation, 0.3)
            assert sum(part.adds for part in parts) == pytest.approx(score, abs=1e-4)
        flips = {flip.label: flip.change for flip in why.flips}
        assert flips[why.label] == pytest.approx(-why.margin)
        assert all(change >= -1e-9 for label, change in flips.items() if label != why.label)
        assert flips[why.runner_up] == pytest.approx(min(c for label, c in flips.items() if label != why.label))


def test_a_pinned_sentence_has_no_other_way() -> None:
    model = trained("distant")
    document = next(d for d in sample("distant", "dev") if d.bag and d.bag.members[0].head is not None)
    mentions, member = document.gold.mentions, document.bag.members[0]
    relation = model.state.relations[0]
    pin = RelationPin(mentions[member.head].span, mentions[member.tail].span, relation)
    why = distant.why(document, model, 0, 0.0, bag_pins(document, [pin], model.state.relations))
    assert why.label == relation and why.margin is None
    assert all(flip.change is None for flip in why.flips)
