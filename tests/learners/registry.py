"""Every learner that the laws of test_contract.py are checked on. Append a `Case` and they all apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.learners.base import Instance
from engine.learners.linear.online import Online
from engine.learners.margin.polynomial import PolynomialSSVM
from engine.learners.margin.ssvm import SSVM
from engine.learners.ranking.lambdarank import LambdaRank
from engine.learners.scorers import pack, unpack
from engine.learners.trees.boosting import Boosting
from engine.settings import Settings
from tests.learners.test_boosting import chain_instances, lattice_instances


@dataclass(frozen=True)
class Case:
    """A learner, something to learn from, and how its scorer is saved (to parts of a model file) and read."""

    name: str
    learner: Settings
    instances: Callable[[], Sequence[Instance[Any]]]
    pack: Callable[[Any], dict[str, Any]] = pack
    unpack: Callable[[dict[str, Any]], Any] = unpack


def lattices() -> Sequence[Instance[Any]]:
    return lattice_instances(25, 0)


def chains() -> Sequence[Instance[Any]]:
    return chain_instances(20, 0)


CASES = [
    Case("s-mart", Boosting(trees=6, min_leaf=5, row_share=0.7, column_share=0.8, seed=3), lattices),
    Case("s-mart-hinge", Boosting(trees=6, min_leaf=5, loss="hinge"), lattices),
    Case("mart, softmax", Boosting(trees=6, min_leaf=5, excludes="mention"), lattices),
    Case("mart, yes or no", Boosting(trees=6, min_leaf=5, excludes="nothing"), lattices),
    Case("tree-crf", Boosting(trees=6, min_leaf=5), chains),
    Case("perceptron", Online(epochs=3, seed=5), lattices),
    Case("passive-aggressive", Online(step="pa", epochs=3), lattices),
    Case("perceptron on chains", Online(epochs=3, scaled=False), chains),
    Case("ssvm", SSVM(most_rounds=15), lattices),
    Case("ssvm on chains", SSVM(most_rounds=15), chains),
    Case("poly-ssvm", PolynomialSSVM(most_rounds=15), lattices),
    Case("lambdarank", LambdaRank(epochs=3, hidden=4, seed=7), lattices),
]
