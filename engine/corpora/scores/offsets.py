"""Mentions that say their own words: where these contradict the offsets, somebody counted something else."""

from __future__ import annotations

from engine.data.document import Document, Layer
from engine.data.errors import InputError


def check_surface(text: str, span: tuple[int, int], surface: str, field: str) -> None:
    """InputError where the text has other words at the span; it names the likely cause.

    Case, white space and punctuation are no words: many programs change them.
    """
    start, end = span
    if text[start:end] == surface or _words(text[start:end]) == _words(surface):
        return
    cause = _cause(text, start, end, surface)
    told = f": the offsets seem to {cause}; count characters (code points), the end exclusive" if cause else ""
    raise InputError(f"the text at [{start}, {end}) is {text[start:end]!r}, not {surface!r}{told}", field=field)


def check_layer(document: Document, layer: Layer, *, known: Layer | None = None, field: str = "mentions") -> None:
    """The same for all mentions of a layer that were read with words of their own; what the data say themselves
    (`known`) may be so."""
    said = {(mention.span, mention.extra.get("text")) for mention in known.mentions} if known is not None else set()
    for i, mention in enumerate(layer.mentions):
        surface = mention.extra.get("text")
        if isinstance(surface, str) and (mention.span, surface) not in said:
            check_surface(document.text, mention.span, surface, f"{field}[{i}].text")


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
