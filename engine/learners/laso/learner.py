"""Online learning of latent antecedent trees: baseline, early update, max-violation, LaSO, delayed LaSO.

Björkelund and Kuhn, Learning structured perceptrons for coreference resolution with latent antecedents and non-local
features (ACL 2014). Passive-aggressive or perceptron steps, averaged over documents. The order of the documents depends
on the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

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
from engine.learners.training import Training, rng_from, rng_parts
from engine.settings import Settings, setting

Policy = Literal["baseline", "early", "max-violation", "laso", "delayed-laso"]
POLICIES: Final[tuple[Policy, ...]] = ("baseline", "early", "max-violation", "laso", "delayed-laso")


@dataclass(frozen=True, kw_only=True)
class TreeSettings(Settings):
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

    def rounds(self, instances: Sequence[TreeInstance], *, resume: Saved | None = None) -> Iterator[Pass]:
        """One round per pass over the documents."""
        yield from _Passes(self, instances).rounds(self.settings.n_rounds, resume)


class _Passes(Training[Pass]):
    kind: ClassVar[str] = "latent trees"

    def __init__(self, learner: LatentTrees, instances: Sequence[TreeInstance]) -> None:
        super().__init__()
        settings = learner.settings
        self._learner, self._instances = learner, instances
        self._rng = np.random.default_rng(settings.seed)
        self._model = Model.empty()
        self._size = StepSize(
            settings.false_new, settings.augment, settings.update == "passive-aggressive", settings.cap
        )
        self._count = 1.0

    @property
    def size(self) -> tuple[int, ...]:
        return (len(self._instances), sum(len(one.heads) for one in self._instances))

    def step(self) -> Pass:
        seen = [self._read(int(number)) for number in self._rng.permutation(len(self._instances))]
        seen.sort(key=lambda item: item.document)
        scorer = ArcScorer(self._model.weights - self._model.sums / self._count)
        return Pass(self.done, sum(item.loss for item in seen), scorer, seen=tuple(seen))

    def _read(self, number: int) -> Seen:
        """Learn from one document."""
        from engine.learners.laso.own import train_own
        from engine.learners.laso.policies import train_baseline, train_beam
        from engine.learners.laso.trees import train_trees

        learner, one = self._learner, self._instances[number]
        settings, templates = learner.settings, learner.templates
        record = Record(np.zeros(one.n + 1, np.int64), np.zeros(one.n + 1, np.int64))
        learning = Learning(self._model, self._size, self._count)
        if learner.policy == "baseline":
            loss, n_updates, read = train_baseline(one, learning, record)
        elif settings.history == "own" and templates.used and learner.policy == "delayed-laso":
            loss, n_updates, read = train_own(one, templates, learning, record)
        else:
            train = train_trees if settings.agenda == "trees" else train_beam
            code = POLICIES.index(learner.policy)
            loss, n_updates, read = train(code, settings.beam, one, templates, learning, record)
        self._count += 1.0
        return _seen(number, one, record, n_updates, read, loss)

    def save(self) -> Saved:
        """The state, with only those of the millions of weights that were ever changed."""
        weights, sums = self._model.weights, self._model.sums
        used = np.flatnonzero((weights != 0.0) | (sums != 0.0))
        return {
            "numbers": used.astype(np.int32),
            "weights": weights[used],
            "sums": sums[used],
            "count": np.array(self._count),
            "rng": rng_parts(self._rng),
        }

    def restore(self, saved: Saved) -> None:
        self._model.weights[saved["numbers"]] = saved["weights"]
        self._model.sums[saved["numbers"]] = saved["sums"]
        self._count, self._rng = float(saved["count"]), rng_from(saved["rng"])


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
