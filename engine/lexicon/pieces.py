"""A lexicon of more names than fit in memory, assembled piece by piece on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.lexicon import knowledge
from engine.lexicon.aliases import alias_readings, alias_trie, renown
from engine.lexicon.assembling import (
    ALIAS_PARTS,
    POSTING_KINDS,
    POSTING_PARTS,
    Watch,
    posting_blocks,
    sieve_of,
    squeezed_forms,
    unwatched,
    with_numbered_links,
)
from engine.lexicon.lexicon import FORMAT, Lexicon
from engine.lexicon.names import Grouped, Names, Waiting


def assemble_in_pieces(
    records: Any, rows: Mapping[str, dict[str, Any]], pieces: int, watch: Watch = unwatched
) -> Lexicon:
    """The same in memory that depends on the size of a piece: names, postings and aliases wait on disk, in a folder
    that exists as long as the lexicon does. Rows of entities are in memory."""
    scratch = TemporaryDirectory(prefix="lexicon-")
    folder = Path(scratch.name)
    waiting, named = Waiting(folder, "surfaces", pieces), Waiting(folder, "titles", pieces)
    for title in rows:
        named.add(title)
    for surface, readings in watch(records(), "collecting names"):
        waiting.add(surface)
        for title, _, _ in readings:
            named.add(title)
    surfaces, titles = waiting.names(), named.names(repeated=True)
    by_number = with_numbered_links({titles[title]: row for title, row in rows.items()}, titles)
    entity_parts, type_names = knowledge.pack(titles, by_number)
    tagsets: dict[tuple[str, ...], int] = {}
    grouped = Grouped(folder, "postings", surfaces, POSTING_KINDS)
    for block in posting_blocks(watch(records(), "writing postings"), surfaces, titles, tagsets):
        grouped.add(*block)
    posting_parts = dict(zip(POSTING_PARTS, grouped.offsets_and_columns(), strict=True))
    squeezed, squeezed_parts = _squeezed_in_pieces(folder, surfaces)
    known = renown(len(titles), entity_parts, posting_parts, list(tagsets))
    short = Waiting(folder, "aliases", pieces)
    for entity in watch(np.flatnonzero(known > 0).tolist(), "finding aliases"):
        for alias, reading in alias_readings(titles, entity):
            short.add(alias, reading)
    aliases, alias_parts = _aliases_in_pieces(short, known)
    tries = {"surfaces": surfaces, "squeezed": squeezed, "aliases": aliases, "titles": titles}
    names = {"format": FORMAT, "types": type_names, "tagsets": [list(tags) for tags in tagsets]}
    parts = {**entity_parts, **posting_parts, **squeezed_parts, **alias_parts}
    parts |= {"sieve": sieve_of(surfaces, aliases), "names": names}
    return Lexicon(tries, parts, scratch=scratch)


def _squeezed_in_pieces(folder: Path, surfaces: Names) -> tuple[Names, dict[str, Any]]:
    waiting = Waiting(folder, "squeezed", len(surfaces.tries))
    for trie in surfaces.tries:
        for _, short in squeezed_forms(trie):
            waiting.add(short)
    squeezed = waiting.names()
    grouped = Grouped(folder, "squeezed", squeezed, (np.int32,))
    for trie, first in zip(surfaces.tries, surfaces.offsets, strict=False):
        pairs = np.array([(trie[key] + first, squeezed[short]) for key, short in squeezed_forms(trie)], dtype=np.int64)
        numbers, owners = pairs.reshape(-1, 2).T
        order = np.argsort(numbers)
        grouped.add(owners[order], numbers[order])
    return squeezed, dict(zip(("squeezed_offsets", "squeezed_surfaces"), grouped.offsets_and_columns(), strict=True))


def _aliases_in_pieces(waiting: Waiting, known: Floats) -> tuple[Names, dict[str, Any]]:
    tries, columns = [], []
    for aliases, readings in waiting.pieces():
        found: dict[str, list[int]] = {}
        for alias, reading in zip(aliases, readings, strict=True):
            found.setdefault(alias, []).append(reading)
        trie, *own = alias_trie(found, known)
        tries.append(trie)
        columns.append(own)
    offsets, end = [np.zeros(1, dtype=np.int64)], 0
    for counted, *_ in columns:
        offsets.append(end + counted[1:].astype(np.int64))
        end += int(counted[-1])
    _, entities, kinds = zip(*columns, strict=True)
    joined = (np.concatenate(offsets), np.concatenate(entities), np.concatenate(kinds))
    return Names(tries), dict(zip(ALIAS_PARTS, joined, strict=True))
