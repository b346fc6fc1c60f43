"""Every learner that the laws of test_contract.py are checked on. Append a `Case` and they all apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.learners.base import FeatureMatrix, Instance
from engine.learners.linear.online import Online
from engine.learners.margin.polynomial import PolynomialSSVM
from engine.learners.margin.ssvm import SSVM
from engine.learners.ranking.lambdarank import LambdaRank
from engine.learners.scorers import pack, unpack
from engine.learners.sgtb.blocks import Search
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.learner import SGTB, SequenceBoosting
from engine.learners.trees.binary import Answered, BinaryBoosting
from engine.learners.trees.boosting import Boosting
from engine.learners.trees.linear_start import LinearStartBoosting
from engine.settings import Settings
from tests.learners.choice_corpora import learnable, own_bins
from tests.learners.test_boosting import chain_instances, lattice_instances


def own_features(instance: Any) -> FeatureMatrix:
    return instance.features


@dataclass(frozen=True)
class Case:
    """A learner, something to learn from, and how its scorer is saved (to parts of a model file) and read.

    `rows` gives rows that the scorer of an instance can score. `resumes` says whether the learner's rounds can be gone
    on from; one that cannot yet is to be given `resume` in its `rounds`.
    """

    name: str
    learner: Any
    instances: Callable[[], Sequence[Any]]
    pack: Callable[[Any], dict[str, Any]] = pack
    unpack: Callable[[dict[str, Any]], Any] = unpack
    rows: Callable[[Any], FeatureMatrix] = own_features
    resumes: bool = True

    @property
    def settings(self) -> Settings:
        """A learner is its settings, or has them."""
        return self.learner if isinstance(self.learner, Settings) else self.learner.settings


def lattices() -> Sequence[Instance[Any]]:
    return lattice_instances(25, 0)


def chains() -> Sequence[Instance[Any]]:
    return chain_instances(20, 0)


def yes_or_no() -> Sequence[Answered]:
    """Two tables of rows; yes where one feature outweighs another."""
    features = np.random.default_rng(0).normal(size=(120, 4)).astype(np.float32)
    yes = features[:, 0] > features[:, 2]
    return [Answered(features[:70], yes[:70]), Answered(features[70:], yes[70:])]


def always_yes() -> Sequence[Answered]:
    return [Answered(instance.features, np.ones_like(instance.yes)) for instance in yes_or_no()]


def sequences() -> Sequence[Choices]:
    return [learnable(8, 0), learnable(6, 2)]


def lone_choices() -> Sequence[Choices]:
    return [choices.without_pairs() for choices in sequences()]


def factors(choices: Choices) -> FeatureMatrix:
    """Own columns of the candidates, and pooled ones as a search may meet them."""
    pooled = np.random.default_rng(1).random((len(choices.codes), choices.n_pooled))
    return np.hstack([choices.codes, pooled]).astype(np.float32)


def sgtb(policy: Any, backward: float = 0.0, **changes: Any) -> SequenceBoosting:
    values = {"trees": 7, "check_every": 2, "columns": 0.8, "min_leaf": 1, "seed": 2, **changes}
    return SequenceBoosting(SGTB(**values), Search(policy, 3, backward), own_bins())


def checked(learner: SequenceBoosting) -> SequenceBoosting:
    return replace(learner, dev=learnable(4, 1))


CASES = [
    Case("s-mart", Boosting(trees=6, min_leaf=5, row_share=0.7, column_share=0.8, seed=3), lattices),
    Case("s-mart-hinge", Boosting(trees=6, min_leaf=5, loss="hinge"), lattices),
    Case("mart, softmax", Boosting(trees=6, min_leaf=5, excludes="mention"), lattices),
    Case("mart, yes or no", Boosting(trees=6, min_leaf=5, excludes="nothing"), lattices),
    Case("tree-crf", Boosting(trees=6, min_leaf=5), chains),
    Case("s-mart, forests", Boosting(trees=4, forests=2, min_leaf=5, column_share=0.5, seed=1), lattices),
    Case("s-mart on a line", LinearStartBoosting(trees=4, min_leaf=5, linear_rounds=10), lattices),
    Case("yes or no", BinaryBoosting(trees=6, min_leaf=5, seed=4), yes_or_no),
    Case("yes or no, always yes", BinaryBoosting(trees=6), always_yes),
    Case("sgtb, local", sgtb("local"), lone_choices, rows=factors),
    Case("sgtb, early update", sgtb("early"), sequences, rows=factors),
    Case("sgtb, laso", sgtb("laso"), sequences, rows=factors),
    Case("sgtb, gold path", sgtb("gold-path"), sequences, rows=factors),
    Case("sgtb, both directions", sgtb("bidirectional", 0.5), sequences, rows=factors),
    Case("sgtb with dev", checked(sgtb("gold-path", trees=20, patience=2)), sequences, rows=factors),
    Case("perceptron", Online(epochs=3, seed=5), lattices, resumes=False),
    Case("passive-aggressive", Online(step="pa", epochs=3), lattices, resumes=False),
    Case("perceptron on chains", Online(epochs=3, scaled=False), chains, resumes=False),
    Case("ssvm", SSVM(most_rounds=15), lattices, resumes=False),
    Case("ssvm on chains", SSVM(most_rounds=15), chains, resumes=False),
    Case("poly-ssvm", PolynomialSSVM(most_rounds=15), lattices, resumes=False),
    Case("lambdarank", LambdaRank(epochs=3, hidden=4, seed=7), lattices, resumes=False),
]
