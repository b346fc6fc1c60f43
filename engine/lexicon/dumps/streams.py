"""Reads dumps, plain or compressed, as streams of bytes or lines."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from engine.data.errors import InputError

LONGEST_LINE: Final = 64_000_000
"""Maximum number of bytes of a line; the largest entities of Wikidata take a few million."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The content of a file; InputError names a file that cannot be read."""
    try:
        with _open(path) as stream:
            yield stream
    except (OSError, EOFError) as error:
        raise InputError(f"this file cannot be read: {error}", file=path) from error


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".bz2":
        return bz2.open(path, "rb")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without line ends."""
    with opened(path) as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE:
                raise InputError(f"this line is longer than {LONGEST_LINE:,} bytes", file=path, line=number)
            try:
                yield number, line.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError(f"this line is not UTF-8: {error}", file=path, line=number) from error
