"""What the score would be if one class of errors were gone: the prediction with exactly these errors corrected.

A false alarm is taken back, a miss is put in as gold has it; everything else stays as it was predicted, and the
score is computed anew from the repaired layers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.data import edits as e
from engine.data.document import Document, Layer
from engine.data.edits import State
from engine.metrics.differences import Decision, DecisionKind, decisions
from engine.metrics.errors import Error
from engine.tasks.base import Model, Report, Task
from engine.tasks.suggestions import Suggestion, accept


def score_if_fixed(
    task: Task,
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    errors: Sequence[Error],
    model: Model | None = None,
) -> Report:
    """The report of the prediction with these errors corrected."""
    by_document: dict[str, list[Error]] = {}
    for error in errors:
        by_document.setdefault(error.document, []).append(error)
    repaired = [
        repair(document, layer, by_document[document.id], task.decides) if document.id in by_document else layer
        for document, layer in zip(documents, predicted, strict=True)
    ]
    return task.evaluate(documents, repaired, model)


def repair(document: Document, predicted: Layer, errors: Sequence[Error], kinds: Collection[DecisionKind]) -> Layer:
    """The predicted layer with these errors of its document corrected."""
    made, wanted = decisions(predicted, kinds), decisions(document.gold, kinds)
    # Each decision is corrected by one error: two errors may look alike, as a relation both ways round does.
    surplus, lacking = made - wanted, wanted - made
    state = State.of(predicted)
    for error in errors:
        if error.kind == "false alarm":
            for one in _meant(error, error.predicted, surplus)[:1]:
                surplus.discard(one)
                state = _take_back(state, one)
    for number, error in enumerate(errors):
        if error.kind == "miss":
            for one in _meant(error, error.gold, lacking)[:1]:
                lacking.discard(one)
                state = e.apply(state, accept(state, Suggestion(one, None), f"fixed{number}"))
    return state.layer()


def _meant(error: Error, value: str, among: Collection[Decision]) -> list[Decision]:
    """The decisions an error is about: same place and, where decisions have one, same value.

    A relation may be placed at its head or at the stretch from its first to its last argument; the error of a
    document's label has no place.
    """
    found = [one for one in among if one.kind == "coreference" and (one.start, one.end) == (error.start, error.end)]
    found += [one for one in among if one.kind == "label" and one.value == value]
    for one in among:
        if one.kind in ("link", "type", "relation") and one.value == value:
            hull = min(one.start, one.other[0]), max(one.end, one.other[1])
            places = ((one.start, one.end), hull) if one.kind == "relation" else ((one.start, one.end),)
            if (error.start, error.end) in places:
                found.append(one)
    return sorted(found)


def _take_back(state: State, one: Decision) -> State:
    """The state without this decision."""
    match one.kind:
        case "label":
            return e.apply(state, e.SetLabel(one.value, False))
        case "relation":
            for id, arc in state.relations.items():
                ends = state.mentions[arc.head].span, state.mentions[arc.tail].span
                if arc.type == one.value and ends == ((one.start, one.end), one.other):
                    return e.apply(state, e.RemoveRelation(id))
        case _:
            for id, mention in state.mentions.items():
                if mention.span != (one.start, one.end):
                    continue
                if one.kind == "coreference":
                    return e.apply(state, e.SetCluster(id, None))
                if one.kind == "link" and mention.entity == one.value:
                    return e.apply(state, e.SetEntity(id, None))
                if one.kind == "type" and mention.type == one.value:
                    return e.apply(state, e.SetType(id, None))
    return state
