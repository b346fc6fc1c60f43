"""What a document would score if one mention stood in another cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from engine.data.document import Document
from engine.metrics.coreference import score_clusters
from engine.tasks.coreference.deciding import key_of
from engine.tasks.coreference.scored import Span
from engine.tasks.coreference.trace import CoreferenceTrace

Clusters: TypeAlias = list[list[Span]]
Scores: TypeAlias = Mapping[str, Any]
"""What `score_clusters` says."""


def predicted_clusters(trace: CoreferenceTrace) -> Clusters:
    """The predicted clusters as character spans."""
    clusters: dict[int, list[Span]] = {}
    for one in trace.mentions:
        if one.predicted >= 0:
            clusters.setdefault(one.predicted, []).append((one.start, one.end))
    return list(clusters.values())


def moved_clusters(trace: CoreferenceTrace, mention: int, to: int | None) -> Clusters:
    """The predicted clusters after one mention (from 1) went to another of them; None: to one of its own."""
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


def document_scores(document: Document, clusters: Sequence[Sequence[Span]]) -> Scores:
    """All metrics of clusters against the document's gold."""
    return score_clusters(key_of(document.gold), clusters)
