"""Coreference scores: MUC, B3, CEAF (mentions and entities), BLANC, LEA, and the CoNLL average.

Conventions are those of the official scorer, version 8: mentions that only one side has (twinless) are left where
they are; a key mention that a response repeats is scored once, where it occurs first; an undefined ratio is 0;
BLANC falls back to the one kind of link the key has. Corpus scores divide sums over documents.

MUC: Vilain et al. 1995. B3: Bagga and Baldwin 1998. CEAF: Luo 2005. BLANC: Recasens and Hovy 2011, with twinless
mentions as Luo et al. 2014. LEA: Moosavi and Strube 2016.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations, product
from typing import Any, Final, TypeAlias

import numpy as np

from engine.arrays import Floats, Places

Clusters: TypeAlias = Sequence[Sequence[Hashable]]
Counts: TypeAlias = Floats
"""One number per name in FIELDS; counts of documents add up."""

FIELDS: Final = (
    *("muc_correct", "muc_key", "muc_response"),
    *("b3_recalled", "b3_key", "b3_precise", "b3_response"),
    *("ceafm_aligned", "ceafm_key", "ceafm_response"),
    *("ceafe_aligned", "ceafe_key", "ceafe_response"),
    *("linked_correct", "linked_key", "linked_response"),
    *("apart_correct", "apart_key", "apart_response"),
    *("lea_recalled", "lea_key", "lea_precise", "lea_response"),
    *("mentions_found", "mentions_key", "mentions_response"),
)
METRICS: Final = ("muc", "b3", "ceafm", "ceafe", "blanc", "lea")
_AT: Final = {name: position for position, name in enumerate(FIELDS)}


def score_clusters(key: Clusters, response: Clusters) -> dict[str, Any]:
    """All scores of one document as fractions: metric -> precision, recall, f1; and `conll`, a number."""
    scores = report(count_clusters(key, response))
    del scores["mentions"]
    return scores


def score_corpus(pairs: Iterable[tuple[Clusters, Clusters]]) -> dict[str, Any]:
    """The same for documents together, and `mentions`: how well mentions were found."""
    return report(sum((count_clusters(key, response) for key, response in pairs), np.zeros(len(FIELDS))))


def count_clusters(key: Clusters, response: Clusters) -> Counts:
    """Numerators and denominators of one document, in the order of FIELDS."""
    key_of: dict[Hashable, int] = {}
    key_sizes: list[int] = []
    for cluster in key:
        before = len(key_of)
        for mention in cluster:
            key_of.setdefault(mention, len(key_sizes))
        if len(key_of) > before:
            key_sizes.append(len(key_of) - before)

    response_sizes: list[int] = []
    cells: Counter[tuple[int, int]] = Counter()
    seen: set[Hashable] = set()
    kept: list[list[Hashable]] = []
    repeats = False
    for cluster in response:
        r = len(response_sizes)
        members = []
        for mention in cluster:
            k = key_of.get(mention)
            if mention in seen:
                if k is not None:
                    continue
                # The official scorer forgets repeats only of mentions that the key has.
                repeats = True
            seen.add(mention)
            members.append(mention)
            if k is not None:
                cells[k, r] += 1
        if members:
            response_sizes.append(len(members))
            kept.append(members)

    in_key = np.array(key_sizes, dtype=np.float64)
    in_response = np.array(response_sizes, dtype=np.float64)
    rows = np.array([k for k, _ in cells], dtype=np.intp)
    columns = np.array([r for _, r in cells], dtype=np.intp)
    common = np.array(list(cells.values()), dtype=np.float64)
    n_key, n_response, n_common = in_key.sum(), in_response.sum(), common.sum()

    counts = np.zeros(len(FIELDS))
    counts[_AT["muc_correct"]] = n_common - len(common)
    counts[_AT["muc_key"]] = n_key - len(in_key)
    counts[_AT["muc_response"]] = n_response - len(in_response)
    counts[_AT["b3_recalled"]] = (common * (common / in_key[rows])).sum()
    counts[_AT["b3_precise"]] = (common * (common / in_response[columns])).sum()
    counts[_AT["b3_key"]] = counts[_AT["ceafm_key"]] = n_key
    counts[_AT["b3_response"]] = counts[_AT["ceafm_response"]] = n_response
    counts[_AT["ceafm_aligned"]] = _alignment(rows, columns, common)
    counts[_AT["ceafe_aligned"]] = _alignment(rows, columns, 2.0 * common / (in_key[rows] + in_response[columns]))
    counts[_AT["ceafe_key"]] = len(in_key)
    counts[_AT["ceafe_response"]] = len(in_response)

    same_key = np.bincount(rows, common, minlength=len(in_key))
    same_response = np.bincount(columns, common, minlength=len(in_response))
    linked = _pairs(common).sum()
    counts[_AT["linked_correct"]] = linked
    counts[_AT["apart_correct"]] = _pairs(n_common) - _pairs(same_key).sum() - _pairs(same_response).sum() + linked
    counts[_AT["linked_key"]] = _pairs(in_key).sum()
    counts[_AT["apart_key"]] = _pairs(n_key) - _pairs(in_key).sum()
    if repeats:
        counts[_AT["linked_response"]], counts[_AT["apart_response"]] = _distinct_links(kept)
    else:
        counts[_AT["linked_response"]] = _pairs(in_response).sum()
        counts[_AT["apart_response"]] = _pairs(n_response) - _pairs(in_response).sum()

    alone = (common == 1) & (in_key[rows] == 1) & (in_response[columns] == 1)
    links = np.where(alone, 1.0, _pairs(common))
    counts[_AT["lea_recalled"]] = (in_key[rows] * links / np.maximum(_pairs(in_key[rows]), 1.0)).sum()
    counts[_AT["lea_precise"]] = (in_response[columns] * links / np.maximum(_pairs(in_response[columns]), 1.0)).sum()
    counts[_AT["lea_key"]], counts[_AT["lea_response"]] = n_key, n_response
    counts[_AT["mentions_found"]] = n_common
    counts[_AT["mentions_key"]], counts[_AT["mentions_response"]] = n_key, len(seen)
    return counts


def report(counts: Counts) -> dict[str, Any]:
    """Scores from (sums of) counts."""
    at = {name: float(counts[position]) for name, position in _AT.items()}
    scores: dict[str, Any] = {
        "muc": _scores(at["muc_correct"], at["muc_key"], at["muc_correct"], at["muc_response"]),
        "b3": _scores(at["b3_recalled"], at["b3_key"], at["b3_precise"], at["b3_response"]),
        "ceafm": _scores(at["ceafm_aligned"], at["ceafm_key"], at["ceafm_aligned"], at["ceafm_response"]),
        "ceafe": _scores(at["ceafe_aligned"], at["ceafe_key"], at["ceafe_aligned"], at["ceafe_response"]),
        "blanc": _blanc(at),
        "lea": _scores(at["lea_recalled"], at["lea_key"], at["lea_precise"], at["lea_response"]),
    }
    scores["conll"] = (scores["muc"]["f1"] + scores["b3"]["f1"] + scores["ceafe"]["f1"]) / 3
    scores["mentions"] = _scores(
        at["mentions_found"], at["mentions_key"], at["mentions_found"], at["mentions_response"]
    )
    return scores


def conll_of(counts: Counts) -> float:
    """The mean of MUC, B3 and CEAFe F1."""
    return float(report(counts)["conll"])


def printed(fraction: float) -> str:
    """A percentage as the official scorer prints it: cut, not rounded, after two decimals."""
    return f"{int(fraction * 10000) / 100:.2f}"


def _blanc(at: dict[str, float]) -> dict[str, float]:
    linked = _scores(at["linked_correct"], at["linked_key"], at["linked_correct"], at["linked_response"])
    apart = _scores(at["apart_correct"], at["apart_key"], at["apart_correct"], at["apart_response"])
    if not at["linked_key"]:
        return apart
    if not at["apart_key"]:
        return linked
    return {name: (linked[name] + apart[name]) / 2 for name in linked}


def _scores(recalled: float, key: float, precise: float, response: float) -> dict[str, float]:
    precision = precise / response if response else 0.0
    recall = recalled / key if key else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def _alignment(rows: Places, columns: Places, similarity: Counts) -> float:
    """The largest total similarity when every cluster is aligned with at most one of the other side."""
    if not len(similarity):
        return 0.0
    # Only clusters that share a mention with another can add anything, so the table holds no others.
    from scipy.optimize import linear_sum_assignment

    key_ids, row = np.unique(rows, return_inverse=True)
    response_ids, column = np.unique(columns, return_inverse=True)
    table = np.zeros((len(key_ids), len(response_ids)))
    table[row, column] = similarity
    chosen = linear_sum_assignment(table, maximize=True)
    return float(table[chosen].sum())


def _pairs(n: Any) -> Any:
    return n * (n - 1) / 2


def _distinct_links(clusters: list[list[Hashable]]) -> tuple[float, float]:
    """Links within and between clusters, each pair of mentions once although a mention may occur repeatedly."""
    order: dict[Hashable, int] = {}
    numbered = [[order.setdefault(mention, len(order)) for mention in cluster] for cluster in clusters]
    linked = {tuple(sorted(pair)) for cluster in numbered for pair in combinations(cluster, 2)}
    apart = {tuple(sorted(pair)) for one, other in combinations(numbered, 2) for pair in product(one, other)}
    return float(len(linked)), float(len(apart))
