"""The split of a file, by its name, and the overlap of two splits.

Documents alone do not show that they are meant as test data, but the name of their file usually does.
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
"""Split -> words in file names that indicate it, as in published corpora (AIDA calls its dev set testa)."""


def split_of(name: str | Path) -> str:
    """train, dev or test if a word of the file's name indicates it, else the empty string. Test wins over the others,
    because test data must not be opened without asking."""
    stem = Path(name).name.partition(".")[0].lower()
    words = set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])", " ", stem)))
    return next((split for split, known in _NAMES.items() if words & set(known)), "")


@dataclass(frozen=True)
class Overlap:
    """The numbers of documents of one corpus that are also in another, by id and by text."""

    by_id: int
    by_text: int
    of: int
    """The number of documents of the first corpus."""

    def __bool__(self) -> bool:
        return bool(self.by_id or self.by_text)

    def sentence(self, these: str, those: str) -> str:
        """A sentence about the overlap for readers; empty if nothing is shared."""
        if not self:
            return ""
        found = [f"{n} by {how}" for n, how in ((self.by_text, "text"), (self.by_id, "id")) if n]
        return f"{these} shares documents with {those}: {' and '.join(found)}, of {self.of}"


def overlap(documents: Sequence[Document], others: Iterable[Document]) -> Overlap:
    """The overlap of two corpora. Texts are compared regardless of case and of the separators between words; texts
    without a word are ignored."""
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
    """Digests of all texts that have words, ascending."""
    found = array("Q", (one for document in documents if (one := text_digest(document)) is not None))
    return np.sort(np.frombuffer(found, dtype=np.uint64)) if found else np.zeros(0, dtype=np.uint64)


def text_digest(document: Document) -> int | None:
    """A 64-bit digest of the text as `overlap` compares it; collisions are very rare. None for a text without words."""
    words = _words(document)
    if not words:
        return None
    return int.from_bytes(blake2b(words.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _words(document: Document) -> str:
    return " ".join(document.text.split()).casefold()
