"""Two predictions of one corpus against each other, document by document (Björkelund and Kuhn 2014, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from engine.data.document import Document, Layer
from engine.metrics.significance import wilcoxon
from engine.tasks.coreference.deciding import key_of
from engine.tasks.coreference.moving import document_scores


@dataclass(frozen=True)
class Versus:
    """How much better the second prediction is than the first."""

    difference: float
    """Mean difference of the CoNLL averages of single documents."""
    p: float | None
    """Wilcoxon signed-rank test over documents; None where no document differs."""


def conll_by_document(documents: Sequence[Document], layers: Sequence[Layer]) -> list[float]:
    """The CoNLL average of each document: what paired tests over documents compare."""
    return [
        float(document_scores(document, key_of(layer))["conll"])
        for document, layer in zip(documents, layers, strict=True)
    ]


def versus(ours: Sequence[float], theirs: Sequence[float]) -> Versus:
    """`theirs` against `ours`, a CoNLL average per document each."""
    differ = any(a != b for a, b in zip(ours, theirs, strict=True))
    return Versus(mean(theirs) - mean(ours), wilcoxon(ours, theirs) if differ else None)
