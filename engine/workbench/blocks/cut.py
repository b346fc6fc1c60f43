"""How large blocks are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

from engine.corpora.formats.jsonl import Line
from engine.data.document import Document

DOCUMENTS: Final = 256
"""Maximum number of documents in a block ..."""
CHARACTERS: Final = 1 << 19
"""... and approximate maximum number of characters: a block of novels has one or two."""
MARKUP: Final = 4
"""About how many characters a line has for one of its text: names of fields and annotations come on top."""

X = TypeVar("X")


@dataclass(frozen=True)
class Cut:
    """How large blocks are."""

    documents: int = DOCUMENTS
    characters: int = CHARACTERS

    @classmethod
    def whole(cls) -> Cut:
        """Everything in one block."""
        return cls(sys.maxsize, sys.maxsize)

    def blocks(self, items: Iterable[X], size: Callable[[X], int]) -> Iterator[list[X]]:
        block: list[X] = []
        room = self.characters
        for item in items:
            block.append(item)
            room -= size(item)
            if len(block) >= self.documents or room <= 0:
                yield block
                block, room = [], self.characters
        if block:
            yield block


def length(one: Document | Line) -> int:
    """The number of characters of a text; roughly, if it has not been parsed."""
    return len(one.text) // MARKUP if isinstance(one, Line) else len(one.text)
