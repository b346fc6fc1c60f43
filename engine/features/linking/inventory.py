"""A lexicon prepared for one training corpus: separates the counts that come from that corpus from all others.

`own_tags` name the sources that contain annotation of tweets like the training set. Their counts are kept separate from
all others; the training texts themselves are counted in a `Memory`, and their share in the lexicon is subtracted here
once, so that nothing is counted twice, and a text left out of the memory is left out completely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final

import numpy as np

from engine.arrays import Array, Flags, Floats, Ints
from engine.lexicon.lexicon import Lexicon
from engine.lexicon.surfaces import fold

SOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "annotated": (
        "wikipedia", "clueweb", "iitb", "msnbc", "ace", "aquaint", "hirmeos", "aida", "gum", "elevant", "shadowlinks",
    ),
    "alias": ("wikidata_alias",),
    "title": ("title",),
    "yago": ("yago310",),
    "ppr": ("ppr",),
    "pantheon": ("pantheon",),
    "list": ("fb:",),
    "folded": ("folded",),
    "questions": ("webq_smart",),
    "short": ("queries", "reddit"),
}  # fmt: skip
"""Families of sources, by the start of the tag; tags of no family count as `other`."""

SOURCE_NAMES: Final = (*SOURCES, "other", "tweets")

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "person": ("person.", "class.PER"),
    "location": ("location.", "class.GPE"),
    "organisation": (
        "class.ORG", "government.", "business.consumer_company", "venture_capital.", "cvg.cvg_developer",
        "business.sponsor", "music.group",
    ),
    "unknown_class": ("class.UNK",),
    "team": ("sports.sports_team",),
    "league": ("sports.sports_league",),
    "product": ("business.consumer_product", "automotive.", "cvg.cvg_platform"),
    "brand": ("business.brand",),
    "event": ("time.recurring_event", "base.events", "time.holiday"),
    "game": ("cvg.computer_videogame",),
    "programme": ("tv.tv_program",),
    "broadcaster": ("tv.tv_network", "broadcast."),
    "newspaper": ("book.newspaper",),
    "website": ("internet.website",),
    "university": ("education.",),
    "museum": ("architecture.",),
    "award": ("award.",),
    "character": ("fictional.", "character"),
    "entertainer": ("person.singer", "person.musician", "person.actor", "person.film", "person.comedian"),
    "athlete": ("person.soccer", "person.athlete", "person.basketball", "person.tennis", "person.american football"),
    "politician": ("person.politician",),
}  # fmt: skip
"""Families of entity types, by the start of the type's name."""

KEPT: Final = 1 << 15
"""Maximum number of cached look-ups."""


