"""Model files: a zip of one JSON header and named parts, never a pickle.

A part is an array (.npy, read without pickles), JSON (.json), or bytes (.bin). Writing is atomic: the file appears
complete under its name or not at all.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.corpora.io import files
from engine.data.errors import InputError

FORMAT: Final = 1
HEADER: Final = "model.json"
# Fixed, so that the same model gives the same bytes.
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def write(path: Path, header: Mapping[str, Any], parts: Mapping[str, Any], *, compress: bool = True) -> None:
    """Save a model: arrays, bytes, and anything JSON can hold. What is written often is not worth compressing."""
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with files.FileBatch() as batch:
        raw = batch.create(path)
        with zipfile.ZipFile(raw, "w", method, compresslevel=3) as archive:
            _add(archive, HEADER, json.dumps({"format": FORMAT, **header}, ensure_ascii=False).encode())
            for name in sorted(parts):
                _add(archive, *_encode(name, parts[name]))
        # A server may be killed right after it said that the model is there.
        raw.flush()
        os.fsync(raw.fileno())


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and parts of a model file."""
    path = Path(path)
    if not path.is_file():
        what = "this is a directory, a model is one file" if path.is_dir() else "there is no such model file"
        raise InputError(what, file=path)
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read(HEADER))
            parts = {
                Path(name).stem: _decode(name, archive.read(name)) for name in archive.namelist() if name != HEADER
            }
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, OSError) as error:
        raise InputError(f"this is not a model file ({error}); train one with `train`", file=path) from error
    if header.get("format") != FORMAT:
        raise InputError(
            f"the model has format {header.get('format')!r}, this version reads {FORMAT}: train it again", file=path
        )
    return header, parts


def restate(path: Path, **changes: Any) -> None:
    """Change what the header says and nothing else. The file keeps its time: the model is the one it was."""
    before = Path(path).stat()
    header, parts = read(path)
    write(path, {**header, **changes}, parts)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def change_part(path: Path, name: str, value: Any) -> None:
    """Replace one part and nothing else. The file gets a new time: the model is another one now."""
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
        return np.load(io.BytesIO(content), allow_pickle=False)
    if name.endswith(".json"):
        return json.loads(content)
    return content
