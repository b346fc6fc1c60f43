"""The errors of coreference: every missed and every wrong link, with the one stage that caused it.

A gold mention that is not the first of its cluster is missed if the prediction puts it together with none of the
earlier ones. A predicted mention that is not the first of its cluster is a false alarm if gold puts it together with
none of the earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from engine.data.document import Layer
from engine.metrics.errors import Error, Kind, Stage, merge_unlisted
from engine.tasks.coreference.deciding import DecidedTree, best_tree, latent_tree
from engine.tasks.coreference.scored import CoreferenceScored, Span
from engine.tasks.coreference.trace import traced_arc

_TYPES: Final = {"P": "pronoun", "N": "name", "C": "noun phrase"}


def errors(scored: CoreferenceScored, predicted: Sequence[Layer]) -> list[Error]:
    """Misses and false alarms of all documents, in order of the text."""
    found: list[Error] = []
    for one, layer in zip(scored.each(), predicted, strict=True):
        tree = best_tree(one)
        unbiased = best_tree(one.at(0.0)) if one.bias else tree
        found += find_errors(layer, tree, unbiased)
    return merge_unlisted(found, complete=scored.alternatives == "all")


def find_errors(predicted: Layer, tree: DecidedTree, unbiased: DecidedTree) -> list[Error]:
    """The errors of one document. `unbiased` is the best tree without a root bias."""
    ours, gold = _members(predicted), _members(tree.one.document.gold)
    case = _Case(tree, unbiased)
    found: list[Error] = []
    for span in sorted(gold):
        earlier = [other for other in gold[span] if other < span]
        if earlier and not set(earlier) & set(ours.get(span, ())):
            stage = case.stage_of_miss(span, earlier)
            found.append(case.error("miss", stage, span, earlier[-1], _before(span, ours)))
    for span in sorted(ours):
        earlier = [other for other in ours[span] if other < span]
        if earlier and not set(earlier) & set(gold.get(span, ())):
            stage = "pruned by search" if span in gold and case.lost_by_search else "scored lower"
            found.append(case.error("false alarm", stage, span, _before(span, gold), earlier[-1]))
    return found


def _members(layer: Layer) -> dict[Span, list[Span]]:
    """Span -> the spans of its cluster, in order of the text."""
    members: dict[Span, list[Span]] = {}
    for cluster in layer.clusters:
        spans = sorted(layer.mentions[mention].span for mention in cluster)
        members |= dict.fromkeys(spans, spans)
    return members


def _before(span: Span, members: Mapping[Span, list[Span]]) -> Span | None:
    earlier = [other for other in members.get(span, ()) if other < span]
    return earlier[-1] if earlier else None


@dataclass(frozen=True, eq=False)
class _Case:
    """One document as it was decided, and as it would have been without a root bias."""

    tree: DecidedTree
    unbiased: DecidedTree

    @cached_property
    def position(self) -> dict[Span, int]:
        """Mentions, from 1, by their spans."""
        return {span: mention for mention, span in enumerate(self.tree.one.spans(), 1)}

    @cached_property
    def lost_by_search(self) -> bool:
        """Whether the best tree that gold allows scores higher than the tree that was found."""
        one = self.tree.one
        if one.steps is None or not one.gold.any():
            return False
        return latent_tree(one).total > self.tree.total + 1e-9

    def stage_of_miss(self, span: Span, earlier: Sequence[Span]) -> Stage:
        mention, one = self.position.get(span), self.tree.one
        right = [self.position[other] for other in earlier if other in self.position]
        if mention is None or not right:
            return "mention not proposed"
        rows = slice(one.arc_offsets[mention - 1], one.arc_offsets[mention])
        if not (one.allowed[rows] & (one.head[rows] > 0)).any():
            return "candidate missing"
        label = self.unbiased.beside.label if self.unbiased is not self.tree else None
        if label is not None and any(label[mention] == label[other] for other in right):
            return "declined by the bias"
        return "pruned by search" if self.lost_by_search else "scored lower"

    def error(self, kind: Kind, stage: Stage, span: Span, gold: Span | None, predicted: Span | None) -> Error:
        text = self.tree.one.document.text
        mention = self.position.get(span)
        attributes = {} if mention is None else self._described(mention)
        attributes["words"] = len(text[slice(*span)].split())
        antecedent = gold or predicted
        if antecedent is not None:
            attributes["distance"] = len(text[antecedent[1] : span[0]].split())
        return Error(
            document=self.tree.one.document.id,
            kind=kind,
            stage=stage,
            type="mention" if mention is None else _TYPES.get(self.tree.one.word_class[mention - 1], "mention"),
            start=span[0],
            end=span[1],
            gold=text[slice(*gold)] if gold else "new",
            predicted=text[slice(*predicted)] if predicted else "new",
            confidence=0.0 if mention is None else self._margin(mention),
            attributes=attributes,
        )

    def _described(self, mention: int) -> dict[str, object]:
        one, at = self.tree.one, mention - 1
        return {
            "kind": one.kind[at],
            "head": one.head_word[at],
            "relation": one.relation[at],
            "seen": one.seen[at],
            "sentence": int(one.sentence[at]),
        }

    def _margin(self, mention: int) -> float:
        margin = traced_arc(self.tree, mention).margin
        return margin if np.isfinite(margin) else 0.0
