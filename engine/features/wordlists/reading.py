"""How the lists beside this file are written: entries with semicolons between them, in any case."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The entries of a list, in lower case."""
    return frozenset(piece.strip().lower() for piece in text.replace("\n", " ").split(";") if piece.strip())
