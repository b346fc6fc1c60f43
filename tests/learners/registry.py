"""Every learner that the laws of test_contract.py are checked on. Append a `Case` and they all apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.learners.bags import BagCorpus, LinearBags
from engine.learners.base import Instance, Scorer
from engine.learners.laso.arrays import ClusterTemplates, TreeInstance
from engine.learners.laso.learner import POLICIES, ArcScorer, LatentTrees, Policy, TreeSettings, search
from engine.learners.linear.hoffmann import Hoffmann
from engine.learners.linear.logistic import Logistic
from engine.learners.linear.online import Online
from engine.learners.linear.onoff import Classifier, Labelled
from engine.learners.linear.winnow import Winnow
from engine.learners.margin.cccp import MaxMarginF, MaxMarginHamming
from engine.learners.margin.polynomial import PolynomialSSVM
from engine.learners.margin.ssvm import SSVM
from engine.learners.ranking.lambdarank import LambdaRank
from engine.learners.trees.boosting import Boosting
from engine.settings import Settings
from tests.learners.bag_corpora import learnable
from tests.learners.test_boosting import chain_instances, lattice_instances
from tests.learners.test_laso import CLUSTERS, LOCAL, documents
from tests.learners.test_winnow import disjunction


def dense_scores(scorer: Scorer, instance: Instance[Any]) -> np.ndarray:
    return scorer.scores(instance.features)


@dataclass(frozen=True)
class Case:
    """A learner, something to learn from, and what its scorer says of that."""

    name: str
    learner: Any
    instances: Callable[[], Sequence[Any]]
    scores: Callable[[Any, Any], np.ndarray] = dense_scores

    @property
    def settings(self) -> Settings:
        """What the learner can be told: itself, or a part of it."""
        return self.learner if isinstance(self.learner, Settings) else self.learner.settings

    @property
    def is_dense(self) -> bool:
        """Whether it learns from parts with a row of features each."""
        return self.scores is dense_scores


def lattices() -> Sequence[Instance[Any]]:
    return lattice_instances(25, 0)


def chains() -> Sequence[Instance[Any]]:
    return chain_instances(20, 0)


def rows_with_classes() -> Sequence[Labelled]:
    return [Labelled(*disjunction(n_columns=32, n_rows=n), 3) for n in (60, 40)]


def activations(scorer: Classifier, instance: Labelled) -> np.ndarray:
    return scorer.activations(instance.rows)


def bags() -> Sequence[BagCorpus]:
    return [learnable(seed, n_bags=12, noise=0.6) for seed in (0, 1)]


def bag_scores(scorer: LinearBags, instance: BagCorpus) -> np.ndarray:
    scores = scorer.of_corpus(instance)
    return np.concatenate([scores.mentions.ravel(), scores.labels.ravel()])


def mention_documents() -> Sequence[TreeInstance]:
    return documents(0)


def found_with(clusters: ClusterTemplates) -> Callable[[ArcScorer, TreeInstance], np.ndarray]:
    """Scores of the arcs, and the total of the best tree that the search finds: clusters count there."""

    def scores(scorer: ArcScorer, instance: TreeInstance) -> np.ndarray:
        found = search(scorer.weights, instance, clusters, beam=3)
        return np.append(scorer.scores(instance), found.total)

    return scores


def latent_trees(policy: Policy) -> Case:
    templates = LOCAL if policy == "baseline" else CLUSTERS
    learner = LatentTrees(policy, TreeSettings(n_rounds=3, beam=3, seed=1), templates)
    return Case(policy, learner, mention_documents, found_with(templates))


CASES = [
    Case("s-mart", Boosting(trees=6, min_leaf=5, row_share=0.7, column_share=0.8, seed=3), lattices),
    Case("s-mart-hinge", Boosting(trees=6, min_leaf=5, loss="hinge"), lattices),
    Case("mart, softmax", Boosting(trees=6, min_leaf=5, excludes="mention"), lattices),
    Case("mart, yes or no", Boosting(trees=6, min_leaf=5, excludes="nothing"), lattices),
    Case("tree-crf", Boosting(trees=6, min_leaf=5), chains),
    Case("perceptron", Online(n_rounds=3, seed=5), lattices),
    Case("passive-aggressive", Online(step="pa", n_rounds=3), lattices),
    Case("perceptron on chains", Online(n_rounds=3, scaled=False), chains),
    Case("ssvm", SSVM(n_rounds=15), lattices),
    Case("ssvm on chains", SSVM(n_rounds=15), chains),
    Case("poly-ssvm", PolynomialSSVM(n_rounds=15), lattices),
    Case("lambdarank", LambdaRank(n_rounds=3, hidden=4, seed=7), lattices),
    Case("winnow", Winnow(n_rounds=3, seed=2), rows_with_classes, activations),
    Case("logistic", Logistic(), rows_with_classes, activations),
    Case("hoffmann", Hoffmann(n_rounds=3, seed=4), bags, bag_scores),
    Case("mm-hamming", MaxMarginHamming(n_rounds=3, planes=6, C=1.0), bags, bag_scores),
    Case("mm-f", MaxMarginF(n_rounds=3, planes=6, C=1.0, start="hoffmann"), bags, bag_scores),
    *(latent_trees(policy) for policy in POLICIES),
    Case(
        "delayed-laso on its own clusters",
        LatentTrees("delayed-laso", TreeSettings(n_rounds=3, history="own", update="perceptron"), CLUSTERS),
        mention_documents,
        found_with(CLUSTERS),
    ),
]
