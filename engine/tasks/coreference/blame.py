"""Every missed and every wrong link of a document, with the one stage to blame.

A gold mention that has an earlier mention of its cluster is missed if the prediction puts it with none of them;
a predicted mention with an earlier one in its cluster is a false alarm if gold puts it with none of those.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.data.document import Document, Layer
from engine.metrics.errors import Error, Stage
from engine.tasks.coreference.trace import Tree, latent_tree

Span = tuple[int, int]


def find_errors(document: Document, predicted: Layer, tree: Tree, unbiased: Tree) -> list[Error]:
    """Misses and false alarms in order of the text. `unbiased` is the tree that the model finds without a root bias."""
    ours, gold = _members(predicted), _members(document.gold)
    found: list[Error] = []
    position = {tree.prepared.chars(mention): mention for mention in range(1, tree.arcs.n + 1)}
    lost_by_search = _search_failed(tree)
    for span in sorted(gold):
        earlier = [other for other in gold[span] if other < span]
        if not earlier or set(earlier) & set(ours.get(span, ())):
            continue
        stage = _stage(span, earlier, position, tree, unbiased, lost_by_search)
        found.append(_error(document, "miss", stage, span, earlier[-1], _before(span, ours), tree, position))
    for span in sorted(ours):
        earlier = [other for other in ours[span] if other < span]
        if not earlier or set(earlier) & set(gold.get(span, ())):
            continue
        proper = span in gold
        stage = "scored lower"
        if proper and lost_by_search:
            stage = "pruned by search"
        found.append(_error(document, "false alarm", stage, span, _before(span, gold), earlier[-1], tree, position))
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


def _stage(
    span: Span, earlier: list[Span], position: Mapping[Span, int], tree: Tree, unbiased: Tree, lost_by_search: bool
) -> Stage:
    mention = position.get(span)
    if mention is None or all(other not in position for other in earlier):
        return "mention not proposed"
    arcs = tree.arcs
    rows = slice(arcs.offsets[mention - 1], arcs.offsets[mention])
    if not (arcs.right[rows] & (arcs.heads[rows] > 0)).any():
        return "candidate missing"
    right = {position[other] for other in earlier if other in position}
    if unbiased is not tree and any(unbiased.label[mention] == unbiased.label[other] for other in right):
        return "declined by the bias"
    return "pruned by search" if lost_by_search else "scored lower"


def _search_failed(tree: Tree) -> bool:
    """Whether the best tree that gold allows scores higher than the tree that was found."""
    if not tree.templates.used or not tree.prepared.gold.any():
        return False
    latent = latent_tree(tree)
    return latent.total > tree.total + 1e-9


def _error(
    document: Document,
    kind: str,
    stage: Stage,
    span: Span,
    gold: Span | None,
    predicted: Span | None,
    tree: Tree,
    position: Mapping[Span, int],
) -> Error:
    mention = position.get(span)
    text = document.text
    attributes: dict[str, object] = {}
    confidence = 0.0
    type_ = "mention"
    if mention is not None:
        table = tree.prepared.table
        type_ = {"P": "pronoun", "N": "name", "C": "noun phrase"}[table.text["type"][mention - 1]]
        arc = tree.arc(mention)
        confidence = arc.margin if np.isfinite(arc.margin) else 0.0
        attributes = {name: table.text[name][mention - 1] for name in ("kind", "head", "relation", "seen")}
        attributes["sentence"] = int(table.numeric["sentence"][mention - 1])
    attributes["words"] = len(text[slice(*span)].split())
    antecedent = gold or predicted
    if antecedent is not None:
        attributes["distance"] = len(text[antecedent[1] : span[0]].split())
    return Error(
        document=document.id,
        kind="miss" if kind == "miss" else "false alarm",
        stage=stage,
        type=type_,
        start=span[0],
        end=span[1],
        gold=text[slice(*gold)] if gold else "new",
        predicted=text[slice(*predicted)] if predicted else "new",
        confidence=confidence,
        attributes=attributes,
    )
