"""Merging what is pulled now with what was pulled before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.data.document import Document
from engine.data.errors import InputError


def merged(before: Sequence[Document], now: Iterable[Document]) -> list[Document]:
    """Merge by id: layers on the server replace ours, and layers and documents that only we have are kept. A text that
    has changed is an error, because the spans of our layers would be in the wrong places."""
    found = {document.id: document for document in before}
    for document in now:
        known = found.get(document.id)
        if known is not None and known.text != document.text:
            raise InputError(f"the text of document {document.id!r} is another one now; pull into a new file")
        kept = {} if known is None else {n: one for n, one in known.layers.items() if n not in document.layers}
        found[document.id] = replace(document, layers={**document.layers, **kept})
    return list(found.values())
