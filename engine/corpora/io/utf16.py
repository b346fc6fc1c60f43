"""Converts between offsets in UTF-16 units, as in Java and JavaScript, and in code points, as in Python."""

from __future__ import annotations

from itertools import accumulate


class Utf16:
    """Converts in both directions for one text. Texts without characters beyond U+FFFF need no table."""

    def __init__(self, text: str) -> None:
        self._plain = text.isascii() or max(text) <= "\uffff"
        self._length = len(text)
        self._units = [] if self._plain else [0, *accumulate(1 + (c > "\uffff") for c in text)]
        self._points = {unit: point for point, unit in enumerate(self._units)}

    def to_units(self, offset: int) -> int:
        return offset if self._plain else self._units[offset]

    def to_points(self, offset: int) -> int | None:
        """The offset in code points; None outside the text and in the middle of a character."""
        if self._plain:
            return offset if 0 <= offset <= self._length else None
        return self._points.get(offset)
