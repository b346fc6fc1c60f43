"""Online learning of latent antecedent trees: baseline, early update, max-violation, LaSO, delayed LaSO.

Björkelund and Kuhn, Learning structured perceptrons for coreference resolution with latent antecedents and non-local
features (ACL 2014). Passive-aggressive or perceptron steps, averaged over documents. The order of the documents depends
on the seed. With several shards, each pass learns them side by side and averages their weights
(engine/learners/mixing.py).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np

from engine.arrays import Array, Floats, Ints, ShortInts
from engine.learners.base import Round, Saved
from engine.learners.laso.arrays import (
    TABLE,
    Bonds,
    ClusterTemplates,
    Learning,
    Model,
    Record,
    Scoring,
    StepSize,
    TreeInstance,
)
from engine.learners.mixing import Learnt, Mixing, mix, orders_of, shards_of
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import setting
from engine.workers.crews import ALONE, Crew, Keepers

Policy = Literal["baseline", "early", "max-violation", "laso", "delayed-laso"]
POLICIES: Final[tuple[Policy, ...]] = ("baseline", "early", "max-violation", "laso", "delayed-laso")


@dataclass(frozen=True, kw_only=True)
class TreeSettings(Mixing):
    """How latent trees are learned."""

    n_rounds: int = setting(25, "Passes over the training documents.", low=1, high=1000, formerly=("iterations",))
    beam: int = setting(
        20, "Number of partial clusterings, or trees, kept while processing a document.", low=1, high=500
    )
    agenda: Literal["clusterings", "trees"] = setting(
        "clusterings",
        "What the beam treats as distinct: clusterings, of which only the best tree is followed; or trees, as in the"
        " paper, with an agenda of as many gold trees beside it in training.",
    )
    update: Literal["passive-aggressive", "perceptron"] = setting(
        "passive-aggressive", "Size of a step: as large as the margin requires, or always 1."
    )
    false_new: float = setting(1.5, "Loss for attaching a mention that has an antecedent to the root.", low=0.0)
    augment: float = setting(
        1.0,
        ("The loss, times this number, is added to wrong arcs when searching in training; 0 searches as in the paper."),
        low=0.0,
    )
    history: Literal["auto", "gold", "own"] = setting(
        "auto",
        "The clusters that non-local features see while delayed LaSO trains: gold as in the paper, or the model's own"
        " (one greedy item, which suits noisy mentions). Auto: own for predicted mentions, gold for gold mentions.",
    )
    cap: float = setting(1e9, "Largest passive-aggressive step (C).", low=0.0)


@dataclass(frozen=True)
class Seen:
    """What one pass did with one document."""

    document: int
    mentions: int
    read: int
    """The number of mentions read before the policy stopped."""
    updates: tuple[int, ...]
    """The mentions at which right items were lost, or the end."""
    loss: float
    arcs: int
    distance: float
    """Mean distance in mentions of the latent tree's arcs that do not start at the root."""
    deepest: int


@dataclass(frozen=True, eq=False)
class ArcScorer:
    """Weights of hashed features, averaged over the documents seen."""

    weights: Floats = field(repr=False)

    def scores(self, one: TreeInstance) -> Floats:
        """Local scores of all arcs of a document."""
        return score_arcs(self.weights, one)

    def to_parts(self) -> dict[str, Array]:
        used = np.flatnonzero(self.weights)
        return {"numbers": used.astype(np.int32), "weights": self.weights[used]}

    @staticmethod
    def from_parts(parts: Mapping[str, Array]) -> ArcScorer:
        weights = np.zeros(TABLE)
        weights[parts["numbers"]] = parts["weights"]
        return ArcScorer(weights)


@dataclass(frozen=True, eq=False)
class Pass(Round[ArcScorer]):
    """One pass over the documents: the objective is the loss met on the way."""

    seen: tuple[Seen, ...] = ()


