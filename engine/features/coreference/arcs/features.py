"""The feature numbers of the arcs of one mention, or the sums of their weights, template by template.

All arcs of a mention are hashed together: what a template says of the anaphor is hashed once, the rest in loops over
arcs that the compiler can vectorise. A model has few weights that are not 0, so most numbers are turned away by a small
map of bits before the table of weights is read.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Int, Ints, ShortInts, Words
from engine.hashing import ANAPHOR, PAIR, TWO_MENTIONS, feature_number
from engine.kernels import inlined, part

BITS_PER_WEIGHT: Final = 64
"""Bits in the map for each weight that is not 0: one number in 16 without a weight is looked up in vain."""


class Weighed(NamedTuple):
    """The weights of features."""

    values: Floats
    """Empty if features are not to be weighed but kept."""
    marks: NDArray[np.uint32]
    """The map: a feature has weight 0 unless the bit of its number is on, counted modulo the size of the map."""


class BundledTemplates(NamedTuple):
    """Compiled templates in the form that the kernels read."""

    sources: NDArray[np.int8]
    columns: NDArray[np.int16]
    seeds: Words


def weighed(values: Floats) -> Weighed:
    """The weights with their map; the number of weights is a power of two."""
    used = np.flatnonzero(values)
    size = 32
    while size < min(len(values), BITS_PER_WEIGHT * len(used)):
        size *= 2
    flags = np.zeros(size, dtype=np.bool_)
    flags[used & (size - 1)] = True
    return Weighed(values, np.packbits(flags, bitorder="little").view("<u4"))


UNWEIGHED: Final = Weighed(np.zeros(0), np.zeros(1, dtype=np.uint32))
"""Features are kept as numbers."""


class Hashing(NamedTuple):
    """Room for the hashes of the arcs of one mention, and for the values they are made of."""

    hashes: Words
    absent: Words
    """Not 0 if an atom of the template is unknown."""
    codes: Words
    """[attributes, arcs]: the codes of the antecedents."""
    compared: Ints
    """[comparisons, arcs]: how anaphor and antecedent compare."""


@part
def room_for(n_attributes: Int, n_comparisons: Int, n_arcs: Int) -> Hashing:
    hashes = np.zeros((2, n_arcs), dtype=np.uint64)
    codes = np.zeros((n_attributes, n_arcs), dtype=np.uint64)
    return Hashing(hashes[0], hashes[1], codes, np.zeros((n_comparisons, n_arcs), dtype=np.int64))


@part
def gather(columns: Words, heads: ShortInts, room: Hashing) -> None:
    """Lay out the codes of the heads of arcs; `columns` are those of all mentions, [attributes, mentions]."""
    codes = room.codes
    for column in range(len(columns)):
        for row in range(len(heads)):
            codes[column, row] = columns[column, heads[row]]


@part
def fill_features(
    templates: BundledTemplates,
    anaphor: Words,
    room: Hashing,
    mask: np.uint64,
    weights: Weighed,
    totals: Floats,
    rows: ShortInts,
) -> None:
    """Add the weights of the features of every arc to its total, in the order of the templates; or, without weights,
    write the numbers of its features into its row: 0 is "no feature"."""
    sources, columns, seeds = templates.sources, templates.columns, templates.seeds
    hashes, absent, codes, compared = room
    table, marks = weights
    last_mark, width = np.uint64(32 * len(marks) - 1), sources.shape[1]
    weigh = len(table) > 0
    n = len(totals) if weigh else len(rows)
    for t in range(len(seeds)):
        h = seeds[t]
        known = True
        k = 0
        while k < width and sources[t, k] == ANAPHOR:
            known &= anaphor[columns[t, k]] != 0
            h = _join(h, anaphor[columns[t, k]])
            k += 1
        for row in range(n):
            hashes[row], absent[row] = h, 0
        while k < width and sources[t, k] >= 0:
            if sources[t, k] == ANAPHOR:
                code = anaphor[columns[t, k]]
                known &= code != 0
                for row in range(n):
                    hashes[row] = _join(hashes[row], code)
            elif sources[t, k] == PAIR:
                values = compared[columns[t, k]]
                for row in range(n):
                    value = np.uint64(values[row] + 1)
                    hashes[row] = _join(hashes[row], value)
                    absent[row] |= np.uint64(value == 0)
            else:
                words = codes[columns[t, k]]
                for row in range(n):
                    value = words[row]
                    hashes[row] = _join(hashes[row], value)
                    absent[row] |= np.uint64(value == 0)
            k += 1
        if not weigh:
            for row in range(n):
                there = known and absent[row] == 0 and hashes[row] != 0
                rows[row, t] = feature_number(hashes[row], mask) if there else np.int32(0)
        elif known:
            # A branch would be foretold wrongly half of the time, so what has no weight reads the 0 at the beginning.
            for row in range(n):
                number = max(hashes[row] & mask, np.uint64(1))
                marked = np.uint64(marks[(number & last_mark) >> np.uint64(5)] >> np.uint32(number & np.uint64(31)) & 1)
                there = marked & np.uint64(absent[row] == 0) & np.uint64(hashes[row] != 0)
                totals[row] += table[number * there]


@inlined
def _join(h: np.uint64, value: np.uint64) -> np.uint64:
    """`engine.hashing.join` for two mentions, inlined: a call in the loop would keep it from being vectorised."""
    mixed = (h ^ value) * TWO_MENTIONS.multiplier
    return mixed ^ (mixed >> TWO_MENTIONS.shift)
