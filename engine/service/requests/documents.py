"""The documents in a request: texts, or native records of any shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.corpora.formats import jsonl
from engine.corpora.records.fields import expect
from engine.data.document import Document
from engine.data.errors import InputError
from engine.service.requests.limits import Limits
from engine.service.requests.replies import TOO_LARGE, WRONG, Refused

GIVEN: Final = ("text", "document", "documents")
"""The fields that can contain documents; a request has one of them."""


def read_documents(record: Mapping[str, Any], limits: Limits) -> list[Document]:
    """The documents of a request; Refused if two have the same id."""
    given = [name for name in GIVEN if record.get(name) is not None]
    if len(given) != 1:
        raise Refused(WRONG, f"a request has one of {', '.join(GIVEN)}, this one has {' and '.join(given) or 'none'}")
    [name] = given
    value = record[name]
    if name == "text":
        expect(value, str, name)
    items = expect(value, list, name) if name == "documents" else [value]
    if len(items) > limits.documents:
        raise Refused(
            TOO_LARGE,
            f"{len(items)} documents at once, where {limits.documents} are allowed; send them as JSON lines",
            name,
        )
    documents = []
    for position, item in enumerate(items):
        place = f"{name}[{position}]" if name == "documents" else name
        documents.append(read_document(item, position + 1, place, limits))
    ids = [document.id for document in documents]
    if len(set(ids)) < len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise Refused(WRONG, f"two documents have the id {twice[:40]!r}", name)
    return documents


def read_document(item: Any, position: int, place: str, limits: Limits) -> Document:
    """One document from its text or its record."""
    try:
        document = jsonl.document({"text": item} if isinstance(item, str) else item, position)
    except InputError as error:
        raise InputError(error.what, field=f"{place}.{error.field}" if error.field else place) from None
    if len(document.text) > limits.characters:
        raise Refused(
            TOO_LARGE, f"a text of {len(document.text)} characters, where {limits.characters} are allowed", place
        )
    return document
