"""Explanations are exact: shares sum to log-odds, and a decision flips exactly where it is said to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.data.pins import RelationPin, TypePin
from engine.tasks.joint.inference import Decoder
from engine.tasks.joint.scored import JointScored
from engine.tasks.joint.task import Joint
from engine.tasks.joint.what_if.runner_up import runner_up
from engine.tasks.registry import the
from tests.tasks.test_contract import sample, trained

HAIR = 1e-6


def sentence() -> JointScored:
    document = next(d for d in sample("joint", "dev") if 2 <= len(d.gold.mentions) <= 4 and d.gold.relations)
    return the(Joint).score([document], trained("joint"))


@pytest.mark.parametrize("kind", ["n", "p"])
def test_a_joint_decision_flips_exactly_at_the_change_that_is_named(kind: str) -> None:
    scored, model = sentence(), trained("joint")
    decoder, numbering = Decoder.of(scored), scored.numbering
    for index in range(numbering.n_nodes if kind == "n" else numbering.n_pairs):
        why = runner_up(scored, numbering.node(index, 0) if kind == "n" else numbering.pair(index, 0))
        names = scored.space.types if kind == "n" else scored.space.labels
        row = (scored.type_score if kind == "n" else scored.label_score)[index]
        odds = row[names.index(why.chosen)] - row[names.index(why.rival)]
        told = the(Joint).explain(scored, model, why.chosen_part, rival=why.rival_part)
        assert (told.option, told.rival) == (why.chosen, why.rival)
        assert told.base + sum(one.adds or 0.0 for one in told.contributions) == pytest.approx(odds, abs=1e-5)
        for option, flip in enumerate(why.flips):
            if flip.change is None:
                continue
            taken = flip.option == why.chosen
            for beyond, expected in ((-HAIR, taken), (HAIR, not taken)):
                types, labels = scored.type_score.copy(), scored.label_score.copy()
                step = flip.change + beyond * (np.sign(flip.change) or (-1 if taken else 1))
                (types if kind == "n" else labels)[index, option] += step
                found = decoder.decode(replace(scored, type_score=types, label_score=labels))
                now = (found.types if kind == "n" else found.labels)[index] == option
                assert now == expected, (index, flip)


def test_a_part_is_set_against_the_best_other_unless_a_rival_is_named() -> None:
    scored, model, task = sentence(), trained("joint"), the(Joint)
    numbering = scored.numbering
    parts = [numbering.node(0, t) for t in range(len(scored.space.types))]
    parts += [numbering.pair(1, y) for y in range(len(scored.space.labels))]
    scores = numbering.joined(scored.type_score, scored.label_score)
    for part in parts:
        others = [one for one in numbering.rivals(part) if one != part]
        told = task.explain(scored, model, part)
        best = max(others, key=lambda one: scores[one])
        assert told.score == pytest.approx(scores[part] - scores[best], abs=1e-5)
        assert [abs(one.adds or 0.0) for one in told.contributions] == sorted(
            (abs(one.adds or 0.0) for one in told.contributions), reverse=True
        )
    for wrong in (parts[0], numbering.node(1, 0)):
        with pytest.raises(ValueError, match="is not a rival"):
            task.explain(scored, model, parts[0], rival=wrong)


def test_a_decision_that_pins_leave_no_way_out_of_has_no_margin() -> None:
    scored = sentence()
    spans = scored.spans(0)
    for pin in (TypePin(spans[0], "Loc"), RelationPin(spans[0], spans[1], "none")):
        part = 0 if isinstance(pin, TypePin) else scored.numbering.pair(0, 0)
        why = runner_up(scored, part, [pin])
        assert why.chosen == pin.type != why.rival and why.margin is None and why.changes == ()
        assert [flip.change for flip in why.flips] == [None] * len(why.flips)
