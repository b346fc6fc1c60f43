"""How many words of a title or a description occur in the text around a span."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from engine.arrays import Flags, Ints, Places, ShortInts, Singles
from engine.features.linking.text.titles import offsets_of
from engine.kernels import kernel


class Surroundings(NamedTuple):
    """Spans among the tokens of a corpus."""

    word: Ints
    """The number of each token's word in lower case."""
    content: Flags
    """Which tokens are content words that may begin or end a name."""
    begin: Ints
    """The text of each span is the tokens begin to end - 1 ..."""
    end: Ints
    first: Ints
    """... and the span itself is first to last - 1."""
    last: Ints


class Bags(NamedTuple):
    """Rows of words as numbers; a word may come twice."""

    word: Ints
    offsets: Ints

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], numbers: dict[str, int]) -> Bags:
        """`numbers` are those of the words so far; new words are added."""
        found = [numbers.setdefault(word, len(numbers)) for word in chain.from_iterable(rows)]
        return cls(np.array(found, dtype=np.int64), offsets_of(np.fromiter(map(len, rows), np.int64, len(rows))))


@kernel
def count_outside(near: Surroundings, span: ShortInts, bags: Bags, bag: Places, least: int) -> Singles:
    """For each pair of a span and a bag, the distinct words of the bag that are content words of the span's text and
    not in the span; 0 for bags of fewer than `least` distinct words."""
    result = np.zeros(len(span), dtype=np.float32)
    word, content, words, offsets = near.word, near.content, bags.word, bags.offsets
    for row in range(len(span)):
        of = span[row]
        low, high = offsets[bag[row]], offsets[bag[row] + 1]
        begin, end, first, last = near.begin[of], near.end[of], near.first[of], near.last[of]
        distinct, found = 0, 0
        for at in range(low, high):
            again = False
            for earlier in range(low, at):
                again |= words[earlier] == words[at]
            if again:
                continue
            distinct += 1
            occurs, inside = False, False
            for token in range(begin, end):
                if word[token] == words[at]:
                    occurs |= content[token]
                    inside |= first <= token < last
            found += occurs and not inside
        if distinct >= least:
            result[row] = found
    return result
