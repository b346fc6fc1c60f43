"""Import and export of distant relations' scores: relations of sentences and of whole bags.

If a sentence has no score for a relation, but the bag as a whole has, the sentence scores the relation like nil;
without a score of the bag it can never take the relation. Every sentence expresses at most one relation, so a bag can
hold no more relations than it has sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from engine.corpora.scores.parts import Json, Label, Part
from engine.corpora.scores.records import ScoreRecord
from engine.corpora.scores.scales import Scale, additive
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.tasks.distant.scored import UNLISTED, DistantScored, members_of
from engine.tasks.outside.records import Exchange, Gathering


@dataclass
class _Said:
    """Scores of relations by name, and `nil`, the score of declining."""

    relations: dict[str, float] = field(default_factory=dict)
    nil: float = 0.0
    share: float = 1.0

    @classmethod
    def of(cls, labels: Sequence[Label], scale: Scale) -> _Said:
        declining = next((label for label in labels if label.relation is None), None)
        against = declining is not None
        return cls(
            {one.relation: additive(one.score, scale, declining=against) for one in labels if one.relation is not None},
            0.0 if declining is None else additive(declining.score, scale, declining=True),
            1.0 if declining is None else declining.share,
        )


class DistantGathering(Gathering[DistantScored]):
    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._members: list[_Said] = []
        self._bags: list[_Said] = []
        self._relations: dict[str, int] = {}

    def add(self, document: Document, record: ScoreRecord) -> None:
        n = len(members_of(document))
        labels: dict[int | None, list[Label]] = {}
        seen: set[tuple[int | None, str | None]] = set()
        for i, part in enumerate(record.parts):
            if not isinstance(part, Label):
                raise InputError(
                    "distant scores relations of sentences or bags; this part is something else", field=f"parts[{i}]"
                )
            if part.member is not None and part.member >= n:
                raise InputError(f"the data have {n} sentences in this bag", field=f"parts[{i}]")
            if (part.member, part.relation) in seen:
                raise InputError(f"{part.relation or 'declining'!r} is scored twice", field=f"parts[{i}]")
            seen.add((part.member, part.relation))
            labels.setdefault(part.member, []).append(part)
            if part.relation is not None:
                self._relations.setdefault(part.relation, len(self._relations))
        self._documents.append(document)
        self._bags.append(_Said.of(labels.get(None, ()), record.scale))
        self._members += [_Said.of(labels.get(m, ()), record.scale) for m in range(n)]

    def known(self) -> dict[str, Any]:
        return {"relations": list(self._relations)}

    def hear(self, known: Mapping[str, Any]) -> None:
        self._relations = {name: i for i, name in enumerate(known.get("relations", ()))}

    def scored(self) -> DistantScored:
        column = self._relations
        member_scores = np.full((len(self._members), len(column) + 1), UNLISTED)
        label_scores = np.zeros((len(self._bags), len(column)))
        first = 0
        for row, (document, bag) in enumerate(zip(self._documents, self._bags, strict=True)):
            own = slice(first, first + len(members_of(document)))
            members, first = self._members[own], own.stop
            member_scores[own, 0] = [said.nil for said in members]
            by_member = {relation for said in members for relation in said.relations}
            for relation, score in bag.relations.items():
                label_scores[row, column[relation]] = score - bag.nil
                if relation not in by_member:
                    member_scores[own, column[relation] + 1] = member_scores[own, 0]
            for at, said in enumerate(members, own.start):
                for relation, score in said.relations.items():
                    member_scores[at, column[relation] + 1] = score
        made = DistantScored.of(self._documents, list(column), member_scores, label_scores)
        return replace(made, shares=np.array([said.share for said in self._members], dtype=np.float64))


def parts(scored: DistantScored, documents: Sequence[Document]) -> Iterator[list[Json]]:
    for d, document in enumerate(documents):
        assert document.bag is not None
        own: list[Json] = []
        first = int(scored.member_offsets[d])
        for m in range(int(scored.member_offsets[d + 1]) - first):
            nil, *scores = scored.member_scores[first + m].tolist()
            share = float(scored.shares[first + m])
            own.append({"member": m, "relation": None, "score": nil, **({"share": share} if share != 1.0 else {})})
            own += [
                {"member": m, "relation": relation, "score": score}
                for relation, score in zip(scored.relations, scores, strict=True)
                if score > UNLISTED
            ]
        own += [
            {"relation": relation, "score": score}
            for relation, score in zip(scored.relations, scored.label_scores[d].tolist(), strict=True)
            if score
        ]
        yield own


def answers(document: Document, layer: Layer) -> list[Part]:
    return [Label(None, relation, 1.0) for relation in dict.fromkeys(layer.labels)]


EXCHANGE: Final = Exchange[DistantScored]("logit", DistantGathering, parts, answers)
