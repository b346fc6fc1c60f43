"""What of the editor's data its page has already, so that an answer carries only what changed. The page's end is
received.js.

Everything that is sent has a stamp. The page says with its messages which stamp it holds, and is sent the difference
to that; a page that holds nothing, or something that is no longer known here, is sent everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

LISTS: Final = {"mentions": "id", "relations": "id", "suggestions": "key"}
"""Fields that are long lists, and what tells their items apart."""
KEPT: Final = 6
"""How many stamps are remembered: a page that answers fast may hold an earlier one than the last."""


class Sent:
    """What one page was sent last, by stamp."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._count = 0
        self._kept: dict[str, Mapping[str, Any]] = {}

    def next(self, data: Mapping[str, Any], holds: object) -> dict[str, Any]:
        """What to send to a page that holds a stamp so that it has these data."""
        self._count += 1
        stamp = f"{self._name} {self._count}"
        base = self._kept.get(holds) if isinstance(holds, str) else None
        if base is not None:  # a page never goes back behind what it has told
            while next(iter(self._kept)) != holds:
                del self._kept[next(iter(self._kept))]
        while len(self._kept) >= KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[stamp] = data
        if base is None:
            return {**data, "stamp": stamp, "over": None}
        return {**difference(base, data), "stamp": stamp, "over": holds}


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that changed, the long lists among them as what went and what came, and the fields that are gone."""
    same = {name for name in new if name in old and old[name] == new[name]}
    listed, fields = {}, {}
    for name in new.keys() - same:
        changed = _moved(old[name], new[name], LISTS[name]) if name in LISTS and name in old else None
        if changed is None:
            fields[name] = new[name]
        else:
            listed[name] = changed
    return {"fields": fields, "lists": listed, "missing": sorted(old.keys() - new.keys())}


def _moved(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]], key: str) -> dict[str, list[Any]] | None:
    """The keys of items to take out, and the items to put in with the places they then have; None where that does not
    tell it, because items share a key or have changed their order."""
    before, after = {one[key]: one for one in old}, {one[key]: one for one in new}
    if len(before) != len(old) or len(after) != len(new):
        return None
    gone = [id for id, one in before.items() if after.get(id) != one]
    out = set(gone)
    put = [[place, one] for place, one in enumerate(new) if one[key] in out or one[key] not in before]
    stays = [id for id in before if id not in out]
    if stays != [id for id in after if id in before and id not in out]:
        return None
    return {"gone": gone, "put": put}
