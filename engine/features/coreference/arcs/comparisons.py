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
from engine.features.coreference.arcs import pair_columns as at
from engine.features.coreference.attributes import MentionTable
from engine.kernels import inlined, kernel, part

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
    out: Ints = np.zeros((at.N_COMPARISONS, 1), dtype=np.int64)
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


@inlined
def _steps(d: int) -> int:
    """A distance, graded into a few levels."""
    if d < 5:
        level = d
    elif d < 8:
        level = 5
    elif d < 12:
        level = 6
    elif d < 20:
        level = 7
    elif d < 40:
        level = 8
    else:
        level = 9 if d < 80 else 10
    return level


@inlined
def _agreement(x: int, y: int) -> int:
    """0 unknown, 1 agree, 2 clash."""
    return ((x != 0) & (y != 0)) * (1 + (x != y))


@kernel
def compare(mentions: Mentions, shared: Ints, flags: Bytes, j: int, antecedents: ShortInts, out: Ints) -> None:
    """Comparisons of mention j (from 0) with each of its candidate antecedents (from 1, in order), a column each."""
    _count_between(mentions.columns, flags, j, antecedents, out)
    _compare_places(mentions.columns, j, antecedents, out)
    _compare_words(mentions.columns, mentions.offsets, shared, j, antecedents, out)
    _compare_natures(mentions.columns, j, antecedents, out)
    _compare_speech(mentions.columns, j, antecedents, out)


@part
def _count_between(columns: ShortInts, flags: Bytes, j: int, antecedents: ShortInts, out: Ints) -> None:
    """Ranks: the mentions in between that agree, that have the head, and that are subjects. The nearest antecedents
    come first, so that mentions in between are counted once."""
    head, lemma, end, subject = columns[of.HEAD], columns[of.LEMMA], columns[of.END], columns[of.SUBJECT]
    own_head, own_lemma, start = head[j], lemma[j], columns[of.START, j]
    agreeing, same_head, subjects = 0, 0, 0
    between = j - 1
    for row in range(len(antecedents) - 1, -1, -1):
        i = antecedents[row] - 1
        while between > i:
            agreeing += (flags[between] & CLASH_AGREEMENT == 0) & (start >= end[between])
            same_head += (head[between] == own_head) | (lemma[between] == own_lemma)
            subjects += subject[between]
            between -= 1
        out[at.RANK, row] = agreeing if agreeing < 4 else (4 if agreeing < 8 else 5)
        out[at.SAME_HEAD_RANK, row] = min(same_head, 2)
        out[at.SUBJECT_RANK, row] = min(subjects, 3)


