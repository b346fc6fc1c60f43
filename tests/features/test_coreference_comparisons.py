"""Comparisons of a mention with all its antecedents at once are those of each pair by itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.features.coreference import mention_columns as of
from engine.features.coreference.arcs import pair_columns as at
from engine.features.coreference.arcs.comparisons import Mentions, compare, count_shared, flag_pairs


@st.composite
def mentions(draw) -> Mentions:
    """Mentions with few different values, so that many agree; some inside others; in the order of their starts."""
    n = draw(st.integers(2, 7))
    columns = np.array([[draw(st.integers(0, 2)) for _ in range(n)] for _ in of.NUMERIC], dtype=np.int32)
    for row in (of.GOVERNOR, of.SAID_BY, of.HEAD_TOKEN):
        columns[row] = [draw(st.integers(-1, 12)) for _ in range(n)]
    columns[of.START] = sorted(draw(st.integers(0, 12)) for _ in range(n))
    columns[of.END] = columns[of.START] + [draw(st.integers(1, 6)) for _ in range(n)]
    columns[of.SENTENCE] = np.cumsum([draw(st.sampled_from((0, 0, 1, 3, 50))) for _ in range(n)])
    words = [sorted(draw(st.sets(st.integers(0, 3)))) for _ in range(n)]
    holders = [[i for i in range(n) if word in words[i]] for word in range(4)]

    def flat(rows):
        return np.array([one for row in rows for one in row], dtype=np.int64), np.cumsum([0, *map(len, rows)])

    return Mentions(columns, *flat(words), *flat(holders))


@given(mentions=mentions(), data=st.data())
def test_comparisons_at_once_are_those_of_single_pairs(mentions, data):
    n = mentions.columns.shape[1]
    j = data.draw(st.integers(1, n - 1))
    antecedents = sorted(data.draw(st.sets(st.integers(1, j), min_size=1)))
    shared, flags = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.uint8)
    out = np.zeros((at.N_COMPARISONS, len(antecedents)), dtype=np.int64)
    count_shared(mentions, j, shared)
    flag_pairs(mentions, shared, j, flags[:j])
    compare(mentions, shared, flags[:j], j, np.array(antecedents, dtype=np.int32), out)
    for row, antecedent in enumerate(antecedents):
        expected = compare_pair(mentions, int(shared[antecedent - 1]), j, antecedent - 1)
        assert {column: int(out[column, row]) for column in expected} == expected


def steps(d: int) -> int:
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


def agreement(x: int, y: int) -> int:
    """0 unknown, 1 agree, 2 clash."""
    if x == 0 or y == 0:
        return 0
    return 1 if x == y else 2


def compare_pair(mentions: Mentions, shared: int, j: int, i: int) -> dict[int, int]:
    """All comparisons of anaphor j and antecedent i that depend on these two alone: all but the ranks."""
    a, b = mentions.columns[:, j].tolist(), mentions.columns[:, i].tolist()
    p: dict[int, int] = {}
    sentences = a[of.SENTENCE] - b[of.SENTENCE]
    p[at.SENTENCES] = steps(sentences)
    p[at.MENTIONS] = steps(j - i)
    p[at.NEAR] = sentences if sentences < 3 else (3 if sentences < 6 else 4)
    follows = sentences == 0 and a[of.START] >= b[of.END]
    p[at.TOKENS] = steps((a[of.START] - b[of.END]) // 2 + 1) if follows else 11
    offsets = mentions.offsets
    p[at.STRING] = 1 if a[of.STRING] == b[of.STRING] else 0
    p[at.HEADS] = 2 if a[of.HEAD] == b[of.HEAD] else (1 if a[of.LEMMA] == b[of.LEMMA] else 0)
    p[at.WORDS] = overlap(shared, offsets[j + 1] - offsets[j], offsets[i + 1] - offsets[i])
    p[at.MATCH] = p[at.STRING] * 15 + p[at.HEADS] * 5 + p[at.WORDS]
    p[at.NAMES] = names(a, b, p[at.HEADS])
    p[at.MODIFIERS] = modifiers(a[of.MODIFIER], b[of.MODIFIER])
    p[at.NESTING] = nesting(a, b)
    p[at.SPEAKER] = speakers(a, b)
    p[at.GENDER] = agreement(a[of.GENDER], b[of.GENDER])
    p[at.NUMBER] = agreement(a[of.NUMBER], b[of.NUMBER])
    p[at.ANIMACY] = agreement(a[of.ANIMACY], b[of.ANIMACY])
    p[at.AGREEMENT] = p[at.GENDER] * 9 + p[at.NUMBER] * 3 + p[at.ANIMACY]
    p[at.ENTITY] = agreement(a[of.ENTITY], b[of.ENTITY])
    p[at.QUOTES] = quotes(a[of.QUOTE], b[of.QUOTE])
    p[at.SAID] = said(a, b)
    p[at.ARGUMENTS] = arguments(a, b) if sentences == 0 else 0
    p[at.PERSONS] = (a[of.PERSON] * 4 + b[of.PERSON]) * 5 + p[at.SPEAKER]
    return p


def overlap(shared: int, words_of_a: int, words_of_b: int) -> int:
    """Content words in common: 0 none, 1 some, 2 all of the anaphor's, 3 all of the antecedent's, 4 the same."""
    if shared == 0:
        return 0
    if shared == words_of_a:
        return 4 if shared == words_of_b else 2
    return 3 if shared == words_of_b else 1


def names(a: list[int], b: list[int], heads: int) -> int:
    """0 unlike, 1 same first name, 2 same last name, 3 the initials of the other."""
    if a[of.TYPE] == of.NAME and b[of.TYPE] == of.NAME:
        if a[of.HEAD] == b[of.HEAD]:
            return 2
        if a[of.FIRST_NAME] == b[of.FIRST_NAME]:
            return 1
    named = a[of.TYPE] == of.NAME or b[of.TYPE] == of.NAME
    return 3 if named and heads == 0 and a[of.INITIALS] == b[of.INITIALS] else 0


def modifiers(a: int, b: int) -> int:
    """0 neither has one, 1 the same, 2 only the anaphor, 3 only the antecedent, 4 different ones."""
    if a == b:
        return 0 if a == 0 else 1
    if b == 0:
        return 2
    return 3 if a == 0 else 4


def nesting(a: list[int], b: list[int]) -> int:
    """0 apart, 1 the anaphor inside the antecedent, 2 they overlap."""
    if a[of.START] >= b[of.START] and a[of.END] <= b[of.END]:
        return 1
    return 2 if a[of.START] < b[of.END] else 0


def speakers(a: list[int], b: list[int]) -> int:
    """0 unknown, 1 same turn, 2 same speaker, 3 the turn before, 4 another speaker."""
    if a[of.SPEAKER] == 0 or b[of.SPEAKER] == 0:
        return 0
    if a[of.SPEAKER] == b[of.SPEAKER]:
        return 1 if a[of.TURN] == b[of.TURN] else 2
    return 3 if a[of.TURN] - b[of.TURN] == 1 else 4


def quotes(a: int, b: int) -> int:
    """0 both outside, 1 in the same quotation, 2 in different ones, 3 only the anaphor in one, 4 only the other."""
    if a == b:
        return 0 if a == 0 else 1
    if a == 0:
        return 4
    return 3 if b == 0 else 2


def said(a: list[int], b: list[int]) -> int:
    """0 no, 1 the antecedent says the quotation around the anaphor, 2 the other way round."""
    if a[of.QUOTE] == b[of.QUOTE]:
        return 0
    if a[of.QUOTE] and b[of.START] <= a[of.SAID_BY] < b[of.END]:
        return 1
    return 2 if b[of.QUOTE] and a[of.START] <= b[of.SAID_BY] < a[of.END] else 0


def arguments(a: list[int], b: list[int]) -> int:
    """In one sentence: 1 both depend on the same word, 2 the anaphor on the antecedent, 3 the other way round."""
    if a[of.GOVERNOR] < 0:
        return 0
    if a[of.GOVERNOR] == b[of.GOVERNOR]:
        return 1
    if a[of.GOVERNOR] == b[of.HEAD_TOKEN]:
        return 2
    return 3 if b[of.GOVERNOR] == a[of.HEAD_TOKEN] else 0
