"""The spans of texts that may be names, each with its entities, as flat arrays over a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from engine.arrays import Array, Ints, ShortInts, Singles
from engine.features.linking.arranging import Names, Rows, Spans, arranged
from engine.features.linking.inventory import Inventory
from engine.features.linking.memory import View
from engine.features.linking.proposing.forms import AS_WRITTEN
from engine.features.linking.proposing.proposer import Span
from engine.features.linking.readings import ROW, Found, Reader
from engine.features.linking.text.tokens import Tokens
from engine.features.linking.text.words import COMMON


@dataclass
class Candidates:
    """Mentions and entities of a corpus. Rows of mention m are [offsets[m], offsets[m + 1]); mentions of document d
    are [document_offsets[d], document_offsets[d + 1]). Entities from `n_known` on are guessed titles."""

    tokens: list[Tokens]
    views: list[View]
    n_known: int
    document_offsets: ShortInts
    document: ShortInts
    first: ShortInts
    last: ShortInts
    keys: list[str]
    offsets: ShortInts
    entity: ShortInts
    other_count: Singles
    tweet_count: Singles
    sources: ShortInts
    forms: ShortInts
    aliases: ShortInts
    guessed: list[str] = field(default_factory=list)

    @property
    def n_mentions(self) -> int:
        return len(self.first)

    @property
    def n_rows(self) -> int:
        return len(self.entity)

    @property
    def mention(self) -> ShortInts:
        """The mention of every row."""
        return np.repeat(np.arange(self.n_mentions, dtype=np.int32), np.diff(self.offsets))

    @property
    def row_offsets(self) -> ShortInts:
        """Rows of document d are [row_offsets[d], row_offsets[d + 1])."""
        return self.offsets[self.document_offsets]

    def title(self, row: int, inventory: Inventory) -> str:
        entity = int(self.entity[row])
        return inventory.entities.title(entity) if entity < self.n_known else self.guessed[entity - self.n_known]

    def characters(self, mention: int) -> tuple[int, int]:
        """The mention's character range."""
        text = self.tokens[self.document[mention]]
        return text.starts[self.first[mention]], text.ends[self.last[mention] - 1]


def collect(
    tokens: Sequence[Tokens],
    spans: Sequence[Sequence[Span]],
    readers: Sequence[Reader],
    inventory: Inventory,
    *,
    most: int = 12,
) -> Candidates:
    """The entities of every span as flat arrays, at most `most` per mention: those of the name as written before those
    of looser forms ("BBC" of "BBC1"), and the likeliest by prior first."""
    keys, found, which = _found(spans, readers)
    own, guessed = _rows_of(found, len(inventory.entities))
    sizes = np.array([one.n_rows for one in found], dtype=np.int64)
    taken = _ranges((np.cumsum(sizes) - sizes)[which], sizes[which])
    rows = Rows(
        entity=own["entity"][taken],
        sources=own["sources"][taken],
        forms=own["forms"][taken],
        aliases=own["aliases"][taken],
    )
    ends = [(span.first, span.last) for span in chain.from_iterable(spans)]
    first, last = np.array(ends, dtype=np.int64).reshape(len(ends), 2).T.copy()
    per_text = np.array([len(proposed) for proposed in spans], dtype=np.int64)
    places = Spans(first, last, _offsets(sizes[which]), _offsets(per_text))
    source, entity, forms, counts = arranged(rows, places, _names(keys, which))
    # What an echo added has no row of its own, so no counts.
    evidence = own[taken[source]] if len(source) else own[:0]
    evidence["entity"], evidence["forms"] = entity, forms
    for name in ("other", "tweets", "sources", "aliases"):
        evidence[name][source < 0] = 0
    kept, counts = _likeliest(evidence, counts, inventory, most)
    evidence, named = evidence[kept], np.flatnonzero(counts)
    document = np.repeat(np.arange(len(spans), dtype=np.int32), per_text)[named]
    return Candidates(
        tokens=list(tokens),
        views=[reader.view for reader in readers],
        n_known=len(inventory.entities),
        document_offsets=np.searchsorted(document, np.arange(len(spans) + 1)).astype(np.int32),
        document=document,
        first=first[named].astype(np.int32),
        last=last[named].astype(np.int32),
        keys=[keys[i] for i in which[named].tolist()],
        offsets=_offsets(counts[named]).astype(np.int32),
        entity=evidence["entity"].astype(np.int32),
        other_count=evidence["other"].astype(np.float32),
        tweet_count=evidence["tweets"].astype(np.float32),
        sources=evidence["sources"].astype(np.int32),
        forms=evidence["forms"].astype(np.int32),
        aliases=evidence["aliases"].astype(np.int32),
        guessed=guessed,
    )


