"""What inference did on one document: the predicted tree, the latent tree, their arcs with scores, and why.

The latent tree is the best one that gold allows, under the same weights: what training would have pulled towards.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.errors import InputError
from engine.features.coreference import wording
from engine.features.coreference.pairs import explained_row
from engine.features.coreference.templates import CLUSTER_FACTS, compile_templates
from engine.learners.laso.arrays import N_FACTS, ClusterTemplates, TreeInstance
from engine.learners.laso.clusters import arcs_and_rivals, cluster_facts, cluster_row, rescore
from engine.learners.laso.learner import Found, search
from engine.learners.laso.policies import latent_heads
from engine.tasks.coreference.prepare import Prepared, State, clusters_of


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


@dataclass(frozen=True)
class ArcFeature:
    """One feature of an arc: its template, its value in words, its weight."""

    template: str
    value: str
    weight: float
    group: str


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


class Scored(NamedTuple):
    """All arcs as they score beside the clusters of one tree."""

    totals: NDArray[np.float64]
    label: NDArray[np.int32]
    previous: NDArray[np.int32]
    chosen: NDArray[np.int64]
    """Row of each mention's own arc."""
    rival: NDArray[np.int64]
    """Row of the best other decision, -1 where there is none."""


class Tree:
    """A tree over prepared mentions and everything needed to score other arcs beside its own.

    Only views and errors look at other arcs, so they are scored when somebody asks.
    """

    def __init__(
        self,
        prepared: Prepared,
        heads: Sequence[int],
        state: State,
        templates: ClusterTemplates,
        arc_scores: NDArray[np.float64],
        bias: float,
    ) -> None:
        self.prepared, self.state, self.templates, self.bias = prepared, state, templates, float(bias)
        self.arcs: TreeInstance = prepared.arcs
        self.arc_scores = arc_scores
        self.heads = list(heads)
        self._scored: Scored | None = None
        self._trace: CoreferenceTrace | None = None

    @property
    def scored(self) -> Scored:
        # Not a cached property: those of one class share a lock before Python 3.12, and two trees are scored at once.
        if self._scored is None:
            heads = np.array(self.heads, dtype=np.int64)
            totals, label, previous = rescore(
                self.arcs, self.arc_scores, heads, self.templates, self.state.weights, self.bias
            )
            self._scored = Scored(totals, label, previous, *arcs_and_rivals(self.arcs, totals, label, heads))
        return self._scored

    @property
    def trace(self) -> CoreferenceTrace:
        """What a view draws, made once: it asks again at every click."""
        if self._trace is None:
            self._trace = _make_trace(self)
        return self._trace

    @property
    def label(self) -> NDArray[np.int32]:
        """The cluster of each mention, named by its first."""
        return self.scored.label

    @property
    def total(self) -> float:
        return float(self.scored.totals[self.scored.chosen].sum())

    def last_before(self, cluster: int, mention: int) -> int:
        """The last mention of a cluster before this one."""
        members = np.flatnonzero(self.label[:mention] == cluster)
        return int(members[-1])

    def extra(self, head: int, mention: int) -> NDArray[np.int32]:
        """Non-local feature numbers of an arc, given the clusters to its left."""
        out = np.zeros(len(self.templates.seeds), np.int32)
        if head and self.templates.used:
            cluster_row(
                mention,
                self.last_before(int(self.label[head]), mention),
                self.scored.previous,
                self.arcs,
                self.templates,
                len(self.state.weights) - 1,
                np.zeros(N_FACTS, np.int64),
                out,
            )
        return out

    def arc(self, mention: int) -> TracedArc:
        """The arc of a mention with its best rival, the clusters to the left as they are in this tree."""
        totals, chosen, rival = self.scored.totals, self.scored.chosen[mention - 1], self.scored.rival[mention - 1]
        return TracedArc(
            head=self.heads[mention - 1],
            dependent=mention,
            score=float(totals[chosen]),
            local=float(self.arc_scores[chosen]),
            right=bool(self.arcs.right[chosen]),
            runner_up=int(self.arcs.heads[rival]) if rival >= 0 else -1,
            runner_up_score=float(totals[rival]) if rival >= 0 else -np.inf,
        )

    def explain(self, head: int, mention: int) -> list[ArcFeature]:
        """All features of an arc, largest weights first."""
        candidates = self.arcs.heads[self.arcs.offsets[mention - 1] : self.arcs.offsets[mention]]
        if head not in candidates:
            raise InputError(f"mention {head} is no candidate antecedent of mention {mention}")
        names = self.state.templates.pair if head else self.state.templates.root
        weights = self.state.weights
        row = explained_row(
            self.prepared.table, self.arcs.codes, compile_templates(names), head, mention, size=len(weights)
        )
        found = [
            ArcFeature(name, value, float(weights[number]), "two mentions" if head else "new")
            for name, (value, number) in zip(names, row, strict=True)
            if number
        ]
        if head and self.templates.used:
            for name, number in zip(self.state.templates.cluster, self.extra(head, mention).tolist(), strict=True):
                if number:
                    value = self._cluster_value(name, head, mention)
                    found.append(ArcFeature(name, value, float(weights[number]), "cluster"))
        if not head and self.bias:
            found.append(ArcFeature("bias", "root bias", self.bias, "new"))
        return sorted(found, key=lambda feature: -abs(feature.weight))

    def _cluster_value(self, name: str, head: int, mention: int) -> str:
        facts = np.zeros(N_FACTS, np.int64)
        last = self.last_before(int(self.label[head]), mention)
        first = int(cluster_facts(mention, last, self.scored.previous, self.arcs, facts))
        where = {"a": ("anaphor", mention), "f": ("first", first), "l": ("last", last)}
        columns = {fact: column for column, fact in enumerate(CLUSTER_FACTS)}
        pieces = []
        for atom in name.split("+"):
            source, _, what = atom.partition(".")
            if source == "c":
                pieces.append(f"cluster {what}: {wording.fact(what, int(facts[columns[what]]))}")
            else:
                who, at = where[source]
                pieces.append(f"{who} {what} “{self.prepared.table.text[what][at - 1]}”")
        return ", ".join(pieces)


