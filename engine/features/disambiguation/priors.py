"""Candidates and their priors from a lexicon and the training documents, for corpora without candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from engine.arrays import Flags, Singles
from engine.data.document import Document
from engine.features.disambiguation.candidates import Candidate, average
from engine.features.disambiguation.classes import entity_class
from engine.features.disambiguation.names import by_title_pieces, other_names, own_titles
from engine.features.disambiguation.strings import normalise
from engine.lexicon.lexicon import Lexicon

Lookup: TypeAlias = Literal["exact", "forms"]


@dataclass(frozen=True, eq=False)
class Links:
    """How often training linked a surface to an entity, by document, so that a document can be left out."""

    counts: Mapping[str, Mapping[str, Mapping[str, int]]]
    """surface -> title -> document id -> count"""

    @staticmethod
    def of(documents: Sequence[Document]) -> Links:
        counts: dict[str, dict[str, dict[str, int]]] = {}
        for document in documents:
            for mention in document.gold.mentions:
                if mention.is_linked and mention.entity is not None:
                    titles = counts.setdefault(normalise(document.surface(mention)), {})
                    by_document = titles.setdefault(mention.entity, {})
                    by_document[document.id] = by_document.get(document.id, 0) + 1
        return Links(counts)

    def total(self, surface: str, title: str) -> int:
        return sum(self.counts.get(surface, {}).get(title, {}).values())

    def titles(self, surface: str) -> tuple[str, ...]:
        return tuple(self.counts.get(surface, {}))

    def prior(self, surface: str, without: str | None) -> dict[str, float]:
        found = {
            title: sum(n for document, n in by_document.items() if document != without)
            for title, by_document in self.counts.get(surface, {}).items()
        }
        total = sum(found.values())
        return {title: n / total for title, n in found.items() if n} if total else {}


@dataclass(frozen=True, eq=False)
class Priors:
    """p(entity | surface) averaged over a lexicon and the training links."""

    links: Links
    lexicon: Lexicon | None
    own_tags: tuple[str, ...] = ("aida",)
    """Sources of the lexicon that contain the links of the training documents, which are subtracted from their
    counts."""
    ignored_tags: tuple[str, ...] = ("ppr", "title")
    """Sources that are not independent evidence: candidate sets, and titles as their own names."""
    lookup: Lookup = "exact"
    """Whether names that no source has as written are also looked up in other forms and as titles."""

    def readings(self, text: str, without: str | None = None) -> list[tuple[str, float]]:
        """Entities that a name in a text may mean, likeliest first, each with its prior in the lexicon; `without` names
        a training document to leave out."""
        found = self._read(normalise(text), without)
        # Without a lexicon, names are missing because none was given; a guess would hide that.
        if found or self.lookup == "exact" or self.lexicon is None:
            return found
        for name in other_names(text, self.lexicon):
            found = self._read(name, without)
            if found:
                return found
        return [(title, 0.0) for title in self._guessed(text, self.lexicon)]

    def _read(self, surface: str, without: str | None) -> list[tuple[str, float]]:
        ranked = self.ranked(surface, without)
        if self.lookup == "forms":
            return ranked
        prior = self.lexicon_prior(surface)
        return [(title, prior.get(title, 0.0)) for title, _ in ranked]

    def _guessed(self, text: str, lexicon: Lexicon) -> list[str]:
        """Well-known titles of which the name is a piece, then the name itself as a title: a form that the lexicon has,
        else the likeliest."""
        entities, supported = lexicon.entities, self._supported
        pieces = [entities.title(number) for number in by_title_pieces(text, lexicon) if supported[number]]
        own = own_titles(text)
        known = [title for title in own if (number := entities.number(title)) >= 0 and supported[number]]
        return list(dict.fromkeys([*pieces, *(known or own)[:1]]))

    @cached_property
    def _supported(self) -> Flags:
        """Entities with a name from a source other than the training documents: a title that is in the lexicon only
        because this corpus links to it would give away the answer."""
        lexicon, silent = self.lexicon, {*self.own_tags, *self.ignored_tags}
        if lexicon is None:
            return np.zeros(0, dtype=np.bool_)
        speaks = np.array([not silent.issuperset(tags) for tags in lexicon.tagsets], dtype=np.bool_)
        supported = np.zeros(len(lexicon.entities), dtype=np.bool_)
        supported[lexicon.posting_entities[speaks[lexicon.posting_tagsets]]] = True
        return supported

    def ranked(self, surface: str, without: str | None = None) -> list[tuple[str, float]]:
        """All entities of a surface, likeliest first; `without` names a training document to leave out."""
        return average([self.lexicon_prior(surface), self.links.prior(surface, without)])

    def lexicon_prior(self, surface: str) -> dict[str, float]:
        """The lexicon's own prior, without the counts that come from the training documents."""
        if self.lexicon is None:
            return {}
        weights: dict[str, float] = {}
        own, silent = set(self.own_tags), {*self.own_tags, *self.ignored_tags}
        for posting in self.lexicon.postings(surface):
            if silent.issuperset(posting.tags):
                continue
            title = self.lexicon.entities.title(posting.entity)
            count = posting.count - (self.links.total(surface, title) if own.intersection(posting.tags) else 0)
            # A name without counts is still a reading.
            weights[title] = weights.get(title, 0.0) + max(count, 0) + 0.1
        total = sum(weights.values())
        return {title: weight / total for title, weight in weights.items()} if total else {}

    def described(self, title: str) -> Candidate:
        """The entity with the lexicon's facts about it: class, popularity, and the pages that link to it."""
        if title not in self._described:
            self._described[title] = self._look_up(title)
        return self._described[title]

    @cached_property
    def _described(self) -> dict[str, Candidate]:
        return {}

    def _look_up(self, title: str) -> Candidate:
        number = -1 if self.lexicon is None else self.lexicon.entities.number(title)
        if self.lexicon is None or number < 0:
            return Candidate(title, id=title)
        entities = self.lexicon.entities
        pages = entities.links(number).tolist()
        return Candidate(
            title,
            # Below 0, so as not to collide with the numbers that a corpus gives its candidates.
            id=-1 - number,
            # Not the knowledge base's own in_count, which may exist only for a corpus' gold entities and their rivals.
            in_count=float(len(pages)),
            type=entity_class(entities.types(number)),
            popularity=float(self._popularity[number]),
            links=tuple(-1 - page for page in pages),
        )

    @cached_property
    def _popularity(self) -> Singles:
        """The popularity of every entity of the lexicon; one made from a dump has only page views, of which it is the
        logarithm."""
        if self.lexicon is None:
            return np.zeros(0, dtype=np.float32)
        entities = self.lexicon.entities
        return entities.popularity if entities.popularity.any() else np.log1p(entities.views)

    def is_person(self, surface: str) -> bool:
        prior = self.lexicon_prior(surface)
        likeliest = max(prior, key=lambda title: (prior[title], title), default=None)
        return likeliest is not None and self.described(likeliest).type == "PER"

    def descriptions(self) -> dict[str, str]:
        """All descriptions in the lexicon."""
        if self.lexicon is None:
            return {}
        entities = self.lexicon.entities
        numbers = np.flatnonzero(np.diff(entities.description_offsets))
        return {entities.title(int(i)): entities.description(int(i)) for i in numbers}
