"""The arcs of one document with their scores, given the decided clusters."""

from __future__ import annotations

from collections.abc import Sequence

from engine.data.pins import Pin
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.coreference.deciding import best_tree, decided_exactly
from engine.tasks.coreference.scored import CoreferenceScored


def list_parts(scored: CoreferenceScored, pins: Sequence[Pin] = ()) -> list[ListedPart]:
    """All arcs; null as the antecedent means that the mention starts an entity."""
    tree = best_tree(scored, pins)
    one, totals, chosen = tree.one, tree.beside.totals, set(tree.beside.chosen.tolist())
    listed = []
    for mention in range(1, one.n + 1):
        start, end = one.span(mention)
        for arc in range(int(one.arc_offsets[mention - 1]), int(one.arc_offsets[mention])):
            head = int(one.head[arc])
            says = {"start": start, "end": end, "antecedent": list(one.span(head)) if head else None}
            listed.append(ListedPart(arc, says, float(totals[arc]), arc in chosen))
    return listed


def weigh(scored: CoreferenceScored, pins: Sequence[Pin] = ()) -> Weighed:
    return Weighed(best_tree(scored, pins).total, decided_exactly(scored, pins))
