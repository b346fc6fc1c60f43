"""Candidate antecedents of every mention and the feature numbers of every arc, by compiled kernels.

Rows of mention j stand together: the root first, then antecedents from far to near. A row holds one number per
template, hashed into a table of weights; 0 is "no feature" and its weight stays 0. `name_of_row` says
in words what a row's numbers stand for, so that nothing hashed is unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.features.coreference import wording
from engine.features.coreference.attributes import ATTRIBUTES, MentionTable
from engine.features.coreference.comparisons import (
    ANIMACY,
    GENDER,
    LEMMA,
    N_COMPARISONS,
    NAME_HEAD,
    NUMBER,
    SENTENCE,
    TYPE,
    compare_all,
    comparisons,
    numeric_view,
    shares_word,
)
from engine.features.coreference.reading import code
from engine.features.coreference.templates import COMPARISONS, Compiled


@dataclass(frozen=True, eq=False)
class Arcs:
    """All arcs of one document. Mentions count from 1, 0 is the root."""

    n: int
    offsets: NDArray[np.int64]
    """Rows of mention j are [offsets[j - 1], offsets[j])."""
    heads: NDArray[np.int32]
    rows: NDArray[np.int32]
    """Feature numbers, one row per arc."""
    bits: NDArray[np.uint8]
    """Match and clash bits of every pair i < j, at (j - 1)(j - 2) / 2 + i - 1."""
    codes: NDArray[np.uint64]
    """Attribute codes of mentions 1..n; row 0 is the root."""
    facts: NDArray[np.int32]
    """What cluster facts count: type, gender, number, animacy, sentence; row 0 is the root."""


def codes_of(table: MentionTable) -> NDArray[np.uint64]:
    """Attribute codes, with an empty first row for the root."""
    codes = np.zeros((table.n + 1, len(ATTRIBUTES)), dtype=np.uint64)
    for column, name in enumerate(ATTRIBUTES):
        codes[1:, column] = [code(text) for text in table.text[name]]
    return codes


def build_arcs(
    table: MentionTable,
    root: Compiled,
    pair: Compiled,
    *,
    size: int,
    window: int,
    extra: Sequence[tuple[int, int]] = (),
) -> Arcs:
    """The arcs of one document. Features are hashed to numbers below `size`, a power of two.

    `extra` pairs (antecedent, anaphor), from 1, are candidates whatever their distance.
    """
    numeric = numeric_view(table)
    codes = codes_of(table)
    wanted = np.array(sorted({(j, i) for i, j in extra}), dtype=np.int64).reshape(-1, 2)
    offsets, heads = _candidates(numeric, table.words, table.word_offsets, window, wanted)
    width = max(len(root.names), len(pair.names))
    rows = np.zeros((len(heads), width), dtype=np.int32)
    bits = np.zeros(table.n * (table.n - 1) // 2, dtype=np.uint8)
    _fill(
        numeric,
        table.words,
        table.word_offsets,
        codes,
        offsets,
        heads,
        root.sources,
        root.columns,
        root.seeds,
        pair.sources,
        pair.columns,
        pair.seeds,
        size - 1,
        rows,
        bits,
    )
    facts = np.zeros((table.n + 1, 6), dtype=np.int32)
    for column, name in enumerate((TYPE, GENDER, NUMBER, ANIMACY, SENTENCE)):
        facts[1:, column] = numeric[:, name]
    facts[1:, 5] = numeric[:, NAME_HEAD] != 0
    return Arcs(table.n, offsets, heads, rows, bits, codes, facts)


def name_of_row(table: MentionTable, names: Sequence[str], antecedent: int, anaphor: int) -> list[str]:
    """For each template of an arc the feature in words ("" where it has none), in the order of the row."""
    values = comparisons(table, antecedent, anaphor) if antecedent else np.zeros(N_COMPARISONS, dtype=np.int64)
    columns = {name: position for position, name in enumerate(COMPARISONS)}
    out = []
    for name in names:
        pieces = []
        for atom in name.split("+"):
            source, _, what = atom.partition(".")
            if source == "p":
                pieces.append(f"{what}: {wording.compared(what, int(values[columns[what]]))}")
                continue
            text = table.text[what][(anaphor if source == "a" else antecedent) - 1]
            if not text:
                pieces = []
                break
            pieces.append(f"{'anaphor' if source == 'a' else 'antecedent'} {what} “{text}”")
        out.append(", ".join(pieces))
    return out


@njit(cache=True, nogil=True)
def _mix(h: np.uint64, value: np.uint64) -> np.uint64:
    h = (h ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(29))


@njit(cache=True, nogil=True)
def _candidates(numeric, words, offsets, window, wanted):
    n = len(numeric)
    starts = np.zeros(n + 1, dtype=np.int64)
    heads = np.empty(n + n * (n - 1) // 2, dtype=np.int32)
    at = 0
    extra = 0
    for j in range(n):
        heads[at] = 0
        at += 1
        while extra < len(wanted) and wanted[extra, 0] < j + 1:
            extra += 1
        pronoun = numeric[j, TYPE] == 0
        for i in range(j):
            keep = j - i <= window
            if not keep and not pronoun and numeric[i, TYPE] != 0:
                keep = numeric[i, LEMMA] == numeric[j, LEMMA] or shares_word(words, offsets, i, j) > 0
            if not keep:
                scan = extra
                while scan < len(wanted) and wanted[scan, 0] == j + 1:
                    if wanted[scan, 1] == i + 1:
                        keep = True
                    scan += 1
            if keep:
                heads[at] = i + 1
                at += 1
        starts[j + 1] = at
    return starts, heads[:at].copy()


@njit(cache=True, nogil=True)
def _fill(
    numeric,
    words,
    offsets,
    codes,
    starts,
    heads,
    root_sources,
    root_columns,
    root_seeds,
    pair_sources,
    pair_columns,
    pair_seeds,
    last_feature,
    rows,
    bits,
):
    n = len(numeric)
    mask = np.uint64(last_feature)
    compared = np.zeros((n, N_COMPARISONS), dtype=np.int64)
    flags = np.zeros(n, dtype=np.uint8)
    for j in range(n):
        compare_all(numeric, words, offsets, j, compared, flags)
        base = j * (j - 1) // 2
        for i in range(j):
            bits[base + i] = flags[i]
        for row in range(starts[j], starts[j + 1]):
            if heads[row] == 0:
                _hash(root_sources, root_columns, root_seeds, codes[j + 1], codes[0], compared[0], mask, rows[row])
            else:
                i = heads[row]
                _hash(pair_sources, pair_columns, pair_seeds, codes[j + 1], codes[i], compared[i - 1], mask, rows[row])


@njit(cache=True, nogil=True)
def _hash(sources, columns, seeds, anaphor, antecedent, compared, mask, out):
    """The feature number of each template, 0 where one of its atoms is unknown."""
    for t in range(len(seeds)):
        h = seeds[t]
        for k in range(sources.shape[1]):
            source = sources[t, k]
            if source < 0:
                break
            column = columns[t, k]
            if source == 2:
                value = np.uint64(compared[column] + 1)
            elif source == 0:
                value = anaphor[column]
            else:
                value = antecedent[column]
            if value == 0:
                h = np.uint64(0)
                break
            h = _mix(h, value)
        if h != 0:
            out[t] = np.int32(max(h & mask, np.uint64(1)))
