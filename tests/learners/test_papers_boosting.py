"""S-MART, its hinge form, MART and TreeCRF against the losses and loops that the papers print, by enumeration."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from engine.learners.base import Instance, fit
from engine.learners.trees.boosting import Boosting
from engine.learners.trees.losses import Hinge
from engine.structures.chain import Chain
from engine.structures.nonoverlap import NonOverlap
from engine.tasks.linking.settings import LEARNERS
from tests.learners.test_against_nil import mentions
from tests.learners.test_boosting import chain_instances
from tests.oracles import disjoint_sets, log_z, marginals, total

Lattice = Instance[NonOverlap]


def outputs_of(one: Lattice) -> list[tuple[int, ...]]:
    return list(disjoint_sets(one.structure.starts.tolist(), one.structure.ends.tolist()))


def one_entity_each(one: Lattice) -> list[tuple[int, ...]]:
    """Outputs in which only the entities of one mention exclude each other, as MART sees them."""
    spans = list(zip(one.structure.starts.tolist(), one.structure.ends.tolist(), strict=True))
    options = [[None, *(p for p, at in enumerate(spans) if at == span)] for span in sorted(set(spans))]
    return [tuple(p for p in chosen if p is not None) for chosen in itertools.product(*options)]


def logistic(one: Lattice, scores: np.ndarray, outputs: list[tuple[int, ...]]) -> float:
    return log_z(scores, outputs) - total(scores, tuple(np.flatnonzero(one.consistent)))


def margin(one: Lattice, scores: np.ndarray, outputs: list[tuple[int, ...]]) -> float:
    """How far the worst output, its cost included, is above the right one: equation 8 and below of the paper."""
    raised = scores + one.cost
    return max(total(raised, output) for output in outputs) - total(raised, tuple(np.flatnonzero(one.consistent)))


def test_the_hinge_loss_is_the_margin_to_the_worst_of_all_outputs() -> None:
    rng = np.random.default_rng(0)
    for seed in range(60):
        one = mentions(seed)
        scores = rng.normal(size=len(one.features))
        found = Hinge(one.structure, one.consistent, one.cost).gradient(scores)
        assert found.loss == pytest.approx(margin(one, scores, outputs_of(one)))


@pytest.mark.parametrize(
    ("learner", "loss", "outputs"),
    [
        ("s-mart", logistic, outputs_of),
        ("s-mart-2", logistic, outputs_of),
        ("s-mart-hinge", margin, outputs_of),
        ("mart", logistic, one_entity_each),
    ],
)
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_each_learner_lowers_the_loss_that_its_name_promises(
    learner: str, loss: Any, outputs: Any, preset: str
) -> None:
    instances = [mentions(seed) for seed in range(12)]
    settings: Any = replace(LEARNERS[learner].preset(preset), trees=3, min_leaf=3)
    for step in settings.rounds(instances):
        expected = np.mean([loss(one, step.scorer.scores(one.features), outputs(one)) for one in instances])
        assert step.objective == pytest.approx(expected, abs=1e-9)


def label_sequences(chain: Chain, length: int) -> list[tuple[int, ...]]:
    return [tuple(int(p) for p in chain.parts_of(np.array(y))) for y in itertools.product((0, 1), repeat=length)]


def test_tree_crf_is_the_printed_loop_over_all_label_sequences() -> None:
    """Dietterich et al. 2004: trees fitted to gold minus P(y_t-1, y_t | x), added whole, from zero."""
    instances = chain_instances(25, 3)
    scorer = fit(Boosting(trees=4, max_leaves=6, min_leaf=4, rate=1.0, newton=False, prior=False), instances)
    table = np.concatenate([one.features for one in instances])
    begins = np.cumsum([0, *(len(one.features) for one in instances)])
    sequences = [label_sequences(one.structure, (len(one.features) - 2) // 4 + 1) for one in instances]
    f = np.zeros(len(table))
    for _ in range(4):
        target = np.concatenate(
            [
                one.consistent - marginals(f[begin : begin + len(one.features)], outputs)
                for one, begin, outputs in zip(instances, begins, sequences, strict=False)
            ]
        )
        tree = DecisionTreeRegressor(max_leaf_nodes=6, min_samples_leaf=4, random_state=0)
        f += tree.fit(table, target).predict(table)
    np.testing.assert_allclose(scorer.scores(table), f, atol=1e-9)
