"""Where candidates and their priors come from when the corpus gives none: a lexicon, and the training documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.data.document import Document
from engine.features.disambiguation.candidates import average
from engine.features.disambiguation.strings import normalise
from engine.lexicon.lexicon import Lexicon

WITHOUT: Final = ("aida", "ppr", "title")
"""Tags of a lexicon that say nothing independent: training links, candidate sets, and titles as their own names."""


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

    def ranked(self, surface: str, without: str | None = None) -> list[tuple[str, float]]:
        """All entities of a surface, the likeliest first; `without` names a training document to leave out."""
        return average([self.lexicon_prior(surface), self.links.prior(surface, without)])

    def lexicon_prior(self, surface: str) -> dict[str, float]:
        """The lexicon's own prior. Counts that come from the training documents are taken out of it."""
        if self.lexicon is None:
            return {}
        weights: dict[str, float] = {}
        for posting in self.lexicon.postings(surface):
            if not set(posting.tags) - set(WITHOUT):
                continue
            title = self.lexicon.entities.title(posting.entity)
            count = posting.count - (self.links.total(surface, title) if "aida" in posting.tags else 0)
            # A name without counts is still a reading.
            weights[title] = weights.get(title, 0.0) + max(count, 0) + 0.1
        total = sum(weights.values())
        return {title: weight / total for title, weight in weights.items()} if total else {}

    def descriptions(self) -> dict[str, str]:
        """Every description that the lexicon has."""
        if self.lexicon is None:
            return {}
        entities = self.lexicon.entities
        numbers = np.flatnonzero(np.diff(entities.description_offsets))
        return {entities.title(int(i)): entities.description(int(i)) for i in numbers}
