"""Import and export of coreference's scores: arcs from antecedents, each scored relative to starting an entity.

The mentions are those that the parts name. Scores that depend on clusters are exported as they are given the decided
clusters; after import they are decided arc by arc.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.corpora.scores.parts import Arc, Json, Part, Span, name_of, numbers_of
from engine.corpora.scores.records import ScoreRecord
from engine.corpora.scores.scales import additive
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.tasks.coreference.deciding import best_tree
from engine.tasks.coreference.scored import Arcs, CoreferenceScored
from engine.tasks.outside.records import Exchange, Gathering


class CoreferenceGathering(Gathering[CoreferenceScored]):
    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._spans: list[list[Span]] = []
        self._arcs: list[Arcs] = []

    def add(self, document: Document, record: ScoreRecord) -> None:
        arcs = _arcs(record)
        named = {arc.span for arc in arcs} | {arc.antecedent for arc in arcs if arc.antecedent is not None}
        spans = sorted(named, key=lambda span: (span[0], -span[1]))
        number = {span: i for i, span in enumerate(spans, 1)}
        declining = {arc.span for arc in arcs if arc.antecedent is None}
        self._documents.append(document)
        self._spans.append(spans)
        self._arcs.append(
            (
                np.array([0 if a.antecedent is None else number[a.antecedent] for a in arcs], dtype=np.int64),
                np.array([number[arc.span] for arc in arcs], dtype=np.int64),
                np.array(
                    [additive(arc.score, record.scale, declining=arc.span in declining) for arc in arcs],
                    dtype=np.float64,
                ),
            )
        )

    def scored(self) -> CoreferenceScored:
        """The corpus. Clusters of one mention are part of the output if gold has some, or has no clusters at all."""
        sizes = {len(cluster) for document in self._documents for cluster in document.gold.clusters}
        made = CoreferenceScored.of(self._documents, self._spans, self._arcs)
        return replace(made, singletons=not sizes or 1 in sizes)


def _arcs(record: ScoreRecord) -> list[Arc]:
    found: list[Arc] = []
    seen: set[tuple[Span, Span | None]] = set()
    for i, part in enumerate(record.parts):
        if not isinstance(part, Arc):
            raise InputError(
                "coreference scores antecedents of mentions; this part is something else", field=f"parts[{i}]"
            )
        if (part.span, part.antecedent) in seen:
            raise InputError("one antecedent of a mention is scored twice", field=f"parts[{i}]")
        seen.add((part.span, part.antecedent))
        found.append(part)
    return found


def parts(scored: CoreferenceScored, documents: Sequence[Document]) -> Iterator[list[Json]]:
    for one, document in zip(scored.each(), documents, strict=True):
        numbers = numbers_of(document)
        names = [None, *(name_of(span, numbers) for span in one.spans())]
        scores = _first_order(one).tolist()
        dependents = np.repeat(np.arange(1, one.n + 1), np.diff(one.arc_offsets)).tolist()
        yield [
            {"mention": names[mention], "antecedent": names[head], "score": score}
            for mention, head, score in zip(dependents, one.head.tolist(), scores, strict=True)
        ]


def _first_order(one: CoreferenceScored) -> Floats:
    """A score for every arc of a document: its own, or its score given the decided clusters."""
    if one.steps is None:
        return one.score
    totals = best_tree(one).beside.totals.copy()
    totals[one.arc_offsets[:-1]] -= one.bias
    return totals


def answers(document: Document, layer: Layer) -> list[Part]:
    """The clusters as arcs from each mention to the one before it in its cluster."""
    found: list[Part] = []
    for cluster in layer.clusters:
        spans = sorted({layer.mentions[i].span for i in cluster}, key=lambda span: (span[0], -span[1]))
        found.append(Arc(spans[0], None, 0.0))
        found += [Arc(span, before, 1.0) for before, span in pairwise(spans)]
    return found


EXCHANGE: Final = Exchange[CoreferenceScored]("logit", CoreferenceGathering, parts, answers, {"mentions": "predicted"})
