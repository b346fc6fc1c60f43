"""What a system can do with some documents: learn and be scored, only decide, or nothing; and what would change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.data.document import Document

Verdict: TypeAlias = Literal["yes", "no gold", "no"]


@dataclass(frozen=True)
class Readiness:
    """`says` is what is there or what is missing; `remedy` how to get what is missing, empty where nothing is."""

    verdict: Verdict
    says: str
    remedy: str = ""

    @property
    def title(self) -> str:
        return {"yes": "usable", "no gold": "can be decided, not learnt from", "no": "not usable"}[self.verdict]


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def has_texts(documents: Sequence[Document]) -> bool:
    """Whether there is a text that stands for itself: the sentences of a bag do not."""
    return any(document.bag is None and document.text.strip() for document in documents)


NO_TEXT = Readiness("no", "No document has a text of its own.", "Add a file with texts, or paste some.")
