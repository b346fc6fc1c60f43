"""JSON files that hold a corpus as one list (or one document as one object)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from engine.corpora.formats import jsonl
from engine.corpora.io import files
from engine.data.document import Document
from engine.data.errors import InputError


def load(path: Path) -> Any:
    try:
        return jsonl.parse(files.whole(path).removeprefix("\ufeff"))
    except InputError as error:
        raise error.at(path) from None


def read(path: Path, one: Callable[[Any, int], Document]) -> Iterator[Document]:
    """The documents of a file that is a list of records; errors name the record by its position, from 1."""
    records = load(path)
    if not isinstance(records, list):
        raise InputError("expected a list of records", file=path)
    for position, record in enumerate(records, 1):
        try:
            yield one(record, position)
        except InputError as error:
            raise InputError(f"record {position}: {error.what}", file=path, field=error.field) from None
        except ValueError as error:
            raise InputError(f"record {position}: {error}", file=path) from None


def write(records: Iterable[Any], path: Path) -> None:
    """One record per line, so that files of this kind can be compared line by line."""
    with files.FileBatch() as batch:
        file = batch.create(path)
        file.write(b"[")
        separator = "\n"
        for record in records:
            file.write((separator + dump(record)).encode("utf-8"))
            separator = ",\n"
        file.write(b"\n]\n")


def dump(record: Any) -> str:
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"cannot be written as JSON: {error}") from None