@part
def _compare_places(columns: ShortInts, j: int, antecedents: ShortInts, out: Ints) -> None:
    """Distances, nesting, and arguments of the same word."""
    sentence, starts, ends = columns[of.SENTENCE], columns[of.START], columns[of.END]
    governor, head_token = columns[of.GOVERNOR], columns[of.HEAD_TOKEN]
    own_sentence, start, end = sentence[j], starts[j], ends[j]
    own_governor, own_head = governor[j], head_token[j]
    for row in range(len(antecedents)):
        i = antecedents[row] - 1
        sentences = own_sentence - sentence[i]
        out[at.SENTENCES, row] = _steps(sentences)
        out[at.MENTIONS, row] = _steps(j - i)
        out[at.NEAR, row] = sentences if sentences < 3 else (3 if sentences < 6 else 4)
        follows = (sentences == 0) & (start >= ends[i])
        out[at.TOKENS, row] = _steps((start - ends[i]) // 2 + 1) if follows else 11
        # 0 apart, 1 the anaphor inside the antecedent, 2 they overlap.
        inside = (start >= starts[i]) & (end <= ends[i])
        out[at.NESTING, row] = 1 if inside else 2 * (start < ends[i])
        # In one sentence: 1 both depend on the same word, 2 the anaphor on the antecedent, 3 the other way round.
        depends = 0
        if sentences == 0 and own_governor >= 0:
            if own_governor == governor[i]:
                depends = 1
            elif own_governor == head_token[i]:
                depends = 2
            elif governor[i] == own_head:
                depends = 3
        out[at.ARGUMENTS, row] = depends


@part
def _compare_words(columns: ShortInts, offsets: Ints, shared: Ints, j: int, antecedents: ShortInts, out: Ints) -> None:
    """Strings, heads, content words, names and modifiers."""
    string, head, lemma, type_ = columns[of.STRING], columns[of.HEAD], columns[of.LEMMA], columns[of.TYPE]
    first_name, initials, modifier = columns[of.FIRST_NAME], columns[of.INITIALS], columns[of.MODIFIER]
    own_string, own_head, own_lemma, own_type = string[j], head[j], lemma[j], type_[j]
    own_first, own_initials, own_modifier = first_name[j], initials[j], modifier[j]
    n_words = offsets[j + 1] - offsets[j]
    for row in range(len(antecedents)):
        i = antecedents[row] - 1
        strings = 1 * (own_string == string[i])
        heads = 2 if own_head == head[i] else 1 * (own_lemma == lemma[i])
        # Content words in common: 0 none, 1 some, 2 all of the anaphor's, 3 all of the antecedent's, 4 the same.
        all_own, all_other = shared[i] == n_words, shared[i] == offsets[i + 1] - offsets[i]
        words = (shared[i] != 0) * (1 + all_own + 2 * all_other)
        # 0 unlike, 1 same first name, 2 same last name, 3 the initials of the other.
        own_name, other_name = own_type == of.NAME, type_[i] == of.NAME
        names = 3 * ((own_name | other_name) & (heads == 0) & (own_initials == initials[i]))
        if own_name & other_name:
            if own_head == head[i]:
                names = 2
            elif own_first == first_name[i]:
                names = 1
        # 0 neither has one, 1 the same, 2 only the anaphor, 3 only the antecedent, 4 different ones.
        modifiers = 4
        if own_modifier == modifier[i]:
            modifiers = 1 * (own_modifier != 0)
        elif modifier[i] == 0:
            modifiers = 2
        elif own_modifier == 0:
            modifiers = 3
        out[at.STRING, row], out[at.HEADS, row], out[at.WORDS, row] = strings, heads, words
        out[at.MATCH, row] = strings * 15 + heads * 5 + words
        out[at.NAMES, row], out[at.MODIFIERS, row] = names, modifiers


@part
def _compare_natures(columns: ShortInts, j: int, antecedents: ShortInts, out: Ints) -> None:
    """Agreement in gender, number, animacy and entity type."""
    gender, number = columns[of.GENDER], columns[of.NUMBER]
    animacy, entity = columns[of.ANIMACY], columns[of.ENTITY]
    own_gender, own_number, own_animacy, own_entity = gender[j], number[j], animacy[j], entity[j]
    for row in range(len(antecedents)):
        i = antecedents[row] - 1
        genders, numbers = _agreement(own_gender, gender[i]), _agreement(own_number, number[i])
        animacies = _agreement(own_animacy, animacy[i])
        out[at.GENDER, row], out[at.NUMBER, row], out[at.ANIMACY, row] = genders, numbers, animacies
        out[at.AGREEMENT, row] = genders * 9 + numbers * 3 + animacies
        out[at.ENTITY, row] = _agreement(own_entity, entity[i])


@part
def _compare_speech(columns: ShortInts, j: int, antecedents: ShortInts, out: Ints) -> None:
    """Speakers, quotations and grammatical persons."""
    speaker, turn, quote, said_by = columns[of.SPEAKER], columns[of.TURN], columns[of.QUOTE], columns[of.SAID_BY]
    starts, ends, person = columns[of.START], columns[of.END], columns[of.PERSON]
    own_speaker, own_turn, own_quote, own_said_by = speaker[j], turn[j], quote[j], said_by[j]
    start, end, own_person = starts[j], ends[j], person[j]
    for row in range(len(antecedents)):
        i = antecedents[row] - 1
        # 0 unknown, 1 same turn, 2 same speaker, 3 the turn before, 4 another speaker.
        speakers = 0
        if own_speaker != 0 and speaker[i] != 0:
            if own_speaker == speaker[i]:
                speakers = 1 if own_turn == turn[i] else 2
            else:
                speakers = 3 if own_turn - turn[i] == 1 else 4
        # 0 both outside, 1 in the same quotation, 2 in different ones, 3 only the anaphor in one, 4 only the other.
        quotes = 2
        if own_quote == quote[i]:
            quotes = 1 * (own_quote != 0)
        elif own_quote == 0:
            quotes = 4
        elif quote[i] == 0:
            quotes = 3
        # 0 no, 1 the antecedent says the quotation around the anaphor, 2 the other way round.
        said = 0
        if own_quote != quote[i]:
            if own_quote != 0 and starts[i] <= own_said_by < ends[i]:
                said = 1
            elif quote[i] != 0 and start <= said_by[i] < end:
                said = 2
        out[at.SPEAKER, row], out[at.QUOTES, row], out[at.SAID, row] = speakers, quotes, said
        out[at.PERSONS, row] = (own_person * 4 + person[i]) * 5 + speakers
