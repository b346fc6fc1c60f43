"""Comparisons of two mentions, by compiled kernels: distance, matches, agreement, speakers, ranks.

The columns are those of `COMPARISONS`. What non-local features need of a pair are a few flags, which any two mentions
have; everything else is worked out for candidate antecedents only, a small part of the pairs of a long document.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.features.coreference.attributes import MentionTable
from engine.features.coreference.templates import COMPARISONS

NUMERIC: Final = (
    "type gender number animacy person entity string head lemma modifier first_name initials governor sentence"
    " speaker turn quote said_by head_token subject start end"
).split()
"""What two mentions are compared by, in the order of the numbers below."""
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
    START,
    END,
) = range(len(NUMERIC))
N_COMPARISONS: Final = len(COMPARISONS)

# What non-local features need of a pair: bits of a small number.
MATCH_STRING, MATCH_HEAD, MATCH_NAME, MATCH_WORDS = 1, 2, 4, 8
CLASH_AGREEMENT, CLASH_NESTING, CLASH_SPEAKER, CLASH_ENTITY = 16, 32, 64, 128


class Mentions(NamedTuple):
    """The mentions of a document (from 0) as the kernels read them."""

    columns: NDArray[np.int32]
    """One row per name of `NUMERIC`, one column per mention: a loop over mentions reads neighbours."""
    words: NDArray[np.int64]
    """Content words of mention i are words[offsets[i]:offsets[i + 1]], each once."""
    offsets: NDArray[np.int64]
    holders: NDArray[np.int64]
    """Mentions that hold word w, in order, are holders[holder_offsets[w]:holder_offsets[w + 1]]."""
    holder_offsets: NDArray[np.int64]


def mentions_of(table: MentionTable) -> Mentions:
    columns = np.empty((len(NUMERIC), table.n), dtype=np.int32)
    for row, name in enumerate(NUMERIC):
        columns[row] = table.numeric[name]
    by_word = np.argsort(table.words, kind="stable")
    holders = np.repeat(np.arange(table.n), np.diff(table.word_offsets))[by_word]
    holder_offsets = np.concatenate([[0], np.cumsum(np.bincount(table.words))])
    return Mentions(columns, table.words, table.word_offsets, holders, holder_offsets)


def comparisons(table: MentionTable, antecedent: int, anaphor: int) -> NDArray[np.int64]:
    """The comparison values of one pair (mentions from 1)."""
    mentions, j = mentions_of(table), anaphor - 1
    shared, flags = np.zeros(anaphor, dtype=np.int64), np.zeros(anaphor, dtype=np.uint8)
    out = np.zeros((1, N_COMPARISONS), dtype=np.int64)
    count_shared(mentions, j, shared)
    flag_pairs(mentions, shared, j, flags)
    compare(mentions, shared, flags, j, np.array([antecedent], dtype=np.int32), out)
    return out[0]


@njit(cache=True, nogil=True)
def count_shared(mentions, j, out):
    """Number of content words that mention j shares with every i < j."""
    out[:j] = 0
    for at in range(mentions.offsets[j], mentions.offsets[j + 1]):
        word = mentions.words[at]
        for k in range(mentions.holder_offsets[word], mentions.holder_offsets[word + 1]):
            i = mentions.holders[k]
            if i >= j:
                break
            out[i] += 1


@njit(cache=True, nogil=True)
def flag_pairs(mentions, shared, j, out):
    """Matches and clashes of mention j with every i < j, without branches so that several are done at a time."""
    columns, offsets = mentions.columns, mentions.offsets
    type_, head, lemma, string = columns[TYPE], columns[HEAD], columns[LEMMA], columns[STRING]
    first_name, initials, entity = columns[FIRST_NAME], columns[INITIALS], columns[ENTITY]
    gender, number, animacy = columns[GENDER], columns[NUMBER], columns[ANIMACY]
    person, speaker, start, end = columns[PERSON], columns[SPEAKER], columns[START], columns[END]
    n_words = offsets[j + 1] - offsets[j]
    takes_part = person[j] == 1 or person[j] == 2
    for i in range(j):
        heads = (head[i] == head[j]) | (lemma[i] == lemma[j])
        full = (shared[i] > 0) & ((shared[i] == n_words) | (shared[i] == offsets[i + 1] - offsets[i]))
        both_named = (type_[i] == 1) & (type_[j] == 1)
        named = both_named & ((head[i] == head[j]) | (first_name[i] == first_name[j]))
        short = ((type_[i] == 1) | (type_[j] == 1)) & (initials[i] == initials[j]) & (not heads)
        clash = (
            ((gender[i] != gender[j]) & (gender[i] > 0) & (gender[j] > 0))
            | ((number[i] != number[j]) & (number[i] > 0) & (number[j] > 0))
            | ((animacy[i] != animacy[j]) & (animacy[i] > 0) & (animacy[j] > 0))
        )
        # I and you: the same person means the same speaker, and another person another.
        talking = takes_part & ((person[i] == 1) | (person[i] == 2)) & (speaker[i] > 0) & (speaker[j] > 0)
        misheard = talking & ((person[i] == person[j]) != (speaker[i] == speaker[j]))
        out[i] = (
            MATCH_STRING * ((string[i] == string[j]) & (type_[j] != 0))
            | MATCH_HEAD * (heads & (type_[i] != 0) & (type_[j] != 0))
            | MATCH_NAME * (named | short)
            | MATCH_WORDS * full
            | CLASH_AGREEMENT * clash
            | CLASH_NESTING * ((start[j] >= start[i]) & (end[j] <= end[i]))
            | CLASH_SPEAKER * misheard
            | CLASH_ENTITY * ((entity[i] != entity[j]) & (entity[i] > 0) & (entity[j] > 0))
        )


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
def compare(mentions, shared, flags, j, antecedents, out):
    """Comparisons of mention j (from 0) with each of its candidate antecedents (from 1, in order), a row each.

    Nearest first, so that mentions in between can be counted.
    """
    columns = mentions.columns
    agreeing, same_head, subjects = 0, 0, 0
    between = j - 1
    for row in range(len(antecedents) - 1, -1, -1):
        i = antecedents[row] - 1
        while between > i:
            if not flags[between] & CLASH_AGREEMENT and columns[START, j] >= columns[END, between]:
                agreeing += 1
            if columns[HEAD, between] == columns[HEAD, j] or columns[LEMMA, between] == columns[LEMMA, j]:
                same_head += 1
            subjects += columns[SUBJECT, between]
            between -= 1
        p = out[row]
        _compare_pair(mentions, shared[i], j, i, p)
        p[19] = agreeing if agreeing < 4 else (4 if agreeing < 8 else 5)
        p[20] = min(same_head, 2)
        p[21] = min(subjects, 3)


@njit(cache=True, nogil=True)
def _compare_pair(mentions, shared, j, i, p):
    """All that two mentions alone tell; the ranks, columns 19 to 21, are not among it."""
    columns = mentions.columns
    a, b = columns[:, j], columns[:, i]
    d = a[SENTENCE] - b[SENTENCE]
    p[0] = _steps(d)
    p[1] = _steps(j - i)
    p[2] = d if d < 3 else (3 if d < 6 else 4)
    p[3] = _steps((a[START] - b[END]) // 2 + 1) if d == 0 and a[START] >= b[END] else 11
    same_string = 1 if a[STRING] == b[STRING] else 0
    heads = 2 if a[HEAD] == b[HEAD] else (1 if a[LEMMA] == b[LEMMA] else 0)
    overlap = 0
    if shared:
        all_of_a = shared == mentions.offsets[j + 1] - mentions.offsets[j]
        all_of_b = shared == mentions.offsets[i + 1] - mentions.offsets[i]
        overlap = (4 if all_of_b else 2) if all_of_a else (3 if all_of_b else 1)
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
    p[10] = 1 if a[START] >= b[START] and a[END] <= b[END] else (2 if a[START] < b[END] else 0)
    if a[SPEAKER] == 0 or b[SPEAKER] == 0:
        speaker = 0
    elif a[SPEAKER] == b[SPEAKER]:
        speaker = 1 if a[TURN] == b[TURN] else 2
    else:
        speaker = 3 if a[TURN] - b[TURN] == 1 else 4
    p[11] = speaker
    p[12] = _agreement(a[GENDER], b[GENDER])
    p[13] = _agreement(a[NUMBER], b[NUMBER])
    p[14] = _agreement(a[ANIMACY], b[ANIMACY])
    p[15] = p[12] * 9 + p[13] * 3 + p[14]
    p[16] = _agreement(a[ENTITY], b[ENTITY])
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
    p[22] = 0
    if d == 0 and a[GOVERNOR] >= 0:
        if a[GOVERNOR] == b[GOVERNOR]:
            p[22] = 1
        elif a[GOVERNOR] == b[HEAD_TOKEN]:
            p[22] = 2
        elif b[GOVERNOR] == a[HEAD_TOKEN]:
            p[22] = 3
    p[23] = (a[PERSON] * 4 + b[PERSON]) * 5 + speaker
