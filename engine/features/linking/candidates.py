"""The spans of texts that may be names, each with its entities, as flat arrays over a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from engine.arrays import ShortInts, Singles
from engine.features.linking.inventory import SOURCE_NAMES, Inventory
from engine.features.linking.memory import View
from engine.features.linking.proposing.forms import AS_WRITTEN, FORM
from engine.features.linking.proposing.proposer import Reading, Span, alias_key
from engine.features.linking.text.tokens import Tokens
from engine.features.linking.text.words import COMMON
from engine.lexicon.lexicon import ALIAS_KINDS

KEPT: Final = 1 << 15
"""Maximum number of n-grams whose entities are cached."""
_ALIAS: Final = {name: 1 << i for i, name in enumerate(ALIAS_KINDS)}
_MEMORY_SOURCE: Final = 1 << SOURCE_NAMES.index("tweets")

_Evidence: TypeAlias = tuple[float, float, int, int, int]
"""count in other texts, count in tweets, sources, forms, aliases"""
_Row: TypeAlias = tuple[int, float, float, int, int, int]
"""entity, then its evidence"""


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
    guessed: dict[str, int] = {}
    n_known = len(inventory.entities)
    document: list[int] = []
    bounds: list[tuple[int, int]] = []
    keys: list[str] = []
    offsets = [0]
    document_offsets = [0]
    rows: list[_Row] = []
    prior = inventory.prior
    for d, (text, proposed, reader) in enumerate(zip(tokens, spans, readers, strict=True)):
        readings = [
            reader.rows(reading, last == first + 1, text.words[first][:1].isupper(), guessed)
            for first, last, reading in proposed
        ]
        readings = _with_echoes(proposed, _without_pieces(proposed, readings))
        for span, found in zip(proposed, readings, strict=True):
            if not found:
                continue
            if len(found) > most:
                found.sort(key=lambda row: (not row[4] & AS_WRITTEN, -prior(row[0], row[1], row[2], row[3], row[5])))
                found = found[:most]
            rows += found
            document.append(d)
            bounds.append((span.first, span.last))
            keys.append(span.key)
            offsets.append(len(rows))
        document_offsets.append(len(keys))
    entity, other_count, tweet_count, sources, forms, aliases = zip(*rows, strict=True) if rows else ((),) * 6
    limits = np.array(bounds, dtype=np.int32).reshape(len(bounds), 2)
    return Candidates(
        tokens=list(tokens),
        views=[reader.view for reader in readers],
        n_known=n_known,
        document_offsets=np.array(document_offsets, dtype=np.int32),
        document=np.array(document, dtype=np.int32),
        first=limits[:, 0].copy(),
        last=limits[:, 1].copy(),
        keys=keys,
        offsets=np.array(offsets, dtype=np.int32),
        entity=np.array(entity, dtype=np.int32),
        other_count=np.array(other_count, dtype=np.float32),
        tweet_count=np.array(tweet_count, dtype=np.float32),
        sources=np.array(sources, dtype=np.int32),
        forms=np.array(forms, dtype=np.int32),
        aliases=np.array(aliases, dtype=np.int32),
        guessed=list(guessed),
    )


def _without_pieces(spans: Sequence[Span], readings: Sequence[list[_Row]]) -> list[list[_Row]]:
    """The readings without those suggested only by a piece of a title if a longer span names the same entity."""
    kept = []
    for span, rows in zip(spans, readings, strict=True):
        if all(row[3] or not row[5] for row in rows):
            kept.append(rows)
            continue
        longer = {
            row[0]
            for other, others in zip(spans, readings, strict=True)
            if other is not span and other.first <= span.first and span.last <= other.last
            for row in others
        }
        kept.append([row for row in rows if row[3] or not row[5] or row[0] not in longer])
    return kept


def _with_echoes(spans: Sequence[Span], readings: Sequence[list[_Row]]) -> list[list[_Row]]:
    """The readings; a word that begins or ends a longer name elsewhere in the text also gets the readings of that
    name."""
    names: dict[str, list[int]] = {}
    for i, (span, rows) in enumerate(zip(spans, readings, strict=True)):
        words = span.key.split()
        if 2 <= len(words) <= 4 and any(row[3] or row[4] & FORM["guess"] for row in rows):
            for word in {words[0], words[-1]} - COMMON:
                if len(word) > 2:
                    names.setdefault(word, []).append(i)
    result = []
    for span, rows in zip(spans, readings, strict=True):
        longer = [i for i in names.get(span.key, ()) if spans[i].last <= span.first or span.last <= spans[i].first]
        if longer:
            echoed = {row[0] for i in longer for row in readings[i] if row[3] or row[4] & FORM["guess"]}
            kept = [(*row[:4], row[4] | FORM["echo"], row[5]) if row[0] in echoed else row for row in rows]
            new = sorted(echoed - {row[0] for row in rows})
            rows = kept + [(entity, 0.0, 0.0, 0, FORM["echo"], 0) for entity in new]
        result.append(rows)
    return result


class Reader:
    """Finds the entities that names may stand for, from an inventory and from the training counts that a text may
    see."""

    def __init__(self, inventory: Inventory, view: View) -> None:
        self.inventory = inventory
        self.view = view
        self._kept = lru_cache(maxsize=KEPT)(self._read)

    def rows(self, reading: Reading, single: bool, capital: bool, guessed: dict[str, int]) -> list[_Row]:
        """The entities of an n-gram. `single`: it is one word; `capital`: it begins with a capital. Titles that the
        knowledge base lacks are numbered in `guessed`."""
        found, rows = self._kept(reading, single, capital)
        if rows is not None:
            return list(rows)
        n_known = len(self.inventory.entities)
        return [
            (n_known + guessed.setdefault(entity, len(guessed)) if isinstance(entity, str) else entity, *evidence)
            for entity, evidence in found.items()
        ]

    def _read(
        self, reading: Reading, single: bool, capital: bool
    ) -> tuple[dict[int | str, _Evidence], tuple[_Row, ...] | None]:
        """The evidence for each entity or unknown title; and the rows, if all are entities."""
        inventory, view = self.inventory, self.view
        found: dict[int | str, _Evidence] = {}
        # Looser forms are tried depending on what the stricter ones found without the present text: a surface that only
        # this text supports counts as absent.
        for surface, form in reading.surfaces:
            self._look_up(surface, form, found)
        if single or not found:
            for surface in reading.squeezed:
                self._look_up(surface, FORM["spaceless"], found)
        for surface in reading.affixes:
            if found:
                break
            self._look_up(surface, FORM["affix"], found)
        alias = alias_key(reading.key)
        if alias not in COMMON or capital:
            for entity, kind in supported_aliases(alias, view, inventory):
                _add(found, entity, (0.0, 0.0, 0, 0, _ALIAS[kind]))
        for guess in reading.guesses:
            known = inventory.entities.number(guess)
            # A title that only the present text supports must look like the unknown title that it would be without it.
            supported = known >= 0 and _is_supported(known, view, inventory)
            _add(found, known if supported else guess, (0.0, 0.0, 0, FORM["guess"], 0))
        rows = tuple((entity, *row) for entity, row in found.items() if not isinstance(entity, str))
        return found, rows if len(rows) == len(found) else None

    def _look_up(self, surface: str, form: int, found: dict[int | str, _Evidence]) -> None:
        for entity, other, tweets, sources in self.inventory.readings(surface):
            _add(found, entity, (other, tweets, sources, form, 0))
        for title in self.view.titles(surface):
            known = self.inventory.entities.number(title)
            count = self.view.count("pairs", surface, title)
            _add(found, known if known >= 0 else title, (0.0, count, _MEMORY_SOURCE, form | FORM["memory"], 0))


def _add(found: dict[int | str, _Evidence], entity: int | str, new: _Evidence) -> None:
    row = found.get(entity)
    if row is not None:
        new = (row[0] + new[0], row[1] + new[1], row[2] | new[2], row[3] | new[3], row[4] | new[4])
    found[entity] = new


def supported_aliases(alias: str, view: View, inventory: Inventory) -> list[tuple[int, str]]:
    """Entities by a piece or the initials of their title, without evidence from the present text."""
    matches = inventory.alias_matches(alias)
    return [(entity, kind) for entity, kind in matches if _is_supported(entity, view, inventory)]


def _is_supported(entity: int, view: View, inventory: Inventory) -> bool:
    """Whether the entity is known from other sources than the present text; otherwise its aliases would give away the
    answer."""
    if inventory.supported[entity]:
        return True
    return view.count("entities", inventory.entities.title(entity)) > 0
