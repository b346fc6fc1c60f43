"""Antecedent arrays of coreference models (fastcoref, coref-hoi, stanza), as JSON lines or NPZ without pickles.

    {"id", "mentions": [[start, end], ...], "scores": [[...], ...], "antecedents": [[...], ...]}

Mentions are characters, in the order of the text. Row i of `scores` has a number for every possible antecedent of
mention i and one for none, in the first or last column as `--null` says. Without `antecedents` the other columns are
the mentions in their order, with it they are the mentions that it names (-1: none). An NPZ file has the same arrays,
named "ID/mentions", "ID/scores" and "ID/antecedents". Masked numbers (-10000 and below, or -inf) are no alternatives.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.corpora.records.fields import expect, required
from engine.corpora.scores.importers.reading import Asked, Imported, Question, placed, plain, records
from engine.corpora.scores.parts import Json
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "antecedent arrays"
FOR: Final = ("coreference",)
WANTS: Final = "the documents"
ASKS: Final[tuple[Question, ...]] = ("null",)

MASKED: Final = -9999.0
MOST_BYTES: Final = 4 << 30
"""Of an NPZ file, unpacked."""

Array: TypeAlias = NDArray[np.float64]
Arrays: TypeAlias = dict[str, Any]


def read(path: Path, asked: Asked) -> Iterator[Imported]:
    for line, id, arrays in _arrays(path):
        document = asked.find(id)
        if document is not None:
            with placed(path, line):
                parts = _parts(document, arrays, asked)
                yield Imported(plain(document), parts, "logit", "all" if "antecedents" not in arrays else "top-k")


def _arrays(path: Path) -> Iterator[tuple[int | None, str, Arrays]]:
    if path.suffix == ".npz":
        yield from _npz(path)
        return
    for line, record in records(path):
        with placed(path, line):
            yield line, required(expect(record, dict, "the line"), "id", str), record


def _npz(path: Path) -> Iterator[tuple[None, str, Arrays]]:
    try:
        with zipfile.ZipFile(path) as listing:
            if sum(item.file_size for item in listing.infolist()) > MOST_BYTES:
                raise InputError(f"unpacks to more than {MOST_BYTES >> 30} GB; split it", file=path)
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                id, slash, what = name.rpartition("/")
                if slash and what == "mentions":
                    wanted = [one for one in ("mentions", "scores", "antecedents") if f"{id}/{one}" in file.files]
                    yield None, id, {one: file[f"{id}/{one}"] for one in wanted}
    except FileNotFoundError:
        raise InputError("there is no such file", file=path) from None
    except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"is not an NPZ file of plain arrays ({error})", file=path) from None


def _parts(document: Document, arrays: Arrays, asked: Asked) -> list[Json]:
    mentions = _whole(_matrix(arrays, "mentions", 2), "mentions")
    scores = _matrix(arrays, "scores")
    n = len(mentions)
    if len(scores) != n:
        raise InputError(f"{len(scores)} rows for {n} mentions", field="scores")
    none, rest = (0, slice(1, None)) if asked.null == "first" else (-1, slice(0, -1))
    if "antecedents" not in arrays:
        before = np.tile(np.arange(scores.shape[1] - 1 if n else 0), (n, 1))
    else:
        before = _whole(_matrix(arrays, "antecedents"), "antecedents")
    if n and before.shape != (n, scores.shape[1] - 1):
        raise InputError(
            f"{scores.shape[1]} columns, of which one is for no antecedent, for {before.shape[1]} antecedents",
            field="scores",
        )
    if before.size and before.max() >= n:
        raise InputError(f"names mention {before.max()}, but there are {n} mentions", field="antecedents")
    names = mentions.tolist()
    found: list[Json] = []
    for i in range(n):
        found.append({"mention": names[i], "antecedent": None, "score": float(scores[i, none])})
        for j, score in zip(before[i].tolist(), scores[i, rest].tolist(), strict=True):
            # A mention that begins with another one does not stand for it, and later ones are masked.
            if 0 <= j and names[j][0] < names[i][0] and score > MASKED:
                found.append({"mention": names[i], "antecedent": names[j], "score": score})
    return found


def _whole(found: Array, field: str) -> NDArray[np.int64]:
    if not (np.isfinite(found).all() and (found == np.floor(found)).all()):
        raise InputError("expected whole numbers", field=field)
    return found.astype(np.int64)


def _matrix(arrays: Arrays, name: str, columns: int | None = None) -> Array:
    try:
        found = np.asarray(arrays[name], dtype=np.float64)
    except KeyError:
        raise InputError("is missing; expected rows of numbers", field=name) from None
    except (TypeError, ValueError):
        raise InputError("expected rows of numbers, all of the same length", field=name) from None
    if found.size == 0:
        return np.zeros((0, columns or 1))
    if found.ndim != 2 or (columns is not None and found.shape[1] != columns):
        raise InputError("expected rows of numbers, all of the same length", field=name)
    return found
