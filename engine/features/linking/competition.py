"""Features of competing spans: the other spans that overlap this one, and their evidence."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, Flags, Floats, ShortInts, Singles
from engine.features.linking.entities import same_letters
from engine.features.linking.inventory import FAMILIES
from engine.features.linking.registry import CandidateTable, row_feature
from engine.features.linking.spans import capital_share, first_capital
from engine.features.linking.statistics import link_probability, prior, rank_in_mention
from engine.kernels import kernel

GROUP = "competition"
_UNTYPED = list(FAMILIES).index("unknown_class")


_OVERLAP, _CONTAIN, _WITHIN = range(3)


def _over(t: CandidateTable, values: Array, kind: int) -> Floats:
    """The highest value among mentions that overlap, contain or lie within each mention; 0 if there is none."""
    c = t.candidates
    return _highest(c.first, c.last, c.document_offsets, np.asarray(values, dtype=np.float64), np.int64(kind))


@kernel
def _highest(first: ShortInts, last: ShortInts, document_offsets: ShortInts, values: Floats, kind: np.int64) -> Floats:
    result = np.zeros(len(first))
    for d in range(len(document_offsets) - 1):
        low, high = document_offsets[d], document_offsets[d + 1]
        for i in range(low, high):
            for j in range(low, high):
                if i == j:
                    continue
                if kind == _OVERLAP:
                    other = first[j] < last[i] and first[i] < last[j]
                elif kind == _CONTAIN:
                    other = first[j] <= first[i] and last[j] >= last[i]
                else:
                    other = first[j] >= first[i] and last[j] <= last[i]
                if other and values[j] > result[i]:
                    result[i] = values[j]
    return result


@row_feature(GROUP)
def overlapping_length(t: CandidateTable) -> Array:
    """Tokens of the longest other span that shares a token with this one."""
    return _over(t, t.candidates.last - t.candidates.first, _OVERLAP)[t.mention]


@row_feature(GROUP)
def containing_evidence(t: CandidateTable) -> Array:
    """Best log evidence among the spans that contain this one."""
    return _over(t, np.log1p(t.max_by_mention(prior(t))), _CONTAIN)[t.mention]


@row_feature(GROUP)
def contained_evidence(t: CandidateTable) -> Array:
    """Best log evidence among the spans within this one."""
    return _over(t, np.log1p(t.max_by_mention(prior(t))), _WITHIN)[t.mention]


@row_feature(GROUP)
def evidence_margin(t: CandidateTable) -> Array:
    """Log evidence of this entity less the best of any overlapping span."""
    value = np.log1p(prior(t))
    return value - _over(t, t.max_by_mention(value), _OVERLAP)[t.mention]


@row_feature(GROUP)
def overlapping_link_probability(t: CandidateTable) -> Array:
    """Highest link probability among the spans that overlap this one."""
    return _over(t, link_probability(t), _OVERLAP)[t.mention]


@row_feature(GROUP)
def containing_tweet_count(t: CandidateTable) -> Array:
    """Log of the links in tweets of the best span that contains this one."""
    return _over(t, np.log1p(t.sum_by_mention(t.candidates.tweet_count)), _CONTAIN)[t.mention]


@row_feature(GROUP)
def named_in_longer(t: CandidateTable) -> Array:
    """A longer span over this one is listed by a source."""
    listed = t.max_by_mention(t.candidates.sources > 0)
    return _over(t, listed, _CONTAIN)[t.mention]


@row_feature(GROUP)
def contained_tweet_count(t: CandidateTable) -> Array:
    """Log of the links in tweets of the best span within this one."""
    return _over(t, np.log1p(t.sum_by_mention(t.candidates.tweet_count)), _WITHIN)[t.mention]


@row_feature(GROUP)
def inside_title(t: CandidateTable) -> Array:
    """Share of capitalised words in the best longer span over this one that is the whole title of a listed entity."""
    whole = t.max_by_mention((t.candidates.sources > 0) & same_letters(t).astype(np.bool_))
    long = t.candidates.last - t.candidates.first > 1
    return _over(t, whole * long * capital_share(t), _CONTAIN)[t.mention]


@row_feature(GROUP)
def said_again(t: CandidateTable) -> Array:
    """Other spans of the text, not overlapping this one, that a source lists for the same entity."""
    c = t.candidates
    first, last = c.first[t.mention], c.last[t.mention]
    return _said_again(c.entity, first, last, c.sources > 0, c.row_offsets)


@kernel
def _said_again(entity: ShortInts, first: ShortInts, last: ShortInts, listed: Flags, offsets: ShortInts) -> Singles:
    result = np.zeros(len(entity), dtype=np.float32)
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            for j in range(offsets[d], offsets[d + 1]):
                if listed[j] and entity[j] == entity[i] and (last[j] <= first[i] or last[i] <= first[j]):
                    result[i] += 1
    return result


@row_feature("context similarity")
def kindred(t: CandidateTable) -> Array:
    """Other capitalised spans of the text whose likeliest entity shares a family of types with this one."""
    c = t.candidates
    if not c.n_rows:
        return np.zeros(0)
    families = np.where(t.known[:, None], t.inventory.families[t.number], False)
    families[:, _UNTYPED] = False
    order = rank_in_mention(t, prior(t))
    top = np.flatnonzero(order == 0)
    proper = first_capital(t) | (t.spans.signs != 0)
    speaks = families[top] & (proper & (c.sources[top] > 0))[:, None]
    near = _near(c.first, c.last, c.document_offsets, speaks)
    shared: Array = np.where(families, near[t.mention], 0).max(axis=1)
    return shared


@kernel
def _near(first: ShortInts, last: ShortInts, document_offsets: ShortInts, speaks: Flags) -> ShortInts:
    """For each mention and family, the number of other, non-overlapping mentions of the text that support the
    family."""
    n, n_families = speaks.shape
    result = np.zeros((n, n_families), dtype=np.int32)
    for d in range(len(document_offsets) - 1):
        for i in range(document_offsets[d], document_offsets[d + 1]):
            for j in range(document_offsets[d], document_offsets[d + 1]):
                if last[j] <= first[i] or last[i] <= first[j]:
                    for f in range(n_families):
                        result[i, f] += speaks[j, f]
    return result
