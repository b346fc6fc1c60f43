"""Linking's scored corpus: spans that may be names, the entities that each may mean, and their scores relative to Nil.

A part is one entity of one span. Chosen parts of a document share no token (Yang and Chang, S-MART, ACL 2015), and
whatever is not chosen is Nil with score 0. Gold allows a part if it would find a gold link: one of the same entity
whose span shares a character with it (overlap match, engine/metrics/linking.py).
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Ints
from engine.data.document import Document
from engine.lexicon.surfaces import tokenise
from engine.metrics.linking import linked, titles_of
from engine.structures.base import Mask, Scores
from engine.structures.nonoverlap import NonOverlapBatch
from engine.tasks.linking.entities import Entities
from engine.tasks.scored import Alternatives, Scored, column, offsets, parts_of


class Finds(NamedTuple):
    """The gold links that each part would find. Links are numbered across the corpus, in document order."""

    gold_offsets: Ints
    """Links of document d: gold_offsets[d] to [d + 1]."""
    offsets: Ints
    """The links that part p finds: links[offsets[p]] to [offsets[p + 1]]."""
    links: Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkingScored(Scored):
    """The lattices of a corpus. `first` and `last` are token numbers within the part's own document; all other numbers
    run over the whole corpus."""

    token_offsets: Ints = offsets("token")
    token_start: Ints = column("token")
    token_end: Ints = column("token")

    part_offsets: Ints = offsets("part")
    first: Ints = column("part")
    last: Ints = column("part")
    """The part covers the tokens first to last - 1 of its document ..."""
    start: Ints = column("part")
    end: Ints = column("part")
    """... which are the characters start to end - 1 of its text."""
    entity: Ints = column("part")
    """The row of `entities` for the entity that the part means."""
    score: Scores = column("part")

    gold_offsets: Ints = offsets("gold")
    """The gold links of every document, in the order of `engine.metrics.linking.linked`."""
    find_offsets: Ints = offsets("find", of="part")
    finds: Ints = column("find", points_to="gold")
    """The gold links that each part would find."""

    entities: Entities

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        part_offsets: ArrayLike,
        spans: ArrayLike,
        titles: Sequence[str],
        score: ArrayLike,
        *,
        bias: float = 0.0,
        alternatives: Alternatives = "all",
    ) -> LinkingScored:
        """A corpus from plain arrays: part p says that the characters spans[p] of its document mean titles[p]."""
        bounds = np.asarray(part_offsets, dtype=np.int64)
        start, end = np.asarray(spans, dtype=np.int64).reshape(-1, 2).T.copy()
        names = {title: i for i, title in enumerate(dict.fromkeys(titles))}
        token_offsets, token_start, token_end, first, last = _tokens(documents, bounds, start, end)
        found = find_gold(documents, bounds, start, end, titles)
        return cls(
            documents=tuple(documents),
            bias=bias,
            alternatives=alternatives,
            token_offsets=token_offsets,
            token_start=token_start,
            token_end=token_end,
            part_offsets=bounds,
            first=first,
            last=last,
            start=start,
            end=end,
            entity=np.array([names[title] for title in titles], dtype=np.int64),
            score=np.asarray(score, dtype=np.float64),
            gold_offsets=found.gold_offsets,
            find_offsets=found.offsets,
            finds=found.links,
            entities=Entities.of(list(names)),
        )

    @classmethod
    def joined(cls, pieces: Sequence[LinkingScored]) -> LinkingScored:
        """Several corpora as one. Each names entities of its own, so the parts get the rows of the common table."""
        entities, moved = Entities.joined([piece.entities for piece in pieces])
        renumbered = [
            dataclasses.replace(piece, entity=rows[piece.entity]) for piece, rows in zip(pieces, moved, strict=True)
        ]
        return dataclasses.replace(super().joined(renumbered), entities=entities)

    @property
    def n_parts(self) -> int:
        return len(self.score)

    @cached_property
    def lattice(self) -> NonOverlapBatch:
        return NonOverlapBatch(self.first, self.last, self.part_offsets)

    @property
    def biased(self) -> Scores:
        """Scores against Nil at the operating point."""
        return self.score - self.bias

    @property
    def right(self) -> Mask:
        """Parts that find a gold link."""
        return np.diff(self.find_offsets) > 0

    @property
    def document(self) -> Ints:
        """The document of every part."""
        return np.repeat(np.arange(len(self)), np.diff(self.part_offsets))

    def title(self, part: int) -> str:
        return self.entities.titles[int(self.entity[part])]

    def parts(self, document: int) -> Ints:
        """The parts of one document."""
        return np.arange(self.part_offsets[document], self.part_offsets[document + 1])

    def at_span(self, document: int, span: tuple[int, int]) -> Ints:
        """The parts of exactly these characters."""
        own = self.parts(document)
        same: Ints = own[(self.start[own] == span[0]) & (self.end[own] == span[1])]
        return same

    def over(self, document: int, span: tuple[int, int]) -> Ints:
        """The parts that share a character with this span."""
        own = self.parts(document)
        near: Ints = own[(self.start[own] < span[1]) & (span[0] < self.end[own])]
        return near

    @cached_property
    def finders(self) -> Mapping[int, tuple[int, ...]]:
        """Gold link -> the parts that would find it; a link that no part finds is not a key."""
        found: dict[int, list[int]] = {}
        for part in np.flatnonzero(self.right).tolist():
            for link in self.finds[self.find_offsets[part] : self.find_offsets[part + 1]].tolist():
                found.setdefault(link, []).append(part)
        return {link: tuple(parts) for link, parts in found.items()}

    @property
    def reachable(self) -> float:
        """The share of gold links that at least one part finds."""
        return len(self.finders) / max(1, int(self.gold_offsets[-1]))

    def at(self, bias: float | None) -> LinkingScored:
        return self if bias is None or bias == self.bias else self._changed(bias=float(bias))

    def rescored(self, score: Scores) -> LinkingScored:
        """The same parts with other scores."""
        return self._changed(score=np.asarray(score, dtype=np.float64))

    def _changed(self, **changes: Any) -> LinkingScored:
        made = dataclasses.replace(self, **changes)
        # The lattice depends on neither scores nor bias, and takes longer to build than to search: keep it.
        vars(made)["lattice"] = self.lattice
        return made

    @classmethod
    def restored(cls, values: dict[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
        return {**values, "entities": Entities.from_parts(parts_of(parts, "entities"))}


def find_gold(
    documents: Sequence[Document], part_offsets: Ints, start: Ints, end: Ints, titles: Sequence[str]
) -> Finds:
    """Which gold links the parts would find."""
    gold = [linked(document.gold) for document in documents]
    found: dict[int, list[int]] = {}
    number = 0
    starts, ends = start.tolist(), end.tolist()
    for d, mentions in enumerate(gold):
        named: dict[str, list[int]] = {}
        for part in range(int(part_offsets[d]), int(part_offsets[d + 1])) if mentions else ():
            named.setdefault(titles[part], []).append(part)
        for mention in mentions:
            for part in (part for name in titles_of(mention) for part in named.get(name, ())):
                if starts[part] < mention.end and mention.start < ends[part]:
                    found.setdefault(part, []).append(number)
            number += 1
    sizes = np.zeros(len(start) + 1, dtype=np.int64)
    for part, links in found.items():
        sizes[part + 1] = len(links)
    return Finds(
        gold_offsets=np.cumsum([0, *map(len, gold)], dtype=np.int64),
        offsets=np.cumsum(sizes),
        links=np.array([link for part in sorted(found) for link in found[part]], dtype=np.int64),
    )


def _tokens(
    documents: Sequence[Document], part_offsets: Ints, start: Ints, end: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The offsets, starts and ends of the tokens, and the first and last token of every part."""
    first, last = np.zeros_like(start), np.zeros_like(start)
    spans: list[tuple[int, int]] = []
    token_offsets = [0]
    for d, document in enumerate(documents):
        own = slice(part_offsets[d], part_offsets[d + 1])
        cuts = sorted({*start[own].tolist(), *end[own].tolist()})
        tokens = list(_cut(document.tokens or tokenise(document.text), cuts))
        spans += tokens
        token_offsets.append(len(spans))
        first[own] = np.searchsorted([b for _, b in tokens], start[own], side="right")
        last[own] = np.searchsorted([a for a, _ in tokens], end[own], side="left")
    empty = np.flatnonzero(first >= last)
    if len(empty):
        raise ValueError(f"part {empty[0]}, characters {start[empty[0]]} to {end[empty[0]]}, covers no word")
    token_start, token_end = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    return np.array(token_offsets, dtype=np.int64), token_start.copy(), token_end.copy(), first, last


def _cut(tokens: Sequence[tuple[int, int]], cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The tokens, split wherever a part begins or ends inside one, so that parts share a token only if they share a
    character."""
    for start, end in tokens:
        inside = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
        yield from zip([start, *inside], [*inside, end], strict=True)
