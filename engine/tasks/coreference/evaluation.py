"""Compares predicted clusters with gold: for a corpus, for a document with one mention moved, for two predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, TypeAlias

import numpy as np

from engine.data.document import Document, Layer
from engine.metrics.coreference import FIELDS, Counts, count_clusters, score_clusters
from engine.metrics.coreference import report as scores_of
from engine.metrics.significance import wilcoxon
from engine.metrics.tally import Tally
from engine.tasks.base import Report
from engine.tasks.coreference.scored import Span
from engine.tasks.coreference.trace import CoreferenceTrace

Clusters: TypeAlias = list[list[Span]]
Scores: TypeAlias = Mapping[str, Any]
"""The result of `score_clusters`."""


def key_of(layer: Layer) -> Clusters:
    """Clusters of a layer as character spans."""
    return [[layer.mentions[mention].span for mention in cluster] for cluster in layer.clusters]


def tally(gold: Sequence[Document], predicted: Sequence[Layer]) -> Tally:
    """What these documents contribute to the sums of all metrics."""
    made = Tally()
    made.extend("counts", np.array(_counts(gold, predicted), dtype=np.float64).reshape(-1, len(FIELDS)))
    return made


def report(found: Tally) -> Report:
    """All metrics of a corpus: sums over documents, then ratios."""
    return scores_of(found.summed("counts", len(FIELDS)))


def counts(gold: Sequence[Document], predicted: Sequence[Layer]) -> list[dict[str, float]]:
    """The counts of all metrics per document; correct, found, predicted and gold are those of MUC's links."""
    rows = []
    for one in _counts(gold, predicted):
        named = dict(zip(FIELDS, one.tolist(), strict=True))
        links = {
            "correct": named["muc_correct"],
            "found": named["muc_correct"],
            "predicted": named["muc_response"],
            "gold": named["muc_key"],
        }
        rows.append(links | named)
    return rows


def _counts(gold: Sequence[Document], predicted: Sequence[Layer]) -> list[Counts]:
    return [
        count_clusters(key_of(document.gold), key_of(layer)) for document, layer in zip(gold, predicted, strict=True)
    ]


def document_scores(document: Document, clusters: Sequence[Sequence[Span]]) -> Scores:
    """All metrics of clusters against the document's gold."""
    return score_clusters(key_of(document.gold), clusters)


def predicted_clusters(trace: CoreferenceTrace) -> Clusters:
    """The predicted clusters as character spans."""
    clusters: dict[int, list[Span]] = {}
    for one in trace.mentions:
        if one.predicted >= 0:
            clusters.setdefault(one.predicted, []).append((one.start, one.end))
    return list(clusters.values())


def moved_clusters(trace: CoreferenceTrace, mention: int, to: int | None) -> Clusters:
    """The predicted clusters after one mention (from 1) has been moved to another cluster; None: to one of its own."""
    place = (trace.mentions[mention - 1].start, trace.mentions[mention - 1].end)
    clusters: dict[int, list[Span]] = {}
    for one in trace.mentions:
        if one.predicted >= 0 and (one.start, one.end) != place:
            clusters.setdefault(one.predicted, []).append((one.start, one.end))
    if to is not None:
        clusters.setdefault(to, []).append(place)
    elif trace.singletons:
        clusters[-1] = [place]
    return [cluster for cluster in clusters.values() if len(cluster) > 1 or trace.singletons]


@dataclass(frozen=True)
class Versus:
    """How much better a second prediction of a corpus is than a first (Björkelund and Kuhn 2014, Table 1)."""

    difference: float
    """The mean difference of the documents' CoNLL averages."""
    p: float | None
    """The p-value of a Wilcoxon signed-rank test over documents; None if no document differs."""


def conll_by_document(documents: Sequence[Document], layers: Sequence[Layer]) -> list[float]:
    """The CoNLL average of each document, for paired tests over documents."""
    return [
        float(document_scores(document, key_of(layer))["conll"])
        for document, layer in zip(documents, layers, strict=True)
    ]


def versus(ours: Sequence[float], theirs: Sequence[float]) -> Versus:
    """`theirs` against `ours`, a CoNLL average per document each."""
    differ = any(a != b for a, b in zip(ours, theirs, strict=True))
    return Versus(mean(theirs) - mean(ours), wilcoxon(ours, theirs) if differ else None)
