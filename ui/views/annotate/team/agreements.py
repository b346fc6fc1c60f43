"""Several annotators: what they worked on together, and how far they agree.

Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any, Final

from engine.data.document import GOLD, Document, Layer
from engine.data.edits import State
from engine.metrics.agreement import agreement, by_label, by_relation
from engine.metrics.differences import decisions
from engine.store.annotations import AnnotationLog
from engine.workbench.suggestions import KINDS
from ui.shell import layout

MEASURES: Final[dict[str, dict[str, str]]] = {
    "span": {"span_f1": "spans, F1"},
    "type": {
        "token_kappa": "types over tokens, Cohen's kappa",
        "token_fleiss": "types over tokens, Fleiss' kappa",
        "type_kappa": "types of shared spans, Cohen's kappa",
        "type_alpha": "types, Krippendorff's alpha",
    },
    "link": {"link_f1": "links, F1", "link_alpha": "links, Krippendorff's alpha"},
    "coreference": {
        "cluster_muc": "chains, MUC F1",
        "cluster_b3": "chains, B³ F1",
        "cluster_lea": "chains, LEA F1",
    },
    "relation": {"relation_f1": "relations, F1"},
    "label": {"label_alpha": "labels, Krippendorff's alpha"},
}
"""Measures by what they are about; of what nobody annotated there is nothing to agree on."""
SHORT: Final = {"span": "span_f1", "link": "link_f1", "coreference": "cluster_b3", "relation": "relation_f1"}
"""The measure that stands for each kind in the table of documents."""


def annotators(log: AnnotationLog) -> list[str]:
    """Who has a layer of their own."""
    return sorted(log.layers() - {GOLD})


def closest(log: AnnotationLog, names: Sequence[str]) -> list[str]:
    """The two who have most documents in common."""
    touched = {name: log.edited_documents(layer=name) for name in names}
    first, second = max(combinations(names, 2), key=lambda pair: len(touched[pair[0]] & touched[pair[1]]))
    return [first, second]


def used(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]]) -> list[str]:
    """What anybody annotated, in the order it is reported. What a bag asks about everybody was given."""
    given = [State.unanswered(document).layer() for document in documents]
    work = [(layer, start) for own in layers.values() for layer, start in zip(own, given, strict=True)]
    made = {one.kind for layer, start in work for one in decisions(layer, KINDS) - decisions(start, KINDS)}
    spans = any(len(layer.mentions) > len(start.mentions) for layer, start in work)
    return [kind for kind in MEASURES if kind in made or (kind == "span" and spans)]


def measure_rows(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], id: str) -> list[dict[str, Any]]:
    """Agreement on all documents and on the one at hand, by measure."""
    whole = asdict(agreement(documents, layers))
    here = next((i for i, one in enumerate(documents) if one.id == id), None)
    own = None
    if here is not None:
        own = asdict(agreement([documents[here]], {name: [layers[name][here]] for name in layers}))
    everywhere = layout.counted(len(documents), "document")
    return [
        {"measure": label, everywhere: whole[key], "this document": own[key] if own else None}
        for kind in used(documents, layers)
        for key, label in MEASURES[kind].items()
    ]


def label_rows(layers: Mapping[str, Sequence[Layer]]) -> list[dict[str, Any]]:
    """Agreement by type and by relation."""
    rows = [{"label": f"type {name}", "F1": value} for name, value in by_label(layers).items()]
    return rows + [{"label": f"relation {name}", "F1": value} for name, value in by_relation(layers).items()]


def document_rows(
    documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], open_: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Every document that all have annotated, those with most open questions first."""
    columns = short_columns(documents, layers)
    rows: list[dict[str, Any]] = []
    for i, one in enumerate(documents):
        found = asdict(agreement([one], {name: [layers[name][i]] for name in layers}))
        scores = {label: found[key] for label, key in columns.items()}
        rows.append({"document": one.id, "open": open_[one.id], **scores})
    return sorted(rows, key=lambda row: (-row["open"], row["document"]))


def short_columns(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]]) -> dict[str, str]:
    """Head of a column -> its measure, in the table of documents."""
    return {MEASURES[kind][key]: key for kind, key in SHORT.items() if kind in used(documents, layers)}
