"""Entity vectors in the word2vec formats, text or binary, scaled to unit length once.

Yang, Irsoy and Rahman 2018, section 4.3: with unit vectors a cosine is a dot product.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from engine.arrays import Singles
from engine.data.errors import InputError

Vectors = dict[str, Singles]


def read_vectors(path: Path) -> Vectors:
    """Title -> unit vector. Underscores in names stand for spaces, a leading "ENTITY/" is dropped."""
    path = Path(path)
    if not path.is_file():
        raise InputError("there is no such vector file", file=path)
    with _open(path) as stream:
        n, size = _header(stream, path)
        rows = _binary(stream, path, n, size) if _is_binary(path) else _text(stream, path, n, size)
        return {_title(name): _unit(row) for name, row in rows}


def check_vectors(path: Path) -> None:
    """Raise InputError if the file does not begin like a vector file."""
    with _open(Path(path)) as stream:
        _header(stream, Path(path))


def _header(stream: IO[bytes], path: Path) -> tuple[int, int]:
    """The number of vectors and their size."""
    header = stream.readline(1 << 10).split()
    if len(header) != 2 or not all(part.isdigit() for part in header):
        raise InputError("the first line of a word2vec file is the number of vectors and their size", file=path, line=1)
    return int(header[0]), int(header[1])


def read_all_vectors(paths: Sequence[Path]) -> Vectors:
    """The vectors of several files, all of the same size; if two files have the same name, the first one wins."""
    found: Vectors = {}
    for path in paths:
        read = read_vectors(path)
        sizes = {len(next(iter(one.values()))) for one in (found, read) if one}
        if len(sizes) > 1:
            raise InputError(f"its vectors are of another size than those of {paths[0].name}", file=path)
        found = {**read, **found}
    return found


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _is_binary(path: Path) -> bool:
    return path.name.removesuffix(".gz").endswith(".bin")


def _text(stream: IO[bytes], path: Path, n: int, size: int) -> Iterator[tuple[str, Singles]]:
    number = 1
    for number, line in enumerate(stream, start=2):
        # Names may contain spaces; the last `size` fields are the vector.
        fields = line.decode("utf-8", errors="replace").rstrip().rsplit(" ", size)
        try:
            row = np.array(fields[1:], dtype=np.float32)
        except ValueError as error:
            raise InputError("a value is not a number", file=path, line=number) from error
        if len(row) != size:
            raise InputError(f"expected a name and {size} numbers", file=path, line=number)
        yield fields[0], row
    if number - 1 != n:
        raise InputError(f"the file holds {number - 1} vectors, its first line says {n}", file=path)


def _binary(stream: IO[bytes], path: Path, n: int, size: int) -> Iterator[tuple[str, Singles]]:
    for number in range(n):
        name = bytearray()
        while (byte := stream.read(1)) != b" ":
            if not byte:
                raise InputError(f"the file ends within vector {number + 1} of {n}", file=path)
            if byte != b"\n":
                name += byte
        raw = stream.read(4 * size)
        if len(raw) != 4 * size:
            raise InputError(f"the file ends within vector {number + 1} of {n}", file=path)
        yield name.decode("utf-8", errors="replace"), np.frombuffer(raw, dtype="<f4")


def _title(name: str) -> str:
    return name.removeprefix("ENTITY/").replace("_", " ")


def _unit(row: Singles) -> Singles:
    length = float(np.linalg.norm(row))
    # Half precision, as in the model file, so that a loaded model scores exactly like the trained one.
    return (row / length if length > 0 else row).astype(np.float16).astype(np.float32)
