"""The scorer of the steps: a candidate's score given the decisions before it (Yang, Irsoy and Rahman 2018, Eq. 1).

F(x, y_t, y_1:t-1) is a sum of trees over bytes: the candidate's own columns, and columns pooled over the entities
decided before it, from a table of pairs. Within a document every distinct entity has one slot, so that the features of
a pair of entities are stored once. The kernels that pool and sum are those of engine.learners.sgtb.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from engine.arrays import Bytes, Flags, Ints
from engine.data.errors import InputError
from engine.learners.sgtb.cache import FlatForest
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.pools import Trees, pooled_width

Range: TypeAlias = tuple[int, int]

MOST_ROUNDS: Final = 10
"""Maximum number of look-ahead rounds; the search converges long before."""

_KINDS: Final = (
    ("codes", np.uint8, 2),
    ("slot", np.int64, 1),
    ("surface", np.int64, 1),
    ("n_slots", np.int64, 1),
    ("pair_offsets", np.int64, 1),
    ("pairs", np.uint8, 2),
)
_ARRAYS: Final = tuple(name for name, _, _ in _KINDS)


@dataclass(frozen=True, eq=False)
class TreeSteps:
    """Trees, and the columns that they read."""

    trees: Trees
    codes: Bytes
    """Own columns of every row."""
    slot: Ints
    """The slot of every row's entity in its document."""
    surface: Ints
    """A number per mention; mentions with the same name have the same number."""
    n_slots: Ints
    """Slots of every document."""
    pair_offsets: Ints
    pairs: Bytes
    """The channels of slots a and b of document d: pairs[pair_offsets[d] + a * n_slots[d] + b]."""
    backward: float = 0.0
    """The weight, in the final choice, of the scores of a search from the other end; 0 if there is no such search."""
    look_ahead: int = 0
    """Rounds in which both searches look ahead to each other, after which the likelier answer is taken; 0 if they are
    independent."""

    @classmethod
    def without_columns(cls, n_documents: int, n_mentions: int, n_rows: int) -> TreeSteps:
        """Steps that add nothing, for candidates whose scores are given."""
        return cls(
            trees=FlatForest().arrays,
            codes=np.zeros((n_rows, 0), dtype=np.uint8),
            slot=np.zeros(n_rows, dtype=np.int64),
            surface=np.zeros(n_mentions, dtype=np.int64),
            n_slots=np.zeros(n_documents, dtype=np.int64),
            pair_offsets=np.zeros(n_documents + 1, dtype=np.int64),
            pairs=np.zeros((0, 0), dtype=np.uint8),
        )

    @property
    def nbytes(self) -> int:
        return sum(int(array.nbytes) for array in (*self.trees, *(getattr(self, name) for name in _ARRAYS)))

    def part(self, documents: Range, mentions: Range, rows: Range) -> TreeSteps:
        """The same for some documents, with their mentions and rows."""
        pairs = self.pair_offsets[documents[0] : documents[1] + 1]
        return TreeSteps(
            trees=self.trees,
            codes=self.codes[slice(*rows)],
            slot=self.slot[slice(*rows)],
            surface=self.surface[slice(*mentions)],
            n_slots=self.n_slots[slice(*documents)],
            pair_offsets=pairs - pairs[0],
            pairs=self.pairs[pairs[0] : pairs[-1]],
            backward=self.backward,
            look_ahead=self.look_ahead,
        )

    @classmethod
    def joined(cls, pieces: Sequence[TreeSteps]) -> TreeSteps:
        """Several as one; all must have the same trees. Surface numbers need no adjustment: they are only compared
        within a document."""
        sizes = np.cumsum([0, *(piece.pair_offsets[-1] for piece in pieces)])
        offsets = [piece.pair_offsets[1:] + size for piece, size in zip(pieces, sizes, strict=False)]
        return cls(
            trees=pieces[0].trees,
            codes=np.concatenate([piece.codes for piece in pieces]),
            slot=np.concatenate([piece.slot for piece in pieces]),
            surface=np.concatenate([piece.surface for piece in pieces]),
            n_slots=np.concatenate([piece.n_slots for piece in pieces]),
            pair_offsets=np.concatenate([np.zeros(1, dtype=np.int64), *offsets]),
            pairs=np.concatenate([piece.pairs for piece in pieces]),
            backward=pieces[0].backward,
            look_ahead=pieces[0].look_ahead,
        )

    def choices(
        self, mention_offsets: Ints, row_offsets: Ints, *, gold: Ints, allowed: Flags, nil_allowed: Flags
    ) -> Choices:
        """Mentions in text order, in the form that the compiled search takes."""
        return Choices(
            document_offsets=mention_offsets,
            row_offsets=row_offsets,
            order=np.arange(len(self.surface)),
            codes=self.codes,
            slot=self.slot,
            surface=self.surface,
            gold=gold,
            allowed=allowed,
            nil_allowed=nil_allowed,
            n_slots=self.n_slots,
            pair_offsets=self.pair_offsets,
            pairs=self.pairs,
        )

    def to_parts(self) -> dict[str, Any]:
        trees = {f"tree_{name}": part for name, part in self.trees._asdict().items()}
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return {**trees, **arrays, "backward": self.backward, "look_ahead": self.look_ahead}

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any]) -> TreeSteps:
        trees = Trees(**{name: parts[f"tree_{name}"] for name in Trees._fields})
        arrays = {name: parts[name] for name in _ARRAYS}
        # Older files, from before look-ahead existed, lack this field.
        look_ahead = int(parts.get("look_ahead", 0))
        return cls(trees=trees, **arrays, backward=float(parts["backward"]), look_ahead=look_ahead)

    def check(self, n_documents: int, n_mentions: int, row_documents: Ints) -> None:
        """Raise InputError unless a search would stay within the arrays: compiled code does not check bounds.

        `row_documents` holds the document of every row.
        """
        sizes = self.n_slots**2
        fits = (
            all(getattr(self, name).dtype == kind and getattr(self, name).ndim == n for name, kind, n in _KINDS)
            and len(self.codes) == len(self.slot) == len(row_documents)
            and len(self.surface) == n_mentions
            and len(self.n_slots) == n_documents
            and self.n_slots.max(initial=0) <= len(self.pairs)  # so that no square overflows
            and np.array_equal(self.pair_offsets, np.concatenate([[0], np.cumsum(sizes)]))
            and len(self.pairs) == self.pair_offsets[-1]
            and bool(((self.slot >= 0) & (self.slot < self.n_slots[row_documents])).all())
            and 0.0 <= self.backward < np.inf
            and 0 <= self.look_ahead <= MOST_ROUNDS
        )
        if not fits:
            raise InputError("the columns that the steps are scored by do not fit the candidates")
        if not _are_trees(self.trees, self.codes.shape[1] + pooled_width(self.pairs.shape[1])):
            raise InputError("the trees that the steps are scored by are broken")


def _are_trees(trees: Trees, n_columns: int) -> bool:
    """Whether every path from a root ends in a leaf: children are in the same tree and come after their parents."""
    sizes = np.diff(trees.offsets)
    n = len(trees.feature)
    if trees.offsets[0] != 0 or trees.offsets[-1] != n or (sizes < 1).any():
        return False
    if any(len(array) != n for array in (trees.split, trees.left, trees.right, trees.value)):
        return False
    at = np.arange(n) - np.repeat(trees.offsets[:-1], sizes)
    size = np.repeat(sizes, sizes)
    inner = trees.feature >= 0
    below = all(((child > at) & (child < size))[inner].all() for child in (trees.left, trees.right))
    return below and bool((trees.feature < n_columns).all() and np.isfinite(trees.value).all())
