"""Base statistics: how often a name occurs, is linked, and to what (Guo et al. 2013), excluding the present text."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, Floats
from engine.features.linking.inventory import SOURCE_NAMES
from engine.features.linking.registry import CandidateTable, TableFunction, mention_feature, once, row_feature

GROUP = "base"


def _count(t: CandidateTable, table: str) -> Floats:
    """How often a table of the memory has the n-gram of each mention."""
    c = t.candidates
    if len(t.spans.views) == 1:
        return np.array(t.spans.views[0].counts(table, c.keys), dtype=np.float64)
    views = [c.views[d] for d in c.document.tolist()]
    return np.array([view.count(table, key) for view, key in zip(views, c.keys, strict=True)], dtype=np.float64)


@once
def _seen(t: CandidateTable) -> Floats:
    return _count(t, "occurrences")


@once
def _linked(t: CandidateTable) -> Floats:
    return _count(t, "linked")


@mention_feature(GROUP)
@once
def link_probability(t: CandidateTable) -> Array:
    """Share of the n-gram's occurrences in training texts that are linked, drawn towards 0.1 by one occurrence."""
    return (_linked(t) + 0.1) / (np.maximum(_seen(t), _linked(t)) + 1.0)


@mention_feature(GROUP)
def occurrences(t: CandidateTable) -> Array:
    """Log of the n-gram's occurrences in training texts."""
    return np.log1p(_seen(t))


@mention_feature(GROUP)
def linked_occurrences(t: CandidateTable) -> Array:
    """Log of the n-gram's linked occurrences in training texts."""
    return np.log1p(_linked(t))


@mention_feature(GROUP)
def never_linked(t: CandidateTable) -> Array:
    """Log of the n-gram's occurrences if none of them is linked, else 0."""
    return np.where(_linked(t) != 0, 0.0, np.log1p(_seen(t)))


@row_feature(GROUP)
def tweet_pair_count(t: CandidateTable) -> Array:
    """Log of how often tweets link this surface to this entity."""
    return np.log1p(t.candidates.tweet_count)


@row_feature(GROUP)
def other_pair_count(t: CandidateTable) -> Array:
    """Log of how often other annotated texts link this surface to this entity."""
    return np.log1p(t.candidates.other_count)


@row_feature(GROUP)
def tweet_commonness(t: CandidateTable) -> Array:
    """Share of the surface's links in tweets that go to this entity."""
    total = t.sum_by_mention(t.candidates.tweet_count)[t.mention]
    return t.candidates.tweet_count / np.maximum(total, 1.0)


@row_feature(GROUP)
def other_commonness(t: CandidateTable) -> Array:
    """Share of the surface's links in other annotated texts that go to this entity."""
    total = t.sum_by_mention(t.candidates.other_count)[t.mention]
    return t.candidates.other_count / np.maximum(total, 1.0)


@once
def prior(t: CandidateTable) -> Floats:
    """Evidence for an entity given the surface, on the scale of counts: tweets weigh most, then texts, then names."""
    c = t.candidates
    named = np.minimum(n_sources(t), 4) * 0.25
    return 3.0 * c.tweet_count + np.sqrt(c.other_count) + named + 0.1 * t.of_entity(t.inventory.renown)


@row_feature(GROUP)
def commonness(t: CandidateTable) -> Array:
    """Share of the entity in all evidence for the mention: counts, sources and renown."""
    value = prior(t)
    return value / np.maximum(t.sum_by_mention(value)[t.mention], 1e-9)


@row_feature(GROUP)
def evidence(t: CandidateTable) -> Array:
    """Log of the evidence for this entity given the surface."""
    return np.log1p(prior(t))


@row_feature(GROUP)
def prior_rank(t: CandidateTable) -> Array:
    """Place of the entity among those of the mention by evidence, 0 for the first."""
    return rank_in_mention(t, prior(t))


@row_feature(GROUP)
def prior_margin(t: CandidateTable) -> Array:
    """Log evidence of the entity less that of the mention's best other entity."""
    value = np.log1p(prior(t))
    return value - best_other(t, value)


@row_feature(GROUP)
def n_entities(t: CandidateTable) -> Array:
    """Log of the number of entities of the mention."""
    return np.log(np.diff(t.candidates.offsets))[t.mention]


@row_feature(GROUP)
def mention_tweet_count(t: CandidateTable) -> Array:
    """Log of the surface's links in tweets, whatever the entity."""
    return np.log1p(t.sum_by_mention(t.candidates.tweet_count))[t.mention]


@row_feature(GROUP)
def mention_other_count(t: CandidateTable) -> Array:
    """Log of the surface's links in other annotated texts, whatever the entity."""
    return np.log1p(t.sum_by_mention(t.candidates.other_count))[t.mention]


@row_feature(GROUP)
@once
def n_sources(t: CandidateTable) -> Array:
    """Number of families of sources that list this surface for this entity."""
    bits = t.candidates.sources
    listing: Array = np.sum([(bits >> i) & 1 for i in range(len(SOURCE_NAMES))], axis=0)
    return listing


def rank_in_mention(t: CandidateTable, values: Array) -> Floats:
    order = np.lexsort((-np.asarray(values), t.mention))
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order)) - t.candidates.offsets[t.mention[order]]
    return rank


def best_other(t: CandidateTable, values: Array) -> Floats:
    """The highest value among the other entities of the same mention, 0 if there is none."""
    top = t.max_by_mention(values)[t.mention]
    is_top = rank_in_mention(t, values) == 0
    rest = t.max_by_mention(np.where(is_top, -np.inf, np.asarray(values, dtype=np.float64)))[t.mention]
    return np.where(is_top, np.where(np.isfinite(rest), rest, 0.0), top)


def _source(index: int, name: str) -> TableFunction:
    def listed(t: CandidateTable) -> Array:
        return (t.candidates.sources >> index) & 1

    listed.__name__ = f"source_{name}"
    listed.__doc__ = f"A source of the family '{name}' lists this surface for this entity."
    return listed


for _index, _name in enumerate(SOURCE_NAMES):
    row_feature("source")(_source(_index, _name))
