"""Latent-tree learning: what the policies promise, on small random documents."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from engine.learners.laso.arrays import N_FACTS, TABLE, ClusterTemplates, TreeInstance
from engine.learners.laso.clusters import cluster_row
from engine.learners.laso.learner import POLICIES, LatentTrees, TreeSettings, search
from engine.learners.training import rng_parts
from tests.learners import naive_laso as naive

pytestmark = pytest.mark.thorough

CLUSTERS = ClusterTemplates(
    # size of the cluster with an attribute of the anaphor; first mention's attribute with the anaphor's
    sources=np.array([[5, 0, -1, -1], [3, 0, -1, -1]], np.int8),
    columns=np.array([[0, 0, 0, 0], [0, 0, 0, 0]], np.int16),
    seeds=np.array([11, 12], np.uint64),
)
LOCAL = ClusterTemplates()


def documents(seed: int, n_documents: int = 6, n: int = 12, width: int = 5, vocabulary: int = 60) -> list[TreeInstance]:
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n_documents):
        gold = np.concatenate([[0], rng.integers(0, 4, n)])
        offsets = np.cumsum([0, *range(1, n + 1)]).astype(np.int64)
        heads = np.concatenate([np.arange(j) for j in range(1, n + 1)]).astype(np.int32)
        dependents = np.repeat(np.arange(1, n + 1), np.arange(1, n + 1))
        right = (heads > 0) & (gold[dependents] > 0) & (gold[heads] == gold[dependents])
        for j in range(1, n + 1):
            right[offsets[j - 1]] = not right[offsets[j - 1] + 1 : offsets[j]].any()
        rows = rng.integers(0, vocabulary, (len(heads), width)).astype(np.int32)
        # One feature that tells right from wrong arcs, most of the time.
        rows[:, 0] = np.where(rng.random(len(heads)) < 0.8, np.where(right, vocabulary + 1, vocabulary + 2), 0)
        codes = np.zeros((n + 1, 1), np.uint64)
        codes[1:, 0] = rng.integers(1, 4, n)
        facts = np.zeros((n + 1, 5), np.int32)
        facts[1:, 0] = rng.integers(0, 3, n)
        facts[1:, 4] = np.arange(n) // 3
        bits = np.zeros(n * (n - 1) // 2, np.uint8)
        made.append(TreeInstance(n, offsets, heads, rows, right, bits, codes, facts))
    return made


def train(made: list[TreeInstance], policy: str, clusters: ClusterTemplates = LOCAL, **values: object):  # type: ignore[no-untyped-def]
    settings = TreeSettings(**{"n_rounds": 5, "beam": 4, **values})  # type: ignore[arg-type]
    *_, last = LatentTrees(policy, settings, clusters).rounds(made)  # type: ignore[arg-type]
    return last


def wrong_arcs(made: list[TreeInstance], weights: np.ndarray, clusters: ClusterTemplates = LOCAL) -> int:
    total = 0
    for one in made:
        found = search(weights, one, clusters, beam=4)
        total += int((~one.right[found.rows[1:]]).sum())
    return total


@pytest.mark.parametrize(("seed", "augment", "beam"), [(0, 0.0, 1), (1, 1.0, 3), (2, 0.0, 20), (3, 1.0, 20)])
def test_delayed_laso_with_local_features_is_the_baseline_bit_by_bit(seed: int, augment: float, beam: int) -> None:
    made = documents(seed)
    one = train(made, "baseline", augment=augment, seed=seed)
    other = train(made, "delayed-laso", augment=augment, seed=seed, beam=beam)
    for part, same in zip(one.to_parts().values(), other.to_parts().values(), strict=True):
        assert np.array_equal(part, same)
    assert np.array_equal(one.scorer.weights, other.scorer.weights)
    assert one.objective == other.objective


class Reference:
    """A learner and the naive one beside it. Both begin with the same random weights: from zero, trees would tie, and
    sums in another order would decide."""

    def __init__(self, seed: int, policy: str, n: int, **values: object) -> None:
        self.made = documents(seed, n_documents=3, n=n)
        settings = TreeSettings(n_rounds=2, **values)  # type: ignore[arg-type]
        learner = LatentTrees(policy, settings, CLUSTERS)  # type: ignore[arg-type]
        self.weights = np.random.default_rng(seed).normal(0.0, 0.3, TABLE)
        self.weights[0] = 0.0
        begun = {
            **next(learner.rounds(self.made)).to_parts(),
            "done": np.array(0),
            "count": np.array(1.0),
            "rng": rng_parts(np.random.default_rng(0)),
            "numbers": np.arange(TABLE, dtype=np.int32),
            "weights": self.weights,
            "sums": np.zeros(TABLE),
        }
        *_, self.last = learner.rounds(self.made, resume=begun)
        moved = naive.Drawn(self.weights)
        self.teacher = naive.Teacher(CLUSTERS, settings.augment, settings.false_new, moved)

    def agrees_with(self, learn: Callable[[TreeInstance], list[int]]) -> bool:
        """Whether the other way to learn updates at the same places and ends with the same weights."""
        rng = np.random.default_rng(0)
        places = {int(d): learn(self.made[d]) for _ in range(2) for d in rng.permutation(len(self.made))}
        expected, averaged = self.weights.copy(), self.teacher.averaged()
        assert averaged, "there was something to learn"
        expected[list(averaged)] = list(averaged.values())
        same = {item.document: list(item.updates) for item in self.last.seen} == places
        return same and bool(np.allclose(self.last.scorer.weights, expected, atol=1e-9))


@pytest.mark.parametrize("policy", ["early", "laso", "delayed-laso"])
@pytest.mark.parametrize(("seed", "augment", "beam"), [(0, 0.0, 1), (1, 0.0, 3), (2, 0.0, 12), (3, 1.0, 3)])
def test_agendas_of_trees_learn_what_the_printed_algorithms_learn(
    policy: str, seed: int, augment: float, beam: int
) -> None:
    one = Reference(seed, policy, 7, agenda="trees", augment=augment, beam=beam, history="gold")
    assert one.agrees_with(lambda document: naive.learn(one.teacher, document, policy, beam))


@pytest.mark.parametrize("augment", [0.0, 1.0])
def test_own_history_learns_from_the_clusters_that_the_model_made(augment: float) -> None:
    one = Reference(4, "delayed-laso", 8, augment=augment, history="own")
    assert one.agrees_with(lambda document: naive.learn_own(one.teacher, document))


def test_own_history_has_no_beam() -> None:
    made = documents(5, n_documents=4)
    narrow, wide = (train(made, "delayed-laso", CLUSTERS, history="own", beam=beam) for beam in (1, 20))
    assert np.array_equal(narrow.scorer.weights, wide.scorer.weights)


def test_agendas_of_trees_and_of_clusterings_differ_where_trees_of_one_clustering_fill_the_beam() -> None:
    made = documents(6)
    trees, clusterings = (train(made, "delayed-laso", CLUSTERS, agenda=agenda) for agenda in ("trees", "clusterings"))
    assert not np.array_equal(trees.scorer.weights, clusterings.scorer.weights)
    # Beside one item there is no room for another tree of its clustering.
    trees, clusterings = (
        train(made, "delayed-laso", CLUSTERS, agenda=agenda, beam=1) for agenda in ("trees", "clusterings")
    )
    assert np.array_equal(trees.scorer.weights, clusterings.scorer.weights)


def test_a_beam_over_trees_finds_the_best_tree_when_it_is_unlimited_and_keeps_pins() -> None:
    for seed in range(4):
        one = documents(seed, n_documents=1, n=5)[0]
        weights = np.random.default_rng(seed).normal(size=TABLE)
        best = search(weights, one, CLUSTERS, beam=500).total
        assert search(weights, one, CLUSTERS, beam=500, trees=True).total == pytest.approx(best)
        assert search(weights, one, CLUSTERS, beam=2, trees=True).total <= best + 1e-9
        together = np.array([0, 0, 0, 0, 2, 0])
        found = search(weights, one, CLUSTERS, beam=500, trees=True, together=together, apart=[(1, 3)])
        same = search(weights, one, CLUSTERS, beam=500, together=together, apart=[(1, 3)])
        assert found.total == pytest.approx(same.total) and found.total <= best + 1e-9


@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_seed_gives_the_same_weights(policy: str) -> None:
    made = documents(1)
    assert np.array_equal(train(made, policy).scorer.weights, train(made, policy).scorer.weights)


@pytest.mark.parametrize("policy", POLICIES)
def test_training_leaves_fewer_wrong_arcs_than_no_weights_at_all(policy: str) -> None:
    made = documents(2, n_documents=12)
    clusters = LOCAL if policy == "baseline" else CLUSTERS
    weights = train(made, policy, clusters, n_rounds=15).scorer.weights
    assert wrong_arcs(made, weights, clusters) < wrong_arcs(made, np.zeros_like(weights), clusters)


def test_early_update_reads_a_prefix_and_laso_reads_everything() -> None:
    made = documents(3)
    early = train(made, "early", CLUSTERS, n_rounds=1)
    laso = train(made, "laso", CLUSTERS, n_rounds=1)
    assert all(item.read == item.updates[-1] for item in early.seen if item.updates)
    assert sum(item.read for item in early.seen) < sum(item.read for item in laso.seen)
    assert all(item.read == item.mentions for item in laso.seen)


def test_after_an_uncapped_step_the_latent_tree_beats_the_predicted_one_by_the_loss() -> None:
    one = documents(4, n_documents=1)[0]
    settings = TreeSettings(n_rounds=1, augment=0.0)
    result = next(LatentTrees("baseline", settings).rounds([one]))
    weights = np.zeros(TABLE)
    state = result.to_parts()
    weights[state["numbers"]] = state["weights"]
    # From no weights at all the first prediction is the nearest head of every mention.
    predicted = one.offsets[1:] - 1
    scores = np.array([weights[row].sum() for row in one.rows])
    latent = []
    for j in range(one.n):
        rows = np.arange(one.offsets[j], one.offsets[j + 1])
        latent.append(rows[one.right[rows]][-1])
    assert scores[latent].sum() - scores[predicted].sum() == pytest.approx(result.objective)


def test_a_correct_prediction_changes_nothing() -> None:
    made = documents(5, n_documents=3, n=4)
    longer = train(made, "laso", CLUSTERS, n_rounds=61, augment=0.0)
    assert not any(item.updates for item in longer.seen), "the small sample is separable"
    shorter = train(made, "laso", CLUSTERS, n_rounds=60, augment=0.0)
    assert np.array_equal(longer.to_parts()["weights"], shorter.to_parts()["weights"])


def test_an_unlimited_beam_finds_the_best_clustering() -> None:
    """Enumerates all trees of small documents and scores them with cluster features by hand."""
    rng = np.random.default_rng(0)
    for seed in range(5):
        one = documents(seed, n_documents=1, n=5)[0]
        weights = np.zeros(TABLE)
        weights[1:70] = rng.normal(size=69)
        used = set()
        best = -np.inf
        for heads in product(*[range(j) for j in range(1, one.n + 1)]):
            previous, last, label = np.zeros(6, np.int32), {}, [0] * 6
            total = 0.0
            for j, head in enumerate(heads, 1):
                total += weights[one.rows[one.offsets[j - 1] + head]].sum()
                cluster = label[head] if head else j
                if head:
                    out = np.zeros(2, np.int32)
                    scratch = np.zeros(N_FACTS, np.int64)
                    cluster_row(j, last[cluster], previous, one, CLUSTERS, TABLE - 1, scratch, out)
                    for number in out.tolist():
                        if number not in used:
                            used.add(number)
                            weights[number] = np.sin(number)
                    total += weights[out].sum()
                label[j] = cluster
                previous[j] = last.get(cluster, 0)
                last[cluster] = j
            best = max(best, total)
        assert search(weights, one, CLUSTERS, beam=500).total == pytest.approx(best)
        assert search(weights, one, CLUSTERS, beam=2).total <= best + 1e-9


def test_pins_hold_and_clashes_are_reported_as_no_tree() -> None:
    one = documents(6, n_documents=1)[0]
    weights = np.random.default_rng(0).normal(size=TABLE)
    together = np.zeros(one.n + 1, np.int64)
    together[9] = 2
    found = search(weights, one, CLUSTERS, beam=8, together=together, apart=[(3, 7), (2, 4)])
    label = [0] * (one.n + 1)
    for j, head in enumerate(found.heads.tolist(), 1):
        label[j] = label[head] if head else j
    assert label[9] == label[2]
    assert label[3] != label[7] and label[2] != label[4] and label[9] != label[4]
    impossible = search(weights, one, CLUSTERS, beam=8, together=together, apart=[(2, 9)])
    assert impossible.total == -np.inf