def predicted_tree(
    prepared: Prepared, state: State, templates: ClusterTemplates, *, beam: int, bias: float
) -> tuple[Tree, Found]:
    scores = prepared.scored_by(state.weights)
    found = search(
        state.weights,
        prepared.arcs,
        templates,
        beam=beam,
        bias=bias,
        together=prepared.together,
        apart=prepared.apart,
        scores=scores,
    )
    return Tree(prepared, found.heads.tolist(), state, templates, scores, bias), found


def latent_tree(tree: Tree) -> Tree:
    """The best gold-consistent tree under the same arc scores."""
    heads = latent_heads(tree.arcs, tree.arc_scores).tolist()
    return Tree(tree.prepared, heads, tree.state, tree.templates, tree.arc_scores, tree.bias)


def _make_trace(tree: Tree) -> CoreferenceTrace:
    prepared, singletons = tree.prepared, tree.state.singletons
    has_gold = bool(prepared.document.gold.clusters)
    latent = latent_tree(tree) if has_gold else None
    if latent is not None:
        # In a long document this is most of what is left to do after the search; the kernels run beside each other.
        with ThreadPoolExecutor(max_workers=2) as workers:
            list(workers.map(lambda one: one.scored, (tree, latent)))
    cluster_at = {}
    for number, cluster in enumerate(clusters_of(np.array(tree.heads, dtype=np.int32))):
        for mention in cluster:
            cluster_at[mention] = number if len(cluster) > 1 or singletons else -1
    table = prepared.table
    mentions = []
    for mention in range(1, table.n + 1):
        start, end = prepared.chars(mention)
        mentions.append(
            TracedMention(
                start=start,
                end=end,
                text=prepared.document.text[start:end],
                head=table.text["head"][mention - 1],
                type=table.text["type"][mention - 1],
                sentence=int(table.numeric["sentence"][mention - 1]),
                relation=table.text["relation"][mention - 1],
                gold=int(prepared.gold[mention]) - 1,
                predicted=cluster_at[mention],
            )
        )
    arcs = tuple(tree.arc(mention) for mention in range(1, table.n + 1))
    latent_arcs = tuple(latent.arc(mention) for mention in range(1, table.n + 1)) if latent else ()
    return CoreferenceTrace(
        document=prepared.document.id,
        mentions=tuple(mentions),
        predicted=arcs,
        latent=latent_arcs,
        latent_beside=tuple(tree.scored.totals[latent.scored.chosen].tolist()) if latent else (),
        has_gold=has_gold,
        total=sum(arc.score for arc in arcs),
        latent_total=sum(arc.score for arc in latent_arcs),
        bias=tree.bias,
        singletons=singletons,
    )
