"""Comparisons of two mentions, by a compiled kernel: distance, matches, agreement, speakers, ranks.

The columns are those of `COMPARISONS`; what non-local features need of a pair goes into a few bits beside them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.features.coreference.attributes import MentionTable
from engine.features.coreference.templates import COMPARISONS

NUMERIC: Final = (
    "type gender number animacy person entity string head lemma modifier last first_name initials governor sentence"
    " speaker turn quote said_by head_token subject definite name_head possessed start end"
).split()
"""Columns of the numeric view of mentions, in the order of the numbers below."""
(
    TYPE,
    GENDER,
    NUMBER,
    ANIMACY,
    PERSON,
    ENTITY,
    STRING,
    HEAD,
    LEMMA,
    MODIFIER,
    LAST,
    FIRST_NAME,
    INITIALS,
    GOVERNOR,
    SENTENCE,
    SPEAKER,
    TURN,
    QUOTE,
    SAID_BY,
    HEAD_TOKEN,
    SUBJECT,
    DEFINITE,
    NAME_HEAD,
    POSSESSED,
    START,
    END,
) = range(len(NUMERIC))
N_COMPARISONS: Final = len(COMPARISONS)

# What non-local features need of a pair: bits of a small number.
MATCH_STRING, MATCH_HEAD, MATCH_NAME, MATCH_WORDS = 1, 2, 4, 8
CLASH_AGREEMENT, CLASH_NESTING, CLASH_SPEAKER, CLASH_ENTITY = 16, 32, 64, 128


def numeric_view(table: MentionTable) -> NDArray[np.int64]:
    """One row a mention, in the order of `NUMERIC`."""
    view = np.zeros((table.n, len(NUMERIC)), dtype=np.int64)
    for column, name in enumerate(NUMERIC):
        view[:, column] = table.numeric[name]
    return view


def comparisons(table: MentionTable, antecedent: int, anaphor: int) -> NDArray[np.int64]:
    """The comparison values of one pair (mentions from 1)."""
    numeric = numeric_view(table)
    out = np.zeros((anaphor, N_COMPARISONS), dtype=np.int64)
    compare_all(numeric, table.words, table.word_offsets, anaphor - 1, out, np.zeros(anaphor, dtype=np.uint8))
    return out[antecedent - 1]


@njit(cache=True, nogil=True)
def shares_word(words, offsets, i, j):
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _agreement(x, y):
    """0 unknown, 1 agree, 2 clash."""
    if x == 0 or y == 0:
        return 0
    return 1 if x == y else 2


@njit(cache=True, nogil=True)
def compare_all(numeric, words, offsets, j, out, bits):
    """Comparisons of mention j with every i < j (both from 0), nearest first so that ranks can be counted."""
    agreeing, same_head, subjects = 0, 0, 0
    a = numeric[j]
    n_a = offsets[j + 1] - offsets[j]
    for i in range(j - 1, -1, -1):
        b = numeric[i]
        p = out[i]
        d = a[SENTENCE] - b[SENTENCE]
        p[0] = _steps(d)
        p[1] = _steps(j - i)
        p[2] = d if d < 3 else (3 if d < 6 else 4)
        p[3] = _steps((a[START] - b[END]) // 2 + 1) if d == 0 and a[START] >= b[END] else 11
        same_string = 1 if a[STRING] == b[STRING] else 0
        heads = 2 if a[HEAD] == b[HEAD] else (1 if a[LEMMA] == b[LEMMA] else 0)
        n_b = offsets[i + 1] - offsets[i]
        shared = shares_word(words, offsets, i, j)
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
        if a[TYPE] == 1 and b[TYPE] == 1:
            if a[HEAD] == b[HEAD]:
                names = 2
            elif a[FIRST_NAME] == b[FIRST_NAME]:
                names = 1
        if names == 0 and (a[INITIALS] == b[INITIALS] and (a[TYPE] == 1 or b[TYPE] == 1) and heads == 0):
            names = 3
        p[8] = names
        if a[MODIFIER] == 0 and b[MODIFIER] == 0:
            p[9] = 0
        elif a[MODIFIER] == b[MODIFIER]:
            p[9] = 1
        elif b[MODIFIER] == 0:
            p[9] = 2
        elif a[MODIFIER] == 0:
            p[9] = 3
        else:
            p[9] = 4
        nested = 1 if a[START] >= b[START] and a[END] <= b[END] else (2 if a[START] < b[END] else 0)
        p[10] = nested
        if a[SPEAKER] == 0 or b[SPEAKER] == 0:
            speaker = 0
        elif a[SPEAKER] == b[SPEAKER]:
            speaker = 1 if a[TURN] == b[TURN] else 2
        else:
            speaker = 3 if a[TURN] - b[TURN] == 1 else 4
        p[11] = speaker
        gender, number, animacy = (
            _agreement(a[GENDER], b[GENDER]),
            _agreement(a[NUMBER], b[NUMBER]),
            _agreement(a[ANIMACY], b[ANIMACY]),
        )
        p[12] = gender
        p[13] = number
        p[14] = animacy
        p[15] = gender * 9 + number * 3 + animacy
        entity = _agreement(a[ENTITY], b[ENTITY])
        p[16] = entity
        if a[QUOTE] == b[QUOTE]:
            p[17] = 0 if a[QUOTE] == 0 else 1
        elif a[QUOTE] == 0:
            p[17] = 4
        elif b[QUOTE] == 0:
            p[17] = 3
        else:
            p[17] = 2
        said = 0
        if a[QUOTE] != b[QUOTE]:
            if a[QUOTE] and a[SAID_BY] >= b[START] and a[SAID_BY] < b[END]:
                said = 1
            elif b[QUOTE] and b[SAID_BY] >= a[START] and b[SAID_BY] < a[END]:
                said = 2
        p[18] = said
        p[19] = min(agreeing, 3) if agreeing < 4 else (4 if agreeing < 8 else 5)
        p[20] = min(same_head, 2)
        p[21] = min(subjects, 3)
        p[22] = 0
        if d == 0 and a[GOVERNOR] >= 0:
            if a[GOVERNOR] == b[GOVERNOR]:
                p[22] = 1
            elif a[GOVERNOR] == b[HEAD_TOKEN]:
                p[22] = 2
            elif b[GOVERNOR] == a[HEAD_TOKEN]:
                p[22] = 3
        persons = a[PERSON] * 4 + b[PERSON]
        p[23] = persons * 5 + speaker
        clash = gender == 2 or number == 2 or animacy == 2
        if not clash and nested == 0:
            agreeing += 1
        if heads:
            same_head += 1
        if b[SUBJECT]:
            subjects += 1
        flag = 0
        if same_string and a[TYPE] != 0:
            flag |= MATCH_STRING
        if heads and a[TYPE] != 0 and b[TYPE] != 0:
            flag |= MATCH_HEAD
        if names:
            flag |= MATCH_NAME
        if overlap >= 2:
            flag |= MATCH_WORDS
        if clash:
            flag |= CLASH_AGREEMENT
        if nested == 1:
            flag |= CLASH_NESTING
        first_or_second = (a[PERSON] == 1 or a[PERSON] == 2) and (b[PERSON] == 1 or b[PERSON] == 2)
        if first_or_second and speaker and ((a[PERSON] == b[PERSON]) != (speaker <= 2)):
            flag |= CLASH_SPEAKER
        if entity == 2:
            flag |= CLASH_ENTITY
        bits[i] = flag
