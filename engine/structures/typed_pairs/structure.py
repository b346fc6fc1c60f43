"""The sentences of a corpus as one structure over numbered parts, decided in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Flags, Floats, Ints
from engine.kernels import kernel
from engine.structures.base import NO_PINS, Infeasible, Parts, Pins, Scores
from engine.structures.typed_pairs.numbering import Numbering
from engine.structures.typed_pairs.search import Relations, SentenceScores, best_output, value

ILLEGAL: Final = -1e11
"""An output that scores less than this contains something forbidden."""
MOST_NODES: Final = 2_000_000
UNLIMITED: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Tables:
    """How the types and labels of a pair depend on each other; the same for every pair."""

    fit: Floats
    """[L, T, T]: added if a pair between these types takes the label."""
    both: Floats
    """[L, L]: added if the two directions of a pair take these labels."""

    @property
    def n_labels(self) -> int:
        return int(self.fit.shape[0])

    @property
    def n_types(self) -> int:
        return int(self.fit.shape[1])

    @classmethod
    def free(cls, n_types: int, n_labels: int) -> Tables:
        """No constraint at all."""
        return cls(np.zeros((n_labels, n_types, n_types)), np.zeros((n_labels, n_labels)))

    def for_kernels(self) -> Relations:
        return Relations(self.fit, self.both, bool(np.any(self.both != 0)))


@dataclass(frozen=True, eq=False)
class Decoded:
    """The best output of every sentence."""

    types: Ints
    labels: Ints
    objective: Floats
    """-inf if no legal output exists."""
    proven: Flags
    """False if the search gave up at its limit of nodes, so that another solver has to be used."""
    nodes: Ints


@dataclass(frozen=True, eq=False)
class TypedPairs:
    """Outputs give every node of every sentence a type and every ordered pair a label.

    With tables that only forbid, an output scores the sum of its parts, as in every structure; other tables add their
    own numbers to that.
    """

    tables: Tables
    node_starts: Ints
    pair_starts: Ints
    tie: Floats
    """[pairs]: added when the pair's two nodes differ in type; read where i < j."""

    @classmethod
    def of(cls, sizes: Ints, tables: Tables, tie: Floats | None = None) -> TypedPairs:
        """Sentences of these numbers of nodes."""
        sizes = np.asarray(sizes, dtype=np.int64)
        node_starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        pair_starts = np.concatenate([[0], np.cumsum(sizes * (sizes - 1))]).astype(np.int64)
        ties = np.zeros(pair_starts[-1]) if tie is None else np.asarray(tie, dtype=np.float64)
        return cls(tables, node_starts, pair_starts, ties)

    def __len__(self) -> int:
        return len(self.node_starts) - 1

    @property
    def sizes(self) -> Ints:
        return np.diff(self.node_starts)

    @property
    def numbering(self) -> Numbering:
        return Numbering(
            int(self.node_starts[-1]), int(self.pair_starts[-1]), self.tables.n_types, self.tables.n_labels
        )

    @property
    def n_parts(self) -> int:
        return self.numbering.n_parts

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        """The parts of the best output, however long the search takes."""
        numbering = self.numbering
        scores = np.asarray(scores, dtype=np.float64)
        if scores.shape != (numbering.n_parts,):
            raise ValueError(f"{scores.shape} scores for {numbering.n_parts} parts")
        types, labels = numbering.split(numbering.pinned(scores, on=pins.on, off=pins.off))
        found = self.decode(types, labels, most_nodes=UNLIMITED)
        if np.isneginf(found.objective).any():
            at = int(np.flatnonzero(np.isneginf(found.objective))[0])
            raise Infeasible(f"sentence {at} has no legal output{_told(pins)}")
        return numbering.chosen(found.types, found.labels).astype(np.intp)

    def decode(
        self, types: Floats, labels: Floats, bias: float | Floats = 0.0, *, most_nodes: int = MOST_NODES
    ) -> Decoded:
        """The best output of every sentence, with `bias` (one, or one per sentence) added to label 0."""
        # Copied, because a broadcast array is read-only, which is another type to compile for.
        biases = np.broadcast_to(np.asarray(bias, dtype=np.float64), len(self)).copy()
        return Decoded(*_decode(self._scores(types, labels), self.tables.for_kernels(), biases, most_nodes))

    def value(self, types: Floats, labels: Floats, output: tuple[Ints, Ints]) -> Floats:
        """Score of a given output of every sentence: its types and its labels."""
        chosen, taken = (np.asarray(one, dtype=np.int64) for one in output)
        result: Floats = _values(self._scores(types, labels), self.tables.for_kernels(), chosen, taken)
        return result

    def take(self, chosen: Ints) -> TypedPairs:
        """Some of the sentences, possibly repeated."""
        return TypedPairs.of(self.sizes[chosen], self.tables, self.tie[rows_of(self.pair_starts, chosen)])

    def _scores(self, types: Floats, labels: Floats) -> _Scores:
        numbering = self.numbering
        wanted = (numbering.n_nodes, numbering.n_types), (numbering.n_pairs, numbering.n_labels)
        if (types.shape, labels.shape) != wanted:
            raise ValueError(f"scores of shapes {types.shape} and {labels.shape} for {wanted[0]} and {wanted[1]}")
        return _Scores(
            np.ascontiguousarray(types, dtype=np.float64),
            np.ascontiguousarray(labels, dtype=np.float64),
            self.tie,
            self.node_starts,
            self.pair_starts,
        )


