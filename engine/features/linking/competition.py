"""Competition: what other spans lie over this one, and how good they look."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, Floats
from engine.features.linking.entities import same_letters
from engine.features.linking.inventory import FAMILIES
from engine.features.linking.registry import CandidateTable, row_feature
from engine.features.linking.spans import capital_share, first_capital
from engine.features.linking.statistics import link_probability, prior, rank_in_mention

GROUP = "competition"
_UNTYPED = list(FAMILIES).index("unknown_class")


def _over(t: CandidateTable, values: Array, kind: str) -> Floats:
    """The highest value among mentions that overlap, contain or lie within each mention; 0 if there is none."""
    c = t.candidates
    result = np.zeros(c.n_mentions)
    values = np.asarray(values, dtype=np.float64)
    for d in range(len(c.tokens)):
        low, high = c.document_offsets[d], c.document_offsets[d + 1]
        if high - low < 2:
            continue
        first, last = c.first[low:high], c.last[low:high]
        if kind == "contain":
            mask = (first[None, :] <= first[:, None]) & (last[None, :] >= last[:, None])
        elif kind == "within":
            mask = (first[None, :] >= first[:, None]) & (last[None, :] <= last[:, None])
        else:
            mask = (first[None, :] < last[:, None]) & (first[:, None] < last[None, :])
        np.fill_diagonal(mask, False)
        result[low:high] = np.where(mask, values[None, low:high], 0.0).max(axis=1)
    return result


@row_feature(GROUP)
def overlapping_length(t: CandidateTable) -> Array:
    """Tokens of the longest other span that shares a token with this one."""
    return _over(t, t.candidates.last - t.candidates.first, "overlap")[t.mention]


@row_feature(GROUP)
def containing_evidence(t: CandidateTable) -> Array:
    """Best log evidence among the spans that contain this one."""
    return _over(t, np.log1p(t.max_by_mention(prior(t))), "contain")[t.mention]


@row_feature(GROUP)
def contained_evidence(t: CandidateTable) -> Array:
    """Best log evidence among the spans within this one."""
    return _over(t, np.log1p(t.max_by_mention(prior(t))), "within")[t.mention]


@row_feature(GROUP)
def evidence_margin(t: CandidateTable) -> Array:
    """Log evidence of this entity less the best of any overlapping span."""
    value = np.log1p(prior(t))
    return value - _over(t, t.max_by_mention(value), "overlap")[t.mention]


@row_feature(GROUP)
def overlapping_link_probability(t: CandidateTable) -> Array:
    """Highest link probability among the spans that overlap this one."""
    return _over(t, link_probability(t), "overlap")[t.mention]


@row_feature(GROUP)
def containing_tweet_count(t: CandidateTable) -> Array:
    """Log of the links in tweets of the best span that contains this one."""
    return _over(t, np.log1p(t.sum_by_mention(t.candidates.tweet_count)), "contain")[t.mention]


@row_feature(GROUP)
def named_in_longer(t: CandidateTable) -> Array:
    """A longer span over this one is listed by a source."""
    listed = t.max_by_mention(t.candidates.sources > 0)
    return _over(t, listed, "contain")[t.mention]


@row_feature(GROUP)
def contained_tweet_count(t: CandidateTable) -> Array:
    """Log of the links in tweets of the best span within this one."""
    return _over(t, np.log1p(t.sum_by_mention(t.candidates.tweet_count)), "within")[t.mention]


@row_feature(GROUP)
def inside_title(t: CandidateTable) -> Array:
    """Share of capitalised words in the best longer span over this one that is the whole title of a listed entity."""
    whole = t.max_by_mention((t.candidates.sources > 0) & same_letters(t).astype(np.bool_))
    long = t.candidates.last - t.candidates.first > 1
    return _over(t, whole * long * capital_share(t), "contain")[t.mention]


@row_feature(GROUP)
def said_again(t: CandidateTable) -> Array:
    """Other spans of the text, not overlapping this one, that a source lists for the same entity."""
    c = t.candidates
    result = np.zeros(c.n_rows, dtype=np.float32)
    first, last = c.first[t.mention], c.last[t.mention]
    offsets = c.row_offsets
    for d in range(len(c.tokens)):
        rows = slice(offsets[d], offsets[d + 1])
        entity, a, b = c.entity[rows], first[rows], last[rows]
        same = (entity[None, :] == entity[:, None]) & ((b[None, :] <= a[:, None]) | (b[:, None] <= a[None, :]))
        result[rows] = (same & (c.sources[rows] > 0)[None, :]).sum(axis=1)
    return result


@row_feature("context similarity")
def kindred(t: CandidateTable) -> Array:
    """Other capitalised spans of the text whose likeliest entity shares a family of types with this one."""
    c = t.candidates
    result = np.zeros(c.n_rows, dtype=np.float32)
    if not c.n_rows:
        return result
    families = np.where(t.known[:, None], t.inventory.families[t.number], False)
    families[:, _UNTYPED] = False
    order = rank_in_mention(t, prior(t))
    top = np.flatnonzero(order == 0)
    proper = first_capital(t) | (t.spans.signs != 0)
    speaks = families[top] & (proper & (c.sources[top] > 0))[:, None]
    for d in range(len(c.tokens)):
        low, high = c.document_offsets[d], c.document_offsets[d + 1]
        rows = slice(c.offsets[low], c.offsets[high])
        first, last = c.first[low:high], c.last[low:high]
        apart = (last[None, :] <= first[:, None]) | (last[:, None] <= first[None, :])
        near = (apart[:, :, None] & speaks[None, low:high]).sum(axis=1)
        result[rows] = np.where(families[rows], near[t.mention[rows] - low], 0).max(axis=1)
    return result
