"""A corpus of mentions and their candidates as flat arrays.

Documents hold mentions, mentions hold rows (one candidate each). Within a document every distinct entity has one slot,
so that the features of a pair of entities are stored once, whichever mentions they are candidates of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Flags, Ints, ShortInts, Singles
from engine.data.document import NIL, Document, Mention
from engine.features.disambiguation.candidates import Candidate, PriorSource, candidates_of
from engine.features.disambiguation.classes import mention_class
from engine.features.disambiguation.strings import FUNCTION_WORDS, WORD, normalise

NER_TYPES: Final = ("PER", "LOC", "ORG", "MISC")
ENTITY_TYPES: Final = ("PER", "GPE", "ORG", "UNK")


NO_GOLD: Final = -1
"""The mention has no annotation, or is NIL: none of its candidates is right."""
GOLD_MISSING: Final = -2
"""The right entity is not among the candidates."""


@dataclass(frozen=True, eq=False)
class Table:
    ids: tuple[str, ...]
    document_offsets: Ints
    row_offsets: Ints
    surfaces: tuple[str, ...]
    expanded: tuple[str, ...]
    ner: NDArray[np.int8]
    sentences: Ints
    upper: Flags
    """Whether the mention is in capitals, as in headlines, datelines and tables of results."""
    token_starts: Ints
    token_ends: Ints
    gold: Ints
    nil: Flags
    """Whether gold marks the mention as naming nothing in the knowledge base."""
    titles: tuple[str, ...]
    entity: ShortInts
    in_count: Singles
    out_count: Singles
    popularity: Singles
    type: NDArray[np.int8]
    slot: ShortInts
    slot_offsets: Ints
    slot_entity: ShortInts
    link_offsets: Ints
    links: ShortInts
    bows: tuple[dict[str, int], ...]
    priors: Singles
    """Averaged prior of the lexicon's sources per row; 0 if the lexicon does not have the pair."""

    @property
    def n_documents(self) -> int:
        return len(self.ids)

    @property
    def n_mentions(self) -> int:
        return len(self.surfaces)

    @property
    def n_rows(self) -> int:
        return len(self.entity)

    def mention_of_row(self) -> Ints:
        return np.repeat(np.arange(self.n_mentions), np.diff(self.row_offsets))

    def document_of_mention(self) -> Ints:
        return np.repeat(np.arange(self.n_documents), np.diff(self.document_offsets))


def bag_of_words(document: Document) -> dict[str, int]:
    """The document's own bag of words if the corpus provides one, else counted from its text."""
    given = document.extra.get("bow")
    if given is not None:
        return dict(given)
    counts: dict[str, int] = {}
    for word in WORD.findall(document.text.lower()):
        if word not in FUNCTION_WORDS and not word.isdigit():
            counts[word] = counts.get(word, 0) + 1
    return counts


def token_span(document: Document, mention: Mention) -> tuple[int, int]:
    """The mention's token range: from the record, from the document's tokens, or estimated at five characters per
    token."""
    start, end = mention.extra.get("start"), mention.extra.get("end")
    if isinstance(start, int) and isinstance(end, int):
        return start, end
    if document.tokens:
        return document.token_range(*mention.span)
    return mention.start // 6, -(-mention.end // 6)


def tabulate(
    documents: Sequence[Document],
    source: PriorSource,
    *,
    most: int = 30,
    own: bool = False,
    given: bool = True,
    forced: Mapping[str, Mapping[int, Sequence[str]]] | None = None,
) -> Table:
    """The flat arrays of a corpus. Candidates come from the mentions; if these have none, or `given` is False, from the
    source.

    `forced` names entities that must be among the candidates of a document's mention, because a user pinned them.
    """
    builder = _Builder()
    for document in documents:
        candidates = candidates_of(document, document.gold.mentions, source, most=most, own=own, given=given)
        for mention, titles in (forced or {}).get(document.id, {}).items():
            known = {choice.title for choice in candidates[mention]}
            new = tuple(source.described(title) for title in titles if title not in known)
            candidates[mention] = tuple(sorted((*candidates[mention], *new), key=lambda choice: choice.title))
        builder.add(document, candidates)
    return builder.build()


