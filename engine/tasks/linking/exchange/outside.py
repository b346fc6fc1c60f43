"""Import and export of linking's scores: spans with entities, each scored relative to Nil.

If Nil of a span has a score of its own, the scores of the span's entities are made relative to it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from engine.corpora.scores.parts import Json, Link, Part, Span
from engine.corpora.scores.records import ScoreRecord
from engine.corpora.scores.scales import additive
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.lexicon.surfaces import tokenise
from engine.metrics.linking import linked
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.outside.records import Exchange, Gathering


class LinkingGathering(Gathering[LinkingScored]):
    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._offsets = array("q", [0])
        self._spans = array("q")
        self._titles: list[str] = []
        self._names: dict[str, str] = {}
        self._score = array("d")
        self._families: dict[str, str] = {}

    def add(self, document: Document, record: ScoreRecord) -> None:
        links = _links(record.parts)
        nil = nil_scores(links, record)
        _check(document, links)
        names, scale = self._names, record.scale
        for span, entity, score, family, _ in links:
            if entity is None:
                continue
            against = nil.get(span)
            over = additive(score, scale, declining=against is not None)
            self._spans.extend(span)
            # Share one string per entity, however many parts name it.
            self._titles.append(names.setdefault(entity, entity))
            self._score.append(over if against is None else over - against)
            if family:
                self._families.setdefault(entity, family)
        self._documents.append(document)
        self._offsets.append(len(self._titles))

    def scored(self) -> LinkingScored:
        made = LinkingScored.of(
            self._documents,
            np.array(self._offsets, dtype=np.int64),
            np.array(self._spans, dtype=np.int64).reshape(-1, 2),
            self._titles,
            np.array(self._score, dtype=np.float64),
        )
        families = tuple(self._families.get(title, "") for title in made.entities.titles)
        return replace(made, entities=replace(made.entities, families=families))


def nil_scores(links: Sequence[Link], record: ScoreRecord) -> dict[Span, float]:
    """The score of declining, for each span that has one."""
    found: dict[Span, float] = {}
    for i, link in enumerate(links):
        if link.entity is None:
            if link.span in found:
                raise InputError(f"declining [{link.span[0]}, {link.span[1]}) is scored twice", field=f"parts[{i}]")
            found[link.span] = additive(link.score, record.scale, declining=True)
    return found


def _links(parts: Sequence[Part]) -> list[Link]:
    links = [part for part in parts if isinstance(part, Link)]
    if len(links) < len(parts):
        i = next(i for i, part in enumerate(parts) if not isinstance(part, Link))
        raise InputError("linking scores spans with an entity; this part is something else", field=f"parts[{i}]")
    return links


def _check(document: Document, links: Sequence[Link]) -> None:
    """Check that no part occurs twice and that each covers a word: otherwise it could not be drawn and would overlap
    nothing."""
    tokens = document.tokens or tokenise(document.text)
    ends, starts = [end for _, end in tokens], [start for start, _ in tokens]
    bare = {span for span in {link[0] for link in links} if not _covers_word(span, starts, ends)}
    if not bare and len({link[:2] for link in links}) == len(links):
        return
    seen: set[tuple[Span, str | None]] = set()
    for i, link in enumerate(links):
        if link.span in bare:
            raise InputError(f"[{link.span[0]}, {link.span[1]}) covers no word", field=f"parts[{i}]")
        if (link.span, link.entity) in seen:
            raise InputError(f"{link.entity!r} is scored twice for one span", field=f"parts[{i}]")
        seen.add((link.span, link.entity))


def _covers_word(span: Span, starts: Sequence[int], ends: Sequence[int]) -> bool:
    first = bisect_right(ends, span[0])
    return first < len(ends) and starts[first] < span[1]


def parts(scored: LinkingScored, documents: Sequence[Document]) -> Iterator[list[Json]]:
    starts, ends, scores = scored.start.tolist(), scored.end.tolist(), scored.score.tolist()
    families = scored.entities.families
    for d in range(len(documents)):
        own: list[Json] = []
        for part in range(int(scored.part_offsets[d]), int(scored.part_offsets[d + 1])):
            one: Json = {"start": starts[part], "end": ends[part], "entity": scored.title(part), "score": scores[part]}
            family = families[int(scored.entity[part])]
            own.append({**one, "type": family} if family else one)
        yield own


def answers(document: Document, layer: Layer) -> list[Part]:
    spans = {(mention.span, mention.entity) for mention in linked(layer)}
    return [Link(span, entity, 1.0) for span, entity in sorted(spans, key=str)]


EXCHANGE: Final = Exchange[LinkingScored]("logit", LinkingGathering, parts, answers)
