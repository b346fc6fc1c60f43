"""Documents as sequences of choices: the training data of SGTB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Bytes, Flags, Ints
from engine.learners.sgtb.corpus import Corpus
from engine.learners.sgtb.pools import pooled_width
from engine.learners.sgtb.search import Data
from engine.workers.crews import spans


@dataclass(frozen=True, eq=False)
class Choices:
    """A corpus of documents, each a sequence of choices; all indices are within these arrays.

    `order` holds the choices of every document in the order in which they are decided; `gold` is a row, NIL_ROW or
    SKIPPED; rows and declining can be forbidden. `pairs[pair_offsets[d] + a * n_slots[d] + b]` are the channels of two
    slots.
    """

    document_offsets: Ints
    row_offsets: Ints
    order: Ints
    codes: Bytes
    slot: Ints
    surface: Ints
    gold: Ints
    allowed: Flags
    nil_allowed: Flags
    n_slots: Ints
    pair_offsets: Ints
    pairs: Bytes

    @property
    def n_documents(self) -> int:
        return len(self.document_offsets) - 1

    @property
    def n_pooled(self) -> int:
        return pooled_width(self.pairs.shape[1])

    @property
    def data(self) -> Data:
        return Data(self.row_offsets, self.codes, self.slot, self.surface, self.gold, self.allowed, self.nil_allowed)

    @property
    def arrays(self) -> Corpus:
        """The arrays in the form that kernels read."""
        return Corpus(self.document_offsets, self.order, self.data, self.pairs, self.pair_offsets, self.n_slots)

    def part(self, first: int, last: int) -> Choices:
        """Documents [first, last) as a corpus of their own."""
        m0, m1 = int(self.document_offsets[first]), int(self.document_offsets[last])
        r0, r1 = int(self.row_offsets[m0]), int(self.row_offsets[m1])
        p0, p1 = int(self.pair_offsets[first]), int(self.pair_offsets[last])
        gold = self.gold[m0:m1]
        return Choices(
            document_offsets=self.document_offsets[first : last + 1] - m0,
            row_offsets=self.row_offsets[m0 : m1 + 1] - r0,
            order=self.order[m0:m1] - m0,
            codes=self.codes[r0:r1],
            slot=self.slot[r0:r1],
            surface=self.surface[m0:m1],
            gold=np.where(gold >= 0, gold - r0, gold),
            allowed=self.allowed[r0:r1],
            nil_allowed=self.nil_allowed[m0:m1],
            n_slots=self.n_slots[first:last],
            pair_offsets=self.pair_offsets[first : last + 1] - p0,
            pairs=self.pairs[p0:p1],
        )

    def without_pairs(self) -> Choices:
        """The same choices, independent of each other."""
        return replace(self, pairs=np.zeros((len(self.pairs), 0), dtype=np.uint8))

    def spans(self, n_blocks: int) -> list[tuple[int, int]]:
        """Documents [first, last) of at most so many blocks with about equal numbers of rows."""
        return spans(self.row_offsets[self.document_offsets], n_blocks)

    @staticmethod
    def joined(pieces: Sequence[Choices]) -> Choices:
        """The documents of several corpora as one. Surfaces are only compared within a document."""
        if not pieces:
            raise ValueError("there is nothing to learn from")
        if len(pieces) == 1:
            return pieces[0]
        mentions = _begins([len(piece.gold) for piece in pieces])
        rows = _begins([len(piece.codes) for piece in pieces])
        pairs = _begins([len(piece.pairs) for piece in pieces])
        return Choices(
            document_offsets=_chained([piece.document_offsets for piece in pieces], mentions),
            row_offsets=_chained([piece.row_offsets for piece in pieces], rows),
            order=np.concatenate([piece.order + m for piece, m in zip(pieces, mentions, strict=True)]),
            codes=np.concatenate([piece.codes for piece in pieces]),
            slot=np.concatenate([piece.slot for piece in pieces]),
            surface=np.concatenate([piece.surface for piece in pieces]),
            gold=np.concatenate(
                [np.where(piece.gold >= 0, piece.gold + r, piece.gold) for piece, r in zip(pieces, rows, strict=True)]
            ),
            allowed=np.concatenate([piece.allowed for piece in pieces]),
            nil_allowed=np.concatenate([piece.nil_allowed for piece in pieces]),
            n_slots=np.concatenate([piece.n_slots for piece in pieces]),
            pair_offsets=_chained([piece.pair_offsets for piece in pieces], pairs),
            pairs=np.concatenate([piece.pairs for piece in pieces]),
        )


def _begins(sizes: Sequence[int]) -> Ints:
    """The start of each of several arrays when they are concatenated."""
    return np.concatenate([[0], np.cumsum(sizes[:-1], dtype=np.int64)])


def _chained(offsets: Sequence[Ints], begins: Ints) -> Ints:
    """Offsets into several arrays as offsets into their concatenation."""
    return np.concatenate([[0], *(one[1:] + begin for one, begin in zip(offsets, begins, strict=True))])
