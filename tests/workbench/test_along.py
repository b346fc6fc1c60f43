"""A score along the bias is what `evaluate` says at each of its biases."""

import numpy as np
import pytest

from engine.tuning.curve import merge_paths
from engine.workbench.along import along, biases_of, scores_in


def test_fractions_of_a_report_are_found_by_their_place():
    report = {"f1": 0.5, "relations": {"macro": {"f1": 0.25}, "gold": 3}, "name": "x"}
    assert scores_in(report) == {("f1",): 0.5, ("relations", "macro", "f1"): 0.25}


class OneNumber:
    """A task whose score is its bias."""

    def decide(self, scored):
        return [scored.bias]

    def evaluate(self, documents, layers, scored):
        return {"mean": {"f1": float(np.tanh(layers[0]))}}


class Scored:
    documents = ()

    def __init__(self, bias=0.0):
        self.bias = bias

    def at(self, bias):
        return Scored(bias)


def test_the_score_is_evaluated_at_each_bias():
    found = along(OneNumber(), Scored(), [2.0, -1.0, 2.0], ("mean", "f1"), "mean F1")
    assert found.bias.tolist() == [-1.0, 2.0] and found.values == pytest.approx(np.tanh([-1.0, 2.0]))
    assert found.bias[found.best] == 2.0


def test_the_chosen_bias_is_among_them_and_a_grid_keeps_to_its_points():
    bias = np.array([-np.inf, 0.0, 1.0, 2.0])
    counts = np.array([[3, 3, 6], [3, 3, 4], [2, 2, 2], [0, 0, 0]])
    exact = merge_paths(np.zeros(4, int), bias, counts, np.array([3]))
    assert 0.123 in biases_of(exact, 0.123)
    grid = merge_paths(np.zeros(4, int), bias, counts, np.array([3]), grid_from=-50.0)
    assert set(biases_of(grid, 1.0).tolist()) <= {-50.0, 0.0, 1.0, 2.0}
