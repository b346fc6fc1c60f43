"""Candidate antecedents of every mention and the feature numbers of every arc, by compiled kernels.

Rows of mention j are adjacent: the root first, then antecedents from far to near. A row holds one number per template,
hashed into a table of weights; 0 is "no feature" and its weight stays 0. Training keeps the rows, since it reads them
repeatedly; for scoring, the weights are given and each row is discarded once it is summed. `explained_row` describes
the numbers of a row in words, so that every hashed feature can be explained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Bytes, Floats, Ints, ShortInts, Words
from engine.features.coreference import mention_columns as of
from engine.features.coreference import wording
from engine.features.coreference.arcs.comparisons import (
    Mentions,
    compare,
    comparisons,
    count_shared,
    flag_pairs,
    mentions_of,
)
from engine.features.coreference.arcs.features import (
    UNWEIGHED,
    BundledTemplates,
    Weighed,
    fill_features,
    gather,
    room_for,
)
from engine.features.coreference.arcs.pair_columns import N_COMPARISONS
from engine.features.coreference.attributes import ATTRIBUTES, MentionTable
from engine.features.coreference.templates import COMPARISONS, Compiled
from engine.hashing import ANAPHOR, PAIR, TWO_MENTIONS, feature_number, join
from engine.kernels import kernel
from engine.threads import cores

FACTS: Final = [of.TYPE, of.GENDER, of.NUMBER, of.ANIMACY, of.SENTENCE]
"""The attributes of mentions that cluster facts are based on, in the order in which the learner reads them."""
ARCS_PER_THREAD: Final = 100_000
"""Number of arcs above which another thread pays off: those of a document of about 5,000 words."""


@dataclass(frozen=True, eq=False)
class Arcs:
    """All arcs of one document. Mentions count from 1, 0 is the root."""

    n: int
    offsets: Ints
    """Rows of mention j are [offsets[j - 1], offsets[j])."""
    heads: ShortInts
    rows: ShortInts
    """Feature numbers, one row per arc; empty if weights were given."""
    scores: Floats
    """The sum of the weights of each row, if weights were given."""
    bits: Bytes
    """Match and clash flags of every pair i < j, at (j - 1)(j - 2) / 2 + i - 1."""
    codes: Words
    """Attribute codes of mentions 1..n; row 0 is the root."""
    facts: ShortInts
    """The columns `FACTS` of mentions 1..n; row 0 is the root."""


def codes_of(table: MentionTable) -> Words:
    """Attribute codes, with an empty first row for the root."""
    codes = np.zeros((table.n + 1, len(ATTRIBUTES)), dtype=np.uint64)
    for column, name in enumerate(ATTRIBUTES):
        codes[1:, column] = table.text[name].codes
    return codes


def build_arcs(
    table: MentionTable,
    root: Compiled,
    pair: Compiled,
    *,
    size: int,
    window: int,
    extra: Sequence[tuple[int, int]] = (),
    weights: Weighed | None = None,
) -> Arcs:
    """The arcs of one document: their feature numbers, or their scores if there are `weights`.

    Features are hashed to numbers below `size`, a power of two. `extra` pairs (antecedent, anaphor), from 1, are
    candidates at any distance.
    """
    mentions = mentions_of(table)
    wanted = np.array(sorted({(j, i) for i, j in extra}), dtype=np.int64).reshape(-1, 2)
    offsets, heads = _candidates(mentions, window, wanted)
    candidates = _Candidates(mentions, codes_of(table), offsets, heads)
    width = max(len(root.names), len(pair.names))
    made = _Made(
        rows=np.zeros((len(heads) if weights is None else 0, width), dtype=np.int32),
        scores=np.zeros(0 if weights is None else len(heads)),
        bits=np.zeros(table.n * (table.n - 1) // 2, dtype=np.uint8),
    )
    hashed = _Hashed(_bundle(root), _bundle(pair), size - 1, UNWEIGHED if weights is None else weights)

    def fill(part: tuple[int, int]) -> None:
        _fill(part, candidates, hashed, made)

    parts = _shares(offsets, min(cores(), len(heads) // ARCS_PER_THREAD + 1))
    if len(parts) == 1:
        fill(parts[0])
    else:
        with ThreadPoolExecutor(max_workers=len(parts)) as workers:
            list(workers.map(fill, parts))
    facts = np.zeros((table.n + 1, len(FACTS)), dtype=np.int32)
    facts[1:] = mentions.columns[FACTS].T
    return Arcs(table.n, offsets, heads, made.rows, made.scores, made.bits, candidates.codes, facts)


def _shares(offsets: Ints, count: int) -> list[tuple[int, int]]:
    """Ranges of mentions [first, last) with about equal numbers of arcs."""
    bounds = np.searchsorted(offsets, np.linspace(0, offsets[-1], count + 1))
    return list(pairwise([0, *bounds[1:-1].tolist(), len(offsets) - 1]))


def explained_row(
    table: MentionTable, codes: Words, templates: Compiled, antecedent: int, anaphor: int, *, size: int
) -> list[tuple[str, int]]:
    """The features of one arc, template by template: in words, and the number; ("", 0) if it has none.

    Mentions count from 1, antecedent 0 is the root; `codes` are those of the arcs.
    """
    compared = comparisons(table, antecedent, anaphor) if antecedent else np.zeros(N_COMPARISONS, dtype=np.int64)
    numbers = np.zeros(len(templates.names), dtype=np.int32)
    _hash(_bundle(templates), codes[anaphor], codes[antecedent], compared, np.uint64(size - 1), numbers)
    values = dict(zip(COMPARISONS, compared.tolist(), strict=True))
    return [
        (_in_words(name, table, values, antecedent, anaphor) if number else "", number)
        for name, number in zip(templates.names, numbers.tolist(), strict=True)
    ]


def _in_words(name: str, table: MentionTable, compared: Mapping[str, int], antecedent: int, anaphor: int) -> str:
    pieces = []
    for atom in name.split("+"):
        source, _, what = atom.partition(".")
        if source == "p":
            pieces.append(f"{what}: {wording.compared(what, compared[what])}")
        else:
            who, mention = ("anaphor", anaphor) if source == "a" else ("antecedent", antecedent)
            pieces.append(f"{who} {what} “{table.text[what][mention - 1]}”")
    return ", ".join(pieces)


@kernel
def _candidates(mentions: Mentions, window: int, wanted: Ints) -> tuple[Ints, ShortInts]:
    """The first arc of each mention, and the heads of all arcs: mentions within the window, those that share a word,
    and the `wanted` ones (anaphor and antecedent, from 1)."""
    n = mentions.columns.shape[1]
    type_, lemma = mentions.columns[of.TYPE], mentions.columns[of.LEMMA]
    starts = np.zeros(n + 1, dtype=np.int64)
    heads = np.empty(n + n * (n - 1) // 2, dtype=np.int32)
    shared, asked = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    at = 0
    extra = 0
    for j in range(n):
        heads[at] = 0
        at += 1
        count_shared(mentions, j, shared)
        asked[:j] = False
        while extra < len(wanted) and wanted[extra, 0] == j + 1:
            asked[wanted[extra, 1] - 1] = True
            extra += 1
        for i in range(j):
            alike = type_[i] != 0 and type_[j] != 0 and (lemma[i] == lemma[j] or shared[i] > 0)
            if j - i <= window or alike or asked[i]:
                heads[at] = i + 1
                at += 1
        starts[j + 1] = at
    return starts, heads[:at].copy()


class _Candidates(NamedTuple):
    """Mentions and the arcs between them: those of mention j (from 0) are heads[offsets[j]:offsets[j + 1]]."""

    mentions: Mentions
    codes: Words
    offsets: Ints
    heads: ShortInts


class _Hashed(NamedTuple):
    """How arcs from the root and from mentions are hashed to feature numbers, and the weights of those."""

    root: BundledTemplates
    pair: BundledTemplates
    last_feature: int
    weights: Weighed


class _Made(NamedTuple):
    """The output: rows of features or scores, whichever was allocated, and the flags of pairs."""

    rows: ShortInts
    scores: Floats
    bits: Bytes


def _bundle(templates: Compiled) -> BundledTemplates:
    return BundledTemplates(templates.sources, templates.columns, templates.seeds)


@kernel
def _fill(part: tuple[int, int], candidates: _Candidates, hashed: _Hashed, made: _Made) -> None:
    """Fill in the rows of the arcs of mentions [first, last), or their scores if no rows were allocated, and the
    flags."""
    mentions, codes, starts, heads = candidates
    root, pair, last_feature, weights = hashed
    rows, scores, bits = made
    mask = np.uint64(last_feature)
    n = mentions.columns.shape[1]
    shared = np.zeros(n, dtype=np.int64)
    columns = np.ascontiguousarray(codes.T)
    room = room_for(codes.shape[1], N_COMPARISONS, n)
    for j in range(part[0], part[1]):
        flags = bits[j * (j - 1) // 2 : j * (j + 1) // 2]
        count_shared(mentions, j, shared)
        flag_pairs(mentions, shared, j, flags)
        first, middle, last = starts[j], starts[j] + 1, starts[j + 1]
        # Templates of arcs from the root read the anaphor alone.
        fill_features(root, codes[j + 1], room, mask, weights, scores[first:middle], rows[first:middle])
        compare(mentions, shared, flags, j, heads[middle:last], room.compared)
        gather(columns, heads[middle:last], room)
        fill_features(pair, codes[j + 1], room, mask, weights, scores[middle:last], rows[middle:last])


@kernel
def _hash(
    templates: BundledTemplates,
    anaphor: Words,
    antecedent: Words,
    compared: Ints,
    mask: np.uint64,
    out: ShortInts,
) -> None:
    """The feature number of each template, 0 if one of its atoms is unknown."""
    sources, columns, seeds = templates.sources, templates.columns, templates.seeds
    for t in range(len(seeds)):
        h = seeds[t]
        for k in range(sources.shape[1]):
            source = sources[t, k]
            if source < 0:
                break
            column = columns[t, k]
            if source == PAIR:
                value = np.uint64(compared[column] + 1)
            elif source == ANAPHOR:
                value = anaphor[column]
            else:
                value = antecedent[column]
            if value == 0:
                h = np.uint64(0)
                break
            h = join(h, value, TWO_MENTIONS)
        out[t] = feature_number(h, mask) if h != 0 else np.int32(0)