class _Builder:
    def __init__(self) -> None:
        self.ids: list[str] = []
        self.bows: list[dict[str, int]] = []
        self.document_sizes: list[int] = []
        self.row_sizes: list[int] = []
        self.surfaces: list[str] = []
        self.expanded: list[str] = []
        self.ner: list[int] = []
        self.sentences: list[int] = []
        self.upper: list[bool] = []
        self.token_starts: list[int] = []
        self.token_ends: list[int] = []
        self.gold: list[int] = []
        self.nil: list[bool] = []
        self.titles: dict[str, int] = {}
        self.entity: list[int] = []
        self.numbers: list[tuple[float, float, float, float]] = []
        self.type: list[int] = []
        self.slot: list[int] = []
        self.slot_sizes: list[int] = []
        self.slot_entity: list[int] = []
        self.link_sizes: list[int] = []
        self.links: list[int] = []

    def add(self, document: Document, candidates: Sequence[Sequence[Candidate]]) -> None:
        self.ids.append(document.id)
        self.bows.append(bag_of_words(document))
        self.document_sizes.append(len(candidates))
        slots: dict[str, int] = {}
        by_id: dict[Any, int] = {}
        firsts: list[Candidate] = []
        for mention, choices in zip(document.gold.mentions, candidates, strict=True):
            surface = normalise(document.surface(mention))
            self.surfaces.append(surface)
            self.expanded.append(normalise(mention.extra.get("expanded") or "") or surface)
            kind = mention_class(mention.type)
            self.ner.append(len(NER_TYPES) if kind is None else NER_TYPES.index(kind))
            sentence = mention.extra.get("sent")
            self.sentences.append(-1 if sentence is None else int(sentence))
            text = document.surface(mention)
            self.upper.append(text.isupper() and len(text) > 3)
            start, end = token_span(document, mention)
            self.token_starts.append(start)
            self.token_ends.append(end)
            self.row_sizes.append(len(choices))
            gold = GOLD_MISSING if mention.is_linked else NO_GOLD
            for choice in choices:
                if choice.title == mention.entity:
                    gold = len(self.entity)
                entity = self.titles.setdefault(choice.title, len(self.titles))
                slot = slots.get(choice.title)
                if slot is None:
                    slot = slots[choice.title] = len(firsts)
                    firsts.append(choice)
                    self.slot_entity.append(entity)
                    if choice.id is not None:
                        by_id[choice.id] = slot
                self.entity.append(entity)
                self.slot.append(slot)
                self.type.append(ENTITY_TYPES.index(choice.type) if choice.type in ENTITY_TYPES else 3)
                self.numbers.append((choice.in_count, choice.out_count, choice.popularity, choice.prior))
            self.gold.append(gold)
            self.nil.append(mention.entity == NIL)
        self.slot_sizes.append(len(firsts))
        for slot, choice in enumerate(firsts):
            # An entity's link to itself is left out: it carries no information about two mentions, and in PPRforNED it
            # is far more frequent on gold than elsewhere.
            linked = {by_id[other] for other in choice.links if other in by_id}
            linked.discard(slot)
            self.link_sizes.append(len(linked))
            self.links.extend(sorted(linked))

    def build(self) -> Table:
        numbers = np.array(self.numbers, dtype=np.float32).reshape(-1, 4)
        return Table(
            ids=tuple(self.ids),
            document_offsets=_offsets(self.document_sizes),
            row_offsets=_offsets(self.row_sizes),
            surfaces=tuple(self.surfaces),
            expanded=tuple(self.expanded),
            ner=np.array(self.ner, dtype=np.int8),
            sentences=np.array(self.sentences, dtype=np.int64),
            upper=np.array(self.upper, dtype=np.bool_),
            token_starts=np.array(self.token_starts, dtype=np.int64),
            token_ends=np.array(self.token_ends, dtype=np.int64),
            gold=np.array(self.gold, dtype=np.int64),
            nil=np.array(self.nil, dtype=np.bool_),
            titles=tuple(self.titles),
            entity=np.array(self.entity, dtype=np.int32),
            in_count=numbers[:, 0].copy(),
            out_count=numbers[:, 1].copy(),
            popularity=numbers[:, 2].copy(),
            priors=numbers[:, 3].copy(),
            type=np.array(self.type, dtype=np.int8),
            slot=np.array(self.slot, dtype=np.int32),
            slot_offsets=_offsets(self.slot_sizes),
            slot_entity=np.array(self.slot_entity, dtype=np.int32),
            link_offsets=_offsets(self.link_sizes),
            links=np.array(self.links, dtype=np.int32),
            bows=tuple(self.bows),
        )


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int64)
