"""Distant relations' scored corpus: bags of sentences, with scores of nil and of every relation for each sentence.

A document is a bag, a pair of entities; its members are the sentences that mention both. An output gives every member a
relation or nil, and a relation holds for the pair as soon as one member has it, which adds its label score (Haffari et
al. 2015, Figure 1). The parts of a bag are those of `engine.structures.bag.FlatBag`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from engine.arrays import Flags, Floats, Ints
from engine.data.document import Document
from engine.data.errors import InputError
from engine.structures.bag import FlatBag, Inference
from engine.structures.base import Scores
from engine.tasks.scored import Alternatives, Scored, column, offsets

UNLISTED: Final = -1e9
"""The score of options that cannot be chosen because they were not scored: far below nil at any bias of a curve."""

Judged: TypeAlias = Literal["positive", "entire"]
"""Which bags count towards the scores: those with a relation in gold, as in the paper, or all."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DistantScored(Scored):
    """Bags with the scores of their members and labels, at bias 0; the bias raises nil."""

    relations: tuple[str, ...]
    member_offsets: Ints = offsets("member")
    member_scores: Floats = column("member")
    """[members, 1 + relations]; column 0 is nil."""
    shares: Floats = column("member")
    """The weight of each member. Its scores are already multiplied by it; the bias is multiplied when it is added."""
    label_scores: Floats = column()
    """[bags, relations]: what the pair itself adds to a relation that holds."""
    gold: Flags = column()
    """[bags, relations]: which relations gold names."""
    unknown: Ints = column()
    """The number of gold relations that are not among those scored."""
    bags: Judged = "positive"
    beta: float = 0.5
    """The weight on precision of the F score in reports."""
    inference: Inference = "exact"

    def __post_init__(self) -> None:
        n_bags, n_members, n_relations = len(self.documents), len(self.shares), len(self.relations)
        shapes = {
            "member_offsets": (n_bags + 1,),
            "member_scores": (n_members, n_relations + 1),
            "label_scores": (n_bags, n_relations),
            "gold": (n_bags, n_relations),
            "unknown": (n_bags,),
        }
        for name, wanted in shapes.items():
            found = getattr(self, name).shape
            if found != wanted:
                raise InputError(f"{name} must have the shape {wanted}, not {found}")
        if self.member_offsets[-1] != n_members:
            raise InputError(f"the bags have {self.member_offsets[-1]} members, but {n_members} are scored")

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        relations: Sequence[str],
        member_scores: ArrayLike,
        label_scores: ArrayLike | None = None,
        *,
        bias: float = 0.0,
        alternatives: Alternatives = "all",
        bags: Judged = "positive",
    ) -> DistantScored:
        """A corpus from plain arrays: one row of scores per member of all bags, beginning with that of nil, and
        optionally one row of label scores per bag."""
        names, sizes = tuple(relations), [len(members_of(document)) for document in documents]
        scores = np.asarray(member_scores, dtype=np.float64).reshape(-1, len(names) + 1)
        labels = np.zeros((len(sizes), len(names))) if label_scores is None else np.asarray(label_scores, np.float64)
        if not (np.isfinite(scores).all() and np.isfinite(labels).all()):
            raise InputError("scores must be finite: what was not ranked scores far below nil")
        gold, unknown = gold_labels(documents, names)
        return cls(
            documents=tuple(documents),
            bias=bias,
            alternatives=alternatives,
            relations=names,
            member_offsets=np.cumsum([0, *sizes], dtype=np.int64),
            member_scores=scores,
            shares=np.ones(len(scores)),
            label_scores=labels,
            gold=gold,
            unknown=unknown,
            bags=bags,
        )

    @property
    def counted(self) -> Flags:
        """The bags that count towards the scores."""
        if self.bags == "entire":
            return np.ones(len(self), dtype=np.bool_)
        return self.gold.any(axis=1) | (self.unknown > 0)

    @property
    def biased(self) -> Floats:
        """The members' scores with nil raised by the bias times the member's share."""
        if self.bias == 0.0:
            return self.member_scores
        raised = self.member_scores.copy()
        raised[:, 0] += self.bias * self.shares
        return raised

    def bag(self) -> tuple[FlatBag, Scores]:
        """The structure of a corpus of one bag, and the scores of its parts at the bias."""
        [label_scores] = self.label_scores
        structure = FlatBag(len(self.shares), len(self.relations))
        return structure, np.concatenate([self.biased.ravel(), label_scores])

    def saying(self, member: int, relation: str) -> int:
        """The number of the part, in a corpus of one bag, that gives this sentence this relation."""
        return FlatBag(len(self.shares), len(self.relations)).taking(member, self.relations.index(relation) + 1)

    def against(self, documents: Sequence[Document]) -> DistantScored:
        """The same scores, to be evaluated against the gold of these copies of the documents."""
        gold, unknown = gold_labels(documents, self.relations)
        return dataclasses.replace(self, documents=tuple(documents), gold=gold, unknown=unknown)


def usable(documents: Sequence[Document]) -> list[Document]:
    """The documents unchanged if all of them are bags, else InputError."""
    for document in documents:
        members_of(document)
    return list(documents)


def members_of(document: Document) -> tuple[object, ...]:
    if document.bag is None:
        raise InputError(
            f"document {document.id!r} is not a bag; build bags from linked documents with `bags build`", field="bag"
        )
    return document.bag.members


def gold_labels(documents: Sequence[Document], relations: Sequence[str]) -> tuple[Flags, Ints]:
    """[bags, relations] flags of gold relations, and the number of other gold relations of each bag."""
    index = {relation: i for i, relation in enumerate(relations)}
    gold = np.zeros((len(documents), len(relations)), dtype=np.bool_)
    unknown = np.zeros(len(documents), dtype=np.int64)
    for row, document in enumerate(documents):
        for label in set(document.gold.labels):
            if label in index:
                gold[row, index[label]] = True
            else:
                unknown[row] += 1
    return gold, unknown
