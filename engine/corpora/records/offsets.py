"""Checks mentions that include their own words: if these contradict the offsets, the offsets were counted
differently."""

from __future__ import annotations

from engine.data.document import Document, Layer
from engine.data.errors import InputError


def check_surface(text: str, span: tuple[int, int], surface: str, field: str) -> None:
    """Raise InputError, with the likely cause, if the text has other words at the span.

    Case, white space and punctuation are ignored, since many programs change them.
    """
    start, end = span
    if text[start:end] == surface or _words(text[start:end]) == _words(surface):
        return
    told = likely_cause(text, span, surface)
    raise InputError(f"the text at [{start}, {end}) is {text[start:end]!r}, not {surface!r}{told}", field=field)


def check_layer(document: Document, layer: Layer, field: str) -> None:
    """The same for all mentions of a layer that were read with their own words."""
    for i, mention in enumerate(layer.mentions):
        surface = mention.extra.get("text")
        if isinstance(surface, str):
            check_surface(document.text, mention.span, surface, f"{field}[{i}].text")


def likely_cause(text: str, span: tuple[int, int], surface: str) -> str:
    """The end of a message about mismatched words; empty if no known cause explains it."""
    cause = _cause(text, *span, surface)
    return f": the offsets seem to {cause}; count characters (code points), the end exclusive" if cause else ""


def _words(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _cause(text: str, start: int, end: int, surface: str) -> str:
    units, octets = text.encode("utf-16-le"), text.encode("utf-8")
    if units[2 * start : 2 * end] == surface.encode("utf-16-le"):
        return "count UTF-16 units"
    if octets[start:end] == surface.encode("utf-8"):
        return "count bytes of UTF-8"
    if text[start : end + 1] == surface:
        return "name the last character as the end"
    if start and text[start - 1 : end - 1] == surface:
        return "count from 1"
    return ""
