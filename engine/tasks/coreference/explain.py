"""Explains the score of an arc by its features and their weights. Nothing else right of the waist uses the model.

With non-local features a score depends on the clusters to the left, so an arc is explained given the decided tree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints, ShortInts, Words
from engine.data.errors import InputError
from engine.features.coreference import wording
from engine.features.coreference.arcs.pairs import codes_of, explained_row
from engine.features.coreference.attributes import MentionTable
from engine.features.coreference.templates import CLUSTER_FACTS, compile_templates
from engine.learners.laso.arrays import N_FACTS
from engine.learners.laso.clusters import cluster_facts, cluster_row
from engine.structures.clusters import labels_of
from engine.tasks.coreference.scored import ClusterScorer, CoreferenceScored
from engine.tasks.coreference.scoring import CoreferenceModel, describe_mentions, with_words
from engine.tasks.coreference.state import RULES
from engine.tasks.explanation import Contribution, Explanation


@dataclass(frozen=True, eq=False)
class Described:
    """The properties of a scored document's mentions, in words and as codes."""

    table: MentionTable
    codes: Words


def describe_again(scored: CoreferenceScored, model: CoreferenceModel) -> Described:
    """Read a one-document corpus again, because scores do not reveal the features of which they are sums."""
    read = with_words(scored.document, model.settings)
    spans = [read.document.token_range(start, end) for start, end in scored.spans()]
    table = describe_mentions(read, spans, model.settings, model.state.gender)
    return Described(table, codes_of(table))


def explain(
    scored: CoreferenceScored, model: CoreferenceModel, arc: int, heads: ShortInts, described: Described
) -> Explanation:
    """The features of an arc, given a tree (the head of each mention)."""
    if not 0 <= arc < len(scored.head):
        raise InputError(f"document {scored.document.id!r} has no arc {arc}")
    head, mention = int(scored.head[arc]), scored.dependent(arc)
    found, score = _local(model, described, head, mention), float(scored.score[arc])
    if head and scored.steps is not None:
        beside = _Cluster.of(scored, heads, head, mention)
        numbers = beside.numbers(scored, scored.steps)
        found += _nonlocal(model, described, beside, numbers)
        score += float(sum(scored.steps.weights[numbers].tolist()))
    if not head and scored.bias:
        found.append(Contribution("bias", "new", "abstain bias", scored.bias))
        score += scored.bias
    return Explanation(score, 0.0, tuple(sorted(found, key=lambda one: -abs(one.adds or 0.0))))


def _local(model: CoreferenceModel, described: Described, head: int, mention: int) -> list[Contribution]:
    templates, weights = model.state.templates, model.state.weights
    names = templates.pair if head else templates.root
    row = explained_row(described.table, described.codes, compile_templates(names), head, mention, size=len(weights))
    group = "two mentions" if head else "new"
    return [
        Contribution(name, group, value, float(weights[number]))
        for name, (value, number) in zip(names, row, strict=True)
        if number
    ]


def _nonlocal(
    model: CoreferenceModel, described: Described, beside: _Cluster, numbers: ShortInts
) -> list[Contribution]:
    return [
        Contribution(name, "cluster", beside.in_words(name, described.table), float(model.state.weights[number]))
        for name, number in zip(model.state.templates.cluster, numbers.tolist(), strict=True)
        if number
    ]


@dataclass(frozen=True, eq=False)
class _Cluster:
    """The cluster of an antecedent as a mention sees it: only the part to the left of the mention."""

    mention: int
    first: int
    last: int
    previous: ShortInts
    """The mention before each one in its cluster, in the whole tree."""
    facts: Ints

    @classmethod
    def of(cls, scored: CoreferenceScored, heads: ShortInts, head: int, mention: int) -> _Cluster:
        label = labels_of(heads)
        previous = np.zeros(len(label), dtype=np.int32)
        seen: dict[int, int] = {}
        for at, cluster in enumerate(label.tolist()):
            previous[at] = seen.get(cluster, 0)
            seen[cluster] = at
        last = int(np.flatnonzero(label[:mention] == label[head])[-1])
        facts = np.zeros(N_FACTS, dtype=np.int64)
        first = int(cluster_facts(mention, last, previous, scored.instance(), RULES, facts))
        return cls(mention, first, last, previous, facts)

    def numbers(self, scored: CoreferenceScored, steps: ClusterScorer) -> ShortInts:
        """The numbers of the features for joining the cluster."""
        out = np.zeros(len(steps.templates.seeds), dtype=np.int32)
        scratch = np.zeros(N_FACTS, dtype=np.int64)
        instance, mask = scored.instance(), len(steps.weights) - 1
        cluster_row(self.mention, self.last, self.previous, instance, steps.templates, mask, scratch, out)
        return out

    def in_words(self, template: str, table: MentionTable) -> str:
        where = {"a": ("anaphor", self.mention), "f": ("first", self.first), "l": ("last", self.last)}
        values = dict(zip(CLUSTER_FACTS, self.facts.tolist(), strict=True))
        pieces = []
        for atom in template.split("+"):
            source, _, what = atom.partition(".")
            if source == "c":
                pieces.append(f"cluster {what}: {wording.fact(what, values[what])}")
            else:
                who, at = where[source]
                pieces.append(f"{who} {what} “{table.text[what][at - 1]}”")
        return ", ".join(pieces)
