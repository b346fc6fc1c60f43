"""Structured SVMs: bounds that meet, tiny problems solved another way, the kernel behind the explicit map."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from engine.learners.base import Instance, fit
from engine.learners.joined import join
from engine.learners.linear.scaled import Scaling
from engine.learners.margin.polynomial import PolynomialSSVM, Quadratic, QuadraticMap
from engine.learners.margin.ssvm import SSVM, LinearMap
from engine.structures.nonoverlap import NonOverlap
from tests.learners.test_boosting import lattice_instances
from tests.oracles import disjoint_sets


def test_the_primal_is_above_the_dual_and_the_gap_closes():
    instances = lattice_instances(40, 0)
    rounds = list(SSVM(C=1.0, tolerance=1e-3, n_rounds=500).rounds(instances))
    for step in rounds:
        assert step.scores["primal"] >= step.scores["dual"] - 1e-6 * abs(step.scores["primal"])
    assert rounds[-1].scores["gap"] <= 1e-3 * 40 * 1.0
    assert rounds[-1].scores["gap"] < rounds[0].scores["gap"]


def test_the_reported_objective_is_the_objective_of_the_reported_weights():
    instances = lattice_instances(25, 1)
    corpus = join(instances)
    mapped = LinearMap.of(corpus.features)
    gold = np.flatnonzero(corpus.consistent)
    for step in itertools.islice(SSVM(C=0.5).rounds(instances), 10):
        scores = step.scorer.scores(corpus.features) + corpus.cost
        bad = corpus.structure.argmax(scores)
        loss = scores[bad].sum() - scores[gold].sum()
        expected = 0.5 * step.scorer.weights @ step.scorer.weights + 0.5 * loss
        assert step.scores["primal"] == pytest.approx(expected, rel=1e-5)
        np.testing.assert_allclose(mapped.scores(step.scorer.weights), step.scorer.scores(corpus.features), atol=1e-5)


def test_a_tiny_problem_has_the_solution_of_a_general_solver():
    instances = [i for i in lattice_instances(14, 2, n_features=3) if i.structure.n_parts <= 7][:5]
    assert len(instances) >= 3
    corpus = join(instances)
    rows = Scaling.fit(corpus.features).apply(corpus.features).astype(np.float64)
    offsets = np.cumsum([0, *(i.structure.n_parts for i in instances)])
    # One slack per document, one row per output.
    dim, n = rows.shape[1], len(instances)
    constraints = []
    for d, instance in enumerate(instances):
        own, gold = rows[offsets[d] : offsets[d + 1]], np.flatnonzero(instance.consistent)
        for output in disjoint_sets(instance.structure.starts, instance.structure.ends):
            change = own[gold].sum(0) - own[list(output)].sum(0)
            loss = instance.cost[list(output)].sum() - instance.cost[gold].sum()
            row = np.concatenate([change, np.eye(n)[d]])
            constraints.append((row, loss))
    matrix, bound = np.array([r for r, _ in constraints]), np.array([b for _, b in constraints])
    best = minimize(
        lambda x: 0.5 * x[:dim] @ x[:dim] + 2.0 * x[dim:].sum(),
        np.concatenate([np.zeros(dim), np.full(n, bound.max())]),
        jac=lambda x: np.concatenate([x[:dim], np.full(n, 2.0)]),
        constraints={"type": "ineq", "fun": lambda x: matrix @ x - bound, "jac": lambda x: matrix},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    last = list(SSVM(C=2.0, tolerance=1e-7, n_rounds=2000).rounds(instances))[-1]
    assert last.scores["primal"] == pytest.approx(best.fun, rel=1e-4)


def open_instances() -> list[Instance]:
    """Lattices with more consistent parts than an output can have, so that gold has to be completed."""
    rng = np.random.default_rng(3)
    instances = []
    for instance in lattice_instances(30, 3):
        consistent = instance.consistent.copy()
        consistent[rng.integers(0, len(consistent), 2)] = True
        instances.append(Instance(instance.structure, instance.features, consistent, np.where(consistent, -1.0, 1.0)))
    return instances


def test_open_gold_is_filled_in_again_and_the_objective_falls():
    instances = open_instances()
    once = list(SSVM(completions=1, tolerance=1e-3).rounds(instances))[-1]
    again = list(SSVM(completions=5, tolerance=1e-3).rounds(instances))[-1]
    assert again.objective <= once.objective + 1e-3


def test_the_explicit_map_is_the_kernel_of_degree_two():
    rng = np.random.default_rng(4)
    features = rng.normal(size=(6, 3))
    mapped = QuadraticMap.of(features)
    rows = np.column_stack([Scaling.fit(features).apply(features, constant=False) / np.sqrt(3), np.ones(6)])
    every = [mapped.total(np.array([p])) for p in range(6)]
    for p, q in itertools.product(range(6), repeat=2):
        assert every[p] @ every[q] == pytest.approx((rows[p] @ rows[q]) ** 2, rel=1e-4)
    weights = rng.normal(size=mapped.dim)
    np.testing.assert_allclose(mapped.scores(weights), np.array(every) @ weights, rtol=1e-4)
    scorer = mapped.scorer(weights)
    assert isinstance(scorer, Quadratic)
    np.testing.assert_allclose(scorer.scores(features), mapped.scores(weights), rtol=1e-6)
    np.testing.assert_allclose(scorer.contributions(features).sum(axis=1), scorer.scores(features), rtol=1e-4)


def test_products_learn_what_no_line_separates():
    """A part is right where two features agree in sign."""
    rng = np.random.default_rng(5)
    instances = []
    for _ in range(150):
        features = rng.choice([-1.0, 1.0], (4, 2)).astype(np.float32)
        gold = features[:, 0] == features[:, 1]
        places = np.arange(4)
        instances.append(Instance(NonOverlap(places, places + 1), features, gold, np.where(gold, -1.0, 1.0)))
    corpus = join(instances)
    right = {}
    for learner in (SSVM(C=1.0), PolynomialSSVM(C=1.0)):
        scores = fit(learner, instances).scores(corpus.features)
        right[type(learner)] = np.mean((scores > 0) == corpus.consistent)
    assert right[PolynomialSSVM] == 1.0
    assert right[SSVM] < 0.8


@pytest.mark.parametrize(("planes", "words"), [(3, "3 planes"), (500, "")])
def test_planes_that_run_out_are_told(planes: int, words: str) -> None:
    rounds = list(SSVM(C=5.0, n_rounds=planes, completions=2).rounds(lattice_instances(25, 0)))
    assert all(one.unsolved == "" for one in rounds[:-1])
    assert words in rounds[-1].unsolved and bool(words) == bool(rounds[-1].unsolved)


def test_gold_that_still_changes_at_the_end_is_told():
    for completions, words in ((1, "after the last of 1 times; raise completions"), (50, "")):
        rounds = list(SSVM(completions=completions, tolerance=1e-3).rounds(open_instances()))
        assert all(one.unsolved == "" for one in rounds[:-1])
        assert words in rounds[-1].unsolved and bool(words) == bool(rounds[-1].unsolved)
