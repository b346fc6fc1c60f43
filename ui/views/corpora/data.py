"""Counts of a corpus: per document, and its types, entities, relations and labels by frequency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from engine.data.document import NIL, Document


def by_document(documents: Sequence[Document]) -> pd.DataFrame:
    """One row per document; columns that are zero throughout are left out."""
    rows = [
        {
            "id": document.id,
            "characters": len(document.text),
            "tokens": len(document.tokens),
            "sentences": len(document.sentences),
            "mentions": len(document.gold.mentions),
            "linked": sum(mention.is_linked for mention in document.gold.mentions),
            "clusters": len(document.gold.clusters),
            "relations": len(document.gold.relations),
            "members": len(document.bag.members) if document.bag else 0,
            "labels": len(document.gold.labels),
        }
        for document in documents
    ]
    frame = pd.DataFrame(rows)
    kept = [name for name in frame.columns if name in ("id", "characters") or frame[name].any()]
    return frame[kept]


def totals(frame: pd.DataFrame) -> dict[str, int]:
    return {"documents": len(frame), **{name: int(frame[name].sum()) for name in frame.columns if name != "id"}}


def frequencies(documents: Sequence[Document]) -> dict[str, pd.DataFrame]:
    """How often each type, entity, relation and label occurs in gold, most frequent first."""
    counters: dict[str, Counter[str]] = {
        "mention types": Counter(),
        "entities": Counter(),
        "relations": Counter(),
        "labels": Counter(),
        "cluster sizes": Counter(),
    }
    for document in documents:
        gold = document.gold
        counters["mention types"].update(mention.type for mention in gold.mentions if mention.type is not None)
        counters["entities"].update(
            "NIL" if mention.entity == NIL else mention.entity
            for mention in gold.mentions
            if mention.entity is not None
        )
        counters["relations"].update(relation.type for relation in gold.relations)
        counters["labels"].update(gold.labels)
        counters["cluster sizes"].update(str(len(cluster)) for cluster in gold.clusters)
    return {
        name: pd.DataFrame(counter.most_common(), columns=[name, "n"]) for name, counter in counters.items() if counter
    }
