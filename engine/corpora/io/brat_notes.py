"""Our own notes in brat files: who agreed on an annotation, and signed comments.

    #1  AnnotatorNotes T1   agreed: anna, bob
    #2  AnnotatorNotes T1   anna (2026-11-18T04:00:00+00:00): who is this?

Other notes belong to brat and are kept unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.data.document import AGREED, COMMENTS

_HEAD = re.compile(r"AnnotatorNotes (\S+)")
_AGREED = re.compile(r"agreed: (.+)")
_SIGNED = re.compile(r"(.*?) \((\d{4}-\d\d-\d\dT[^)]*)\)(, resolved)?: (.+)")


class Notes:
    """The notes of one file, by their target."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Any]] = {}

    def take(self, head: str, text: str) -> bool:
        """Store the line if it is one of ours; returns whether it is."""
        target = _HEAD.fullmatch(head)
        if target is None:
            return False
        here = self._found.setdefault(target[1], {})
        if agreed := _AGREED.fullmatch(text):
            here[AGREED] = agreed[1].split(", ")
        elif said := _SIGNED.fullmatch(text):
            one = {"author": said[1], "time": said[2], "text": said[4], "resolved": said[3] is not None}
            here.setdefault(COMMENTS, []).append(one)
        else:
            return False
        return True

    def about(self, id: str) -> Mapping[str, Any]:
        return self._found.get(id, {})


def lines(items: Iterable[tuple[str, Mapping[str, Any]]], others: Sequence[str]) -> Iterator[str]:
    """The note lines for these items, with numbers that no other line has."""
    taken = {line.partition("\t")[0] for line in others}
    numbers = (f"#{n}" for n in range(1, 10**9))
    free = (number for number in numbers if number not in taken)
    for id, extra in items:
        if names := extra.get(AGREED):
            yield f"{next(free)}\tAnnotatorNotes {id}\tagreed: {', '.join(names)}"
        for one in extra.get(COMMENTS, ()):
            resolved = ", resolved" if one["resolved"] else ""
            text = " ".join(one["text"].split())
            yield f"{next(free)}\tAnnotatorNotes {id}\t{one['author']} ({one['time']}){resolved}: {text}"
