"""SpERT JSON (CoNLL04 and others): a list of {"tokens", "entities", "relations", "orig_id"}; offsets are tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from engine.corpora.io import whole_json
from engine.corpora.records import fields
from engine.corpora.shapes import sentence
from engine.data.document import Document
from engine.data.errors import InputError

TITLE: Final = "SpERT JSON"
EXTENSIONS: Final = (".spert.json",)
ABOUT: Final = "Tokenised sentences with entities and relations, as CoNLL04 is passed around."


def read(path: Path) -> Iterator[Document]:
    def one(record: Any, position: int) -> Document:
        fields.expect(record, dict, "the record")
        fields.required(record, "tokens", list)
        renamed = {"id" if name == "orig_id" else name: value for name, value in record.items()}
        if "id" in record and "orig_id" in record:
            raise InputError('has both "id" and "orig_id"', field="id")
        return replace(sentence.read(renamed, position), shape="sentence")

    return whole_json.read(path, one)


def write(documents: Iterable[Document], path: Path) -> None:
    whole_json.write((_record(document) for document in documents), path)


def _record(document: Document) -> dict[str, Any]:
    if not sentence.holds(document):
        raise InputError(f"document {document.id!r} is not one tokenised sentence with entities and relations")
    record = sentence.write(document)
    return {"orig_id" if name == "id" else name: value for name, value in record.items()}


def losses(document: Document) -> list[str]:
    return []
