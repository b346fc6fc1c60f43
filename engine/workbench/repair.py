"""Scores if a class of errors were fixed: the prediction with exactly these errors corrected.

A false alarm is removed, a miss is added as in gold; everything else stays as predicted, and the score is recomputed
from the repaired layers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.data import edits as e
from engine.data.document import GOLD, Document, Layer
from engine.data.edits import State
from engine.metrics.differences import Decision, DecisionKind, decisions
from engine.metrics.errors import Error
from engine.tasks.base import AnyTask, Report
from engine.tasks.scored import Scored
from engine.workbench.chains import earlier, relinked
from engine.workbench.suggestions import Suggestion, accept


def score_if_fixed(
    task: AnyTask,
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    errors: Sequence[Error],
    scored: Scored | None = None,
) -> Report:
    """The report of the prediction with these errors corrected."""
    return task.evaluate(documents, repaired_layers(documents, predicted, errors, task.decides), scored)


def repaired_layers(
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    errors: Sequence[Error],
    kinds: Collection[DecisionKind],
) -> list[Layer]:
    """The predicted layers with these errors corrected."""
    by_document: dict[str, list[Error]] = {}
    for error in errors:
        by_document.setdefault(error.document, []).append(error)
    return [
        repair(document, layer, by_document[document.id], kinds) if document.id in by_document else layer
        for document, layer in zip(documents, predicted, strict=True)
    ]


def score_without(
    task: AnyTask,
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    errors: Sequence[Error],
    scored: Scored | None = None,
) -> Report:
    """The report if the items of these errors are not counted."""
    return task.evaluate(*without(task, documents, predicted, errors), scored)


def without(
    task: AnyTask, documents: Sequence[Document], predicted: Sequence[Layer], errors: Sequence[Error]
) -> tuple[list[Document], list[Layer]]:
    """Documents and prediction without the items of these errors: misses are removed from gold, false alarms from the
    prediction.

    For the errors attributed to gold, they give the score against the corrected gold, without what was marked as wrong.
    """
    by_document: dict[str, list[Error]] = {}
    for error in errors:
        by_document.setdefault(error.document, []).append(error)
    judged, answers = [], []
    for document, layer in zip(documents, predicted, strict=True):
        own = by_document.get(document.id, [])
        misses, alarms = ([one for one in own if one.kind == kind] for kind in ("miss", "false alarm"))
        gold = _less(document.gold, layer, [(one, one.gold) for one in misses], task.decides)
        answers.append(_less(layer, document.gold, [(one, one.predicted) for one in alarms], task.decides))
        judged.append(document.with_layer(GOLD, gold) if misses else document)
    return judged, answers


def _less(layer: Layer, other: Layer, errors: Sequence[tuple[Error, str]], kinds: Collection[DecisionKind]) -> Layer:
    """The layer without the decisions of these errors, which the other layer does not share."""
    if "coreference" in kinds and errors:
        layer = relinked(layer, other, cut={(error.start, error.end) for error, _ in errors})
        kinds = [kind for kind in kinds if kind != "coreference"]
    alone = decisions(layer, kinds) - decisions(other, kinds)
    state = State.of(layer)
    for error, value in errors:
        for one in _meant(error, value, alone)[:1]:
            alone.discard(one)
            state = _take_back(state, one)
    return state.layer() if errors else layer


def repair(document: Document, predicted: Layer, errors: Sequence[Error], kinds: Collection[DecisionKind]) -> Layer:
    """The predicted layer with these errors of its document corrected."""
    if "coreference" in kinds:
        wanted_links = earlier(document.gold)
        predicted = relinked(
            predicted,
            document.gold,
            cut={(error.start, error.end) for error in errors if error.kind == "false alarm"},
            join={
                (error.start, error.end): wanted_links[error.start, error.end][-1]
                for error in errors
                if error.kind == "miss"
            },
        )
        kinds = [kind for kind in kinds if kind != "coreference"]
    made, wanted = decisions(predicted, kinds), decisions(document.gold, kinds)
    # Each decision is corrected by one error only, since two errors may look alike, such as a relation in both
    # directions.
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
    """The decisions to which an error refers: same place and, if they have one, same value.

    The place of a relation is given by its arguments, by its head, or by the span from its first to its last argument;
    the error of a document's label has no place.
    """
    found = [one for one in among if one.kind == "label" and one.value == value]
    for one in among:
        if one.kind in ("link", "type") and one.value == value and error.arguments is None:
            if (error.start, error.end) == (one.start, one.end):
                found.append(one)
        elif one.kind == "relation" and one.value == value:
            head = one.start, one.end
            hull = min(one.start, one.other[0]), max(one.end, one.other[1])
            if error.arguments == (head, one.other) or (
                error.arguments is None and (error.start, error.end) in (head, hull)
            ):
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
                if one.kind == "link" and mention.entity == one.value:
                    return e.apply(state, e.SetEntity(id, None))
                if one.kind == "type" and mention.type == one.value:
                    return e.apply(state, e.SetType(id, None))
    return state