class Inventory:
    """A lexicon with its own tags kept separate. `linked` counts the links that the training corpus contributed to
    them."""

    def __init__(
        self, lexicon: Lexicon, own_tags: Sequence[str], linked: Mapping[tuple[str, str], int] | None = None
    ) -> None:
        self.lexicon = lexicon
        self.entities = lexicon.entities
        self.alias_matches = lru_cache(maxsize=KEPT)(lexicon.alias_matches)
        self.own_tags = tuple(own_tags)
        self.linked = dict(linked or {})
        own = frozenset(own_tags)
        self.is_own: Flags = np.array([own.issuperset(tags) for tags in lexicon.tagsets], dtype=np.bool_)
        self.source_bits: Ints = np.array([_bits(tags, own) for tags in lexicon.tagsets], dtype=np.int64)
        rows_own = self.is_own[lexicon.posting_tagsets]
        n = len(self.entities)
        entity = lexicon.posting_entities
        counts = np.asarray(lexicon.posting_counts, dtype=np.float64)
        self.other_count = np.bincount(entity, weights=np.where(rows_own, 0.0, counts), minlength=n)
        self.own_count = np.bincount(entity, weights=np.where(rows_own, counts, 0.0), minlength=n)
        self.n_surfaces = np.bincount(entity, weights=~rows_own, minlength=n)
        for (_, title), count in self.linked.items():
            number = self.entities.number(title)
            if number >= 0:
                self.own_count[number] = max(0.0, self.own_count[number] - count)

    @cached_property
    def supported(self) -> bytes:
        """For each entity 1 if some source or tweet names it, else 0; bytes are faster to read one by one than an
        array."""
        return ((self.n_surfaces > 0) | (self.own_count > 0)).astype(np.uint8).tobytes()

    @cached_property
    def renown(self) -> Floats:
        """How well known each entity is, by all evidence except tweets."""
        kb = self.entities
        return (
            np.log1p(self.other_count)
            + np.log1p(kb.in_count)
            + np.log1p(kb.views) / 4
            + np.asarray(kb.popularity, dtype=np.float64) / 4
            + np.log1p(self.n_surfaces) / 2
        )

    def prior(self, rows: Array) -> Floats:
        """The prior evidence for the entity of each row (`engine.features.linking.readings.ROW`); a guessed title has a
        number beyond those of all entities."""
        known = rows["entity"] < len(self.entities)
        renown = np.where(known, self.renown[np.where(known, rows["entity"], 0)], 0.0) if len(self.entities) else 0.0
        n_sources = sum((rows["sources"] >> i) & 1 for i in range(len(SOURCE_NAMES)))
        listed = 3 * np.log1p(rows["tweets"]) + np.log1p(rows["other"]) + 0.5 * n_sources
        return np.asarray(listed + 0.3 * renown - np.where(rows["aliases"] != 0, 2.0, 0.0), dtype=np.float64)

    @cached_property
    def described(self) -> Counter[str]:
        """Words of all descriptions, with the number of descriptions that use them: mostly common nouns."""
        return Counter(chain.from_iterable(set(text.split()) for text in self.entities.descriptions()))

    @cached_property
    def words_about(self) -> Callable[[int], list[str]]:
        """A function that gives the folded words of an entity's description."""

        @lru_cache(maxsize=KEPT)
        def words(entity: int) -> list[str]:
            return fold(self.entities.description(entity).lower()).replace(",", " ").split()

        return words

    @cached_property
    def titles_with(self) -> Callable[[str], tuple[int, int, tuple[tuple[int, str], ...]]]:
        """A function that gives the numbers of supported titles that begin and end with a word; and the unsupported
        entities, which a text may support, with their kind."""

        @lru_cache(maxsize=KEPT)
        def titles(word: str) -> tuple[int, int, tuple[tuple[int, str], ...]]:
            ends = [one for one in self.alias_matches(word) if one[1] in ("first", "last")]
            kinds = [kind for entity, kind in ends if self.supported[entity]]
            rest = tuple(one for one in ends if not self.supported[one[0]])
            return kinds.count("first"), kinds.count("last"), rest

        return titles

    @cached_property
    def families(self) -> Flags:
        """One row per entity, one column per family of types."""
        return self.entities.type_matrix(FAMILIES)

    def family_names(self, numbers: Ints) -> list[str]:
        """The first family of each entity; empty if its types are unknown, or for numbers below 0."""
        names = [*FAMILIES, ""]
        belongs = np.zeros((len(numbers), len(FAMILIES)), dtype=np.bool_)
        belongs[numbers >= 0] = self.families[numbers[numbers >= 0]]
        belongs[:, names.index("unknown_class")] = False
        first = np.where(belongs.any(axis=1), belongs.argmax(axis=1), len(FAMILIES))
        return [names[i] for i in first.tolist()]

    def readings(self, surface: str) -> list[tuple[int, int, int, int]]:
        """(entity, other count, tweet count, source bits) of a surface; tweet counts exclude the training corpus."""
        lexicon = self.lexicon
        number = lexicon.surfaces.get(surface)
        if number is None:
            return []
        low, high = int(lexicon.offsets[number]), int(lexicon.offsets[number + 1])
        found: dict[int, tuple[int, int, int]] = {}
        for entity, count, tagset in zip(
            lexicon.posting_entities[low:high].tolist(),
            lexicon.posting_counts[low:high].tolist(),
            lexicon.posting_tagsets[low:high].tolist(),
            strict=True,
        ):
            other, tweets, bits = found.get(entity, (0, 0, 0))
            if self.is_own[tagset]:
                if self.linked:
                    count -= self.linked.get((surface, self.entities.title(entity)), 0)
                if count <= 0:
                    continue
                tweets += count
            else:
                other += count
            found[entity] = (other, tweets, bits | int(self.source_bits[tagset]))
        return [(entity, *values) for entity, values in found.items()]


def _bits(tags: Sequence[str], own: frozenset[str]) -> int:
    bits = 0
    for tag in tags:
        if tag in own:
            bits |= 1 << SOURCE_NAMES.index("tweets")
            continue
        names = [name for name, starts in SOURCES.items() if tag.startswith(starts)]
        bits |= 1 << SOURCE_NAMES.index(names[0] if names else "other")
    return bits
