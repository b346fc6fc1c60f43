"""Native format: JSON lines, one document per line, UTF-8, also compressed; lossless both ways.

What a record looks like depends on its shape (engine/corpora/shapes): each line is recognised by its fields, so one
file may mix shapes. A document is written in its original shape as long as that can hold it; if it has gained layers or
tokens since, in the `document` shape, which holds everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.corpora.io import files
from engine.corpora.records import fields
from engine.corpora.shapes import BY_NAME, SHAPES, Shape
from engine.corpora.shapes import document as full
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "Native JSON lines"
EXTENSIONS: Final = (".jsonl", ".ndjson")
ABOUT: Final = "One JSON object per line, in one of our record shapes; keeps everything, unknown fields included."


def document(record: Any, position: int = 1) -> Document:
    """The document of a record; `position` names one that has no id."""
    fields.expect(record, dict, "the line")
    for shape in SHAPES:
        if shape.matches(record):
            try:
                return shape.read(record, position)
            except InputError:
                raise
            except ValueError as error:
                # The data model has found contradictions in the record.
                raise InputError(str(error)) from None
    known = ", ".join(list(record)[:8]) or "no fields"
    raise InputError(f'not a record we know: it needs "text", "tokens", "mentions" or "layers", and has {known}')


def record(document: Document) -> dict[str, Any]:
    """The record of a document, as plain JSON values."""
    return _written(document)[1]


class Line(NamedTuple):
    """A line that holds a document, not parsed yet: splitting a file into lines is cheap, so workers do the rest."""

    path: Path
    number: int
    text: str

    def document(self) -> Document:
        try:
            return document(parse(self.text), self.number)
        except InputError as error:
            raise error.at(self.path, self.number) from None


def lines(path: Path) -> Iterator[Line]:
    """The lines of a file that are not blank."""
    for number, text in files.lines(path):
        if number == 1:
            text = text.removeprefix("\ufeff")
        if text and not text.isspace():
            yield Line(path, number, text)


def read(path: Path) -> Iterator[Document]:
    return (line.document() for line in lines(path))


def rendered(documents: Iterable[Document]) -> bytes:
    """The documents as they stand in a file."""
    return b"".join(_line(one).encode("utf-8") + b"\n" for one in documents)


def write(documents: Iterable[Document], path: Path) -> None:
    write_rendered((rendered([one]) for one in documents), path)


def write_rendered(pieces: Iterable[bytes], path: Path) -> None:
    """A file of documents that were rendered elsewhere."""
    with files.FileBatch() as batch:
        file = batch.create(path)
        for piece in pieces:
            file.write(piece)


def losses(document: Document) -> list[str]:
    return []


def canonical(document: Document) -> bytes:
    """Equal for documents of equal content, whatever the order of fields."""
    return json.dumps(record(document), ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode("ascii")


def parse(text: str) -> Any:
    """A strict JSON value: without NaN, and without unpaired surrogates, which UTF-8 cannot encode."""
    try:
        value = json.loads(text, parse_constant=_refuse)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except InputError as error:
        raise InputError(error.what, field=_constant_in(text)) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise InputError(f"not JSON: {error.msg} at {place}") from None
    except UnicodeEncodeError:
        raise InputError("holds half a character (an unpaired surrogate), which no UTF-8 file can hold") from None
    except RecursionError:
        raise InputError("not usable: nested too deeply") from None
    except ValueError as error:
        # The part that Python adds after the semicolon is advice to programmers.
        raise InputError(f"not usable: {str(error).partition(';')[0]}") from None
    return value


def _refuse(name: str) -> None:
    raise InputError(f"{name} is not JSON; use a number or null")


class _Constant(str):
    """What is not JSON, where it was found."""


def _constant_in(text: str) -> str:
    """The field that has NaN or Infinity, such as parts[3].score; empty if the text is not JSON otherwise either."""
    try:
        return _place_of_constant(json.loads(text, parse_constant=_Constant))
    except (ValueError, RecursionError):
        return ""


def _place_of_constant(value: Any, field: str = "") -> str:
    if isinstance(value, dict):
        below = ((f"{field}.{name}" if field else name, one) for name, one in value.items())
    elif isinstance(value, list):
        below = ((f"{field}[{i}]", one) for i, one in enumerate(value))
    else:
        return field if isinstance(value, _Constant) else ""
    return next((found for name, one in below if (found := _place_of_constant(one, name))), "")


def _written(document: Document) -> tuple[Shape, dict[str, Any]]:
    """The document's record and its shape. If a user's extra field makes it look like another shape, the unambiguous
    `document` shape is used."""
    shape = BY_NAME.get(document.shape, full)
    if shape is not full and shape.holds(document):
        made = shape.write(document)
        if next(one for one in SHAPES if one.matches(made)) is shape:
            return shape, made
    return full, full.write(document)


def _line(document: Document) -> str:
    shape, made = _written(document)
    separators = (",", ":") if shape.COMPACT else (", ", ": ")
    try:
        return json.dumps(made, ensure_ascii=False, separators=separators, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"document {document.id!r} cannot be written as JSON: {error}") from None
