"""Ways to damage a model file: single bytes, and whole parts put back into a sound zip."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.store import modelfile

_NUMBERS: Final = (0, 1, -1, 255, 2**31 - 1, -(2**31), 2**40, -(2**62), 0.5, 1e300, -1e300)
_VALUES: Final = (
    None, True, -1, 0, 7, 10**30, 1.5, 1e308, float("nan"), float("inf"), "", "x", "\x00", [], {}, [1], {"a": 1},
)  # fmt: skip


def of_file(path: Path, rng: np.random.Generator) -> bytes:
    """A mutant of the model at `path`."""
    if rng.random() < 0.1:
        return _bytes(path.read_bytes(), rng)
    header, parts = modelfile.read(path)
    for _ in range(1 + int(rng.random() < 0.3)):
        if rng.random() < 0.1:
            header = of_json(header, rng)
        elif rng.random() < 0.05:
            parts = _shuffled(parts, rng)
        else:
            name = sorted(parts)[int(rng.integers(len(parts)))]
            parts = {**parts, name: _part(parts[name], rng)}
    return _packed(header, parts)


def _packed(header: Any, parts: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(modelfile.HEADER, json.dumps(header))
        for name, part in parts.items():
            archive.writestr(*modelfile._encode(name, part))
    return buffer.getvalue()


def _part(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, np.ndarray):
        return _array(value, rng)
    if isinstance(value, bytes):
        return _bytes(value, rng)
    return of_json(value, rng)


def _bytes(content: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(content)
    way = rng.integers(4)
    if way == 0:
        return bytes(changed[: int(rng.integers(len(changed) + 1))])
    for _ in range(int(rng.integers(1, 9))):
        if changed:
            at = int(rng.integers(len(changed)))
            changed[at] = int(rng.integers(256)) if way > 1 else changed[at] ^ (1 << int(rng.integers(8)))
    return bytes(changed)


def _array(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    way = int(rng.integers(9))
    if way == 0 and value.dtype.kind == "U":  # mutated before: not every word is a number
        return value.astype("U1")
    if way == 0:
        return value.astype(rng.choice(["float32", "float64", "int8", "int32", "int64", "uint8", "bool", "U3"]))
    if way == 1:
        return value[: int(rng.integers(len(value) + 1))]
    if way == 2:
        return np.concatenate([value, value[:1]])
    if way == 3:
        return value.reshape(-1, 1) if value.ndim == 1 else value.T.copy()
    if way == 4:
        return value[::-1].copy()
    changed = value.copy()
    flat = changed.reshape(-1)
    if not len(flat):
        return np.zeros(3, value.dtype)
    if value.dtype.kind == "U":
        flat[0] = "x"
        return changed
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(flat)))
        if value.dtype.kind == "f":
            flat[at] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30, -1e30])
        elif value.dtype.kind == "b":
            flat[at] = not flat[at]
        else:
            limits = np.iinfo(value.dtype)
            number = int(_NUMBERS[int(rng.integers(8))]) if way < 7 else int(flat[at]) + int(rng.integers(-3, 4))
            flat[at] = min(max(number, limits.min), limits.max)
    return changed


def of_json(value: Any, rng: np.random.Generator) -> Any:
    """One node of the value becomes another, goes, or occurs twice."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        keys = list(value)
        key = keys[int(rng.integers(len(keys)))]
        way = rng.random()
        if way < 0.1:
            return {name: one for name, one in value.items() if name != key}
        if way < 0.15:
            return {**value, "unheard of": 1}
        return {**value, key: of_json(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = int(rng.integers(len(value)))
        way = rng.random()
        if way < 0.1:
            return value[:at] + value[at + 1 :]
        if way < 0.2:
            return [*value, value[at]]
        return [*value[:at], of_json(value[at], rng), *value[at + 1 :]]
    return _VALUES[int(rng.integers(len(_VALUES)))]


def _shuffled(parts: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """A part is gone, two have changed places, or one is new."""
    names = sorted(parts)
    one, other = (names[int(i)] for i in rng.integers(len(names), size=2))
    way = rng.integers(3)
    if way == 0:
        return {name: part for name, part in parts.items() if name != one}
    if way == 1:
        return {**parts, one: parts[other], other: parts[one]}
    return {**parts, "stranger": parts[one]}
