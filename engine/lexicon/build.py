"""Building a lexicon from text files: surfaces (JSON lines), entities, descriptions and links (tab-separated).

There are two passes over the files: the first collects keys for the tries, the second writes postings to the positions
that the tries assign. Only keys and flat arrays are kept in memory, so that tens of millions of surfaces fit.
"""

from __future__ import annotations

import gc
import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import marisa_trie
import numpy as np

from engine.arrays import Array, Floats
from engine.data.errors import InputError
from engine.data.progress import told
from engine.lexicon import knowledge
from engine.lexicon.lexicon import ALIAS_KINDS, FORMAT, HEADER, Lexicon
from engine.lexicon.sieve import made_of
from engine.lexicon.surfaces import normalise, plain_title, squeeze_all, words_of

Record = tuple[str, list[tuple[str, int, tuple[str, ...]]]]
"""A surface and its readings: (title, count, tags)."""

Watch: TypeAlias = Callable[[Iterable[Any], str], Iterable[Any]]
"""Wraps the items of a stage, given with the stage's name, so that a command can show progress."""

IN_MEMORY: Final = 64_000_000
"""Surface files up to this many bytes are held in memory while building."""

_BLOCK: Final = 1 << 14
"""Number of surfaces whose squeezed forms are made at a time."""

_LINES: Final = 512
"""Number of lines parsed at a time."""

MOST_PER_ALIAS: Final = 8
"""Maximum number of entities kept for one derived alias, best known first."""

_SMALL_WORDS: Final = frozenset("the of and for in on at to a an de la le du von van & vs by with from".split())


def _unwatched(things: Iterable[Any], stage: str) -> Iterable[Any]:
    return things


def open_or_build(paths: Sequence[Path]) -> Lexicon:
    """An existing lexicon, or one built in memory from a folder or files of surfaces, entities, descriptions, links."""
    if len(paths) == 1 and (Path(paths[0]) / HEADER).is_file():
        return Lexicon.open(paths[0])
    return build(paths)


def build(paths: Sequence[Path], watch: Watch = _unwatched) -> Lexicon:
    files = find_files(paths)
    if not files["surfaces"]:
        raise InputError(
            "no surface file (*.jsonl or *.jsonl.gz) among the lexicon files", file=paths[0] if paths else None
        )
    with _uncollected():
        # Reading twice needs no memory; reading once takes half the time.
        if sum(file.stat().st_size for file in files["surfaces"]) <= IN_MEMORY:
            held = list(watch(_records(files["surfaces"]), "reading surfaces"))
            return assemble(lambda: held, _entity_rows(files, watch), watch)
        return assemble(lambda: _records(files["surfaces"]), _entity_rows(files, watch), watch)


