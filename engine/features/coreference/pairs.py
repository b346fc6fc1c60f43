"""Candidate antecedents of every mention and the feature numbers of every arc, by compiled kernels.

Rows of mention j stand together: the root first, then antecedents from far to near. A row holds one number per
template, hashed into a table of weights; 0 is "no feature" and its weight stays 0. `name_of_row` says
in words what a row's numbers stand for, so that nothing hashed is unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.features.coreference.attributes import ATTRIBUTES, MentionTable, code
from engine.features.coreference.templates import COMPARISONS, Compiled

N_COMPARISONS: Final = len(COMPARISONS)

_NUMERIC: Final = (
    "type gender number animacy person entity string head lemma modifier last first_name initials governor sentence"
    " speaker turn quote said_by head_token subject definite name_head possessed start end"
).split()
(
    _TYPE,
    _GENDER,
    _NUMBER,
    _ANIMACY,
    _PERSON,
    _ENTITY,
    _STRING,
    _HEAD,
    _LEMMA,
    _MODIFIER,
    _LAST,
    _FIRST_NAME,
    _INITIALS,
    _GOVERNOR,
    _SENTENCE,
    _SPEAKER,
    _TURN,
    _QUOTE,
    _SAID_BY,
    _HEAD_TOKEN,
    _SUBJECT,
    _DEFINITE,
    _NAME_HEAD,
    _POSSESSED,
    _START,
    _END,
) = range(len(_NUMERIC))

# What non-local features need of a pair: bits of a small number.
MATCH_STRING, MATCH_HEAD, MATCH_NAME, MATCH_WORDS = 1, 2, 4, 8
CLASH_AGREEMENT, CLASH_NESTING, CLASH_SPEAKER, CLASH_ENTITY = 16, 32, 64, 128


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
    numeric = np.stack([table.numeric[name] for name in _NUMERIC], axis=1) if table.n else np.zeros((0, len(_NUMERIC)))
    numeric = np.ascontiguousarray(numeric, dtype=np.int64)
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
    for column, name in enumerate((_TYPE, _GENDER, _NUMBER, _ANIMACY, _SENTENCE)):
        facts[1:, column] = numeric[:, name]
    facts[1:, 5] = numeric[:, _NAME_HEAD] != 0
    return Arcs(table.n, offsets, heads, rows, bits, codes, facts)


def comparisons(table: MentionTable, antecedent: int, anaphor: int) -> NDArray[np.int64]:
    """The comparison values of one pair (mentions from 1)."""
    numeric = np.ascontiguousarray(np.stack([table.numeric[name] for name in _NUMERIC], axis=1), dtype=np.int64)
    out = np.zeros((anaphor, N_COMPARISONS), dtype=np.int64)
    _compare_all(numeric, table.words, table.word_offsets, anaphor - 1, out, np.zeros(anaphor, dtype=np.uint8))
    return out[antecedent - 1]


def name_of_row(table: MentionTable, names: Sequence[str], antecedent: int, anaphor: int) -> list[str]:
    """For each template of an arc the feature in words ("" where it has none), in the order of the row."""
    compared = comparisons(table, antecedent, anaphor) if antecedent else np.zeros(N_COMPARISONS, dtype=np.int64)
    columns = {name: position for position, name in enumerate(COMPARISONS)}
    out = []
    for name in names:
        pieces = []
        for atom in name.split("+"):
            source, _, what = atom.partition(".")
            if source == "p":
                pieces.append(f"{what}={compared[columns[what]]}")
                continue
            text = table.text[what][(anaphor if source == "a" else antecedent) - 1]
            if not text:
                pieces = []
                break
            pieces.append(f"{'anaphor' if source == 'a' else 'antecedent'} {what}={text}")
        out.append(", ".join(pieces))
    return out


@njit(cache=True)
def _mix(h: np.uint64, value: np.uint64) -> np.uint64:
    h = (h ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(29))


@njit(cache=True)
def _shares_word(words, offsets, i, j):
    """Number of content words that two mentions share (both lists are sorted)."""
    a, b, shared = offsets[i], offsets[j], 0
    while a < offsets[i + 1] and b < offsets[j + 1]:
        if words[a] == words[b]:
            shared += 1
            a += 1
            b += 1
        elif words[a] < words[b]:
            a += 1
        else:
            b += 1
    return shared


@njit(cache=True)
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
        pronoun = numeric[j, 0] == 0
        for i in range(j):
            keep = j - i <= window
            if not keep and not pronoun and numeric[i, 0] != 0:
                keep = numeric[i, 8] == numeric[j, 8] or _shares_word(words, offsets, i, j) > 0
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


@njit(cache=True)
def _steps(d):
    if d < 5:
        return d
    if d < 8:
        return 5
    if d < 12:
        return 6
    if d < 20:
        return 7
    if d < 40:
        return 8
    if d < 80:
        return 9
    return 10


@njit(cache=True)
def _agreement(x, y):
    """0 unknown, 1 agree, 2 clash."""
    if x == 0 or y == 0:
        return 0
    return 1 if x == y else 2


@njit(cache=True)
def _compare_all(numeric, words, offsets, j, out, bits):
    """Comparisons of mention j with every i < j (both from 0), nearest first so that ranks can be counted."""
    agreeing, same_head, subjects = 0, 0, 0
    a = numeric[j]
    n_a = offsets[j + 1] - offsets[j]
    for i in range(j - 1, -1, -1):
        b = numeric[i]
        p = out[i]
        d = a[14] - b[14]
        p[0] = _steps(d)
        p[1] = _steps(j - i)
        p[2] = d if d < 3 else (3 if d < 6 else 4)
        p[3] = _steps((a[24] - b[25]) // 2 + 1) if d == 0 and a[24] >= b[25] else 11
        same_string = 1 if a[6] == b[6] else 0
        heads = 2 if a[7] == b[7] else (1 if a[8] == b[8] else 0)
        n_b = offsets[i + 1] - offsets[i]
        shared = _shares_word(words, offsets, i, j)
        overlap = 0
        if shared:
            overlap = 1
            if shared == n_a and shared == n_b:
                overlap = 4
            elif shared == n_a:
                overlap = 2
            elif shared == n_b:
                overlap = 3
        p[4] = same_string
        p[5] = heads
        p[6] = overlap
        p[7] = same_string * 15 + heads * 5 + overlap
        names = 0
        if a[0] == 1 and b[0] == 1:
            if a[7] == b[7]:
                names = 2
            elif a[11] == b[11]:
                names = 1
        if names == 0 and (a[12] == b[12] and (a[0] == 1 or b[0] == 1) and heads == 0):
            names = 3
        p[8] = names
        if a[9] == 0 and b[9] == 0:
            p[9] = 0
        elif a[9] == b[9]:
            p[9] = 1
        elif b[9] == 0:
            p[9] = 2
        elif a[9] == 0:
            p[9] = 3
        else:
            p[9] = 4
        nested = 1 if a[24] >= b[24] and a[25] <= b[25] else (2 if a[24] < b[25] else 0)
        p[10] = nested
        if a[15] == 0 or b[15] == 0:
            speaker = 0
        elif a[15] == b[15]:
            speaker = 1 if a[16] == b[16] else 2
        else:
            speaker = 3 if a[16] - b[16] == 1 else 4
        p[11] = speaker
        gender, number, animacy = _agreement(a[1], b[1]), _agreement(a[2], b[2]), _agreement(a[3], b[3])
        p[12] = gender
        p[13] = number
        p[14] = animacy
        p[15] = gender * 9 + number * 3 + animacy
        entity = _agreement(a[5], b[5])
        p[16] = entity
        if a[17] == b[17]:
            p[17] = 0 if a[17] == 0 else 1
        elif a[17] == 0:
            p[17] = 4
        elif b[17] == 0:
            p[17] = 3
        else:
            p[17] = 2
        said = 0
        if a[17] != b[17]:
            if a[17] and a[18] >= b[24] and a[18] < b[25]:
                said = 1
            elif b[17] and b[18] >= a[24] and b[18] < a[25]:
                said = 2
        p[18] = said
        p[19] = min(agreeing, 3) if agreeing < 4 else (4 if agreeing < 8 else 5)
        p[20] = min(same_head, 2)
        p[21] = min(subjects, 3)
        p[22] = 0
        if d == 0 and a[13] >= 0:
            if a[13] == b[13]:
                p[22] = 1
            elif a[13] == b[19]:
                p[22] = 2
            elif b[13] == a[19]:
                p[22] = 3
        persons = a[4] * 4 + b[4]
        p[23] = persons * 5 + speaker
        clash = gender == 2 or number == 2 or animacy == 2
        if not clash and nested == 0:
            agreeing += 1
        if heads:
            same_head += 1
        if b[20]:
            subjects += 1
        flag = 0
        if same_string and a[0] != 0:
            flag |= 1
        if heads and a[0] != 0 and b[0] != 0:
            flag |= 2
        if names:
            flag |= 4
        if overlap >= 2:
            flag |= 8
        if clash:
            flag |= 16
        if nested == 1:
            flag |= 32
        first_or_second = (a[4] == 1 or a[4] == 2) and (b[4] == 1 or b[4] == 2)
        if first_or_second and speaker and ((a[4] == b[4]) != (speaker <= 2)):
            flag |= 64
        if entity == 2:
            flag |= 128
        bits[i] = flag


@njit(cache=True)
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
    compared = np.zeros((n, 24), dtype=np.int64)
    flags = np.zeros(n, dtype=np.uint8)
    for j in range(n):
        _compare_all(numeric, words, offsets, j, compared, flags)
        base = j * (j - 1) // 2
        for i in range(j):
            bits[base + i] = flags[i]
        for row in range(starts[j], starts[j + 1]):
            i = heads[row]
            if i == 0:
                for t in range(len(root_seeds)):
                    h = root_seeds[t]
                    for k in range(root_sources.shape[1]):
                        if root_sources[t, k] < 0:
                            break
                        value = codes[j + 1, root_columns[t, k]]
                        if value == 0:
                            h = np.uint64(0)
                            break
                        h = _mix(h, value)
                    if h != 0:
                        rows[row, t] = np.int32(max(h & mask, np.uint64(1)))
                continue
            for t in range(len(pair_seeds)):
                h = pair_seeds[t]
                for k in range(pair_sources.shape[1]):
                    source = pair_sources[t, k]
                    if source < 0:
                        break
                    column = pair_columns[t, k]
                    if source == 2:
                        value = np.uint64(compared[i - 1, column] + 1)
                    elif source == 0:
                        value = codes[j + 1, column]
                    else:
                        value = codes[i, column]
                    if value == 0:
                        h = np.uint64(0)
                        break
                    h = _mix(h, value)
                if h != 0:
                    rows[row, t] = np.int32(max(h & mask, np.uint64(1)))
