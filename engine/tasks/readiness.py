"""What a system can do with given documents (train and evaluate, only decide, or nothing) and how to get further."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.data.document import Document

Verdict: TypeAlias = Literal["yes", "no gold", "no"]


@dataclass(frozen=True)
class Readiness:
    """`says` describes what is there or missing; `remedy` tells how to get what is missing, empty if nothing is."""

    verdict: Verdict
    says: str
    remedy: str = ""

    @property
    def title(self) -> str:
        return {"yes": "usable", "no gold": "can be applied, not trained", "no": "not usable"}[self.verdict]


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def has_texts(documents: Sequence[Document]) -> bool:
    """Whether any document has a text of its own, unlike a bag of sentences."""
    return any(document.bag is None and document.text.strip() for document in documents)


NO_TEXT = Readiness("no", "No document has a text of its own.", "Add a file with texts, or paste some.")