@contextmanager
def _uncollected() -> Iterator[None]:
    """A context without the garbage collector, which would repeatedly scan rows that are all in use."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def find_files(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """The files by their kind, recognised by their names."""
    found: dict[str, list[Path]] = {"surfaces": [], "entities": [], "descriptions": [], "links": []}
    for given in map(Path, paths):
        if not given.exists():
            raise InputError("there is no such file", file=given)
        inside = given.is_dir()
        for file in sorted(given.iterdir()) if inside else [given]:
            name = file.name.removesuffix(".gz")
            if name.endswith(".jsonl"):
                found["surfaces"].append(file)
            elif name.endswith(".tsv") and (kind := name.removesuffix(".tsv").split("_")[0]) in found:
                found[kind].append(file)
            elif not inside:
                raise InputError(
                    "a lexicon file is *.jsonl, entities*.tsv, descriptions*.tsv or links*.tsv (also .gz)", file=file
                )
    return found


def check(path: Path) -> None:
    """Raise InputError unless this is a built lexicon, a folder of lexicon files or a lexicon file. Only the first
    entries of a surface file are read."""
    if (Path(path) / HEADER).is_file():
        return
    files = find_files([path])
    if not any(files.values()):
        raise InputError("no lexicon file is in this folder", file=path)
    for file in files["surfaces"]:
        for _ in islice(_records([file]), _LINES):
            pass


def assemble(records: Any, rows: Mapping[str, dict[str, Any]], watch: Watch = _unwatched) -> Lexicon:
    """The lexicon made from a stream of records, which is read twice, and from the rows of its entities."""
    surfaces, titles = _collect_tries(watch(records(), "collecting names"), rows)
    by_number = _with_numbered_links({titles[title]: row for title, row in rows.items()}, titles)
    entity_parts, type_names = knowledge.pack(titles, by_number)
    posting_parts, tagsets = _postings(watch(records(), "writing postings"), surfaces, titles)
    squeezed, squeezed_parts = _squeezed(surfaces)
    aliases, alias_parts = _aliases(titles, _renown(titles, entity_parts, posting_parts, tagsets), watch)
    tries = {"surfaces": surfaces, "squeezed": squeezed, "aliases": aliases, "titles": titles}
    names = {"format": FORMAT, "types": type_names, "tagsets": tagsets}
    sieve = made_of(chain(surfaces.iterkeys(), aliases.iterkeys()), len(surfaces) + len(aliases))
    parts = {**entity_parts, **posting_parts, **squeezed_parts, **alias_parts}
    return Lexicon(tries, {**parts, "sieve": sieve, "names": names})


def _with_numbered_links(rows: Mapping[int, dict[str, Any]], titles: marisa_trie.Trie) -> dict[int, dict[str, Any]]:
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


def _postings(
    records: Iterable[Record], surfaces: marisa_trie.Trie, titles: marisa_trie.Trie
) -> tuple[dict[str, Any], list[list[str]]]:
    tagsets: dict[tuple[str, ...], int] = {}
    columns: list[list[int]] = [[], [], [], []]
    blocks: list[list[Array]] = [[], [], [], []]
    kinds: tuple[Any, ...] = (np.int32, np.int32, np.uint32, np.uint16)

    def flush() -> None:
        for column, block, kind in zip(columns, blocks, kinds, strict=True):
            block.append(np.array(column, dtype=kind))
            column.clear()

    owner, entity, count, tagset = columns
    for surface, readings in records:
        number = surfaces[surface]
        for title, times, tags in readings:
            owner.append(number)
            entity.append(titles[title])
            count.append(times)
            tagset.append(tagsets.setdefault(tags, len(tagsets)))
        if len(owner) >= 1 << 18:
            flush()
    flush()
    owners = np.concatenate(blocks[0])
    order = np.argsort(owners, kind="stable")
    offsets = np.zeros(len(surfaces) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owners, minlength=len(surfaces)), out=offsets[1:])
    parts = {
        "posting_offsets": offsets,
        "posting_entities": np.concatenate(blocks[1])[order],
        "posting_counts": np.concatenate(blocks[2])[order],
        "posting_tagsets": np.concatenate(blocks[3])[order],
    }
    return parts, [list(tags) for tags in tagsets]


def _squeezed(surfaces: marisa_trie.Trie) -> tuple[marisa_trie.Trie, dict[str, Any]]:
    """A trie of squeezed forms, for surfaces that differ from their squeezed form, with the surfaces' numbers."""

    def forms() -> Iterator[tuple[str, str]]:
        keys = surfaces.iterkeys()
        while block := list(islice(keys, _BLOCK)):
            for key, short in zip(block, squeeze_all(block), strict=True):
                if len(short) > 2 and short != key:
                    yield key, short

    trie = marisa_trie.Trie(short for _, short in forms())
    owners = np.full(len(surfaces), -1, dtype=np.int32)
    for key, short in forms():
        owners[surfaces[key]] = trie[short]
    held = np.flatnonzero(owners >= 0).astype(np.int32)
    order = np.argsort(owners[held], kind="stable")
    offsets = np.zeros(len(trie) + 1, dtype=np.int32)
    np.cumsum(np.bincount(owners[held], minlength=len(trie)), out=offsets[1:])
    return trie, {"squeezed_offsets": offsets, "squeezed_surfaces": held[order]}


