"""Building a lexicon from text files: surfaces (JSON lines), entities, descriptions and links (tab-separated).

The files are read twice, unless they are small. Large ones are built in pieces, so that memory does not grow with them.
"""

from __future__ import annotations

import gc
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BufferedReader, TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final

from engine.data.errors import InputError
from engine.data.progress import told
from engine.lexicon.assembling import Record, Watch, assemble, unwatched
from engine.lexicon.lexicon import HEADER, Lexicon
from engine.lexicon.pieces import assemble_in_pieces
from engine.lexicon.surfaces import normalise

IN_MEMORY: Final = 64_000_000
"""Surface files up to this many bytes are held in memory while building."""

_LINES: Final = 512
"""Number of lines parsed at a time."""

PIECE: Final = 400_000_000
"""A piece of a lexicon is made of about this many bytes of text, four million surfaces; a smaller lexicon has one."""

PACKED: Final = 6
"""How many bytes of text a byte of a compressed surface file is, roughly."""


def open_or_build(paths: Sequence[Path]) -> Lexicon:
    """An existing lexicon, or one built in memory from a folder or files of surfaces, entities, descriptions, links."""
    if len(paths) == 1 and (Path(paths[0]) / HEADER).is_file():
        return Lexicon.open(paths[0])
    return build(paths)


def build(paths: Sequence[Path], watch: Watch = unwatched) -> Lexicon:
    files = find_files(paths)
    if not files["surfaces"]:
        raise InputError(
            "no surface file (*.jsonl or *.jsonl.gz) among the lexicon files", file=paths[0] if paths else None
        )
    with _uncollected():
        pieces = 1 + sum(_text_size(file) for file in files["surfaces"]) // PIECE
        if pieces > 1:
            return assemble_in_pieces(lambda: _records(files["surfaces"]), _entity_rows(files, watch), pieces, watch)
        # Reading twice needs no memory; reading once takes half the time.
        if sum(file.stat().st_size for file in files["surfaces"]) <= IN_MEMORY:
            held = list(watch(_records(files["surfaces"]), "reading surfaces"))
            return assemble(lambda: held, _entity_rows(files, watch), watch)
        return assemble(lambda: _records(files["surfaces"]), _entity_rows(files, watch), watch)


def _text_size(file: Path) -> int:
    return file.stat().st_size * (PACKED if file.suffix == ".gz" else 1)


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
