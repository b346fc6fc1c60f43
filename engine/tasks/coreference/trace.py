"""What inference did on one document: the predicted tree, the latent tree, their arcs with scores and rivals.

The latent tree is the best one that gold allows, under the same weights: what training would have pulled towards.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from engine.data.pins import Pin
from engine.tasks.coreference.deciding import best_tree
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.tree import TracedArc, Tree, clusters_of, latent_tree


@dataclass(frozen=True)
class TracedMention:
    """A mention as the view draws it; clusters are -1 where it is in none."""

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
class CoreferenceTrace:
    """Mentions count from 1 in arcs; `mentions[k]` is mention k + 1."""

    document: str
    mentions: tuple[TracedMention, ...]
    predicted: tuple[TracedArc, ...]
    latent: tuple[TracedArc, ...]
    latent_beside: tuple[float, ...]
    """Scores of the latent tree's arcs beside the predicted clusters, to compare with those of the predicted tree;
    their own scores are beside the clusters of gold."""
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
    """What deciding does on a corpus of one document."""
    tree = best_tree(scored, pins)
    one = tree.one
    latent = latent_tree(one) if one.document.gold.clusters else None
    if latent is not None:
        # In a long document this is most of what is left to do after the search; the kernels run beside each other.
        with ThreadPoolExecutor(max_workers=2) as workers:
            list(workers.map(lambda each: each.beside, (tree, latent)))
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


def _arcs(tree: Tree) -> tuple[TracedArc, ...]:
    return tuple(tree.arc(mention) for mention in range(1, tree.one.n + 1))


def _mentions(tree: Tree) -> tuple[TracedMention, ...]:
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
