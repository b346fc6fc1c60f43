"""What was pulled before and what is pulled now, as one corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from engine.data.document import Document
from engine.data.errors import InputError


def merged(before: Sequence[Document], now: Iterable[Document]) -> list[Document]:
    """By id: layers that the server has are taken from there, layers that only we have are kept, and so are documents
    that are no longer there. A text that has changed is a fault: our layers would stand in the wrong places."""
    found = {document.id: document for document in before}
    for document in now:
        known = found.get(document.id)
        if known is not None and known.text != document.text:
            raise InputError(f"the text of document {document.id!r} is another one now; pull into a new file")
        kept = {} if known is None else {n: one for n, one in known.layers.items() if n not in document.layers}
        found[document.id] = replace(document, layers={**document.layers, **kept})
    return list(found.values())
