"""Coreference scores: MUC, B3, CEAF (mentions and entities), BLANC, LEA, and the CoNLL average.

Conventions are those of the official scorer, version 8: mentions that only one side has (twinless) are kept; a key
mention that a response repeats is scored once, where it occurs first; an undefined ratio is 0; BLANC falls back to the
one kind of link the key has. Corpus scores divide sums over documents.

MUC: Vilain et al. 1995. B3: Bagga and Baldwin 1998. CEAF: Luo 2005. BLANC: Recasens and Hovy 2011, with twinless
mentions as Luo et al. 2014. LEA: Moosavi and Strube 2016.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any, Final, TypeAlias

import numpy as np

from engine.arrays import Floats, Places

Clusters: TypeAlias = Sequence[Sequence[Hashable]]
Counts: TypeAlias = Floats
"""One number per name in FIELDS; counts of several documents are added."""

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
    """The same for several documents together, and `mentions`: the scores of finding mentions."""
    return report(sum((count_clusters(key, response) for key, response in pairs), np.zeros(len(FIELDS))))


def count_clusters(key: Clusters, response: Clusters) -> Counts:
    """Numerators and denominators of one document, in the order of FIELDS."""
    overlap = _overlap(key, response)
    found = {**_by_mention(overlap), **_by_alignment(overlap), **_by_link(overlap), **_by_entity(overlap)}
    return np.array([found[name] for name in FIELDS], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Overlap:
    """Sizes of clusters, and the number of shared mentions of each pair of a key and a response cluster that share
    any."""

    in_key: Floats
    in_response: Floats
    rows: Places
    """The key's cluster of each pair."""
    columns: Places
    common: Floats
    kept: list[list[Hashable]]
    """The response after removing repeats."""
    n_seen: int
    """Its distinct mentions."""

    @cached_property
    def totals(self) -> tuple[Any, Any, Any]:
        """Mentions of the key, of the response, of both."""
        return self.in_key.sum(), self.in_response.sum(), self.common.sum()

    @property
    def repeats(self) -> bool:
        """Whether the response has a mention more than once."""
        return sum(map(len, self.kept)) > self.n_seen


def _overlap(key: Clusters, response: Clusters) -> _Overlap:
    key_of: dict[Hashable, int] = {}
    key_sizes: list[int] = []
    for cluster in key:
        before = len(key_of)
        for mention in cluster:
            key_of.setdefault(mention, len(key_sizes))
        if len(key_of) > before:
            key_sizes.append(len(key_of) - before)

    cells: Counter[tuple[int, int]] = Counter()
    seen: set[Hashable] = set()
    kept: list[list[Hashable]] = []
    for cluster in response:
        members = []
        for mention in cluster:
            k = key_of.get(mention)
            # The official scorer ignores repeats only of mentions that the key has.
            if k is not None and mention in seen:
                continue
            seen.add(mention)
            members.append(mention)
            if k is not None:
                cells[k, len(kept)] += 1
        if members:
            kept.append(members)
    return _Overlap(
        np.array(key_sizes, dtype=np.float64),
        np.array([len(members) for members in kept], dtype=np.float64),
        np.array([k for k, _ in cells], dtype=np.intp),
        np.array([r for _, r in cells], dtype=np.intp),
        np.array(list(cells.values()), dtype=np.float64),
        kept,
        len(seen),
    )


def _by_mention(overlap: _Overlap) -> dict[str, Any]:
    """MUC, B3, and the scores of finding mentions."""
    common, in_key, in_response = overlap.common, overlap.in_key, overlap.in_response
    n_key, n_response, n_common = overlap.totals
    return {
        "muc_correct": n_common - len(common),
        "muc_key": n_key - len(in_key),
        "muc_response": n_response - len(in_response),
        "b3_recalled": (common * (common / in_key[overlap.rows])).sum(),
        "b3_key": n_key,
        "b3_precise": (common * (common / in_response[overlap.columns])).sum(),
        "b3_response": n_response,
        "mentions_found": n_common,
        "mentions_key": n_key,
        "mentions_response": overlap.n_seen,
    }


def _by_alignment(overlap: _Overlap) -> dict[str, Any]:
    """CEAF, by shared mentions and by similarity of entities."""
    rows, columns, common = overlap.rows, overlap.columns, overlap.common
    in_key, in_response = overlap.in_key, overlap.in_response
    n_key, n_response, _ = overlap.totals
    return {
        "ceafm_aligned": _alignment(rows, columns, common),
        "ceafm_key": n_key,
        "ceafm_response": n_response,
        "ceafe_aligned": _alignment(rows, columns, 2.0 * common / (in_key[rows] + in_response[columns])),
        "ceafe_key": len(in_key),
        "ceafe_response": len(in_response),
    }


def _by_link(overlap: _Overlap) -> dict[str, Any]:
    """BLANC: pairs of mentions within clusters, and pairs in different clusters."""
    common, in_key, in_response = overlap.common, overlap.in_key, overlap.in_response
    n_key, n_response, n_common = overlap.totals
    same_key = np.bincount(overlap.rows, common, minlength=len(in_key))
    same_response = np.bincount(overlap.columns, common, minlength=len(in_response))
    linked = _pairs(common).sum()
    if overlap.repeats:
        linked_response, apart_response = _distinct_links(overlap.kept)
    else:
        linked_response = _pairs(in_response).sum()
        apart_response = _pairs(n_response) - linked_response
    return {
        "linked_correct": linked,
        "linked_key": _pairs(in_key).sum(),
        "linked_response": linked_response,
        "apart_correct": _pairs(n_common) - _pairs(same_key).sum() - _pairs(same_response).sum() + linked,
        "apart_key": _pairs(n_key) - _pairs(in_key).sum(),
        "apart_response": apart_response,
    }


def _by_entity(overlap: _Overlap) -> dict[str, Any]:
    """LEA: links that entities share, weighted by importance; a singleton counts as one link to itself."""
    common = overlap.common
    in_key, in_response = overlap.in_key[overlap.rows], overlap.in_response[overlap.columns]
    n_key, n_response, _ = overlap.totals
    alone = (common == 1) & (in_key == 1) & (in_response == 1)
    links = np.where(alone, 1.0, _pairs(common))
    return {
        "lea_recalled": (in_key * links / np.maximum(_pairs(in_key), 1.0)).sum(),
        "lea_key": n_key,
        "lea_precise": (in_response * links / np.maximum(_pairs(in_response), 1.0)).sum(),
        "lea_response": n_response,
    }


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
    """A percentage as the official scorer prints it: truncated, not rounded, after two decimals."""
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
    """The largest total similarity if every cluster is aligned with at most one of the other side."""
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
    """The numbers of links within and between clusters, each pair of mentions counted once even if mentions repeat."""
    order: dict[Hashable, int] = {}
    numbered = [[order.setdefault(mention, len(order)) for mention in cluster] for cluster in clusters]
    linked = {tuple(sorted(pair)) for cluster in numbered for pair in combinations(cluster, 2)}
    apart = {tuple(sorted(pair)) for one, other in combinations(numbered, 2) for pair in product(one, other)}
    return float(len(linked)), float(len(apart))
