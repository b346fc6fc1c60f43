"""Joint's scored corpus: mentions and pairs with scores for types and labels, and the constraints on them.

A row of `type_score` holds the log probabilities of one mention's types, a row of `label_score` those of one ordered
pair's labels, the first of which declines. Parts are numbered as in structures/typed_pairs: mentions with types first.
Constraints need no model, so switching one on or off is just `dataclasses.replace(scored, constraints=...)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.document import Document
from engine.data.pins import SpanRange
from engine.structures.typed_pairs import Numbering
from engine.tasks.joint.constraints.base import Constraint
from engine.tasks.joint.constraints.language import from_json, to_json
from engine.tasks.joint.constraints.space import Inference, Sameness, Source, Space
from engine.tasks.joint.mentions import answers, sameness
from engine.tasks.scored import Scored, column, offsets, parts_of


@dataclass(frozen=True, eq=False, kw_only=True)
class JointScored(Scored):
    """Nodes are mentions, pairs are ordered pairs (i, j) of one document's mentions, i-major."""

    space: Space
    node_offsets: Ints = offsets("node")
    pair_offsets: Ints = offsets("pair")
    span: Ints = column("node")
    """[nodes, 2]: first character and end."""
    type_score: Floats = column("node")
    """[nodes, types]"""
    label_score: Floats = column("pair")
    """[pairs, labels]"""
    gold_type: Ints = column("node")
    """-1 if gold has no such mention, or one of an unknown type."""
    gold_label: Ints = column("pair")
    n_gold: Ints = column()
    """The number of gold relations, including those that no pair can reach."""
    tie_offsets: Ints = offsets("tie")
    tied_pair: Ints = column("tie", points_to="pair")
    """Two mentions that are the same thing, and the source of that fact: see `Sameness`."""
    tied_by: tuple[Source, ...] = column("tie")
    constraints: tuple[Constraint, ...] = ()
    enforced: bool = True
    """Whether decisions must follow the constraints; otherwise violations are only reported."""
    inference: Inference = "exact"
    systems: tuple[str, str] = ("basic", "lp")
    """The names of the system without constraints and of the one with them."""

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        spans: Sequence[Sequence[SpanRange]],
        space: Space,
        scores: tuple[Floats, Floats],
    ) -> JointScored:
        """A corpus from scores [nodes, types] and [pairs, labels] of the mentions at these spans. Gold answers, and
        which mentions are the same thing, are read from the documents."""
        sizes = np.array([len(own) for own in spans], dtype=np.int64)
        wanted = ((sizes.sum(), len(space.types)), ((sizes * (sizes - 1)).sum(), len(space.labels)))
        if (scores[0].shape, scores[1].shape) != wanted:
            raise ValueError(f"scores of shapes {scores[0].shape}, {scores[1].shape} for {wanted[0]}, {wanted[1]}")
        gold = [answers(document.gold, own, space) for document, own in zip(documents, spans, strict=True)]
        same = [sameness(document, own) for document, own in zip(documents, spans, strict=True)]
        nothing = np.zeros(0, dtype=np.int64)
        pair_offsets = _starts(sizes * (sizes - 1))
        return cls(
            documents=tuple(documents),
            space=space,
            node_offsets=_starts(sizes),
            pair_offsets=pair_offsets,
            span=np.array([span for own in spans for span in own], dtype=np.int64).reshape(-1, 2),
            type_score=np.ascontiguousarray(scores[0], dtype=np.float64),
            label_score=np.ascontiguousarray(scores[1], dtype=np.float64),
            gold_type=np.concatenate([nothing, *(types for types, _ in gold)]),
            gold_label=np.concatenate([nothing, *(labels for _, labels in gold)]),
            n_gold=np.array([len(document.gold.relations) for document in documents], dtype=np.int64),
            tie_offsets=_starts(np.array([len(one.pairs) for one in same], dtype=np.int64)),
            tied_pair=np.concatenate([nothing, *(one.pairs + pair_offsets[s] for s, one in enumerate(same))]),
            tied_by=tuple(source for one in same for source in one.sources),
        )

    @property
    def sizes(self) -> Ints:
        """The number of mentions of every document."""
        return np.diff(self.node_offsets)

    @property
    def deciding(self) -> tuple[Constraint, ...]:
        """The constraints under which the corpus is decided."""
        return self.constraints if self.enforced else ()

    @property
    def sameness(self) -> Sameness:
        """Which mentions are the same thing, pairs numbered as in the corpus."""
        return Sameness(self.tied_pair, self.tied_by)

    def sameness_of(self, index: int) -> Sameness:
        """Which mentions of a document are the same thing, pairs numbered as in the document."""
        first, last = self.tie_offsets[index], self.tie_offsets[index + 1]
        return Sameness(self.tied_pair[first:last] - self.pair_offsets[index], self.tied_by[first:last])

    @property
    def numbering(self) -> Numbering:
        """The numbers of all parts."""
        return Numbering(
            int(self.node_offsets[-1]), int(self.pair_offsets[-1]), len(self.space.types), len(self.space.labels)
        )

    def spans(self, index: int) -> list[SpanRange]:
        """The spans of a document's mentions."""
        first, last = self.node_offsets[index], self.node_offsets[index + 1]
        return [(int(start), int(end)) for start, end in self.span[first:last]]

    def surfaces(self, index: int) -> list[str]:
        """The words of the mentions of a document."""
        return [self.documents[index].text[start:end] for start, end in self.spans(index)]

    def to_parts(self) -> dict[str, Any]:
        parts = super().to_parts()
        parts["plain"]["constraints"] = to_json(self.constraints)
        return parts

    @classmethod
    def restored(cls, values: dict[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
        space = Space.from_parts(parts_of(parts, "space"))
        return {**values, "space": space, "constraints": from_json(values["constraints"])}


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
