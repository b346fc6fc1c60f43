"""All n-grams of a text that may name an entity, each with its entities, as flat arrays over a corpus.

A span is proposed when the lexicon knows one of its written forms, when it is a piece or the initials of a known title,
when the training corpus linked it, or when its capitals make it look like a title that the lexicon lacks (a guess).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np

from engine.arrays import Floats, ShortInts, Singles
from engine.features.linking.guesses import guessed_titles
from engine.features.linking.inventory import SOURCE_NAMES, Inventory
from engine.features.linking.memory import View
from engine.features.linking.tokens import Tokens
from engine.features.linking.words import COMMON
from engine.lexicon.lexicon import ALIAS_KINDS, MOST_TOKENS, spelled_out, written_forms
from engine.lexicon.surfaces import fold, normalise, squeeze

FORMS: Final = (
    "plain",
    "folded",
    "camel",
    "trimmed",
    "possessive",
    "plural",
    "bare",
    "spaceless",
    "affix",
    "memory",
    "guess",
    "echo",
)
_FORM: Final = {name: 1 << i for i, name in enumerate(FORMS)}
_AS_WRITTEN: Final = sum(_FORM[name] for name in ("plain", "folded", "camel", "possessive", "plural", "bare"))
"""Forms that keep all letters and digits of the name; the others leave some out, or are guesses."""
_ALIAS: Final = {name: 1 << i for i, name in enumerate(ALIAS_KINDS)}
_MEMORY_SOURCE: Final = 1 << SOURCE_NAMES.index("tweets")
_PREFIXES: Final = (
    "real",
    "the",
    "official",
    "mr",
    "its",
    "iam",
    "im",
    "go",
    "via",
    "team",
    "op",
    "ask",
    "my",
    "its",
    "by",
)
_SUFFIXES: Final = ("official", "music", "news", "live", "online", "help", "tv", "mp", "hq", "fc", "uk", "usa", "now")

_PUNCTUATED: Final = re.compile(r"[.\-&']")
"""What has other written forms (engine.lexicon.lexicon.written_forms), as names in s have."""
_log1p: Final = lru_cache(maxsize=1 << 12)(np.log1p)

_Row: TypeAlias = tuple[int, float, float, int, int, int]
"""entity, count in other texts, count in tweets, sources, forms, aliases"""


@dataclass(frozen=True)
class Span:
    """Tokens [first, last) that may be a name: surfaces it may stand for with the form of each; surfaces with the same
    letters; surfaces that a user name or hashtag contains; and titles it would have."""

    first: int
    last: int
    key: str
    surfaces: tuple[tuple[str, int], ...]
    squeezed: tuple[str, ...]
    affixes: tuple[str, ...]
    guesses: tuple[str, ...]


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


def propose(tokens: Tokens, inventory: Inventory, linked: frozenset[str] | set[str]) -> list[Span]:
    """Spans of one text that may be names. `linked` are keys that the training corpus linked somewhere."""
    spans: list[Span] = []
    n = len(tokens)
    for first in range(n):
        if not tokens.bounds[first]:
            continue
        for last in range(first + 1, min(first + MOST_TOKENS, n) + 1):
            if tokens.breaks[last - 1]:
                break
            if not tokens.bounds[last - 1]:
                continue
            span = _span(tokens, first, last, inventory, linked)
            if span is not None:
                spans.append(span)
    return spans


def _span(
    tokens: Tokens, first: int, last: int, inventory: Inventory, linked: frozenset[str] | set[str]
) -> Span | None:
    lexicon = inventory.lexicon
    piece = tokens.piece(first, last)
    key = normalise(piece)
    single = last == first + 1
    surfaces: dict[str, int] = {}
    # Most n-grams are several plain words, which can be written in no other way.
    plain = not single and key.isascii() and not key.endswith("s") and not _PUNCTUATED.search(key)
    for form, name in (("plain", key),) if plain else written_forms(piece, key, single=single):
        if name in lexicon.surfaces or name in linked:
            surfaces[name] = surfaces.get(name, 0) | _FORM[form]
    signed = single and tokens.signs[first] in ("#", "@")
    spellings = (key, *spelled_out(key), *((key.rstrip("_0123456789"),) if signed else ()))
    squeezed = tuple(name for form in dict.fromkeys(spellings) for name in lexicon.squeezed_matches(squeeze(form)))
    affixes = tuple(_affixes(squeeze(key), inventory)) if signed else ()
    guesses = guessed_titles(tokens, first, last)
    known = surfaces or squeezed or affixes or guesses or _alias_key(key) in lexicon.aliases
    return Span(first, last, key, tuple(surfaces.items()), squeezed, affixes, guesses) if known else None


def _affixes(short: str, inventory: Inventory) -> list[str]:
    """Surfaces that a user name or hashtag holds beside a customary prefix or suffix, or at its start; best first."""
    lexicon = inventory.lexicon
    rests = [short.removeprefix(prefix) for prefix in _PREFIXES if short.startswith(prefix)]
    found: list[str] = []
    for rest in [rest for rest in rests if len(rest) > 3]:
        found += [rest] if rest in lexicon.surfaces else lexicon.squeezed_matches(rest)
    for rest in [short.removesuffix(suffix) for suffix in _SUFFIXES if short.endswith(suffix)]:
        if len(rest) > 2 and rest not in COMMON:
            found += [*([rest] if rest in lexicon.surfaces else []), *lexicon.squeezed_matches(rest)]
    starts = [(len(p), p) for p in lexicon.surfaces.prefixes(short) if len(p) > 4 and p not in COMMON]
    packed = [(len(p), q) for p in lexicon.squeezed.prefixes(short) if len(p) > 5 for q in lexicon.squeezed_matches(p)]
    return found + [name for _, name in sorted(starts + packed, key=lambda item: -item[0])]


def _alias_key(key: str) -> str:
    return fold(key).replace(".", "")


def collect(
    tokens: Sequence[Tokens],
    spans: Sequence[Sequence[Span]],
    views: Sequence[View],
    inventory: Inventory,
    *,
    most: int = 12,
) -> Candidates:
    """The entities of every span as flat arrays; at most `most` of a mention: those of the name as it is written before
    those of looser forms ("BBC" of "BBC1"), the likeliest by prior first."""
    guessed: dict[str, int] = {}
    n_known = len(inventory.entities)
    document: list[int] = []
    bounds: list[tuple[int, int]] = []
    keys: list[str] = []
    offsets = [0]
    document_offsets = [0]
    rows: list[_Row] = []
    renown = inventory.renown
    for d, (text, proposed, view) in enumerate(zip(tokens, spans, views, strict=True)):
        readings = [_entities(text, span, view, inventory, guessed, n_known) for span in proposed]
        readings = _with_echoes(proposed, _without_pieces(proposed, readings))
        for span, found in zip(proposed, readings, strict=True):
            if not found:
                continue
            if len(found) > most:
                found.sort(key=lambda row: (not row[4] & _AS_WRITTEN, -_prior(row, renown, n_known)))
                found = found[:most]
            rows += found
            document.append(d)
            bounds.append((span.first, span.last))
            keys.append(span.key)
            offsets.append(len(rows))
        document_offsets.append(len(keys))
    table = np.array(rows, dtype=np.float64).reshape(len(rows), 6)
    limits = np.array(bounds, dtype=np.int32).reshape(len(bounds), 2)
    return Candidates(
        tokens=list(tokens),
        views=list(views),
        n_known=n_known,
        document_offsets=np.array(document_offsets, dtype=np.int32),
        document=np.array(document, dtype=np.int32),
        first=limits[:, 0].copy(),
        last=limits[:, 1].copy(),
        keys=keys,
        offsets=np.array(offsets, dtype=np.int32),
        entity=table[:, 0].astype(np.int32),
        other_count=table[:, 1].astype(np.float32),
        tweet_count=table[:, 2].astype(np.float32),
        sources=table[:, 3].astype(np.int32),
        forms=table[:, 4].astype(np.int32),
        aliases=table[:, 5].astype(np.int32),
        guessed=list(guessed),
    )


def _without_pieces(spans: Sequence[Span], readings: Sequence[list[_Row]]) -> list[list[_Row]]:
    """The readings less those that only a piece of a title suggests where a longer span names the same entity."""
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
    """The readings, and those of longer names elsewhere in the text for a word that opens or closes such a name."""
    names: dict[str, list[int]] = {}
    for i, (span, rows) in enumerate(zip(spans, readings, strict=True)):
        words = span.key.split()
        if 2 <= len(words) <= 4 and any(row[3] or row[4] & _FORM["guess"] for row in rows):
            for word in {words[0], words[-1]} - COMMON:
                if len(word) > 2:
                    names.setdefault(word, []).append(i)
    result = []
    for span, rows in zip(spans, readings, strict=True):
        longer = [i for i in names.get(span.key, ()) if spans[i].last <= span.first or span.last <= spans[i].first]
        if longer:
            echoed = {row[0] for i in longer for row in readings[i] if row[3] or row[4] & _FORM["guess"]}
            kept = [(*row[:4], row[4] | _FORM["echo"], row[5]) if row[0] in echoed else row for row in rows]
            new = sorted(echoed - {row[0] for row in rows})
            rows = kept + [(entity, 0.0, 0.0, 0, _FORM["echo"], 0) for entity in new]
        result.append(rows)
    return result


def _prior(row: _Row, renown: Floats, n_known: int) -> float:
    entity, other, tweets, sources, _, aliases = row
    known = renown[entity] if entity < n_known else 0.0
    listed = 3 * _log1p(tweets) + _log1p(other) + 0.5 * bin(sources).count("1")
    return float(listed + 0.3 * known - (2.0 if aliases else 0.0))


def _entities(
    text: Tokens, span: Span, view: View, inventory: Inventory, guessed: dict[str, int], n_known: int
) -> list[_Row]:
    found: dict[int, list[float]] = {}

    def add(entity: int, other: float, tweets: float, sources: int, form: int, alias: int) -> None:
        row = found.get(entity)
        if row is None:
            found[entity] = [other, tweets, sources, form, alias]
            return
        row[0] += other
        row[1] += tweets
        row[2] = int(row[2]) | sources
        row[3] = int(row[3]) | form
        row[4] = int(row[4]) | alias

    def number(title: str) -> int:
        known = inventory.entities.number(title)
        return known if known >= 0 else n_known + guessed.setdefault(title, len(guessed))

    def look_up(surface: str, form: int) -> None:
        for entity, other, tweets, sources in inventory.readings(surface):
            add(entity, other, tweets, sources, form, 0)
        for title in view.titles(surface):
            add(number(title), 0.0, view.count("pairs", surface, title), _MEMORY_SOURCE, form | _FORM["memory"], 0)

    # Whether a looser form is tried depends on what the stricter ones gave, the text at hand left out: a surface that
    # only this text supports is as good as absent.
    for surface, form in span.surfaces:
        look_up(surface, form)
    if span.last == span.first + 1 or not found:
        for surface in span.squeezed:
            look_up(surface, _FORM["spaceless"])
    for surface in span.affixes:
        if found:
            break
        look_up(surface, _FORM["affix"])
    alias = _alias_key(span.key)
    if alias not in COMMON or text.words[span.first][:1].isupper():
        for entity, kind in supported_aliases(alias, view, inventory):
            add(entity, 0.0, 0.0, 0, 0, _ALIAS[kind])
    for guess in span.guesses:
        known = inventory.entities.number(guess)
        # A title that only the text at hand supports must look like the unknown title it would otherwise be.
        if known < 0 or not _is_supported(known, view, inventory):
            known = n_known + guessed.setdefault(guess, len(guessed))
        add(known, 0.0, 0.0, 0, _FORM["guess"], 0)
    return [(entity, *row) for entity, row in found.items()]  # type: ignore[misc]


def supported_aliases(alias: str, view: View, inventory: Inventory) -> list[tuple[int, str]]:
    """Entities by a piece or the initials of their title, the text at hand left out."""
    matches = inventory.lexicon.alias_matches(alias)
    return [(entity, kind) for entity, kind in matches if _is_supported(entity, view, inventory)]


def _is_supported(entity: int, view: View, inventory: Inventory) -> bool:
    """Known from somewhere besides the text at hand: else its aliases would tell the answer."""
    if inventory.supported[entity]:
        return True
    return view.count("entities", inventory.entities.title(entity)) > 0