@dataclass(frozen=True)
class LatentTrees:
    """A learner of latent trees: its update policy, its settings, and the templates of cluster features."""

    policy: Policy
    settings: TreeSettings
    templates: ClusterTemplates = field(default_factory=ClusterTemplates)

    def rounds(
        self, instances: Sequence[TreeInstance], *, resume: Saved | None = None, crew: Crew = ALONE
    ) -> Iterator[Pass]:
        """One round per pass over the documents.

        With one shard the crew has nothing to do: each document is learnt with the weights that the previous one left.
        """
        yield from _Passes(self, instances, crew).rounds(self.settings.n_rounds, resume)


class _Learning:
    """Weights that are learnt document by document."""

    def __init__(self, learner: LatentTrees, count: float) -> None:
        settings = learner.settings
        self._learner = learner
        self._size = StepSize(
            settings.false_new, settings.augment, settings.update == "passive-aggressive", settings.cap
        )
        self.model, self.count = Model.empty(), count

    def read(self, number: int, one: TreeInstance) -> Seen:
        """Learn from one document."""
        from engine.learners.laso.own import train_own
        from engine.learners.laso.policies import train_baseline, train_beam
        from engine.learners.laso.trees import train_trees

        settings, templates, policy = self._learner.settings, self._learner.templates, self._learner.policy
        record = Record(np.zeros(one.n + 1, np.int64), np.zeros(one.n + 1, np.int64))
        learning = Learning(self.model, self._size, self.count)
        if policy == "baseline":
            loss, n_updates, read = train_baseline(one, learning, record)
        elif settings.history == "own" and templates.used and policy == "delayed-laso":
            loss, n_updates, read = train_own(one, templates, learning, record)
        else:
            train = train_trees if settings.agenda == "trees" else train_beam
            code = POLICIES.index(policy)
            loss, n_updates, read = train(code, settings.beam, one, templates, learning, record)
        self.count += 1.0
        return _seen(number, one, record, n_updates, read, loss)

    def mean(self) -> Floats:
        """The weights averaged over the documents read so far, in a single new array, as each takes time to make."""
        mean = self.model.sums / self.count
        return np.subtract(self.model.weights, mean, out=mean)

    @property
    def used(self) -> Ints:
        """Those of the millions of weights that were ever changed."""
        return np.flatnonzero((self.model.weights != 0.0) | (self.model.sums != 0.0))


class _Shard(NamedTuple):
    """Some documents, and the number of the first among all."""

    first: int
    documents: Sequence[TreeInstance]


class _Told(NamedTuple):
    """What a shard tells after a pass: the numbers of its weights, what became of them, and what happened."""

    numbers: Ints
    learnt: Learnt
    seen: tuple[Seen, ...]

    def over(self, numbers: Ints) -> Learnt:
        """What became of these weights, with its own among them; others are 0."""
        places = np.searchsorted(numbers, self.numbers)
        weights, total = np.zeros(len(numbers)), np.zeros(len(numbers))
        weights[places], total[places] = self.learnt
        return Learnt(weights, total)


def _learn(shard: _Shard, shared: tuple[LatentTrees, Ints, Floats], order: Ints) -> _Told:
    """One pass over a shard, from the weights that all shards begin with."""
    learner, numbers, weights = shared
    learning = _Learning(learner, 0.0)
    learning.model.weights[numbers] = weights
    seen = tuple(learning.read(shard.first + int(number), shard.documents[number]) for number in order)
    used = learning.used
    ended = learning.model.weights[used]
    return _Told(used, Learnt(ended, len(order) * ended - learning.model.sums[used]), seen)


