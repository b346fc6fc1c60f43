"""Unpacks zip files of corpora, with a limit on the unpacked size, and selects the files to read."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Final

from engine.data.errors import InputError

MOST_BYTES: Final = 256 << 20
"""Maximum unpacked size of one upload or zip in bytes; reading it takes about six times as much memory."""
LONGEST_NAME: Final = 200
"""Maximum number of bytes of a file's name."""


@contextmanager
def opened(path: Path) -> Iterator[list[Path]]:
    """A context with the files to read from a zip, unpacked into a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="espalier-zip-") as folder:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", file=path) from None
        yield main_files(unpacked([(path.name, content)], Path(folder)))


def unpacked(sent: Iterable[tuple[str, bytes]], folder: Path) -> list[Path]:
    """Write named contents as files to the folder, unpacking zips; together they must not exceed the limit."""
    found: dict[str, Path] = {}
    left = MOST_BYTES
    for source, whole in sent:
        for name, content in _files(source, whole):
            path = folder / _plain(name, source)
            if path.name in found:
                raise InputError(f"holds two files called {path.name!r}; upload them one by one", file=source)
            found[path.name] = path
            with path.open("wb") as file:
                left -= _copied(content, file, left, source)
            # Compressed files inside count with their uncompressed size.
            left -= _more_when_read(path, left, source)
    return list(found.values())


def main_files(paths: Sequence[Path]) -> list[Path]:
    """The files to read; their sidecars are found by name."""
    stems = {path.name[: -len(".ann")] for path in paths if path.suffix == ".ann"}
    tables = {path.name.split(".")[0] for path in paths if ".texts." not in path.name}
    return [
        path
        for path in paths
        if not any(f".{kind}.tsv" in path.name for kind in ("dep", "mentions"))
        and not (path.suffix == ".txt" and path.name[: -len(".txt")] in stems)
        and not (".texts." in path.name and path.name.split(".texts.")[0] in tables)
        and not path.name.startswith("._")  # macOS adds such a file for every file of a zip
        and path.name not in (".DS_Store", "Thumbs.db")
    ]


def _files(source: str, whole: bytes) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and content of a file, or of every file in a zip."""
    if not source.lower().endswith(".zip"):
        yield source, io.BytesIO(whole)
        return
    try:
        with zipfile.ZipFile(io.BytesIO(whole)) as archive:
            for member in archive.infolist():
                if member.filename.lower().endswith(".zip"):
                    raise InputError("holds another zip file; unpack it first", file=source)
                if not member.is_dir():
                    with archive.open(member) as content:
                        yield member.filename, content
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"is not a zip file that can be unpacked ({error})", file=source) from error


def _copied(content: IO[bytes], file: IO[bytes], most: int, source: str) -> int:
    """Copy piece by piece, so that an oversized file is never unpacked completely; returns the number of bytes."""
    copied = 0
    while piece := content.read(1 << 20):
        copied += len(piece)
        if copied > most:
            raise _too_large(source)
        file.write(piece)
    return copied


def _more_when_read(path: Path, most: int, source: str) -> int:
    """By how many bytes a compressed file grows when it is read."""
    stored = path.stat().st_size
    with path.open("rb") as raw:
        if raw.read(2) != b"\x1f\x8b":
            return 0
    grown = 0
    try:
        with gzip.open(path) as content:
            while piece := content.read(1 << 20):
                grown += len(piece)
                if grown - stored > most:
                    raise _too_large(source)
    except (OSError, EOFError, zlib.error):
        # Damaged: the reader reports it, with the place.
        return 0
    return max(0, grown - stored)


def _too_large(source: str) -> InputError:
    return InputError(f"holds more than {MOST_BYTES >> 20} MB when unpacked; upload it in parts", file=source)


def _plain(name: str, source: str) -> str:
    """The last part of a file name, without the sender's folders. Invalid file names are refused."""
    last = PurePosixPath(name.replace("\\", "/")).name
    if len(last.encode(errors="replace")) > LONGEST_NAME:
        raise InputError(f"holds a file whose name has more than {LONGEST_NAME} bytes: {last[:40]}…", file=source)
    return re.sub(r"[\x00-\x1f\x7f\ud800-\udfff]", "_", last) if last not in ("", ".", "..") else "upload"
