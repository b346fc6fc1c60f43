"""Which split a file is, by its name, and what two splits share.

Nobody can tell from documents alone that they are meant as test data; the name of their file usually says so.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from engine.arrays import Words
from engine.data.document import Document

_NAMES: Final = {
    "test": ("test", "testb", "heldout"),
    "dev": ("dev", "devel", "development", "testa", "val", "valid", "validation"),
    "train": ("train", "training"),
}
"""Split -> words of a file's name that say so, as corpora are published (AIDA calls its dev set testa)."""


def split_of(name: str | Path) -> str:
    """train, dev or test where the words of a file's name say so, else the empty string. Test wins over the others: a
    name that mentions it is not to be opened unasked."""
    stem = Path(name).name.partition(".")[0].lower()
    words = set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])", " ", stem)))
    return next((split for split, known in _NAMES.items() if words & set(known)), "")


@dataclass(frozen=True)
class Overlap:
    """Documents of one corpus that are also in another: by their id, and by their text."""

    by_id: int
    by_text: int
    of: int
    """How many documents the first corpus has."""

    def __bool__(self) -> bool:
        return bool(self.by_id or self.by_text)

    def sentence(self, these: str, those: str) -> str:
        """What a reader must know of it; empty where nothing is shared."""
        if not self:
            return ""
        found = [f"{n} by {how}" for n, how in ((self.by_text, "text"), (self.by_id, "id")) if n]
        return f"{these} shares documents with {those}: {' and '.join(found)}, of {self.of}"


def overlap(documents: Sequence[Document], others: Iterable[Document]) -> Overlap:
    """What is in both. Texts are compared without regard to case and to how words are set apart; texts without a word
    are in nobody's way."""
    ids, texts = set[str](), set[int | None]()
    for document in others:
        ids.add(document.id)
        texts.add(text_digest(document))
    texts.discard(None)
    by_id = by_text = 0
    for document in documents:
        by_id += document.id in ids
        by_text += text_digest(document) in texts
    return Overlap(by_id, by_text, len(documents))


def digests(documents: Iterable[Document]) -> Words:
    """Of all texts that have words, ascending."""
    found = array("Q", (one for document in documents if (one := text_digest(document)) is not None))
    return np.sort(np.frombuffer(found, dtype=np.uint64)) if found else np.zeros(0, dtype=np.uint64)


def text_digest(document: Document) -> int | None:
    """Of the text as `overlap` compares it, in 64 bits: hardly any two share one. None of a text without words."""
    words = _words(document)
    if not words:
        return None
    return int.from_bytes(blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _words(document: Document) -> str:
    return " ".join(document.text.split()).casefold()
