"""The tokens of a corpus as columns, and aggregates over spans of them.

The tokens of every document are followed by one empty word, which serves as the word before the first and after the
last. A function of a word is computed once for each distinct word.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from itertools import chain
from typing import TypeVar

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints, Places
from engine.features.linking.candidates import Candidates
from engine.features.linking.memory import View
from engine.features.linking.text.overlap import Surroundings
from engine.features.linking.text.words import COMMON

V = TypeVar("V", bound=Hashable)


def distinct(values: list[V]) -> tuple[list[V], Places]:
    """The distinct values, and the index of each value among them."""
    place: dict[V, int] = {}
    which = [place.setdefault(value, len(place)) for value in values]
    return list(place), np.array(which, dtype=np.intp)


class TokenColumns:
    """Tokens, and the spans of the candidates over them: span m is tokens [first[m], last[m])."""

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        sizes = [len(text) + 1 for text in candidates.tokens]
        self._begins: Ints = np.cumsum([0, *sizes], dtype=np.int64)
        begin = self._begins[candidates.document]
        self.first: Ints = begin + candidates.first
        self.last: Ints = begin + candidates.last
        self._outside: Ints = self._begins[candidates.document + 1] - 1

    @cached_property
    def _words(self) -> tuple[list[str], Places]:
        return distinct([word for text in self._candidates.tokens for word in (*text.words, "")])

    @cached_property
    def _lower(self) -> tuple[list[tuple[int, str]], Places]:
        """The distinct lower-case words, separate for texts that see different counts."""
        seen = zip(self._view_numbers, self._candidates.tokens, strict=True)
        return distinct([(view, word) for view, text in seen for word in (*text.lower, "")])

    @cached_property
    def views(self) -> list[View]:
        """The distinct views of the documents."""
        return list({id(view): view for view in self._candidates.views}.values())

    @cached_property
    def _view_numbers(self) -> list[int]:
        number = {id(view): i for i, view in enumerate(self.views)}
        return [number[id(view)] for view in self._candidates.views]

    def of_word(self, function: Callable[[str], object]) -> Flags:
        """The result of a yes-or-no function for each token as written."""
        words, which = self._words
        return np.array([bool(function(word)) for word in words], dtype=np.bool_)[which]

    def of_lower(self, function: Callable[[str], float]) -> Floats:
        """A number for each token in lower case."""
        words, which = self._lower
        return np.array([function(word) for _, word in words], dtype=np.float64)[which]

    def is_lower(self, words: frozenset[str] | tuple[str, ...]) -> Flags:
        """Whether each token in lower case is one of these."""
        own, which = self._lower
        return np.array([word in words for _, word in own], dtype=np.bool_)[which]

    def of_view(self, function: Callable[[View, str], float | tuple[float, ...]]) -> Floats:
        """A number, or several, for each token in lower case, by the counts that its text may see."""
        words, which = self._lower
        views = self.views
        return np.array([function(views[view], word) for view, word in words], dtype=np.float64)[which]

    def count(self, table: str) -> Floats:
        """The count of each lower-case token in a table of the memory."""
        if table not in self._counts:
            words, which = self._lower
            if len(self.views) == 1:
                found = self.views[0].counts(table, [word for _, word in words])
                self._counts[table] = np.array(found, dtype=np.float64)[which]
            else:
                self._counts[table] = self.of_view(lambda view, word: view.count(table, word))
        return self._counts[table]

    @cached_property
    def _counts(self) -> dict[str, Floats]:
        return {}

    @cached_property
    def surroundings(self) -> tuple[Surroundings, dict[str, int]]:
        """The spans among the numbered words of their texts, and the number of each word in lower case."""
        numbers: dict[str, int] = {}
        lower = chain.from_iterable((*text.lower, "") for text in self._candidates.tokens)
        word = np.array([numbers.setdefault(word, len(numbers)) for word in lower], dtype=np.int64)
        content = np.array([len(word) > 2 and word not in COMMON for word in numbers], dtype=np.bool_)
        document = self._candidates.document
        begin, end = self._begins[document], self._begins[document + 1]
        return Surroundings(word, content[word] & self.bounds, begin, end, self.first, self.last), numbers

    @cached_property
    def bounds(self) -> Flags:
        return np.array([bound for text in self._candidates.tokens for bound in (*text.bounds, False)], dtype=np.bool_)

    @cached_property
    def capital(self) -> Flags:
        """Whether the word begins with a capital."""
        return self.of_word(lambda word: word[:1].isupper())

    @cached_property
    def signs(self) -> Ints:
        """The code of the sign directly before a span; 0 for none."""
        texts = [text.signs for text in self._candidates.tokens]
        return np.array([ord(sign) if sign else 0 for signs in texts for sign in (*signs, "")], dtype=np.int64)[
            self.first
        ]

    @cached_property
    def neighbour(self) -> Ints:
        """The token before each span."""
        return np.where(self._candidates.first > 0, self.first - 1, self._outside)

    @cached_property
    def before(self) -> Ints:
        """The token before each span, ignoring the sign of a hashtag."""
        steps = np.where(self.signs != 0, 2, 1)
        return np.where(self._candidates.first >= steps, self.first - steps, self._outside)

    @property
    def after(self) -> Ints:
        """The token after each span."""
        return self.last

    @property
    def n_tokens(self) -> Ints:
        return self.last - self.first

    @cached_property
    def text_lengths(self) -> Ints:
        """The number of tokens in the text of each span."""
        return (np.diff(self._begins) - 1)[self._candidates.document]

    def total(self, tokens: Array) -> Floats:
        """The sum over the tokens of each span; of whole numbers, so that it is exact."""
        sums = _running(tokens)
        return sums[self.last] - sums[self.first]

    def any(self, tokens: Flags) -> Flags:
        return self.total(tokens) > 0

    def lowest(self, tokens: Array) -> Floats:
        """The minimum over the tokens of each span."""
        if not len(self.first):
            return np.zeros(0)
        lengths = self.n_tokens
        ends = np.cumsum(lengths)
        begins = ends - lengths
        inside = np.arange(int(ends[-1])) + np.repeat(self.first - begins, lengths)
        return np.minimum.reduceat(np.asarray(tokens, dtype=np.float64)[inside], begins)

    def total_of_text(self, tokens: Array) -> Floats:
        """The sum over all tokens of the text of each span."""
        sums = _running(tokens)
        return np.diff(sums[self._begins])[self._candidates.document]


def _running(tokens: Array) -> Floats:
    return np.concatenate([[0.0], np.cumsum(tokens, dtype=np.float64)])
