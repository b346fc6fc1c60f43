"""Scores of types and relations together: per type, micro and macro, and coherence.

A mention is right when gold has the same span with the same type; a relation when gold has the same two spans, in the
same order, with the same label. Coherence is the paper's "quality" (Roth and Yih 2004, section 4): of the relations
that were classified correctly, the share whose two arguments were typed correctly too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from engine.data.document import Document, Layer

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


def table(pairs: Iterable[tuple[set[Item], set[Item]]]) -> dict[str, Any]:
    """micro, macro (mean over the labels of gold) and each label, of (gold, predicted) items."""
    correct: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    for wanted, found in pairs:
        correct.update(label for label, _ in wanted & found)
        predicted.update(label for label, _ in found)
        gold.update(label for label, _ in wanted)
    each = {label: prf(correct[label], predicted[label], gold[label]) for label in sorted(set(gold) | set(predicted))}
    labels = [label for label in each if gold[label]]
    macro = {
        key: sum(each[label][key] for label in labels) / max(len(labels), 1) for key in ("precision", "recall", "f1")
    }
    return {"micro": prf(correct.total(), predicted.total(), gold.total()), "macro": macro, **each}


def coherence(gold: Sequence[Layer], predicted: Sequence[Layer]) -> float:
    """Of the correct relations, the share whose arguments are typed correctly; 1 when there is none."""
    coherent = right = 0
    for wanted, found in zip(gold, predicted, strict=True):
        types = entity_items(wanted) & entity_items(found)
        typed = {span for _, span in types}
        for _, (head, tail) in relation_items(wanted) & relation_items(found):
            right += 1
            coherent += head in typed and tail in typed
    return coherent / right if right else 1.0


def entity_accuracy(gold: Sequence[Layer], predicted: Sequence[Layer]) -> float:
    """Of gold's mentions, the share that is found with its type."""
    found = total = 0
    for wanted, given in zip(gold, predicted, strict=True):
        items = entity_items(wanted)
        found += len(items & entity_items(given))
        total += len(items)
    return found / total if total else 0.0


def evaluate(documents: Sequence[Document], predicted: Sequence[Layer]) -> dict[str, Any]:
    """All scores, as fractions."""
    gold = [document.gold for document in documents]
    return {
        "entities": table((entity_items(g), entity_items(p)) for g, p in zip(gold, predicted, strict=True)),
        "relations": table((relation_items(g), relation_items(p)) for g, p in zip(gold, predicted, strict=True)),
        "entity_accuracy": entity_accuracy(gold, predicted),
        "coherence": coherence(gold, predicted),
    }


def counts(documents: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
    """Per document what paired tests need, of relations; of entities under names of their own."""
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
