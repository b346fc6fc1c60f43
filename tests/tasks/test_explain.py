"""Explanations are exact: shares sum to scores, and a decision flips exactly where it is said to."""

from __future__ import annotations

import numpy as np
import pytest

from engine.structures.typed_pairs import Corpus
from engine.tasks.joint import explain as joint
from engine.tasks.joint import model as joint_model
from engine.tasks.joint.inference import Scored
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
