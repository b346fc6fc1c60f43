"""Every learner that the laws of test_contract.py are checked on. Append a `Case` and they all apply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.learners.bags import BagCorpus, LinearBags
from engine.learners.base import FeatureMatrix, Instance
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
from engine.learners.sgtb.blocks import Search
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.learner import SGTB, SequenceBoosting
from engine.learners.trees.binary import Answered, BinaryBoosting
from engine.learners.trees.boosting import Boosting
from engine.learners.trees.linear_start import LinearStartBoosting
from engine.settings import Settings
from tests.learners import bag_corpora
from tests.learners.choice_corpora import learnable, own_bins
from tests.learners.test_against_nil import PAPER as AGAINST_NIL
from tests.learners.test_against_nil import mentions
from tests.learners.test_boosting import chain_instances, lattice_instances
from tests.learners.test_laso import CLUSTERS, LOCAL, documents
from tests.learners.test_winnow import disjunction


def own_features(instance: Any) -> FeatureMatrix:
    return instance.features


@dataclass(frozen=True)
class Case:
    """A learner and something to learn from.

    Most scorers score rows of features, which `rows` gives for an instance. Of the others `scores` says what they make
    of an instance.
    """

    name: str
    learner: Any
    instances: Callable[[], Sequence[Any]]
    rows: Callable[[Any], FeatureMatrix] = own_features
    scores: Callable[[Any, Any], np.ndarray] | None = None

    @property
    def settings(self) -> Settings:
        """A learner is its settings, or has them."""
        return self.learner if isinstance(self.learner, Settings) else self.learner.settings

    @property
    def is_dense(self) -> bool:
        """Whether its scorer takes rows of features."""
        return self.scores is None

    def scores_of(self, scorer: Any, instance: Any) -> np.ndarray:
        return scorer.scores(self.rows(instance)) if self.scores is None else self.scores(scorer, instance)


def lattices() -> Sequence[Instance[Any]]:
    return lattice_instances(25, 0)


def mentions_with_nil() -> Sequence[Instance[Any]]:
    return [mentions(seed) for seed in range(25)]


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


def rows_with_classes() -> Sequence[Labelled]:
    return [Labelled(*disjunction(n_columns=32, n_rows=n), 3) for n in (60, 40)]


def activations(scorer: Classifier, instance: Labelled) -> np.ndarray:
    return scorer.activations(instance.rows)


def bags() -> Sequence[BagCorpus]:
    return [bag_corpora.learnable(seed, n_bags=12, noise=0.6) for seed in (0, 1)]


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
    return Case(policy, learner, mention_documents, scores=found_with(templates))


CASES = [
    Case("s-mart", Boosting(trees=6, min_leaf=5, row_share=0.7, column_share=0.8, seed=3), lattices),
    Case("s-mart-hinge", Boosting(trees=6, min_leaf=5, loss="hinge"), lattices),
    Case("mart, softmax", Boosting(trees=6, min_leaf=5, excludes="mention"), lattices),
    Case("mart, yes or no", Boosting(trees=6, min_leaf=5, excludes="nothing"), lattices),
    Case("tree-crf", Boosting(trees=6, min_leaf=5), chains),
    Case("s-mart, forests", Boosting(trees=4, forests=2, min_leaf=5, column_share=0.5, seed=1), lattices),
    Case("s-mart on a line", LinearStartBoosting(trees=4, min_leaf=5, linear_rounds=10), lattices),
    Case("s-mart against nil", Boosting(trees=4, min_leaf=5, **AGAINST_NIL), mentions_with_nil),
    Case("yes or no", BinaryBoosting(trees=6, min_leaf=5, seed=4), yes_or_no),
    Case("yes or no, always yes", BinaryBoosting(trees=6), always_yes),
    Case("sgtb, local", sgtb("local"), lone_choices, rows=factors),
    Case("sgtb, early update", sgtb("early"), sequences, rows=factors),
    Case("sgtb, laso", sgtb("laso"), sequences, rows=factors),
    Case("sgtb, gold path", sgtb("gold-path"), sequences, rows=factors),
    Case("sgtb, both directions", sgtb("bidirectional", 0.5), sequences, rows=factors),
    Case("sgtb with dev", checked(sgtb("gold-path", trees=20, patience=2)), sequences, rows=factors),
    Case("perceptron", Online(n_rounds=3, seed=5), lattices),
    Case("passive-aggressive", Online(step="pa", n_rounds=3), lattices),
    Case("perceptron on chains", Online(n_rounds=3, scaled=False), chains),
    Case("perceptron, mixed", Online(n_rounds=3, seed=5, shards=4), lattices),
    Case("perceptron on chains, mixed", Online(n_rounds=3, scaled=False, shards=3), chains),
    Case("ssvm", SSVM(n_rounds=15), lattices),
    Case("ssvm on chains", SSVM(n_rounds=15), chains),
    Case("poly-ssvm", PolynomialSSVM(n_rounds=15), lattices),
    Case("lambdarank", LambdaRank(n_rounds=3, hidden=4, seed=7), lattices),
    Case("lambdarank by plain steps", LambdaRank(n_rounds=3, hidden=4, optimiser="sgd", rate=0.1), lattices),
    Case("winnow, last weights", Winnow(n_rounds=3, averaged=False), rows_with_classes, scores=activations),
    Case("winnow", Winnow(n_rounds=3, seed=2), rows_with_classes, scores=activations),
    Case("winnow, mixed", Winnow(n_rounds=3, seed=2, shards=3), rows_with_classes, scores=activations),
    Case("logistic", Logistic(), rows_with_classes, scores=activations),
    Case("hoffmann", Hoffmann(n_rounds=3, seed=4), bags, scores=bag_scores),
    Case("hoffmann, learnt nil", Hoffmann(n_rounds=3, nil="learnt"), bags, scores=bag_scores),
    Case("hoffmann, mixed", Hoffmann(n_rounds=3, seed=4, shards=3), bags, scores=bag_scores),
    Case(
        "mm-hamming, learnt nil",
        MaxMarginHamming(n_rounds=3, planes=6, C=1.0, nil="learnt", caution=1.0),
        bags,
        scores=bag_scores,
    ),
    Case("mm-hamming", MaxMarginHamming(n_rounds=3, planes=6, C=1.0), bags, scores=bag_scores),
    Case("mm-f", MaxMarginF(n_rounds=3, planes=6, C=1.0, start="hoffmann"), bags, scores=bag_scores),
    *(latent_trees(policy) for policy in POLICIES),
    Case(
        "delayed-laso on its own clusters",
        LatentTrees("delayed-laso", TreeSettings(n_rounds=3, history="own", update="perceptron"), CLUSTERS),
        mention_documents,
        scores=found_with(CLUSTERS),
    ),
    Case(
        "delayed-laso, mixed",
        LatentTrees("delayed-laso", TreeSettings(n_rounds=3, beam=3, seed=1, shards=2), CLUSTERS),
        mention_documents,
        scores=found_with(CLUSTERS),
    ),
]