def rows_of(starts: Ints, chosen: Ints) -> Ints:
    """The rows of the chosen sentences, one after the other."""
    sizes = np.diff(starts)[chosen]
    before = np.concatenate([[0], np.cumsum(sizes)[:-1]]) if len(sizes) else sizes
    result: Ints = np.arange(int(sizes.sum())) + np.repeat(starts[chosen] - before, sizes)
    return result


def _told(pins: Pins) -> str:
    """The pins in words, for an error message."""
    demands = [f"part {part} on" for part in pins.on] + [f"part {part} off" for part in pins.off]
    return f" with {', '.join(demands)}" if demands else ": what its scores and tables allow is not enough"


class _Scores(NamedTuple):
    """Scores of many sentences, for kernels."""

    types: Floats
    labels: Floats
    tie: Floats
    node_starts: Ints
    pair_starts: Ints


@kernel
def _sentence(scores: _Scores, s: int) -> SentenceScores:
    a, b = scores.node_starts[s], scores.node_starts[s + 1]
    p, q = scores.pair_starts[s], scores.pair_starts[s + 1]
    return SentenceScores(scores.types[a:b], scores.labels[p:q], scores.tie[p:q])


@kernel
def _decode(
    scores: _Scores, relations: Relations, biases: Floats, most_nodes: int
) -> tuple[Ints, Ints, Floats, Flags, Ints]:
    """The fields of `Decoded`."""
    n_sentences = len(scores.node_starts) - 1
    types = np.zeros(len(scores.types), np.int64)
    labels = np.zeros(len(scores.labels), np.int64)
    objective = np.zeros(n_sentences)
    proven = np.ones(n_sentences, np.bool_)
    nodes = np.zeros(n_sentences, np.int64)
    for s in range(n_sentences):
        sentence = _sentence(scores, s)
        chosen = types[scores.node_starts[s] : scores.node_starts[s + 1]]
        taken = labels[scores.pair_starts[s] : scores.pair_starts[s + 1]]
        # A bias that outweighs all scores may not outweigh what is forbidden, too.
        limit = -ILLEGAL / (len(taken) + 1)
        used = best_output(sentence, relations, min(max(biases[s], -limit), limit), most_nodes, chosen, taken)
        total = value(sentence, relations, chosen, taken)
        is_legal = total > ILLEGAL
        for label in taken:
            if label == 0:
                total += biases[s]
        objective[s] = total if is_legal else -np.inf
        proven[s] = used >= 0
        nodes[s] = abs(used)
    return types, labels, objective, proven, nodes


@kernel
def _values(scores: _Scores, relations: Relations, types: Ints, labels: Ints) -> Floats:
    out = np.zeros(len(scores.node_starts) - 1)
    for s in range(len(out)):
        chosen = types[scores.node_starts[s] : scores.node_starts[s + 1]]
        taken = labels[scores.pair_starts[s] : scores.pair_starts[s + 1]]
        out[s] = value(_sentence(scores, s), relations, chosen, taken)
    return out
