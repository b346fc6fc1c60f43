"""Online learning of latent antecedent trees: baseline, early update, max-violation, LaSO, delayed LaSO.

Björkelund and Kuhn, Learning structured perceptrons for coreference resolution with latent antecedents and non-local
features (ACL 2014). Passive-aggressive or perceptron steps, averaged over documents. The documents' order is drawn from
the seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from engine.learners.laso.arrays import Bonds, ClusterTemplates, Model, StepSize, TreeInstance
from engine.settings import Settings, setting

Policy = Literal["baseline", "early", "max-violation", "laso", "delayed-laso"]
POLICIES: Final[tuple[Policy, ...]] = ("baseline", "early", "max-violation", "laso", "delayed-laso")


@dataclass(frozen=True, kw_only=True)
class TreeSettings(Settings):
    """How latent trees are learned."""

    iterations: int = setting(25, "Passes over the training documents.", low=1, high=1000)
    beam: int = setting(20, "Partial clusterings kept while reading a document.", low=1, high=500)
    update: Literal["passive-aggressive", "perceptron"] = setting(
        "passive-aggressive", "Size of a step: as large as the margin needs, or always 1."
    )
    false_new: float = setting(1.5, "Loss of attaching to the root a mention that has an antecedent.", low=0.0)
    augment: float = setting(
        1.0, "Loss added to wrong arcs while training searches, times this; 0 searches as in the paper.", low=0.0
    )
    history: Literal["auto", "gold", "own"] = setting(
        "auto",
        "Clusters that non-local features see while delayed LaSO trains: gold as in the paper, or the model's own"
        " (one greedy item, which suits noisy mentions). Auto: own for predicted mentions, gold for gold mentions.",
    )
    cap: float = setting(1e9, "Largest passive-aggressive step (C).", low=0.0)


@dataclass(frozen=True)
class Seen:
    """What one pass did with one document."""

    document: int
    mentions: int
    read: int
    """Mentions up to which the policy learned from it."""
    updates: tuple[int, ...]
    """Mentions at which right items were lost, or the end."""
    loss: float
    arcs: int
    distance: float
    """Mean distance in mentions of the latent tree's arcs that do not start at the root."""
    deepest: int


@dataclass(frozen=True, eq=False)
class Pass:
    """The state after one pass; `averaged` is the scorer to use."""

    index: int
    objective: float
    seen: tuple[Seen, ...]
    weights: NDArray[np.float64] = field(repr=False)
    sums: NDArray[np.float64] = field(repr=False)
    count: float

    def averaged(self) -> NDArray[np.float64]:
        return self.weights - self.sums / self.count


def passes(
    instances: Sequence[TreeInstance], policy: Policy, settings: TreeSettings, templates: ClusterTemplates
) -> Iterator[Pass]:
    """Train; each pass shares its arrays with the learner, so take `averaged()` before asking for the next."""
    from engine.learners.laso import policies as kernels

    code = POLICIES.index(policy)
    rng = np.random.default_rng(settings.seed)
    model = Model.empty()
    size = StepSize(settings.false_new, settings.augment, settings.update == "passive-aggressive", settings.cap)
    own = settings.history == "own" and templates.used and policy == "delayed-laso"
    count = 1.0
    for index in range(settings.iterations):
        seen: list[Seen] = []
        for number in rng.permutation(len(instances)):
            one = instances[number]
            latent, places = np.zeros(one.n + 1, np.int64), np.zeros(one.n + 1, np.int64)
            if policy == "baseline":
                done = kernels.train_baseline(one, model, count, size, latent, places)
            elif own:
                done = kernels.train_own(one, templates, model, count, size, latent, places)
            else:
                done = kernels.train_beam(code, one, templates, settings.beam, model, count, size, latent, places)
            loss, n_updates, read = done
            count += 1.0
            seen.append(_seen(int(number), one, latent, places[:n_updates], int(read), float(loss)))
        seen.sort(key=lambda item: item.document)
        yield Pass(index, sum(item.loss for item in seen), tuple(seen), model.weights, model.sums, count)


def _seen(
    number: int, one: TreeInstance, latent: NDArray[np.int64], places: NDArray[np.int64], read: int, loss: float
) -> Seen:
    heads = one.heads[latent[1 : read + 1]]
    linked = np.flatnonzero(heads) + 1
    depth = np.zeros(one.n + 1, np.int64)
    for j, head in enumerate(heads.tolist(), 1):
        depth[j] = depth[head] + 1
    distance = float((linked - heads[linked - 1]).mean()) if len(linked) else 0.0
    return Seen(number, one.n, read, tuple(places.tolist()), loss, len(linked), distance, int(depth.max()))


def score_arcs(weights: NDArray[np.float64], one: TreeInstance) -> NDArray[np.float64]:
    """Local scores of all arcs, from their rows of features."""
    from engine.learners.laso import search as kernels

    if len(one.rows) != len(one.heads):
        raise ValueError("this document was prepared for scores only: its arcs have no rows of features")
    scores = np.empty(len(one.heads))
    kernels.score_rows(weights, one.rows, 0, len(scores), scores)
    return scores


def search(
    weights: NDArray[np.float64],
    one: TreeInstance,
    templates: ClusterTemplates,
    *,
    beam: int,
    scores: NDArray[np.float64] | None = None,
    bias: float = 0.0,
    together: NDArray[np.int64] | None = None,
    apart: Sequence[tuple[int, int]] = (),
) -> Found:
    """The best tree of one document. `together[j]` is an earlier mention that j must join (0: none); pairs of `apart`
    must not end in one cluster. `scores` are those of the arcs, where they are known already."""
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
    chosen, total = kernels.decode(one, scores, templates, weights, beam, float(bias), bonds)
    return Found(chosen, one.heads[chosen[1:]], float(total))


@dataclass(frozen=True, eq=False)
class Found:
    """A tree: chosen row and head of every mention, total score."""

    rows: NDArray[np.int64]
    heads: NDArray[np.int32]
    total: float