class _Passes(Training[Pass]):
    kind: ClassVar[str] = "latent trees"

    def __init__(self, learner: LatentTrees, instances: Sequence[TreeInstance], crew: Crew) -> None:
        super().__init__()
        self._learner, self._instances = learner, instances
        self._rng = np.random.default_rng(learner.settings.seed)
        self._learning = _Learning(learner, 1.0)
        self._shards: Keepers[_Shard] | None = None
        if learner.settings.shards > 1:
            self._cuts = shards_of(len(instances), learner.settings.shards)
            self._shards = crew.keep([_Shard(first, instances[first:last]) for first, last in self._cuts])

    @property
    def size(self) -> tuple[int, ...]:
        return (len(self._instances), sum(len(one.heads) for one in self._instances))

    def step(self) -> Pass:
        seen = self._in_turn() if self._shards is None else self._side_by_side(self._shards)
        seen.sort(key=lambda item: item.document)
        return Pass(self.done, sum(item.loss for item in seen), ArcScorer(self._learning.mean()), seen=tuple(seen))

    def _in_turn(self) -> list[Seen]:
        [order] = orders_of([len(self._instances)], self._rng)
        return [self._learning.read(int(number), self._instances[number]) for number in order]

    def _side_by_side(self, shards: Keepers[_Shard]) -> list[Seen]:
        now, n = self._learning, len(self._instances)
        weights, sums = now.model.weights, now.model.sums
        used = now.used
        orders = orders_of([last - first for first, last in self._cuts], self._rng)
        told = shards.ask(_learn, (self._learner, used, weights[used]), orders)
        numbers = functools.reduce(np.union1d, [one.numbers for one in told], used)
        learnt = [one.over(numbers) for one in told]
        weights[numbers], sums[numbers] = mix(weights[numbers], sums[numbers], now.count, learnt, n)
        now.count += n
        return [one for shard in told for one in shard.seen]

    def save(self) -> Saved:
        """The state, with only those weights that were ever changed."""
        model, used = self._learning.model, self._learning.used
        return {
            "numbers": used.astype(np.int32),
            "weights": model.weights[used],
            "sums": model.sums[used],
            "count": np.array(self._learning.count),
            "rng": rng_parts(self._rng),
        }

    def restore(self, saved: Saved) -> None:
        model = self._learning.model
        model.weights[saved["numbers"]] = saved["weights"]
        model.sums[saved["numbers"]] = saved["sums"]
        self._learning.count, self._rng = float(saved["count"]), rng_from(saved["rng"])


def _seen(number: int, one: TreeInstance, record: Record, n_updates: int, read: int, loss: float) -> Seen:
    latent, places = record.gold_rows, record.updated_at[:n_updates]
    heads = one.heads[latent[1 : read + 1]]
    linked = np.flatnonzero(heads) + 1
    depth = np.zeros(one.n + 1, np.int64)
    for j, head in enumerate(heads.tolist(), 1):
        depth[j] = depth[head] + 1
    distance = float((linked - heads[linked - 1]).mean()) if len(linked) else 0.0
    return Seen(number, one.n, read, tuple(places.tolist()), loss, len(linked), distance, int(depth.max()))


def score_arcs(weights: Floats, one: TreeInstance) -> Floats:
    """Local scores of all arcs, from their rows of features."""
    from engine.learners.laso import search as kernels

    if len(one.rows) != len(one.heads):
        raise ValueError("this document was prepared for scores only: its arcs have no rows of features")
    scores = np.empty(len(one.heads))
    kernels.score_rows(weights, one.rows, 0, len(scores), scores)
    return scores


def search(
    weights: Floats,
    one: TreeInstance,
    templates: ClusterTemplates,
    *,
    beam: int,
    trees: bool = False,
    scores: Floats | None = None,
    together: Ints | None = None,
    apart: Sequence[tuple[int, int]] = (),
) -> Found:
    """The best tree of one document. `together[j]` is an earlier mention that j must join (0: none); pairs of `apart`
    must not end in one cluster. `scores` are those of the arcs if already computed. `trees`: the items of the beam are
    trees, not clusterings."""
    from engine.learners.laso import search as kernels

    if scores is None:
        scores = score_arcs(weights, one)
    if together is None:
        together = np.zeros(one.n + 1, np.int64)
    ordered = sorted({(max(pair), min(pair)) for pair in apart})
    offsets = np.zeros(one.n + 2, np.int64)
    for later, _ in ordered:
        offsets[later + 1] += 1
    bonds = Bonds(together, np.cumsum(offsets), np.array([earlier for _, earlier in ordered], dtype=np.int64))
    chosen, total = kernels.decode(one, scores, Scoring(templates, weights), beam, 0.0, bonds, trees)
    return Found(chosen, one.heads[chosen[1:]], float(total))


@dataclass(frozen=True, eq=False)
class Found:
    """A tree: chosen row and head of every mention, total score."""

    rows: Ints
    heads: ShortInts
    total: float
