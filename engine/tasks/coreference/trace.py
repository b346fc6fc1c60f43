"""What inference did on one document: the predicted tree, the latent tree, their arcs with scores and rivals.

The latent tree is the best tree that gold allows under the same weights: the one towards which training would pull.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.data.pins import Pin
from engine.structures.clusters import clusters_of
from engine.tasks.coreference.deciding import DecidedTree, best_tree, latent_tree
from engine.tasks.coreference.scored import CoreferenceScored

LONG: Final = 200
"""Mentions from which on both trees are scored in parallel."""


@dataclass(frozen=True)
class TracedMention:
    """A mention as the view draws it; a cluster is -1 if it is in none."""

    start: int
    end: int
    text: str
    head: str
    type: str
    sentence: int
    relation: str
    gold: int
    predicted: int


@dataclass(frozen=True)
class TracedArc:
    """One arc of a tree. Head 0 is the root; the score includes non-local features and the bias."""

    head: int
    dependent: int
    score: float
    local: float
    right: bool
    runner_up: int
    """The head of the best other decision that would change something, -1 if there is none."""
    runner_up_score: float

    @property
    def margin(self) -> float:
        return self.score - self.runner_up_score


@dataclass(frozen=True)
class CoreferenceTrace:
    """Mentions count from 1 in arcs; `mentions[k]` is mention k + 1."""

    document: str
    mentions: tuple[TracedMention, ...]
    predicted: tuple[TracedArc, ...]
    latent: tuple[TracedArc, ...]
    latent_beside: tuple[float, ...]
    """Scores of the latent tree's arcs given the predicted clusters, so that they can be compared with those of the
    predicted tree; the arcs' own scores are given the gold clusters."""
    has_gold: bool
    total: float
    latent_total: float
    bias: float
    singletons: bool

    @property
    def search_error(self) -> bool:
        """Whether the latent tree scores higher than the one that was found."""
        return self.has_gold and self.latent_total > self.total + 1e-9


def trace(scored: CoreferenceScored, pins: Sequence[Pin] = ()) -> CoreferenceTrace:
    """The trace of a one-document corpus."""
    tree = best_tree(scored, pins)
    one = tree.one
    latent = latent_tree(one) if one.document.gold.clusters else None
    if latent is not None:
        _score_beside(tree, latent)
    arcs = _arcs(tree)
    latent_arcs = _arcs(latent) if latent is not None else ()
    return CoreferenceTrace(
        document=one.document.id,
        mentions=_mentions(tree),
        predicted=arcs,
        latent=latent_arcs,
        latent_beside=tuple(tree.beside.totals[latent.beside.chosen].tolist()) if latent is not None else (),
        has_gold=latent is not None,
        total=sum(arc.score for arc in arcs),
        latent_total=sum(arc.score for arc in latent_arcs),
        bias=float(one.bias),
        singletons=one.singletons,
    )


def _score_beside(tree: DecidedTree, latent: DecidedTree) -> None:
    """Score the arcs of both. In a long document this is most of the work after the search, so the kernels run in
    parallel; in a short one threads would take longer to start than to work."""
    if tree.one.n < LONG:
        return
    with ThreadPoolExecutor(max_workers=2) as workers:
        list(workers.map(lambda each: each.beside, (tree, latent)))


def _arcs(tree: DecidedTree) -> tuple[TracedArc, ...]:
    return tuple(traced_arc(tree, mention) for mention in range(1, tree.one.n + 1))


def traced_arc(tree: DecidedTree, mention: int) -> TracedArc:
    """The arc of a mention with its best rival, given this tree's clusters to the left."""
    one, totals = tree.one, tree.beside.totals
    chosen, rival = tree.beside.chosen[mention - 1], tree.beside.rival[mention - 1]
    return TracedArc(
        head=int(tree.heads[mention - 1]),
        dependent=mention,
        score=float(totals[chosen]),
        local=float(one.score[chosen]),
        right=bool(one.allowed[chosen]),
        runner_up=int(one.head[rival]) if rival >= 0 else -1,
        runner_up_score=float(totals[rival]) if rival >= 0 else -np.inf,
    )


def _mentions(tree: DecidedTree) -> tuple[TracedMention, ...]:
    one = tree.one
    cluster_at = {}
    for number, cluster in enumerate(clusters_of(tree.heads)):
        for mention in cluster:
            cluster_at[mention] = number if len(cluster) > 1 or one.singletons else -1
    return tuple(
        TracedMention(
            start=start,
            end=end,
            text=one.document.text[start:end],
            head=one.head_word[k],
            type=one.word_class[k],
            sentence=int(one.sentence[k]),
            relation=one.relation[k],
            gold=int(one.gold[k]) - 1,
            predicted=cluster_at[k + 1],
        )
        for k, (start, end) in enumerate(one.spans())
    )
