"""Model files: a zip of one JSON header and named parts, never a pickle.

A part is an array (.npy, read without pickles), JSON (.json), or bytes (.bin). Writing is atomic: the file appears
complete under its name or not at all.
"""

from __future__ import annotations

import io
import json
import lzma
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.corpora.io import files
from engine.data.errors import InputError

FORMAT: Final = 1
HEADER: Final = "model.json"
MOST_BYTES: Final = 4 << 30
"""Maximum unpacked size of a model in bytes: more than the largest knowledge base with vectors needs."""
MOST_HEADER: Final = 10_000
"""Maximum number of bytes of an array's header."""
# Fixed, so that the same model gives the same bytes.
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def write(path: Path, header: Mapping[str, Any], parts: Mapping[str, Any], *, compress: bool = True) -> None:
    """Save a model: arrays, bytes, and any JSON values. Files that are written often are not worth compressing."""
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.FileBatch() as batch:
        raw = batch.create(path)
        with zipfile.ZipFile(raw, "w", method, compresslevel=3) as archive:
            _add(archive, HEADER, json.dumps({"format": FORMAT, **header}, ensure_ascii=False).encode())
            for name in sorted(parts):
                _add(archive, *_encode(name, parts[name]))
        # Flushed to disk, because a server may be killed right after it reported the model as saved.
        raw.flush()
        os.fsync(raw.fileno())


def read(path: Path, most_bytes: int = MOST_BYTES) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and parts of a model file with at most `most_bytes` when unpacked.

    The file may come from anywhere: anything wrong with it raises InputError, and nothing is unpacked before its size
    is known.
    """
    path = Path(path)
    if not path.is_file():
        what = "this is a directory, a model is one file" if path.is_dir() else "there is no such model file"
        raise InputError(what, file=path)
    try:
        with zipfile.ZipFile(path) as archive:
            _check_sizes(archive, most_bytes)
            header = json.loads(archive.read(HEADER))
            _check_format(header)
            parts = {
                Path(name).stem: _decode(name, archive.read(name)) for name in archive.namelist() if name != HEADER
            }
    except InputError as error:
        raise error.at(path) from None
    except _FAULTS as error:
        what = str(error) or type(error).__name__
        raise InputError(f"this is not a model file ({what}); train one with `train`", file=path) from error
    return header, parts


_FAULTS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    KeyError,
    ValueError,
    TypeError,
    EOFError,
    OSError,
    MemoryError,
    OverflowError,
    RecursionError,
    # An encrypted member, or a compression method that Python does not support.
    RuntimeError,
    NotImplementedError,
)
"""Exceptions that reading a damaged zip, its JSON or its arrays can raise."""


def _check_sizes(archive: zipfile.ZipFile, most_bytes: int) -> None:
    """Check the sizes stated in the archive; no more than these are read from it."""
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    if total > most_bytes:
        raise InputError(f"the model holds {total / 1e9:.1f} GB unpacked, more than the {most_bytes / 1e9:.1f} allowed")
    names = [Path(member.filename).stem for member in members]
    if len(set(names)) != len(names):
        raise InputError("this is not a model file (two of its parts have one name)")


def _check_format(header: Any) -> None:
    stated = header.get("format") if isinstance(header, dict) else None
    if isinstance(stated, int) and stated > FORMAT:
        raise InputError(
            f"the model was made by a newer version of Espalier (its format is {stated}, this version reads {FORMAT}):"
            " upgrade, or train it again"
        )
    if stated != FORMAT:
        raise InputError(f"the model has format {stated!r}, this version reads {FORMAT}: train it again")


def restate(path: Path, **changes: Any) -> None:
    """Change the header and nothing else. The file keeps its modification time, since the model is unchanged."""
    before = Path(path).stat()
    header, parts = read(path)
    write(path, {**header, **changes}, parts)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_part(path: Path, name: str, value: Any) -> None:
    """Replace one part and nothing else. The file gets a new modification time, since the model has changed."""
    header, parts = read(path)
    if name not in parts:
        raise InputError(f"the model has no part {name!r}", file=path)
    write(path, header, {**parts, name: value})


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = archive.compression
    archive.writestr(info, content)


def _encode(name: str, value: Any) -> tuple[str, bytes]:
    if isinstance(value, np.ndarray):
        buffer = io.BytesIO()
        np.save(buffer, value, allow_pickle=False)
        return f"{name}.npy", buffer.getvalue()
    if isinstance(value, bytes):
        return f"{name}.bin", value
    return f"{name}.json", json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _decode(name: str, content: bytes) -> Any:
    if name.endswith(".npy"):
        return _array(content)
    if name.endswith(".json"):
        return json.loads(content)
    return content


def _array(content: bytes) -> np.ndarray[Any, np.dtype[Any]]:
    """An array from bytes; the size in its header must match the bytes, so that memory is allocated only for actual
    data."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"an array of format {version}")
    shape, in_columns, dtype = _HEADERS[version](stream, max_header_size=MOST_HEADER)
    count = math.prod(shape)
    if dtype.hasobject or any(length < 0 for length in shape) or count * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("an array that is not as long as it says")
    flat = np.frombuffer(content, dtype, count, stream.tell()) if count else np.zeros(0, dtype)
    # Copied, because an array made from bytes is read-only.
    return flat.reshape(shape, order="F" if in_columns else "C").copy(order="K")


_HEADERS: Final = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
