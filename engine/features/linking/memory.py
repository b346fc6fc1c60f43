"""Counts of names in a training corpus: how often they occur, are linked, and to what, excluding the present text.

Counts are kept per cluster of near-identical texts, so that a training text sees exactly what it would see if it and
its copies had never been annotated. An unseen text sees everything.

Guo et al. 2013 call the first of these the link probability of a surface.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from engine.data.document import Document
from engine.features.linking.text.tokens import Tokens
from engine.lexicon.surfaces import URL, normalise

_NOISE: Final = re.compile(rf"{URL}|\brt\b|@\w+|[^\w\s]|\d+", re.IGNORECASE)
SIMILAR: Final = 0.6
"""The share of common words above which two texts count as copies of each other."""

TABLES: Final = (
    "occurrences",
    "linked",
    "pairs",
    "entities",
    "words",
    "capital",
    "inside",
    "before",
    "after",
    "context",
)
_JOIN: Final = "\t"


@dataclass
class Memory:
    """Counters by table; keys of two parts are joined by a tab.

    occurrences, linked: of an n-gram; pairs: (n-gram, title); entities: title; words, capital: a word, and its
    capitalised uses away from a sentence start; inside: a word in a linked mention; before, after: a word beside one;
    context: (title, word) in the same text.
    """

    total: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in TABLES})
    own: dict[int, dict[str, Counter[str]]] = field(default_factory=dict)
    n_texts: int = 0

    def view(self, cluster: int | None) -> View:
        """The counts that a text of this cluster may see."""
        return View(self.total, self.own.get(cluster, {}) if cluster is not None else {}, self.readings)

    @cached_property
    def readings(self) -> dict[str, list[str]]:
        """n-gram -> titles it was linked to."""
        found: dict[str, list[str]] = {}
        for pair in self.total["pairs"]:
            key, title = pair.split(_JOIN)
            found.setdefault(key, []).append(title)
        return found

    def pairs(self) -> dict[tuple[str, str], int]:
        """(n-gram, title) -> how often."""
        found: dict[tuple[str, str], int] = {}
        for pair, count in self.total["pairs"].items():
            key, title = pair.split(_JOIN)
            found[key, title] = count
        return found

    def to_json(self) -> dict[str, Any]:
        return {"n_texts": self.n_texts, "total": {name: dict(sorted(self.total[name].items())) for name in TABLES}}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Memory:
        return Memory({name: Counter(value["total"][name]) for name in TABLES}, {}, value["n_texts"])


@dataclass(frozen=True)
class View:
    """The counts without those of one cluster."""

    total: Mapping[str, Counter[str]]
    own: Mapping[str, Counter[str]]
    readings: Mapping[str, Sequence[str]]

    def titles(self, key: str) -> list[str]:
        """The titles to which the n-gram was linked elsewhere."""
        return [title for title in self.readings.get(key, ()) if self.count("pairs", key, title) > 0]

    def counts(self, table: str, keys: Iterable[str]) -> list[int]:
        """The count of every key of one part."""
        total, own = self.total[table], self.own[table] if self.own else {}
        return [total.get(key, 0) - own.get(key, 0) for key in keys] if own else [total.get(key, 0) for key in keys]

    def count(self, table: str, *key: str) -> int:
        joined = key[0] if len(key) == 1 else _JOIN.join(key)
        value = self.total[table].get(joined, 0)
        if value and self.own:
            value -= self.own[table].get(joined, 0)
        return value


def clusters(documents: Sequence[Document]) -> list[int]:
    """A cluster number per document; copies and near copies share one."""
    words = [frozenset(_NOISE.sub(" ", document.text.lower()).split()) for document in documents]
    holders: dict[str, list[int]] = defaultdict(list)
    for i, bag in enumerate(words):
        for word in bag:
            holders[word].append(i)
    parent = list(range(len(documents)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    # Two texts with most of their words in common also share one of their rarest words.
    for i, bag in enumerate(words):
        rare = sorted(bag, key=lambda w: (len(holders[w]), w))[: max(1, int(len(bag) * (1 - SIMILAR)) + 1)]
        for j in {j for word in rare for j in holders[word][:200] if j < i}:
            common = len(bag & words[j])
            if common >= 3 and common >= SIMILAR * len(bag | words[j]):
                parent[root(i)] = root(j)
    return [root(i) for i in range(len(documents))]


def remember(
    documents: Sequence[Document], tokens: Sequence[Tokens], keys: Sequence[Iterable[str]], groups: Sequence[int]
) -> Memory:
    """Count a training corpus. `keys` are the n-grams proposed in each document, once per occurrence."""
    memory = Memory(n_texts=len(documents))
    for document, text, proposed, group in zip(documents, tokens, keys, groups, strict=True):
        own = memory.own.setdefault(group, {name: Counter() for name in TABLES})
        for name, counts in _count(document, text, proposed).items():
            own[name].update(counts)
            memory.total[name].update(counts)
    return memory


def _count(document: Document, text: Tokens, keys: Iterable[str]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in TABLES}
    counts["occurrences"].update(keys)
    content = {low for low, bound in zip(text.lower, text.bounds, strict=True) if bound and len(low) > 2}
    for i, low in enumerate(text.lower):
        counts["words"][low] += 1
        if text.words[i][:1].isupper() and not text.signs[i] and i and text.bounds[i - 1]:
            counts["capital"][low] += 1
    for mention in document.gold.mentions:
        if not mention.is_linked:
            continue
        title = str(mention.entity)
        key = normalise(document.surface(mention))
        counts["linked"][key] += 1
        counts["pairs"][key + _JOIN + title] += 1
        counts["entities"][title] += 1
        inside = [i for i in range(len(text)) if text.starts[i] < mention.end and text.ends[i] > mention.start]
        for i in inside:
            counts["inside"][text.lower[i]] += 1
        if inside and inside[0] > 0:
            counts["before"][text.lower[inside[0] - 1]] += 1
        if inside and inside[-1] + 1 < len(text):
            counts["after"][text.lower[inside[-1] + 1]] += 1
        names = {text.lower[i] for i in inside}
        counts["context"].update(title + _JOIN + word for word in content - names)
    return counts
