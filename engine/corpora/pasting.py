"""Splits typed or pasted text into documents: one per line, one per paragraph, or one for all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from engine.data.document import Document
from engine.data.errors import InputError

UNITS: Final[Mapping[str, str]] = {
    "lines": "every line is a document",
    "paragraphs": "every paragraph is a document (empty lines between)",
    "whole": "all of it is one document",
}
_TWEET: Final = 400
"""Maximum number of characters of a line that is taken as a short text by itself."""


def guess_unit(text: str) -> str:
    """The likely unit: several short lines without empty lines between them are separate texts, like tweets."""
    lines = text.strip().splitlines()
    if len(lines) < 2:
        return "whole"
    if all(line.strip() for line in lines):
        return "lines" if max(map(len, lines)) <= _TWEET else "whole"
    blocks = _blocks(text)
    return "paragraphs" if max(map(len, blocks)) <= _TWEET else "whole"


def cut(text: str, unit: str, name: str = "text") -> list[Document]:
    """The documents, named and numbered; InputError if there is no text."""
    if unit not in UNITS:
        raise InputError(f"a text cannot be cut by {unit!r}; choose from {', '.join(UNITS)}")
    if "\x00" in text:
        raise InputError("the text holds the character NUL")
    pieces = {"lines": text.splitlines(), "paragraphs": _blocks(text), "whole": [text]}[unit]
    kept = [piece.strip() for piece in pieces if piece.strip()]
    if not kept:
        raise InputError("there is no text")
    if unit == "whole":
        return [Document(name, kept[0])]
    return [Document(f"{name}-{number}", piece) for number, piece in enumerate(kept, 1)]


def _blocks(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text.strip().replace("\r\n", "\n"))
