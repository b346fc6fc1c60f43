"""Nil scored by trees: Algorithm 1 of Yang and Chang written out over all assignments, with scikit-learn's trees."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from engine.learners.base import Instance, fit
from engine.learners.scorers import pack, unpack
from engine.learners.trees.against_nil import AgainstNil
from engine.learners.trees.boosting import Boosting
from engine.learners.trees.linear_start import LinearStartBoosting
from engine.structures.nonoverlap import NonOverlap
from tests.learners.test_boosting import chain_instances

SHARED = np.array([True, True, False, False])
PAPER: dict[str, Any] = {"rate": 1.0, "newton": False, "prior": False, "nil": "trees"}


def mentions(seed: int) -> Instance[NonOverlap]:
    """A text of a few overlapping mentions with up to three entities each; some are gold."""
    rng = np.random.default_rng(seed)
    spans = sorted({(int(s), int(s + rng.integers(1, 4))) for s in rng.integers(0, 6, 4)})
    starts, ends, features, gold = [], [], [], []
    taken: list[tuple[int, int]] = []
    for start, end in spans:
        own = rng.normal(size=2)
        free = all(end <= s or e <= start for s, e in taken) and rng.random() < 0.6
        taken += [(start, end)] if free else []
        n = int(rng.integers(1, 4))
        for k in range(n):
            starts.append(start)
            ends.append(end)
            gold.append(free and k == 0)
            features.append([*own, *rng.normal(size=2)])
    right = np.array(gold)
    rows = np.array(features, dtype=np.float32)
    return Instance(NonOverlap(starts, ends), rows, right, np.where(right, -1.0, 1.0), SHARED)


def spans_of(one: Instance[NonOverlap]) -> list[tuple[int, int]]:
    return sorted(set(zip(one.structure.starts.tolist(), one.structure.ends.tolist(), strict=True)))


def assignments(one: Instance[NonOverlap]) -> list[tuple[int, ...]]:
    """Per mention a part or -1 for Nil, no two entities overlapping: every legal y."""
    spans = spans_of(one)
    own = list(zip(one.structure.starts.tolist(), one.structure.ends.tolist(), strict=True))
    options = [[-1, *(p for p, at in enumerate(own) if at == span)] for span in spans]
    legal = []
    for y in itertools.product(*options):
        chosen = [spans[k] for k, u in enumerate(y) if u >= 0]
        if all(a[1] <= b[0] or b[1] <= a[0] for a, b in itertools.combinations(chosen, 2)):
            legal.append(y)
    return legal


def printed(instances: list[Instance[NonOverlap]], n_trees: int, leaves: int, least: int) -> list[np.ndarray]:
    """F over the rows of each text, the parts first and then Nil of each mention, after Algorithm 1."""
    rows, places = [], []
    for one in instances:
        first = [list(zip(one.structure.starts, one.structure.ends, strict=True)).index(s) for s in spans_of(one)]
        nil = one.features[first].copy()
        nil[:, ~SHARED] = np.nan
        places.append((sum(map(len, rows)), len(one.features), len(nil)))
        rows += [one.features, nil]
    table = np.concatenate(rows)
    f = np.zeros(len(table))
    for _ in range(n_trees):
        target = np.zeros(len(table))
        for one, (begin, n_parts, _) in zip(instances, places, strict=True):
            legal = assignments(one)

            def row(k: int, u: int, begin: int = begin, n_parts: int = n_parts) -> int:
                return begin + (u if u >= 0 else n_parts + k)

            totals = np.array([sum(f[row(k, u)] for k, u in enumerate(y)) for y in legal])
            p = np.exp(totals - np.logaddexp.reduce(totals))
            gold = max(
                legal,
                key=lambda y: (
                    sum(u >= 0 and one.consistent[u] for u in y) - sum(u >= 0 and not one.consistent[u] for u in y)
                ),
            )
            for k, u in enumerate(gold):
                target[row(k, u)] += 1.0
            for y, share in zip(legal, p, strict=True):
                for k, u in enumerate(y):
                    target[row(k, u)] -= share
        tree = DecisionTreeRegressor(max_leaf_nodes=leaves, min_samples_leaf=least, random_state=0)
        f += tree.fit(table, target).predict(table)
    return [f[begin : begin + n_parts + n_nil] for begin, n_parts, n_nil in places]


def test_the_loop_is_the_printed_one() -> None:
    instances = [mentions(seed) for seed in range(30)]
    learner = Boosting(trees=4, max_leaves=6, min_leaf=4, **PAPER)
    scorer = fit(learner, instances)
    for one, f in zip(instances, printed(instances, 4, 6, 4), strict=True):
        spans = spans_of(one)
        own = zip(one.structure.starts, one.structure.ends, strict=True)
        against = [f[p] - f[len(one.features) + spans.index(at)] for p, at in enumerate(own)]
        np.testing.assert_allclose(scorer.scores(one.features), against, atol=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_the_objective_is_that_of_the_scorer(loss: Any) -> None:
    instances = [mentions(seed) for seed in range(20)]
    for step in Boosting(trees=3, min_leaf=3, loss=loss, **PAPER).rounds(instances):
        losses = []
        for one in instances:
            scores = step.scorer.scores(one.features)
            raised = scores + one.cost
            best = one.structure.argmax(raised)
            gold = np.flatnonzero(one.consistent)
            if loss == "hinge":
                losses.append(raised[best].sum() - raised[gold].sum())
            else:
                losses.append(one.structure.marginals(scores)[0] - scores[gold].sum())
        assert step.objective == pytest.approx(np.mean(losses), abs=1e-9)


def test_a_saved_scorer_says_the_same_and_what_each_feature_adds_sums_up() -> None:
    instances = [mentions(seed) for seed in range(20)]
    scorer = fit(Boosting(trees=3, min_leaf=3, **PAPER), instances)
    assert isinstance(scorer, AgainstNil)
    rows = instances[0].features
    again = unpack(pack(scorer))
    np.testing.assert_array_equal(again.scores(rows), scorer.scores(rows))
    np.testing.assert_allclose(scorer.contributions(rows).sum(axis=1), scorer.scores(rows), atol=1e-9)


def test_what_cannot_be_is_refused() -> None:
    for wrong in ({"prior": True}, {"newton": True}):
        with pytest.raises(ValueError, match="nil=trees"):
            Boosting(**{**PAPER, **wrong})
    with pytest.raises(ValueError, match="linear=false"):
        LinearStartBoosting(**PAPER)
    with pytest.raises(ValueError, match="mentions"):
        next(Boosting(**PAPER).rounds(chain_instances(3, 0)))
    one = mentions(0)
    torn = Instance(one.structure, one.features, one.consistent, one.cost, ~SHARED)
    with pytest.raises(ValueError, match="within a mention"):
        next(Boosting(**PAPER).rounds([torn]))
