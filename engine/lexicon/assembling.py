"""A lexicon made of records, in memory: tries of names, and the arrays that belong to them.

Records are read twice: the first pass collects keys for the tries, the second writes postings to the positions that the
tries assign. Only keys and flat arrays are kept in memory, so that ten million surfaces fit; more are assembled in
pieces (pieces.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final, TypeAlias

import marisa_trie
import numpy as np

from engine.arrays import Array, Floats
from engine.lexicon import knowledge
from engine.lexicon.aliases import alias_readings, alias_trie, renown
from engine.lexicon.lexicon import FORMAT, Lexicon
from engine.lexicon.sieve import Sieve, made_of
from engine.lexicon.surfaces import squeeze_all

Record = tuple[str, list[tuple[str, int, tuple[str, ...]]]]
"""A surface and its readings: (title, count, tags)."""

Watch: TypeAlias = Callable[[Iterable[Any], str], Iterable[Any]]
"""Wraps the items of a stage, given with the stage's name, so that a command can show progress."""

_BLOCK: Final = 1 << 14
"""Number of surfaces whose squeezed forms are made at a time."""

ALIAS_PARTS: Final = ("alias_offsets", "alias_entities", "alias_kinds")
POSTING_PARTS: Final = ("posting_offsets", "posting_entities", "posting_counts", "posting_tagsets")
POSTING_KINDS: Final = (np.int32, np.uint32, np.uint16)


def unwatched(things: Iterable[Any], stage: str) -> Iterable[Any]:
    return things


def assemble(records: Any, rows: Mapping[str, dict[str, Any]], watch: Watch = unwatched) -> Lexicon:
    """The lexicon made from a stream of records, which is read twice, and from the rows of its entities."""
    surfaces, titles = _collect_tries(watch(records(), "collecting names"), rows)
    by_number = with_numbered_links({titles[title]: row for title, row in rows.items()}, titles)
    entity_parts, type_names = knowledge.pack(titles, by_number)
    posting_parts, tagsets = _postings(watch(records(), "writing postings"), surfaces, titles)
    squeezed, squeezed_parts = _squeezed_trie(surfaces)
    aliases, alias_parts = _aliases(titles, renown(len(titles), entity_parts, posting_parts, tagsets), watch)
    tries = {"surfaces": surfaces, "squeezed": squeezed, "aliases": aliases, "titles": titles}
    names = {"format": FORMAT, "types": type_names, "tagsets": tagsets}
    parts = {**entity_parts, **posting_parts, **squeezed_parts, **alias_parts}
    return Lexicon(tries, {**parts, "sieve": sieve_of(surfaces, aliases), "names": names})


def sieve_of(*tries: Any) -> Sieve:
    """The sieve of all names of these tries."""
    return made_of(chain.from_iterable(trie.iterkeys() for trie in tries), sum(map(len, tries)))


def with_numbered_links(rows: Mapping[int, dict[str, Any]], titles: marisa_trie.Trie) -> dict[int, dict[str, Any]]:
    """The rows with numbers for the pages that link to each entity. Pages that are not entities themselves (lists,
    categories) are just as informative about which entities belong together; they are numbered after the entities."""
    outside: dict[str, int] = {}

    def number(page: str) -> int:
        return titles[page] if page in titles else outside.setdefault(page, len(titles) + len(outside))

    return {
        entity: {**row, "links": [number(page) for page in row["links"]]} if "links" in row else row
        for entity, row in rows.items()
    }


def _collect_tries(records: Iterable[Record], rows: Iterable[str]) -> tuple[marisa_trie.Trie, marisa_trie.Trie]:
    titles: set[str] = set(rows)

    def keys() -> Iterator[str]:
        for surface, readings in records:
            for title, _, _ in readings:
                titles.add(title)
            yield surface

    surfaces = marisa_trie.Trie(keys())
    return surfaces, marisa_trie.Trie(titles)


def posting_blocks(
    records: Iterable[Record], surfaces: Any, titles: Any, tagsets: dict[tuple[str, ...], int]
) -> Iterator[list[Array]]:
    """The readings of all records in blocks of columns: number of the surface, of the entity, count, number of the
    sources; these are numbered in `tagsets` as they come."""
    columns: list[list[int]] = [[], [], [], []]
    owner, entity, count, tagset = columns
    for surface, readings in records:
        number = surfaces[surface]
        for title, times, tags in readings:
            owner.append(number)
            entity.append(titles[title])
            count.append(times)
            tagset.append(tagsets.setdefault(tags, len(tagsets)))
        if len(owner) >= 1 << 18:
            yield _as_arrays(columns)
            for column in columns:
                column.clear()
    yield _as_arrays(columns)


def _as_arrays(columns: Sequence[list[int]]) -> list[Array]:
    return [np.array(column, dtype=kind) for column, kind in zip(columns, (np.int64, *POSTING_KINDS), strict=True)]


def _postings(
    records: Iterable[Record], surfaces: marisa_trie.Trie, titles: marisa_trie.Trie
) -> tuple[dict[str, Any], list[list[str]]]:
    tagsets: dict[tuple[str, ...], int] = {}
    blocks = list(zip(*posting_blocks(records, surfaces, titles, tagsets), strict=True))
    owners = np.concatenate([block.astype(np.int32) for block in blocks[0]])
    order = np.argsort(owners, kind="stable")
    offsets = np.zeros(len(surfaces) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=len(surfaces)), out=offsets[1:])
    columns = [offsets, *(np.concatenate(column)[order] for column in blocks[1:])]
    return dict(zip(POSTING_PARTS, columns, strict=True)), [list(tags) for tags in tagsets]


def squeezed_forms(surfaces: marisa_trie.Trie) -> Iterator[tuple[str, str]]:
    """Surfaces that differ from their squeezed form, with that."""
    keys = surfaces.iterkeys()
    while block := list(islice(keys, _BLOCK)):
        for key, short in zip(block, squeeze_all(block), strict=True):
            if len(short) > 2 and short != key:
                yield key, short


def _squeezed_trie(surfaces: marisa_trie.Trie) -> tuple[marisa_trie.Trie, dict[str, Any]]:
    """A trie of squeezed forms, with the surfaces' numbers."""
    trie = marisa_trie.Trie(short for _, short in squeezed_forms(surfaces))
    owners = np.full(len(surfaces), -1, dtype=np.int32)
    for key, short in squeezed_forms(surfaces):
        owners[surfaces[key]] = trie[short]
    held = np.flatnonzero(owners >= 0).astype(np.int32)
    order = np.argsort(owners[held], kind="stable")
    offsets = np.zeros(len(trie) + 1, dtype=np.int32)
    np.cumsum(np.bincount(owners[held], minlength=len(trie)), out=offsets[1:])
    return trie, {"squeezed_offsets": offsets, "squeezed_surfaces": held[order]}


def _aliases(titles: marisa_trie.Trie, known: Floats, watch: Watch) -> tuple[marisa_trie.Trie, dict[str, Any]]:
    """A trie of pieces and initials of the titles of entities with any renown."""
    found: dict[str, list[int]] = {}
    for entity in watch(np.flatnonzero(known > 0).tolist(), "finding aliases"):
        for alias, reading in alias_readings(titles, entity):
            found.setdefault(alias, []).append(reading)
    trie, *columns = alias_trie(found, known)
    return trie, dict(zip(ALIAS_PARTS, columns, strict=True))
