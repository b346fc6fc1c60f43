"""Scores of types and relations together: per type, micro and macro, and coherence.

A mention is right when gold has the same span with the same type; a relation when gold has the same two spans, in the
same order, with the same label. Coherence is the paper's "quality" (Roth and Yih 2004, section 4): of the relations
that were classified correctly, the share whose two arguments were typed correctly too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from engine.data.document import Document, Layer
from engine.metrics.tally import Tally

Item: TypeAlias = tuple[str, tuple[Any, ...]]
"""(label, place)"""


def prf(correct: float, predicted: float, gold: float) -> dict[str, float]:
    precision = correct / predicted if predicted else 0.0
    recall = correct / gold if gold else 0.0
    f1 = 2 * correct / (predicted + gold) if predicted + gold else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def entity_items(layer: Layer) -> set[Item]:
    return {(mention.type, mention.span) for mention in layer.mentions if mention.type is not None}


def relation_items(layer: Layer) -> set[Item]:
    spans = [mention.span for mention in layer.mentions]
    return {(r.type, (spans[r.head], spans[r.tail])) for r in layer.relations}


def evaluate(documents: Sequence[Document], predicted: Sequence[Layer]) -> dict[str, Any]:
    """All scores, as fractions."""
    return report(tally(documents, predicted))


def tally(documents: Sequence[Document], predicted: Sequence[Layer]) -> Tally:
    """What these documents contribute to the scores."""
    made = Tally()
    for document, layer in zip(documents, predicted, strict=True):
        types = entity_items(document.gold), entity_items(layer)
        relations = relation_items(document.gold), relation_items(layer)
        for name, (wanted, found) in (("entities", types), ("relations", relations)):
            for what, items in (("correct", wanted & found), ("predicted", found), ("gold", wanted)):
                for label, _ in items:
                    made.count(name, what, label)
        typed = {span for _, span in types[0] & types[1]}
        right = relations[0] & relations[1]
        made.count("right relations", n=len(right))
        made.count("coherent", n=sum(head in typed and tail in typed for _, (head, tail) in right))
    return made


def report(found: Tally) -> dict[str, Any]:
    """The scores of a tally. Coherence is 1 if no relation is right."""
    entities = [found.below("entities", what).total() for what in ("correct", "gold")]
    right = found.number("right relations")
    return {
        "entities": _table(found, "entities"),
        "relations": _table(found, "relations"),
        "entity_accuracy": entities[0] / entities[1] if entities[1] else 0.0,
        "coherence": found.number("coherent") / right if right else 1.0,
    }


def _table(found: Tally, name: str) -> dict[str, Any]:
    """micro, macro (mean over the labels of gold) and each label."""
    correct, predicted, gold = (found.below(name, what) for what in ("correct", "predicted", "gold"))
    each = {label: prf(correct[label], predicted[label], gold[label]) for label in sorted(set(gold) | set(predicted))}
    labels = [label for label in each if gold[label]]
    macro = {
        key: sum(each[label][key] for label in labels) / max(len(labels), 1) for key in ("precision", "recall", "f1")
    }
    return {"micro": prf(correct.total(), predicted.total(), gold.total()), "macro": macro, **each}


def counts(documents: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
    """The counts of each document for paired tests: those of relations, and those of entities under separate names."""
    out = []
    for document, layer in zip(documents, predicted, strict=True):
        wanted, found = relation_items(document.gold), relation_items(layer)
        typed, given = entity_items(document.gold), entity_items(layer)
        out.append(
            {
                "correct": float(len(wanted & found)),
                "found": float(len(wanted & found)),
                "predicted": float(len(found)),
                "gold": float(len(wanted)),
                "entities_correct": float(len(typed & given)),
                "entities_predicted": float(len(given)),
                "entities_gold": float(len(typed)),
            }
        )
    return out
