"""Offsets in UTF-16 units, as Java and JavaScript count, against code points, as we and Python count."""

from __future__ import annotations

from itertools import accumulate


class Utf16:
    """Both ways for one text. Texts without characters beyond U+FFFF need no table."""

    def __init__(self, text: str) -> None:
        self._plain = text.isascii() or max(text) <= "\uffff"
        self._length = len(text)
        self._units = [] if self._plain else [0, *accumulate(1 + (c > "\uffff") for c in text)]
        self._points = {unit: point for point, unit in enumerate(self._units)}

    def to_units(self, offset: int) -> int:
        return offset if self._plain else self._units[offset]

    def to_points(self, offset: int) -> int | None:
        """None outside the text and in the middle of a character."""
        if self._plain:
            return offset if 0 <= offset <= self._length else None
        return self._points.get(offset)