def _renown(
    titles: marisa_trie.Trie, entities: Mapping[str, Any], postings: Mapping[str, Any], tagsets: Sequence[Sequence[str]]
) -> Floats:
    """How well known each entity is, for ranking the readings of an alias; 0 if there is no evidence."""
    linked = np.bincount(postings["posting_entities"], weights=postings["posting_counts"], minlength=len(titles))
    # Lists of names without counts are no evidence of renown, but curated sources are.
    curated = np.array([any(t in ("pantheon", "wikidata_alias", "ppr") for t in tags) for tags in tagsets])
    listed = np.bincount(
        postings["posting_entities"], weights=curated[postings["posting_tagsets"]], minlength=len(titles)
    )
    renown: Floats = (
        np.log1p(linked)
        + np.log1p(entities["entity_in_count"])
        + np.log1p(entities["entity_views"]) / 4
        + entities["entity_popularity"] / 4
        + (listed > 0)
    )
    return renown


def _aliases(titles: marisa_trie.Trie, renown: Floats, watch: Watch) -> tuple[marisa_trie.Trie, dict[str, Any]]:
    """A trie of pieces and initials of the titles of entities with any renown."""
    found: dict[str, list[int]] = {}
    for number in watch(np.flatnonzero(renown > 0).tolist(), "finding aliases"):
        for alias, kind in title_aliases(titles.restore_key(number)):
            found.setdefault(alias, []).append(number * len(ALIAS_KINDS) + ALIAS_KINDS.index(kind))
    trie = marisa_trie.Trie(found)
    offsets = np.zeros(len(trie) + 1, dtype=np.int32)
    rows: list[int] = []
    known = renown.tolist()
    for place in range(len(trie)):
        readings = found[trie.restore_key(place)]
        if len(readings) > 1:
            # If a title has the alias in several kinds, the first counts.
            first = {reading // len(ALIAS_KINDS): reading for reading in reversed(readings)}
            readings = [first[e] for e in sorted(first, key=lambda e: (-known[e], e))[:MOST_PER_ALIAS]]
        rows += readings
        offsets[place + 1] = len(rows)
    entities, kinds = np.divmod(np.array(rows, dtype=np.int64), len(ALIAS_KINDS))
    return trie, {
        "alias_offsets": offsets,
        "alias_entities": entities.astype(np.int32),
        "alias_kinds": kinds.astype(np.uint8),
    }


def title_aliases(title: str) -> Iterator[tuple[str, str]]:
    """(alias, kind) for every shorter form of a title that can be made from its words."""
    if "," in plain_title(title):
        yield normalise(plain_title(title).split(",")[0]), "place"
    words = words_of(title)
    if not 2 <= len(words) <= 8:
        return
    content = [word for word in words if word not in _SMALL_WORDS]
    for initials in {"".join(w[0] for w in words), "".join(w[0] for w in content)}:
        if len(initials) > 1 and initials.isalnum():
            yield initials, "initials"
    club = [w for w in words if w not in ("fc", "afc", "cf")]
    if len(club) < len(words) and club:
        yield "".join(w[0] for w in club) + "fc", "initials"
    if len(words) == 2 and len(words[0]) > 2:
        yield f"{words[0][0]} {words[1]}", "part"
    if 3 <= len(words) <= 5:
        # "Venice festival" for the Venice Film Festival: one inner word omitted.
        for gap in range(1, len(words) - 1):
            yield " ".join(words[:gap] + words[gap + 1 :]), "part"
    for low in range(len(words)):
        for high in range(low + 1, len(words) + 1):
            piece = words[low:high]
            if high - low == len(words) or piece[0] in _SMALL_WORDS or piece[-1] in _SMALL_WORDS:
                continue
            if high - low == 1 and len(piece[0]) < 3:
                continue
            kind = "part"
            if high - low == 1:
                kind = "first" if low == 0 else "last" if high == len(words) else "part"
            yield " ".join(piece), kind


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        with file.open("rb") as raw, TextIOWrapper(_unpacked(raw, file), encoding="utf-8") as lines, told(file, raw):
            for number, line in enumerate(lines, 1):
                if "\x00" in line or "\\u0000" in line:
                    # NUL ends a key in a trie.
                    raise InputError("there is a character NUL in it", file=file, line=number)
                if line.strip():
                    yield number, line.rstrip("\n")
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8 text", file=file) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"the file cannot be read: {error}", file=file) from error


def _unpacked(raw: BufferedReader, file: Path) -> IO[bytes]:
    return gzip.GzipFile(fileobj=raw) if file.suffix == ".gz" else raw  # type: ignore[return-value]


def _records(files: Sequence[Path]) -> Iterator[Record]:
    for file in files:
        lines = _lines(file)
        while block := list(islice(lines, _LINES)):
            for (number, line), row in zip(block, _parsed([line for _, line in block]), strict=True):
                try:
                    if row is None:
                        row = json.loads(line)
                    surface = row["surface"]
                    readings = [(str(title), int(count), tuple(tags)) for title, count, tags in row["entities"]]
                    if not isinstance(surface, str) or not surface:
                        raise ValueError("the surface is empty or no text")
                except (ValueError, KeyError, TypeError) as error:
                    fault = f"{error} is missing" if isinstance(error, KeyError) else error
                    raise InputError(
                        f'expected {{"surface": text, "entities": [[title, count, [tag, ...]], ...]}}: {fault}',
                        file=file,
                        line=number,
                    ) from error
                yield normalise(surface), readings


def _parsed(lines: Sequence[str]) -> Sequence[Any]:
    """The values of some lines, parsed as one list, which takes a third of the time. All None if some line is not a
    value."""
    try:
        values: list[Any] = json.loads(f"[{','.join(lines)}]")
    except ValueError:
        values = []
    return values if len(values) == len(lines) else [None] * len(lines)


def _entity_rows(files: Mapping[str, Sequence[Path]], watch: Watch) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for file in files["entities"]:
        for number, line in watch(_lines(file), "reading entities"):
            fields = line.split("\t")
            if len(fields) != 7:
                raise InputError(
                    "expected 7 columns (title, in_count, popularity, class, types, views, occupation),"
                    f" found {len(fields)}",
                    file=file,
                    line=number,
                )
            title, in_count, popularity, ner, types, views, occupation = fields
            row: dict[str, Any] = {}
            for name, text in (("in_count", in_count), ("popularity", popularity), ("views", views)):
                if text:
                    try:
                        row[name] = float(text)
                    except ValueError as error:
                        raise InputError(f"{text!r} is not a number", file=file, line=number, field=name) from error
            names = [t for t in types.split(",") if t]
            names += [f"class.{ner}"] if ner else []
            names += [f"person.{occupation.lower()}"] if occupation else []
            if names:
                row["types"] = names
            if row:
                rows[title] = row
    for file in files["descriptions"]:
        for number, line in _lines(file):
            title, tab, text = line.partition("\t")
            if not tab:
                raise InputError("expected title, tab, description", file=file, line=number)
            rows.setdefault(title, {})["description"] = text
    for file in files["links"]:
        for number, line in _lines(file):
            title, tab, targets = line.partition("\t")
            if not tab:
                raise InputError(
                    "expected title, tab, titles of the pages that link to it, with | between", file=file, line=number
                )
            rows.setdefault(title, {})["links"] = [t for t in targets.split("|") if t]
    return rows
