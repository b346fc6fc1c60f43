"""A tree over the mentions of one scored document, and how other arcs would score beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.learners.laso.arrays import ClusterTemplates
from engine.learners.laso.clusters import arcs_and_rivals, rescore
from engine.structures.base import restrict
from engine.tasks.coreference.scored import ClusterScorer, CoreferenceScored, Floats, Ints, ShortInts

NO_STEPS = ClusterScorer(ClusterTemplates(), np.zeros(1))
"""The scorer of the steps of a local model: it adds nothing."""


@dataclass(frozen=True)
class TracedArc:
    """One arc of a tree. Head 0 is the root; the score includes non-local features and the bias."""

    head: int
    dependent: int
    score: float
    local: float
    right: bool
    runner_up: int
    runner_up_score: float

    @property
    def margin(self) -> float:
        return self.score - self.runner_up_score


class Beside(NamedTuple):
    """All arcs as they score beside the clusters of one tree."""

    totals: Floats
    label: ShortInts
    """The cluster of each mention (from 1), named by its first."""
    chosen: Ints
    """Row of each mention's own arc."""
    rival: Ints
    """Row of the best other decision, -1 where there is none."""


class Tree:
    """Heads of the mentions of one document. Only views and errors look at other arcs, so those are scored when
    somebody asks."""

    def __init__(self, one: CoreferenceScored, heads: ShortInts) -> None:
        self.one, self.heads = one, heads
        self._beside: Beside | None = None

    @property
    def beside(self) -> Beside:
        # Not a cached property: those of one class share a lock before Python 3.12, and two trees are scored at once.
        if self._beside is None:
            one, steps = self.one, self.one.steps or NO_STEPS
            instance, heads = one.instance(), self.heads.astype(np.int64)
            totals, label, _ = rescore(instance, one.score, heads, steps.templates, steps.weights, float(one.bias))
            self._beside = Beside(totals, label, *arcs_and_rivals(instance, totals, label, heads))
        return self._beside

    @property
    def label(self) -> ShortInts:
        """The cluster of each mention, named by its first."""
        return self.beside.label

    @property
    def total(self) -> float:
        return float(self.beside.totals[self.beside.chosen].sum())

    def arc(self, mention: int) -> TracedArc:
        """The arc of a mention with its best rival, the clusters to the left as they are in this tree."""
        totals, chosen, rival = self.beside.totals, self.beside.chosen[mention - 1], self.beside.rival[mention - 1]
        return TracedArc(
            head=int(self.heads[mention - 1]),
            dependent=mention,
            score=float(totals[chosen]),
            local=float(self.one.score[chosen]),
            right=bool(self.one.allowed[chosen]),
            runner_up=int(self.one.head[rival]) if rival >= 0 else -1,
            runner_up_score=float(totals[rival]) if rival >= 0 else -np.inf,
        )


def latent_tree(one: CoreferenceScored) -> Tree:
    """The best tree that gold allows, under the same arc scores."""
    return Tree(one, one.head[one.tree().argmax(restrict(one.score, one.allowed))])


def clusters_of(heads: ShortInts) -> list[list[int]]:
    """Clusters of mentions (from 1) of a tree, in order of their first mention."""
    at: dict[int, int] = {}
    clusters: list[list[int]] = []
    for mention, head in enumerate(heads.tolist(), 1):
        if head == 0:
            at[mention] = len(clusters)
            clusters.append([mention])
        else:
            at[mention] = at[head]
            clusters[at[head]].append(mention)
    return clusters


def labels_of(heads: ShortInts) -> ShortInts:
    """The cluster of each mention (from 1), named by its first; 0 stands for the root."""
    label = np.zeros(len(heads) + 1, dtype=np.int32)
    for cluster in clusters_of(heads):
        label[cluster] = cluster[0]
    return label
