"""Inter-annotator agreement: kappa and alpha for labels, F1 for spans, links and relations, cluster scores for chains.

Cohen 1960 (two annotators), Fleiss 1971 (any number, no values missing), Krippendorff 2011 (any number, values may be
missing, any distance). There is no natural list of all spans that could have been marked, so chance agreement is not
defined for them: they get pairwise F1, and kappa is computed over tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from engine.arrays import Ints
from engine.data.document import Document, Layer
from engine.metrics.coreference import score_clusters

Label = Hashable


def cohen_kappa(first: Sequence[Label], second: Sequence[Label]) -> float:
    """Agreement of two annotators beyond chance; 1 if both always give the same single label."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels against {len(second)}: both annotators must label the same items")
    n = len(first)
    if n == 0:
        return 1.0
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    left, right = Counter(first), Counter(second)
    expected = sum(left[label] * right[label] for label in left) / (n * n)
    return 1.0 if expected == 1.0 else (observed - expected) / (1 - expected)


def fleiss_kappa(counts: Ints) -> float:
    """Agreement beyond chance from a table of items x labels, each row summing to the number of annotators."""
    counts = np.asarray(counts, dtype=np.float64)
    raters = counts.sum(axis=1)
    if len(counts) == 0:
        return 1.0
    if np.any(raters != raters[0]) or raters[0] < 2:
        raise ValueError("every item needs the same number of annotators, at least two")
    n = raters[0]
    observed = np.mean((np.sum(counts**2, axis=1) - n) / (n * (n - 1)))
    share = counts.sum(axis=0) / counts.sum()
    expected = float(np.sum(share**2))
    return 1.0 if expected == 1.0 else float((observed - expected) / (1 - expected))


def nominal(first: Label, second: Label) -> float:
    """Distance of labels that are equal or not."""
    return float(first != second)


def krippendorff_alpha(
    units: Sequence[Sequence[Label | None]], distance: Callable[[Label, Label], float] = nominal
) -> float:
    """1 - observed / expected disagreement. A unit lists the label of each annotator; None is missing."""
    pairable = [[value for value in unit if value is not None] for unit in units]
    pairable = [values for values in pairable if len(values) > 1]
    totals = Counter(value for values in pairable for value in values)
    n = sum(totals.values())
    if n == 0:
        return 1.0
    observed = 0.0
    for values in pairable:
        weights = Counter(values)
        observed += _spread(weights, distance) / (len(values) - 1)
    expected = _spread(totals, distance) / (n - 1)
    return 1.0 if expected == 0 else 1 - observed / expected


def _spread(counts: Mapping[Label, int], distance: Callable[[Label, Label], float]) -> float:
    """Sum of the distances of all ordered pairs of different values."""
    return sum(2 * a_count * b_count * distance(a, b) for (a, a_count), (b, b_count) in combinations(counts.items(), 2))


def pair_f1(first: Set[Label], second: Set[Label]) -> float:
    """F1 of one annotator's items against the other's; it is symmetric."""
    total = len(first) + len(second)
    return 1.0 if total == 0 else 2 * len(first & second) / total


@dataclass(frozen=True)
class AnnotatorAgreement:
    """Agreement on one document or corpus; means over pairs of annotators unless the name says otherwise."""

    annotators: tuple[str, ...]
    n_documents: int
    span_f1: float
    token_kappa: float
    token_fleiss: float
    type_kappa: float
    type_alpha: float
    link_f1: float
    link_alpha: float
    cluster_muc: float
    cluster_b3: float
    cluster_lea: float
    relation_f1: float
    label_alpha: float


def agreement(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]]) -> AnnotatorAgreement:
    """Agreement of several annotators who all worked on these documents."""
    names = tuple(sorted(layers))
    if len(names) < 2:
        raise ValueError("agreement needs at least two annotators")
    pairs = list(combinations(names, 2))
    clusters = [
        score_clusters(_chains(layers[a]), _chains(layers[b]))  # keys include the document, so one call is enough
        for a, b in pairs
    ]
    spans = {name: _spans(layers[name]) for name in names}
    return AnnotatorAgreement(
        annotators=names,
        n_documents=len(documents),
        span_f1=fmean(pair_f1(set(spans[a]), set(spans[b])) for a, b in pairs),
        token_kappa=fmean(
            cohen_kappa(_token_types(documents, layers[a]), _token_types(documents, layers[b])) for a, b in pairs
        ),
        token_fleiss=fleiss_kappa(_counts([_token_types(documents, layers[name]) for name in names])),
        type_kappa=fmean(_shared_kappa(spans[a], spans[b]) for a, b in pairs),
        type_alpha=krippendorff_alpha(_units([{k: t for k, (t, _) in spans[name].items()} for name in names])),
        link_f1=fmean(pair_f1(_links(layers[a]), _links(layers[b])) for a, b in pairs),
        link_alpha=krippendorff_alpha(_units([{k: e for k, (_, e) in spans[name].items()} for name in names])),
        cluster_muc=fmean(score["muc"]["f1"] for score in clusters),
        cluster_b3=fmean(score["b3"]["f1"] for score in clusters),
        cluster_lea=fmean(score["lea"]["f1"] for score in clusters),
        relation_f1=fmean(pair_f1(_relations(layers[a]), _relations(layers[b])) for a, b in pairs),
        label_alpha=krippendorff_alpha(_label_units([layers[name] for name in names])),
    )


