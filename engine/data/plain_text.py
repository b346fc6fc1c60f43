"""Tokens and sentences of documents that are only text, by a plain rule."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from engine.data.document import Document

_TOKEN: Final = re.compile(r"\w+(?:[-.]\w+)*|'s\b|[^\w\s]")
_END: Final = frozenset(".!?")


def tokenised(document: Document) -> Document:
    """The document with tokens and sentences; unchanged if it has them."""
    if document.tokens or not document.text.strip():
        return document
    tokens = tuple(match.span() for match in _TOKEN.finditer(document.text))
    ends = [i + 1 for i, (start, _) in enumerate(tokens) if document.text[start] in _END] or [len(tokens)]
    if ends[-1] < len(tokens):
        ends.append(len(tokens))
    sentences = tuple(zip([0, *ends[:-1]], ends, strict=True))
    return replace(document, tokens=tokens, sentences=sentences)
