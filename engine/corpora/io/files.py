"""Reading and writing files: lines of files that may be compressed, and atomic writing.

Everything that can go wrong with a file (missing, a directory, truncated, not UTF-8, one endless line) becomes an
InputError with its place.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

from engine.data.errors import InputError
from engine.data.progress import told

LINE_LIMIT = 64 << 20
"""Maximum length of a line in bytes. The largest real one is under 2 MB; a longer one indicates another kind of
file."""

_BLOCK: Final = 1 << 16
"""Number of bytes that are decoded and cut into lines at a time."""

WHOLE_LIMIT = 128 << 20
"""Maximum uncompressed size in bytes of a file whose format has to be read as a whole (JSON, RDF); parsing it takes
about ten times as much memory."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed if its content is gzip; errors are raised as InputError."""
    try:
        with ExitStack() as stack:
            raw: IO[bytes] = stack.enter_context(path.open("rb"))
            stack.enter_context(told(path, raw))
            compressed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            if not compressed and path.suffix == ".gz":
                raise InputError("the name says gzip, but the content is not; rename or compress it", file=path)
            yield stack.enter_context(io.BufferedReader(gzip.GzipFile(fileobj=raw))) if compressed else raw
    except FileNotFoundError:
        raise InputError("there is no such file", file=path) from None
    except IsADirectoryError:
        raise InputError("is a directory, a file was expected", file=path) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the compressed data is damaged or cut off ({error})", file=path) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", file=path) from None


def lines(path: Path, *, ends: bool = False, may_be_empty: bool = False) -> Iterator[tuple[int, str]]:
    """(line number, line), from 1, without the line breaks unless `ends`. A file without any byte is an error.

    Only "\\n" ends a line: a "\\r" stays, and so do the other characters that Python calls line breaks.
    """
    end = "\n" if ends else ""
    with opened(path) as file:
        number = 0
        for block in _blocks(file):
            if len(block) > LINE_LIMIT and not 0 <= block.find(b"\n") < LINE_LIMIT:
                raise InputError(
                    f"the line is longer than {LINE_LIMIT >> 20} MB; is this a file of another kind?",
                    file=path,
                    line=number + 1,
                )
            try:
                found = block.decode("utf-8").split("\n")
            except UnicodeDecodeError:
                # One of these lines is at fault; those before it are read.
                for raw in block.split(b"\n"):
                    number += 1
                    yield number, _decode(raw, path, number) + end
                raise
            last = found.pop()
            for line in found:
                number += 1
                yield number, line + end
            if last:
                number += 1
                yield number, last
        if not number and not may_be_empty:
            raise InputError("the file is empty", file=path)


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """The content in pieces of whole lines; what is longer than a line may be ends the last piece."""
    held: list[bytes] = []
    size = 0
    while size <= LINE_LIMIT and (block := file.read(min(_BLOCK, LINE_LIMIT))):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join([*held, block[:cut]])
            held, size, block = [], 0, block[cut:]
        held.append(block)
        size += len(block)
    if size:
        yield b"".join(held)


def whole(path: Path, *, may_be_empty: bool = False) -> str:
    """The text of a file that has to be read as a whole."""
    with opened(path) as file:
        content = file.read(WHOLE_LIMIT + 1)
    if len(content) > WHOLE_LIMIT:
        raise InputError(f"larger than {WHOLE_LIMIT >> 20} MB; split it, or use a format of lines", file=path)
    if not content and not may_be_empty:
        raise InputError("the file is empty", file=path)
    return _decode(content, path, None)


class FileBatch:
    """A context for writing several files that appear together if it ends without an error; otherwise nothing is left.

    Files named .gz are compressed, without a time stamp, so that equal content gives equal bytes.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._parts: list[tuple[Path, Path]] = []

    def create(self, path: Path) -> IO[bytes]:
        """A file to write, which will be at `path`."""
        if path.is_dir():
            raise InputError("is a directory, a file was to be written there", file=path)
        try:
            handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror or error})", file=path) from None
        self._parts.append((Path(name), path))
        raw = self._open.enter_context(os.fdopen(handle, "wb"))
        return self._open.enter_context(_compressor(raw)) if path.suffix == ".gz" else raw

    def __enter__(self) -> FileBatch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        place = self._parts[0][1] if self._parts else None
        try:
            self._open.close()
            if kind is None:
                for part, path in self._parts:
                    part.chmod(0o666 & ~_umask())
                    part.replace(path)
        except OSError as fault:
            raise InputError(f"cannot be written ({fault.strerror or fault})", file=place) from None
        finally:
            for part, _ in self._parts:
                part.unlink(missing_ok=True)
        if isinstance(error, UnicodeEncodeError):
            raise InputError("half a character (an unpaired surrogate) cannot be written", file=place) from None
        if isinstance(error, OSError):
            raise InputError(f"cannot be written ({error.strerror or error})", file=place) from None


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A context with a folder to fill, which appears if it ends without an error; an existing folder with content is
    not touched."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError("exists and is not an empty folder; choose another name", file=path)
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent))
        try:
            yield part
            part.chmod(0o777 & ~_umask())
            part.replace(path)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", file=path) from None


def _compressor(raw: IO[bytes]) -> IO[bytes]:
    return io.BufferedWriter(gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _decode(content: bytes, path: Path, line: int | None) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        place = line if line is not None else content.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8 text; save it as UTF-8 or name its format", file=path, line=place) from None