def _found(spans: Sequence[Sequence[Span]], readers: Sequence[Reader]) -> tuple[list[str], list[Found], Ints]:
    """The key and the entities of each distinct reading, and the place of every span's reading among them."""
    # Readings are kept by those who make them, so most that are equal are the same object.
    place: dict[tuple[int, int], int] = {}
    keys: list[str] = []
    found: list[Found] = []
    which: list[int] = []
    for proposed, reader in zip(spans, readers, strict=True):
        for span in proposed:
            reading = span.reading
            at = place.setdefault((id(reader), id(reading)), len(found))
            if at == len(found):
                keys.append(reading.key)
                found.append(reader.found(reading))
            which.append(at)
    return keys, found, np.array(which, dtype=np.int64)


def _rows_of(found: Sequence[Found], n_known: int) -> tuple[Array, list[str]]:
    """The rows of all readings, one after the other; and the titles that the knowledge base lacks, which are numbered
    from `n_known` on."""
    rows = np.frombuffer(b"".join(one.rows for one in found), dtype=ROW).copy()
    guessed: dict[str, int] = {}
    begin = 0
    for one in found:
        if one.guesses:
            own = rows["entity"][begin : begin + one.n_rows]
            numbers = [n_known + guessed.setdefault(title, len(guessed)) for title in one.guesses]
            own[own < 0] = numbers
        begin += one.n_rows
    return rows, list(guessed)


def _names(keys: Sequence[str], which: Ints) -> Names:
    """The words by which a name may be said again."""
    numbers: dict[str, int] = {}
    ends = np.full((len(keys), 2), -1, dtype=np.int64)
    for i, key in enumerate(keys):
        if " " in key:
            words = key.split()
            for side, word in enumerate({words[0], words[-1]} - COMMON if 2 <= len(words) <= 4 else ()):
                if len(word) > 2:
                    ends[i, side] = numbers.setdefault(word, len(numbers))
    said = np.array([numbers.get(key, -2) for key in keys], dtype=np.int64)
    return Names(said[which], ends[which, 0].copy(), ends[which, 1].copy())


def _likeliest(rows: Array, counts: Ints, inventory: Inventory, most: int) -> tuple[Ints, Ints]:
    """The places of the rows that are kept, in order, and their number for each span."""
    many = np.repeat(counts > most, counts)
    if not many.any():
        return np.arange(len(rows)), counts
    span = np.repeat(np.arange(len(counts)), counts)
    crowd = np.flatnonzero(many)
    loose = (rows["forms"][crowd] & AS_WRITTEN) == 0
    order = np.lexsort((-inventory.prior(rows[crowd]), loose, span[crowd]))
    place = np.arange(len(rows))
    place[crowd] = crowd[order]
    rank: Ints = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place[rank < most], np.minimum(counts, most)


def _ranges(begins: Ints, sizes: Ints) -> Ints:
    """begins[0], begins[0] + 1, ... for as many as sizes[0], then those of the next."""
    ends = np.cumsum(sizes)
    ranges: Ints = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - sizes), sizes)
    return ranges


def _offsets(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
