"""A coreference scorer written from the definitions, slowly: the oracle of the tests and the peer of the benchmark.

Sets and loops over pairs throughout; CEAF by a textbook Hungarian method in pure Python.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

Clusters = Sequence[Sequence[Hashable]]


def naive_scores(key: Clusters, response: Clusters) -> dict[str, dict[str, float]]:
    keys, responses = [set(cluster) for cluster in key], [set(cluster) for cluster in response]
    return {
        "muc": _ratio(_muc(keys, responses), _muc(responses, keys)),
        "b3": _ratio(_b3(keys, responses), _b3(responses, keys)),
        "ceafm": _ceaf(keys, responses, lambda k, r: len(k & r), len),
        "ceafe": _ceaf(keys, responses, lambda k, r: 2 * len(k & r) / (len(k) + len(r)), lambda cluster: 1),
        "blanc": _blanc(keys, responses),
        "lea": _ratio(_lea(keys, responses), _lea(responses, keys)),
    }


def _ratio(recall: tuple[float, float], precision: tuple[float, float]) -> dict[str, float]:
    r = recall[0] / recall[1] if recall[1] else 0.0
    p = precision[0] / precision[1] if precision[1] else 0.0
    return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}


def _muc(keys: list[set], responses: list[set]) -> tuple[float, float]:
    """Links of the keys that survive when the responses cut each key into pieces."""
    found = total = 0
    for cluster in keys:
        pieces = sum(1 for other in responses if cluster & other)
        missing = len([m for m in cluster if not any(m in other for other in responses)])
        found += len(cluster) - pieces - missing
        total += len(cluster) - 1
    return found, total


def _b3(keys: list[set], responses: list[set]) -> tuple[float, float]:
    found = total = 0.0
    for cluster in keys:
        for mention in cluster:
            total += 1
            for other in responses:
                if mention in other:
                    found += len(cluster & other) / len(cluster)
    return found, total


def _lea(keys: list[set], responses: list[set]) -> tuple[float, float]:
    found = total = 0.0
    for cluster in keys:
        total += len(cluster)
        if len(cluster) == 1:
            found += 1 if cluster in responses else 0
            continue
        links = list(combinations(sorted(cluster, key=repr), 2))
        right = sum(1 for a, b in links if any(a in other and b in other for other in responses))
        found += len(cluster) * right / len(links)
    return found, total


def _links(clusters: list[set]) -> tuple[set, set]:
    where = {mention: number for number, cluster in enumerate(clusters) for mention in cluster}
    linked, apart = set(), set()
    for a, b in combinations(sorted(where, key=repr), 2):
        (linked if where[a] == where[b] else apart).add((a, b))
    return linked, apart


def _blanc(keys: list[set], responses: list[set]) -> dict[str, float]:
    (key_linked, key_apart), (linked, apart) = _links(keys), _links(responses)
    one = _ratio((len(key_linked & linked), len(key_linked)), (len(key_linked & linked), len(linked)))
    two = _ratio((len(key_apart & apart), len(key_apart)), (len(key_apart & apart), len(apart)))
    if not key_linked:
        return two
    if not key_apart:
        return one
    return {name: (one[name] + two[name]) / 2 for name in one}


def _ceaf(keys: list[set], responses: list[set], similarity: Any, weight: Any) -> dict[str, float]:
    size = max(len(keys), len(responses))
    table = [[0.0] * size for _ in range(size)]
    for i, k in enumerate(keys):
        for j, r in enumerate(responses):
            table[i][j] = -float(similarity(k, r))
    aligned = -_hungarian(table)
    return _ratio((aligned, sum(map(weight, keys))), (aligned, sum(map(weight, responses))))


def _hungarian(cost: list[list[float]]) -> float:
    """The least total cost of a square assignment: shortest augmenting paths with potentials."""
    n = len(cost)
    rows, columns = [0.0] * (n + 1), [0.0] * (n + 1)
    match = [0] * (n + 1)
    for i in range(1, n + 1):
        match[0], at = i, 0
        least, used, way = [float("inf")] * (n + 1), [False] * (n + 1), [0] * (n + 1)
        while match[at]:
            used[at] = True
            row, step, following = match[at], float("inf"), 0
            for j in range(1, n + 1):
                if used[j]:
                    continue
                reduced = cost[row - 1][j - 1] - rows[row] - columns[j]
                if reduced < least[j]:
                    least[j], way[j] = reduced, at
                if least[j] < step:
                    step, following = least[j], j
            for j in range(n + 1):
                if used[j]:
                    rows[match[j]] += step
                    columns[j] -= step
                else:
                    least[j] -= step
            at = following
        while at:
            match[at] = match[way[at]]
            at = way[at]
    return sum(cost[match[j] - 1][j - 1] for j in range(1, n + 1))
