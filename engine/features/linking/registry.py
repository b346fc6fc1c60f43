"""Features are functions with a name and a sentence; this is the list of them, in the order of the columns.

A mention feature looks at one span of one text and holds for all its entities; a row feature answers for all rows of
the corpus at once. The sentence that the app shows is the function's doc string.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeVar

import numpy as np

from engine.arrays import Array, Flags, Floats, Places, Singles
from engine.features.linking.candidates import Candidates
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import View
from engine.features.linking.tokens import Tokens
from engine.features.linking.words import COMMON

V = TypeVar("V", bound=Hashable)


@dataclass(frozen=True)
class MentionView:
    """One proposed span in its text."""

    text: Tokens
    first: int
    last: int
    key: str
    view: View
    inventory: Inventory

    @cached_property
    def words(self) -> tuple[str, ...]:
        return self.text.words[self.first : self.last]

    @cached_property
    def lower(self) -> tuple[str, ...]:
        return self.text.lower[self.first : self.last]

    @property
    def sign(self) -> str:
        return self.text.signs[self.first]

    def before(self, steps: int = 1) -> str:
        """The lower-case word so many tokens before the span, the sign of a hashtag not counted."""
        place = self.first - steps - (1 if self.sign else 0)
        return self.text.lower[place] if place >= 0 else ""

    def after(self, steps: int = 1) -> str:
        place = self.last - 1 + steps
        return self.text.lower[place] if place < len(self.text) else ""


class CandidateTable:
    """The candidates of a corpus with what row features share."""

    def __init__(self, candidates: Candidates, inventory: Inventory) -> None:
        self.candidates = candidates
        self.inventory = inventory
        self.mention = candidates.mention
        self.known: Flags = candidates.entity < candidates.n_known
        # Guessed titles borrow entity 0 and are masked wherever an entity's own figures are read.
        self.number = np.where(self.known, candidates.entity, 0)

    @cached_property
    def mentions(self) -> list[MentionView]:
        c = self.candidates
        return [
            MentionView(c.tokens[d], int(first), int(last), key, c.views[d], self.inventory)
            for d, first, last, key in zip(c.document, c.first, c.last, c.keys, strict=True)
        ]

    @cached_property
    def titles(self) -> list[str]:
        """The title of every row."""
        c = self.candidates
        names = {int(e): self.inventory.entities.title(int(e)) for e in np.unique(c.entity[self.known])}
        return [names[e] if e < c.n_known else c.guessed[e - c.n_known] for e in c.entity.tolist()]

    @cached_property
    def distinct_titles(self) -> tuple[list[str], Places]:
        """Every title once, and for every row which of them it has."""
        return _distinct(self.titles)

    @cached_property
    def distinct_pairs(self) -> tuple[list[tuple[str, str]], Places]:
        """Every pair of n-gram and title once, and for every row which of them it is."""
        keys = self.candidates.keys
        return _distinct([(keys[m], title) for m, title in zip(self.mention.tolist(), self.titles, strict=True)])

    @cached_property
    def contexts(self) -> list[frozenset[str]]:
        """Content words of every document."""
        return [
            frozenset(w for w, ok in zip(text.lower, text.bounds, strict=True) if ok and len(w) > 2 and w not in COMMON)
            for text in self.candidates.tokens
        ]

    @cached_property
    def outside(self) -> list[frozenset[str]]:
        """Content words of the text around every mention."""
        documents = self.candidates.document.tolist()
        return [self.contexts[d].difference(m.lower) for d, m in zip(documents, self.mentions, strict=True)]

    @cached_property
    def tweet_links(self) -> Singles:
        """How often tweets link to the row's entity, the text at hand left out."""
        own = np.where(self.known, self.inventory.own_count[self.number], 0.0)
        return (own + self._remembered()).astype(np.float32)

    def _remembered(self) -> Floats:
        c = self.candidates
        if all(view is c.views[0] for view in c.views[1:]):
            titles, which = self.distinct_titles
            counts = [c.views[0].count("entities", title) for title in titles]
            return np.array(counts, dtype=np.float64)[which]
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


def _distinct(values: list[V]) -> tuple[list[V], Places]:
    """The values without repetition, and where among these each of them stands."""
    place: dict[V, int] = {}
    which = [place.setdefault(value, len(place)) for value in values]
    return list(place), np.array(which, dtype=np.intp)


MentionFunction = Callable[[MentionView], float]
RowFunction = Callable[[CandidateTable], Array]


@dataclass(frozen=True)
class Feature:
    name: str
    group: str
    help: str
    level: Literal["mention", "row"]
    function: MentionFunction | RowFunction


FEATURES: Final[list[Feature]] = []


def mention_feature(group: str) -> Callable[[MentionFunction], MentionFunction]:
    """Register a function of one span."""

    def register(function: MentionFunction) -> MentionFunction:
        FEATURES.append(_described(function, group, "mention"))
        return function

    return register


def row_feature(group: str) -> Callable[[RowFunction], RowFunction]:
    """Register a function of all rows."""

    def register(function: RowFunction) -> RowFunction:
        FEATURES.append(_described(function, group, "row"))
        return function

    return register


def _described(function: Callable[..., object], group: str, level: Literal["mention", "row"]) -> Feature:
    if not function.__doc__:
        raise ValueError(f"feature {function.__name__} has no doc string")
    help = " ".join(function.__doc__.split())
    return Feature(function.__name__, group, help, level, function)  # type: ignore[arg-type]


def matrix(table: CandidateTable, features: list[Feature]) -> Singles:
    """One row per candidate entity, one column per feature."""
    result = np.zeros((table.candidates.n_rows, len(features)), dtype=np.float32)
    for column, feature in enumerate(features):
        if feature.level == "row":
            result[:, column] = feature.function(table)  # type: ignore[arg-type]
        else:
            function = feature.function
            values = np.array([function(m) for m in table.mentions], dtype=np.float32)  # type: ignore
            result[:, column] = values[table.mention]
    return result
