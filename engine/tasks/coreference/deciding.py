"""The best clusters of scored documents.

With local scores the best head of each mention alone gives the best tree (`AntecedentTree`, Björkelund and Kuhn 2014,
section 4): exact, and of equal scores the nearest antecedent wins, the root last. With a scorer of the steps it is
beam search over partial clusterings.

Pins are about clusters, which no arc decides alone. A best tree that keeps them anyway is the best of those that do;
otherwise the same beam search looks for one under the pins, whatever the scores.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.data.document import Layer, Mention
from engine.data.pins import Pin
from engine.learners.laso.learner import search
from engine.structures.base import Infeasible
from engine.tasks.base import DocumentPins
from engine.tasks.coreference.pinning import Fixed, cluster_pins, fixed_in, with_arcs_for
from engine.tasks.coreference.scored import CoreferenceScored, Floats, Span
from engine.tasks.coreference.tree import NO_STEPS, Tree, clusters_of, labels_of


def decide(scored: CoreferenceScored, pins: DocumentPins | None = None) -> list[Layer]:
    """The predicted layer of every document."""
    return [layer_of(best_tree(one, (pins or {}).get(one.document.id, ()))) for one in scored.each()]


def best_tree(one: CoreferenceScored, pins: Sequence[Pin] = ()) -> Tree:
    """The best tree of one document under the pins; Infeasible where there is none."""
    wanted = cluster_pins(pins)
    fixed = fixed_in(one, wanted) if wanted else None
    if one.steps is None:
        exact = Tree(one, one.head[one.tree().argmax(_biased(one))])
        if fixed is None or fixed.hold_for(labels_of(exact.heads)):
            return exact
    if fixed is not None:
        one = with_arcs_for(one, fixed)
    return _searched(one, fixed)


def _biased(one: CoreferenceScored) -> Floats:
    scores = one.score.copy()
    scores[one.arc_offsets[:-1]] += one.bias
    return scores


def _searched(one: CoreferenceScored, fixed: Fixed | None) -> Tree:
    steps = one.steps or NO_STEPS
    found = search(
        steps.weights,
        one.instance(),
        steps.templates,
        beam=one.beam,
        scores=one.score,
        bias=one.bias,
        together=None if fixed is None else fixed.together,
        apart=() if fixed is None else fixed.apart,
    )
    if found.total == -np.inf:
        raise Infeasible(f"the pins of document {one.document.id!r} leave some mention no place")
    return Tree(one, found.heads)


def layer_of(tree: Tree) -> Layer:
    """The clusters of a tree; mentions that are in none are no part of the output."""
    clusters = [cluster for cluster in clusters_of(tree.heads) if len(cluster) > 1 or tree.one.singletons]
    kept = sorted(mention for cluster in clusters for mention in cluster)
    position = {mention: number for number, mention in enumerate(kept)}
    return Layer(
        mentions=tuple(Mention(*tree.one.span(mention)) for mention in kept),
        clusters=tuple(tuple(position[mention] for mention in cluster) for cluster in clusters),
    )


def key_of(layer: Layer) -> list[list[Span]]:
    """Clusters of a layer as character spans."""
    return [[layer.mentions[mention].span for mention in cluster] for cluster in layer.clusters]
