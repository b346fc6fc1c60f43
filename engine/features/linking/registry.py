"""The registry of features: functions with a name and a sentence, in column order.

Every feature is computed for a whole corpus at once: a mention feature for each span, with the same value for all its
entities; a row feature for every entity of every span. The sentence that the app shows is the function's docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, wraps
from typing import Any, Final, Literal, TypeVar

import numpy as np

from engine.arrays import Array, Flags, Floats, Places, ShortInts, Singles
from engine.features.linking.candidates import Candidates
from engine.features.linking.inventory import Inventory
from engine.features.linking.text.overlap import Bags, count_outside
from engine.features.linking.text.titles import Titles
from engine.features.linking.text.token_columns import TokenColumns, distinct
from engine.features.linking.text.tokens import Tokens
from engine.features.linking.text.words import COMMON

V = TypeVar("V")


class CandidateTable:
    """The candidates of a corpus, with values that several features share."""

    def __init__(self, candidates: Candidates, inventory: Inventory) -> None:
        self.candidates = candidates
        self.inventory = inventory
        self.mention = candidates.mention
        self.known: Flags = candidates.entity < candidates.n_known
        # Guessed titles use entity 0 as a placeholder and are masked wherever an entity's own figures are read.
        self.number = np.where(self.known, candidates.entity, 0)

        self.made: dict[str, Any] = {}

    @cached_property
    def spans(self) -> TokenColumns:
        """The tokens of all texts and the mentions over them."""
        return TokenColumns(self.candidates)

    @cached_property
    def texts(self) -> list[str]:
        """The text of every mention."""
        texts = [text.text for text in self.candidates.tokens]
        return [texts[d] for d in self.candidates.document.tolist()]

    @cached_property
    def starts(self) -> list[int]:
        """The start of every mention in its text."""
        c = self.candidates
        return [c.tokens[d].starts[i] for d, i in zip(c.document.tolist(), c.first.tolist(), strict=True)]

    @cached_property
    def ends(self) -> list[int]:
        c = self.candidates
        return [c.tokens[d].ends[i - 1] for d, i in zip(c.document.tolist(), c.last.tolist(), strict=True)]

    def of_text(self, function: Callable[[Tokens], float]) -> Floats:
        """A number of the text of every mention."""
        return np.array([function(text) for text in self.candidates.tokens], dtype=np.float64)[self.candidates.document]

    @cached_property
    def titles(self) -> list[str]:
        """The title of every row."""
        titles = self.distinct_titles.written
        return [titles[i] for i in self.title.tolist()]

    @cached_property
    def distinct_titles(self) -> Titles:
        """The titles of the distinct entities. A title comes twice if it is both an entity and a guess."""
        c = self.candidates
        title = self.inventory.entities.title
        return Titles([title(e) if e < c.n_known else c.guessed[e - c.n_known] for e in self.entities.tolist()])

    @property
    def entities(self) -> ShortInts:
        """The distinct entities."""
        return self._entities[0]

    @property
    def title(self) -> Places:
        """The place of every row's entity among the distinct ones."""
        return self._entities[1]

    @cached_property
    def _entities(self) -> tuple[ShortInts, Places]:
        numbers, which = np.unique(self.candidates.entity, return_inverse=True)
        return numbers, which

    @cached_property
    def distinct_keys(self) -> tuple[list[str], Places]:
        """The distinct n-grams, and the place of every row's n-gram among them."""
        keys, key = distinct(self.candidates.keys)
        return keys, key[self.mention]

    @cached_property
    def contexts(self) -> list[frozenset[str]]:
        """Content words of every document."""
        return [
            frozenset(w for w, ok in zip(text.lower, text.bounds, strict=True) if ok and len(w) > 2 and w not in COMMON)
            for text in self.candidates.tokens
        ]

    def shared_words(self, bags: Sequence[Sequence[str]], rows: Places, bag: Places, *, least: int = 1) -> Singles:
        """For each of these rows, the distinct words of its bag that are content words of the text around its span;
        0 for bags of fewer than `least` distinct words."""
        near, numbers = self.spans.surroundings
        return count_outside(near, self.mention[rows], Bags.of(bags, dict(numbers)), bag, least)

    @cached_property
    def tweet_links(self) -> Singles:
        """How often tweets link to the row's entity, excluding the present text."""
        own = np.where(self.known, self.inventory.own_count[self.number], 0.0)
        return (own + self._remembered()).astype(np.float32)

    def _remembered(self) -> Floats:
        c = self.candidates
        if all(view is c.views[0] for view in c.views[1:]):
            counts = c.views[0].counts("entities", self.distinct_titles.written) if c.views else ()
            return np.array(counts, dtype=np.float64)[self.title]
        views = [c.views[d] for d in c.document[self.mention]]
        pairs = zip(views, self.titles, strict=True)
        return np.fromiter((view.count("entities", title) for view, title in pairs), np.float64, c.n_rows)

    def of_entity(self, values: Array) -> Singles:
        """An entity's figure on each row, 0 for guessed titles."""
        return np.where(self.known, np.asarray(values)[self.number], 0).astype(np.float32)

    def sum_by_mention(self, rows: Array) -> Floats:
        weights = np.asarray(rows, dtype=np.float64)
        return np.bincount(self.mention, weights, self.candidates.n_mentions).astype(np.float64)

    def max_by_mention(self, rows: Array) -> Floats:
        if not self.candidates.n_rows:
            return np.zeros(0)
        return np.maximum.reduceat(np.asarray(rows, dtype=np.float64), self.candidates.offsets[:-1])


TableFunction = Callable[[CandidateTable], Array]


def once(function: Callable[[CandidateTable], V]) -> Callable[[CandidateTable], V]:
    """The function, cached per table, because other features use it too."""

    @wraps(function)
    def kept(table: CandidateTable) -> V:
        name = f"{function.__module__}.{function.__qualname__}"
        if name not in table.made:
            table.made[name] = function(table)
        found: V = table.made[name]
        return found

    return kept


@dataclass(frozen=True)
class Feature:
    name: str
    group: str
    help: str
    level: Literal["mention", "row"]
    function: TableFunction


FEATURES: Final[list[Feature]] = []


def mention_feature(group: str) -> Callable[[TableFunction], TableFunction]:
    """Register a function of all spans."""
    return partial(_register, group, "mention")


def row_feature(group: str) -> Callable[[TableFunction], TableFunction]:
    """Register a function of all rows."""
    return partial(_register, group, "row")


def _register(group: str, level: Literal["mention", "row"], function: TableFunction) -> TableFunction:
    if not function.__doc__:
        raise ValueError(f"feature {function.__name__} has no doc string")
    FEATURES.append(Feature(function.__name__, group, " ".join(function.__doc__.split()), level, function))
    return function


def matrix(table: CandidateTable, features: list[Feature]) -> Singles:
    """One row per candidate entity, one column per feature."""
    columns = np.zeros((len(features), table.candidates.n_rows), dtype=np.float32)
    for column, feature in zip(columns, features, strict=True):
        values = np.asarray(feature.function(table), dtype=np.float32)
        column[:] = values if feature.level == "row" else values[table.mention]
    return np.ascontiguousarray(columns.T)
