"""The suggestions of a long document in portions: those nearest to what the page shows come first.

Every drawing adds a portion to what was sent before. A page that was told that some are held back draws what it has and
then says which part of the text it shows (`rest`), so that after scrolling the next portion is the one in sight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

PORTION: Final = 400
"""Suggestions that are added at a time."""

Item = Mapping[str, Any]


class Portions:
    """What was sent of the suggestions of the document on screen, and which part of it is in sight."""

    def __init__(self) -> None:
        self._doc: object = None
        self._sent: set[str] = set()
        self._sight = (0, 0)

    def look(self, message: Mapping[str, Any]) -> None:
        """The page says what it shows: the document and two places in its text."""
        start, end = message.get("start"), message.get("end")
        if message.get("doc") == self._doc and isinstance(start, int) and isinstance(end, int):
            self._sight = (start, end)

    def next(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The data with what is sent of the suggestions now, in their order, and the number that is held back."""
        if data["doc"] != self._doc:
            place = data.get("place") or (0, 0)
            self._doc, self._sent, self._sight = data["doc"], set(), (place[0], place[1])
        offered: Sequence[Item] = data["suggestions"]
        waiting = [one for one in offered if one["key"] not in self._sent]
        held = {one["key"] for one in sorted(waiting, key=self._distance)[PORTION:]}
        sent = [one for one in offered if one["key"] not in held]
        self._sent = {one["key"] for one in sent}
        return {**data, "suggestions": sent, "held": len(held)}

    def _distance(self, one: Item) -> int:
        """Characters between a suggestion and what is in sight."""
        start, end = self._sight
        return max(0, start - int(one["end"]), int(one["start"]) - end)