def by_label(layers: Mapping[str, Sequence[Layer]]) -> dict[str, float]:
    """Span F1 of each mention type, mean over pairs of annotators."""
    return _f1_by_name(
        {
            name: {(str(m.type), (d, m.start, m.end)) for d, layer in enumerate(own) for m in layer.mentions}
            for name, own in layers.items()
        }
    )


def by_relation(layers: Mapping[str, Sequence[Layer]]) -> dict[str, float]:
    """F1 of each relation type, mean over pairs of annotators."""
    return _f1_by_name(
        {name: {(type, (d, head, tail)) for d, head, tail, type in _relations(own)} for name, own in layers.items()}
    )


def _f1_by_name(items: Mapping[str, set[tuple[str, Label]]]) -> dict[str, float]:
    """F1 of each name, mean over pairs of annotators. Items are (name, what)."""
    names = sorted({name for own in items.values() for name, _ in own})
    return {
        name: fmean(
            pair_f1({i for i in items[a] if i[0] == name}, {i for i in items[b] if i[0] == name})
            for a, b in combinations(sorted(items), 2)
        )
        for name in names
    }


SpanKey = tuple[int, int, int]


def _spans(layers: Sequence[Layer]) -> dict[SpanKey, tuple[str | None, str | None]]:
    return {(d, m.start, m.end): (m.type, m.entity) for d, layer in enumerate(layers) for m in layer.mentions}


def _links(layers: Sequence[Layer]) -> set[Label]:
    return {(d, m.start, m.end, m.entity) for d, layer in enumerate(layers) for m in layer.mentions if m.entity}


def _relations(layers: Sequence[Layer]) -> set[tuple[int, tuple[int, int], tuple[int, int], str]]:
    return {
        (d, layer.mentions[r.head].span, layer.mentions[r.tail].span, r.type)
        for d, layer in enumerate(layers)
        for r in layer.relations
    }


def _chains(layers: Sequence[Layer]) -> list[list[Label]]:
    return [
        [(d, *layer.mentions[i].span) for i in cluster] for d, layer in enumerate(layers) for cluster in layer.clusters
    ]


def _token_types(documents: Sequence[Document], layers: Sequence[Layer]) -> list[Label]:
    """The type of the innermost mention over each token (over each character if there are no tokens)."""
    out: list[Label] = []
    for document, layer in zip(documents, layers, strict=True):
        units = document.tokens or tuple((i, i + 1) for i in range(len(document.text)))
        types: list[Label] = [None] * len(units)
        for mention in sorted(layer.mentions, key=lambda m: m.start - m.end):
            for i, (start, end) in enumerate(units):
                if start < mention.end and mention.start < end:
                    types[i] = mention.type or "mention"
        out.extend(types)
    return out


def _counts(labels: Sequence[Sequence[Label]]) -> Ints:
    """A table of units by labels: how many annotators gave the unit the label."""
    place = {label: i for i, label in enumerate(dict.fromkeys(label for own in labels for label in own))}
    counts = np.zeros((len(labels[0]), max(1, len(place))), dtype=np.int64)
    for own in labels:
        for unit, label in enumerate(own):
            counts[unit, place[label]] += 1
    return counts


def _shared_kappa(
    first: Mapping[SpanKey, tuple[str | None, str | None]], second: Mapping[SpanKey, tuple[str | None, str | None]]
) -> float:
    """Kappa of the types on spans that both marked."""
    shared = sorted(first.keys() & second.keys())
    return cohen_kappa([first[key][0] for key in shared], [second[key][0] for key in shared])


def _units(values: Sequence[Mapping[SpanKey, Label | None]]) -> list[list[Label | None]]:
    """One unit per span that anybody marked."""
    keys = sorted(set().union(*values))
    return [[one.get(key) for one in values] for key in keys]


def _label_units(layers: Sequence[Sequence[Layer]]) -> list[list[Label | None]]:
    """One unit per document and label that anybody gave there."""
    units: list[list[Label | None]] = []
    for same_document in zip(*layers, strict=True):
        for label in sorted({label for layer in same_document for label in layer.labels}):
            units.append([label in layer.labels for layer in same_document])
    return units
