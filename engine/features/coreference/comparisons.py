"""Comparisons of two mentions, by compiled kernels: distance, matches, agreement, speakers, ranks.

Their columns are those of `pair_columns`. Non-local features need only a few flags of a pair, which are computed for
any two mentions; everything else is computed only for candidate antecedents, a small part of the pairs of a long
document.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Bytes, Ints, ShortInts
from engine.features.coreference import mention_columns as of
from engine.features.coreference import pair_columns as at
from engine.features.coreference.attributes import MentionTable
from engine.kernels import kernel

# The flags of a pair that non-local features need, as bits.
MATCH_STRING, MATCH_HEAD, MATCH_NAME, MATCH_WORDS = 1, 2, 4, 8
CLASH_AGREEMENT, CLASH_NESTING, CLASH_SPEAKER, CLASH_ENTITY = 16, 32, 64, 128


class Mentions(NamedTuple):
    """The mentions of a document (from 0) in the form that the kernels read."""

    columns: ShortInts
    """One row per name of `mention_columns.NUMERIC`, one column per mention, so that loops over mentions read adjacent
    memory."""
    words: Ints
    """The distinct content words of mention i are words[offsets[i]:offsets[i + 1]]."""
    offsets: Ints
    holders: Ints
    """The mentions that contain word w, in order, are holders[holder_offsets[w]:holder_offsets[w + 1]]."""
    holder_offsets: Ints


def mentions_of(table: MentionTable) -> Mentions:
    columns = np.empty((len(of.NUMERIC), table.n), dtype=np.int32)
    for row, name in enumerate(of.NUMERIC):
        columns[row] = table.numeric[name]
    by_word = np.argsort(table.words, kind="stable")
    holders = np.repeat(np.arange(table.n), np.diff(table.word_offsets))[by_word]
    holder_offsets = np.concatenate([[0], np.cumsum(np.bincount(table.words))])
    return Mentions(columns, table.words, table.word_offsets, holders, holder_offsets)


def comparisons(table: MentionTable, antecedent: int, anaphor: int) -> Ints:
    """The comparison values of one pair (mentions from 1)."""
    mentions, j = mentions_of(table), anaphor - 1
    shared, flags = np.zeros(anaphor, dtype=np.int64), np.zeros(anaphor, dtype=np.uint8)
    out: Ints = np.zeros((1, at.N_COMPARISONS), dtype=np.int64)
    count_shared(mentions, j, shared)
    flag_pairs(mentions, shared, j, flags)
    compare(mentions, shared, flags, j, np.array([antecedent], dtype=np.int32), out)
    return out.reshape(-1)


@kernel
def count_shared(mentions: Mentions, j: int, out: Ints) -> None:
    """Number of content words that mention j shares with every i < j."""
    out[:j] = 0
    for place in range(mentions.offsets[j], mentions.offsets[j + 1]):
        word = mentions.words[place]
        for k in range(mentions.holder_offsets[word], mentions.holder_offsets[word + 1]):
            i = mentions.holders[k]
            if i >= j:
                break
            out[i] += 1


@kernel
def flag_pairs(mentions: Mentions, shared: Ints, j: int, out: Bytes) -> None:
    """Matches and clashes of mention j with every i < j, without branches so that the loop can be vectorised."""
    columns, offsets = mentions.columns, mentions.offsets
    type_, head, lemma, string = columns[of.TYPE], columns[of.HEAD], columns[of.LEMMA], columns[of.STRING]
    first_name, initials, entity = columns[of.FIRST_NAME], columns[of.INITIALS], columns[of.ENTITY]
    gender, number, animacy = columns[of.GENDER], columns[of.NUMBER], columns[of.ANIMACY]
    person, speaker, start, end = columns[of.PERSON], columns[of.SPEAKER], columns[of.START], columns[of.END]
    n_words = offsets[j + 1] - offsets[j]
    takes_part = person[j] == 1 or person[j] == 2
    for i in range(j):
        heads = (head[i] == head[j]) | (lemma[i] == lemma[j])
        full = (shared[i] > 0) & ((shared[i] == n_words) | (shared[i] == offsets[i + 1] - offsets[i]))
        both_named = (type_[i] == of.NAME) & (type_[j] == of.NAME)
        named = both_named & ((head[i] == head[j]) | (first_name[i] == first_name[j]))
        short = ((type_[i] == of.NAME) | (type_[j] == of.NAME)) & (initials[i] == initials[j]) & (not heads)
        clash = (
            ((gender[i] != gender[j]) & (gender[i] > 0) & (gender[j] > 0))
            | ((number[i] != number[j]) & (number[i] > 0) & (number[j] > 0))
            | ((animacy[i] != animacy[j]) & (animacy[i] > 0) & (animacy[j] > 0))
        )
        # For I and you: the same person means the same speaker, another person another speaker.
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


@kernel
def _steps(d: int) -> int:
    """A distance, graded into a few levels."""
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


@kernel
def _agreement(x: int, y: int) -> int:
    """0 unknown, 1 agree, 2 clash."""
    if x == 0 or y == 0:
        return 0
    return 1 if x == y else 2


@kernel
def compare(mentions: Mentions, shared: Ints, flags: Bytes, j: int, antecedents: ShortInts, out: Ints) -> None:
    """Comparisons of mention j (from 0) with each of its candidate antecedents (from 1, in order), a row each.

    The nearest come first, so that mentions in between can be counted.
    """
    columns = mentions.columns
    head, lemma = columns[of.HEAD], columns[of.LEMMA]
    agreeing, same_head, subjects = 0, 0, 0
    between = j - 1
    for row in range(len(antecedents) - 1, -1, -1):
        i = antecedents[row] - 1
        while between > i:
            if not flags[between] & CLASH_AGREEMENT and columns[of.START, j] >= columns[of.END, between]:
                agreeing += 1
            if head[between] == head[j] or lemma[between] == lemma[j]:
                same_head += 1
            subjects += columns[of.SUBJECT, between]
            between -= 1
        p = out[row]
        _compare_pair(mentions, shared[i], j, i, p)
        p[at.RANK] = agreeing if agreeing < 4 else (4 if agreeing < 8 else 5)
        p[at.SAME_HEAD_RANK] = min(same_head, 2)
        p[at.SUBJECT_RANK] = min(subjects, 3)


@kernel
def _compare_pair(mentions: Mentions, shared: int, j: int, i: int, p: Ints) -> None:
    """All comparisons that depend only on the two mentions, anaphor j and antecedent i; that is, all but the ranks."""
    a, b = mentions.columns[:, j], mentions.columns[:, i]
    sentences = a[of.SENTENCE] - b[of.SENTENCE]
    p[at.SENTENCES] = _steps(sentences)
    p[at.MENTIONS] = _steps(j - i)
    p[at.NEAR] = sentences if sentences < 3 else (3 if sentences < 6 else 4)
    follows = sentences == 0 and a[of.START] >= b[of.END]
    p[at.TOKENS] = _steps((a[of.START] - b[of.END]) // 2 + 1) if follows else 11
    offsets = mentions.offsets
    p[at.STRING] = 1 if a[of.STRING] == b[of.STRING] else 0
    p[at.HEADS] = 2 if a[of.HEAD] == b[of.HEAD] else (1 if a[of.LEMMA] == b[of.LEMMA] else 0)
    p[at.WORDS] = _overlap(shared, offsets[j + 1] - offsets[j], offsets[i + 1] - offsets[i])
    p[at.MATCH] = p[at.STRING] * 15 + p[at.HEADS] * 5 + p[at.WORDS]
    p[at.NAMES] = _names(a, b, p[at.HEADS])
    p[at.MODIFIERS] = _modifiers(a[of.MODIFIER], b[of.MODIFIER])
    p[at.NESTING] = _nesting(a, b)
    p[at.SPEAKER] = _speakers(a, b)
    p[at.GENDER] = _agreement(a[of.GENDER], b[of.GENDER])
    p[at.NUMBER] = _agreement(a[of.NUMBER], b[of.NUMBER])
    p[at.ANIMACY] = _agreement(a[of.ANIMACY], b[of.ANIMACY])
    p[at.AGREEMENT] = p[at.GENDER] * 9 + p[at.NUMBER] * 3 + p[at.ANIMACY]
    p[at.ENTITY] = _agreement(a[of.ENTITY], b[of.ENTITY])
    p[at.QUOTES] = _quotes(a[of.QUOTE], b[of.QUOTE])
    p[at.SAID] = _said(a, b)
    p[at.ARGUMENTS] = _arguments(a, b) if sentences == 0 else 0
    p[at.PERSONS] = (a[of.PERSON] * 4 + b[of.PERSON]) * 5 + p[at.SPEAKER]


@kernel
def _overlap(shared: int, words_of_a: int, words_of_b: int) -> int:
    """Content words in common: 0 none, 1 some, 2 all of the anaphor's, 3 all of the antecedent's, 4 the same."""
    if shared == 0:
        return 0
    if shared == words_of_a:
        return 4 if shared == words_of_b else 2
    return 3 if shared == words_of_b else 1


@kernel
def _names(a: ShortInts, b: ShortInts, heads: int) -> int:
    """0 unlike, 1 same first name, 2 same last name, 3 the initials of the other."""
    if a[of.TYPE] == of.NAME and b[of.TYPE] == of.NAME:
        if a[of.HEAD] == b[of.HEAD]:
            return 2
        if a[of.FIRST_NAME] == b[of.FIRST_NAME]:
            return 1
    named = a[of.TYPE] == of.NAME or b[of.TYPE] == of.NAME
    return 3 if named and heads == 0 and a[of.INITIALS] == b[of.INITIALS] else 0


@kernel
def _modifiers(a: int, b: int) -> int:
    """0 neither has one, 1 the same, 2 only the anaphor, 3 only the antecedent, 4 different ones."""
    if a == b:
        return 0 if a == 0 else 1
    if b == 0:
        return 2
    return 3 if a == 0 else 4


@kernel
def _nesting(a: ShortInts, b: ShortInts) -> int:
    """0 apart, 1 the anaphor inside the antecedent, 2 they overlap."""
    if a[of.START] >= b[of.START] and a[of.END] <= b[of.END]:
        return 1
    return 2 if a[of.START] < b[of.END] else 0


@kernel
def _speakers(a: ShortInts, b: ShortInts) -> int:
    """0 unknown, 1 same turn, 2 same speaker, 3 the turn before, 4 another speaker."""
    if a[of.SPEAKER] == 0 or b[of.SPEAKER] == 0:
        return 0
    if a[of.SPEAKER] == b[of.SPEAKER]:
        return 1 if a[of.TURN] == b[of.TURN] else 2
    return 3 if a[of.TURN] - b[of.TURN] == 1 else 4


@kernel
def _quotes(a: int, b: int) -> int:
    """0 both outside, 1 in the same quotation, 2 in different ones, 3 only the anaphor in one, 4 only the other."""
    if a == b:
        return 0 if a == 0 else 1
    if a == 0:
        return 4
    return 3 if b == 0 else 2


@kernel
def _said(a: ShortInts, b: ShortInts) -> int:
    """0 no, 1 the antecedent says the quotation around the anaphor, 2 the other way round."""
    if a[of.QUOTE] == b[of.QUOTE]:
        return 0
    if a[of.QUOTE] and b[of.START] <= a[of.SAID_BY] < b[of.END]:
        return 1
    return 2 if b[of.QUOTE] and a[of.START] <= b[of.SAID_BY] < a[of.END] else 0


@kernel
def _arguments(a: ShortInts, b: ShortInts) -> int:
    """In one sentence: 1 both depend on the same word, 2 the anaphor on the antecedent, 3 the other way round."""
    if a[of.GOVERNOR] < 0:
        return 0
    if a[of.GOVERNOR] == b[of.GOVERNOR]:
        return 1
    if a[of.GOVERNOR] == b[of.HEAD_TOKEN]:
        return 2
    return 3 if b[of.GOVERNOR] == a[of.HEAD_TOKEN] else 0
