"""Decides a scored corpus: user's pins to pins on parts, decisions to layers, and layers to constraint violations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from engine.data.document import Document, Layer, Mention, Relation
from engine.data.errors import InputError
from engine.data.pins import NoPlace, Pin, RelationPin, SpanRange, TypePin, UnknownName
from engine.structures.program import Conflict
from engine.structures.typed_pairs import pair_index, position
from engine.tasks.joint.constraints.terms import Output
from engine.tasks.joint.constraints.together import Violation, violations
from engine.tasks.joint.inference import Decisions, Decoder, PartPin
from engine.tasks.joint.mentions import answers, sameness
from engine.tasks.joint.scored import JointScored


def decide(scored: JointScored, pins: Mapping[str, Sequence[Pin]] | None = None) -> list[Layer]:
    """The best types and relations of every document under the pins."""
    return layers(scored, decisions(scored, pins))


def decisions(scored: JointScored, pins: Mapping[str, Sequence[Pin]] | None = None) -> Decisions:
    """The same as numbers of types and labels, in the same order as the scores."""
    pins = pins or {}
    wanted = {
        s: part_pins(scored, s, pins[document.id]) for s, document in enumerate(scored.documents) if document.id in pins
    }
    with explained():
        return Decoder.of(scored).decode(scored, wanted)


@contextmanager
def explained() -> Iterator[None]:
    """A context for inference that turns a conflict of constraints into an InputError, since the user has to resolve
    it."""
    try:
        yield
    except Conflict as clash:
        raise InputError(str(clash)) from clash


def part_pins(scored: JointScored, index: int, pins: Sequence[Pin]) -> list[PartPin]:
    """A user's pins on a document as pins on its parts, with names to be quoted in case of a conflict."""
    space, surfaces = scored.space, scored.surfaces(index)
    numbering = space.numbering(len(surfaces))
    node = {span: i for i, span in enumerate(scored.spans(index))}
    made = []

    def find(span: SpanRange) -> int:
        if span not in node:
            raise NoPlace(f"document {scored.documents[index].id!r} has no mention at {span[0]}–{span[1]} to pin")
        return node[span]

    def option(names: Sequence[str], name: str, what: str) -> int:
        if name not in names:
            raise UnknownName(f"the model does not know the {what} {name!r}; it has {', '.join(names)}")
        return list(names).index(name)

    for pin in pins:
        no = "" if pin.holds else "not "
        if isinstance(pin, TypePin):
            i = find(pin.span)
            part = numbering.node(i, option(space.types, pin.type, "type"))
            made.append(PartPin(part, pin.holds, f"pin: {surfaces[i]} is {no}{pin.type}"))
        elif isinstance(pin, RelationPin):
            i, j = find(pin.head), find(pin.tail)
            if i == j:
                raise NoPlace("a relation needs two different mentions")
            part = numbering.pair(position(len(surfaces), i, j), option(space.labels, pin.type, "relation"))
            made.append(PartPin(part, pin.holds, f"pin: {no}{pin.type}({surfaces[i]}, {surfaces[j]})"))
        else:
            raise InputError("joint takes pins on types and on relations only")
    return made


def layers(scored: JointScored, decided: Decisions) -> list[Layer]:
    """Decisions as layers; scores are the classifiers' probabilities of the decisions."""
    space = scored.space
    types = np.exp(scored.type_score[np.arange(len(decided.types)), decided.types])
    labels = np.exp(scored.label_score[np.arange(len(decided.labels)), decided.labels])
    out = []
    for s in range(len(scored)):
        a, p = int(scored.node_offsets[s]), int(scored.pair_offsets[s])
        spans = scored.spans(s)
        typed = tuple(
            Mention(start, end, type=space.types[decided.types[a + i]], score=float(types[a + i]))
            for i, (start, end) in enumerate(spans)
        )
        relations = tuple(
            Relation(int(i), int(j), space.labels[decided.labels[p + k]], score=float(labels[p + k]))
            for k, (i, j) in enumerate(pair_index(len(spans)))
            if decided.labels[p + k]
        )
        out.append(Layer(mentions=typed, relations=relations))
    return out


def layer_violations(
    documents: Sequence[Document], predicted: Sequence[Layer], scored: JointScored
) -> list[list[Violation]]:
    """The places where predicted layers from any source break the constraints of a scored corpus.

    A type that the space does not have counts as its first type, and an unknown relation as none.
    """
    out = []
    for document, layer in zip(documents, predicted, strict=True):
        spans = [mention.span for mention in layer.mentions]
        types, labels = answers(layer, spans, scored.space)
        output = Output(scored.space, np.maximum(types, 0), labels, sameness(document, spans))
        out.append(violations(scored.constraints, output))
    return out
