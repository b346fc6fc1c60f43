"""Competition: what other spans lie over this one, and how good they look."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.features.linking.registry import Table, row_feature
from engine.features.linking.statistics import link_probability, prior

GROUP = "competition"


def _over(t: Table, values: NDArray[np.generic], kind: str) -> NDArray[np.float64]:
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
def overlapping_length(t: Table) -> NDArray[np.generic]:
    """Tokens of the longest other span that shares a token with this one."""
    return _over(t, t.candidates.last - t.candidates.first, "overlap")[t.mention]


@row_feature(GROUP)
def containing_evidence(t: Table) -> NDArray[np.generic]:
    """Best log evidence among the spans that contain this one."""
    return _over(t, np.log1p(t.max_by_mention(prior(t))), "contain")[t.mention]


@row_feature(GROUP)
def contained_evidence(t: Table) -> NDArray[np.generic]:
    """Best log evidence among the spans within this one."""
    return _over(t, np.log1p(t.max_by_mention(prior(t))), "within")[t.mention]


@row_feature(GROUP)
def evidence_margin(t: Table) -> NDArray[np.generic]:
    """Log evidence of this entity less the best of any overlapping span."""
    value = np.log1p(prior(t))
    return value - _over(t, t.max_by_mention(value), "overlap")[t.mention]


@row_feature(GROUP)
def overlapping_link_probability(t: Table) -> NDArray[np.generic]:
    """Highest link probability among the spans that overlap this one."""
    values = np.fromiter((link_probability(m) for m in t.mentions), np.float64, len(t.mentions))
    return _over(t, values, "overlap")[t.mention]


@row_feature(GROUP)
def containing_tweet_count(t: Table) -> NDArray[np.generic]:
    """Log of the links in tweets of the best span that contains this one."""
    return _over(t, np.log1p(t.sum_by_mention(t.candidates.tweet_count)), "contain")[t.mention]


@row_feature(GROUP)
def named_in_longer(t: Table) -> NDArray[np.generic]:
    """A longer span over this one is listed by a source."""
    listed = t.max_by_mention(t.candidates.sources > 0)
    return _over(t, listed, "contain")[t.mention]


@row_feature(GROUP)
def said_again(t: Table) -> NDArray[np.generic]:
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
