"""Import and export of joint's scores of types and relations, which are decided under our constraints.

The mentions are those that the parts name, in that order. A type or relation without a score cannot be chosen. The
scores of a mention or pair are normalised to a distribution, which changes no decision, so that the probabilities shown
are in fact probabilities.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from engine.arrays import Floats
from engine.corpora.scores.parts import Json, Pair, Part, Span, Typed, name_of, numbers_of
from engine.corpora.scores.records import ScoreRecord
from engine.corpora.scores.scales import Scale, additive
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.structures.typed_pairs import pair_index
from engine.tasks.joint.constraints.space import NONE, Space
from engine.tasks.joint.scored import JointScored
from engine.tasks.outside.records import Exchange, Gathering

SYSTEMS: Final = ("scores", "lp")
"""The names of imported scores that decide alone, and of those under constraints."""


@dataclass
class _Sentence:
    """The scores of one document; None stands for declining."""

    scale: Scale
    types: dict[Span, dict[str | None, float]] = field(default_factory=dict)
    pairs: dict[tuple[Span, Span], dict[str | None, float]] = field(default_factory=dict)

    def spans(self) -> list[Span]:
        sides = (span for pair in self.pairs for span in pair)
        return list(dict.fromkeys([*self.types, *sides]))


class JointGathering(Gathering[JointScored]):
    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._sentences: list[_Sentence] = []
        self._types: dict[str, int] = {}
        self._labels: dict[str, int] = {NONE: 0}

    def add(self, document: Document, record: ScoreRecord) -> None:
        said = _Sentence(record.scale)
        for i, part in enumerate(record.parts):
            if isinstance(part, Typed):
                options = said.types.setdefault(part.span, {})
                names = self._types
            elif isinstance(part, Pair):
                options = said.pairs.setdefault((part.head, part.tail), {})
                names = self._labels
            else:
                raise InputError(
                    "joint scores types and relations of mentions; this part is something else", field=f"parts[{i}]"
                )
            if part.type in options:
                raise InputError(f"{part.type or 'declining'!r} is scored twice", field=f"parts[{i}]")
            if part.type == NONE and isinstance(part, Pair):
                raise InputError(f"a relation cannot be called {NONE!r}; null is declining", field=f"parts[{i}]")
            options[part.type] = part.score
            if part.type is not None:
                names.setdefault(part.type, len(names))
        self._documents.append(document)
        self._sentences.append(said)

    def known(self) -> dict[str, Any]:
        return {"types": list(self._types), "labels": list(self._labels)}

    def hear(self, known: Mapping[str, Any]) -> None:
        self._types = {name: i for i, name in enumerate(known.get("types", ()))}
        self._labels = {name: i for i, name in enumerate(known.get("labels", (NONE,)))}

    def scored(self) -> JointScored:
        spans = [said.spans() for said in self._sentences]
        if any(spans) and not self._types:
            raise InputError("no mention has a type; joint decides types and relations together", field="parts")
        space = Space(tuple(self._types), tuple(self._labels))
        types: list[Floats] = [np.zeros((0, len(space.types)))]
        labels: list[Floats] = [np.zeros((0, len(space.labels)))]
        for said, own in zip(self._sentences, spans, strict=True):
            types += [_row(said.types.get(span, {}), self._types, said.scale)[None] for span in own]
            for i, j in pair_index(len(own)):
                options = said.pairs.get((own[i], own[j]), {})
                labels.append(_row(options, self._labels, said.scale, declines=True)[None])
        made = JointScored.of(self._documents, spans, space, (np.concatenate(types), np.concatenate(labels)))
        return replace(made, systems=SYSTEMS)


def _row(
    options: Mapping[str | None, float], column: Mapping[str, int], scale: Scale, *, declines: bool = False
) -> Floats:
    """Log probabilities of the options, one per column; -inf for options without a score."""
    row = np.full(len(column), -np.inf)
    declining = None in options
    for name, score in options.items():
        if name is not None:
            row[column[name]] = additive(score, scale, declining=declining)
    if declines:
        row[0] = additive(options[None], scale, declining=True) if declining else 0.0
    elif not np.isfinite(row).any():
        row[:] = 0.0
    complete = declining or (scale == "logprob" and not declines)
    if options and complete and scale in ("prob", "logprob"):
        return row
    return np.asarray(row - np.logaddexp.reduce(row), dtype=np.float64)


def parts(scored: JointScored, documents: Sequence[Document]) -> Iterator[list[Json]]:
    space = scored.space
    for d, document in enumerate(documents):
        numbers = numbers_of(document)
        names = [name_of(span, numbers) for span in scored.spans(d)]
        own: list[Json] = []
        for name, row in zip(names, scored.type_score[scored.node_offsets[d] :], strict=False):
            own += _listed({"entity": name}, space.types, row)
        pairs = scored.label_score[scored.pair_offsets[d] : scored.pair_offsets[d + 1]]
        for (i, j), row in zip(pair_index(len(names)), pairs, strict=True):
            own += _listed({"head": names[i], "tail": names[j]}, (None, *space.relations), row)
        yield own


def _listed(place: Json, names: Sequence[str | None], row: Floats) -> list[Json]:
    return [
        {**place, "type": name, "score": score}
        for name, score in zip(names, row.tolist(), strict=True)
        if np.isfinite(score)
    ]


def answers(document: Document, layer: Layer) -> list[Part]:
    """The layer's answers as parts: one type for each span and one relation for each pair of spans, the first if there
    are several."""
    spans = [mention.span for mention in layer.mentions]
    types = {mention.span: mention.type for mention in reversed(layer.mentions) if mention.type is not None}
    sides = {(spans[relation.head], spans[relation.tail]): relation.type for relation in reversed(layer.relations)}
    found: list[Part] = [Typed(span, type, 1.0) for span, type in types.items()]
    return found + [Pair(head, tail, type, 1.0) for (head, tail), type in sides.items() if head != tail]


EXCHANGE: Final = Exchange[JointScored]("logprob", JointGathering, parts, answers, {"spans": "proposed"})
