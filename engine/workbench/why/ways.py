"""The ways in which a wrong answer could have been right, expressed as pins, and the best output of each.

A way fixes gold's answer at the place of a case and leaves the rest of the document free. If gold has several answers
(an antecedent among several, a span among several that overlap), each is a separate way. Anything that is still wrong
under a way is forbidden, and the document is decided again: forbidding only wrong answers keeps every right output, so
the first output that is right is the best of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.data.document import NIL, Document, Layer
from engine.data.errors import InputError
from engine.data.pins import ClusterPin, LabelPin, LinkPin, Pin, RelationPin, SpanRange, TypePin
from engine.metrics.cases import Case, is_same_place
from engine.metrics.errors import Error
from engine.metrics.linking import titles_of
from engine.structures.base import Infeasible
from engine.tasks.base import AnyTask
from engine.tasks.capabilities import ListedPart, ListsParts, Weighed, WeighsOutputs
from engine.tasks.scored import Scored
from engine.workbench.chains import earlier


@dataclass(frozen=True)
class Found:
    """The best output of a one-document corpus under some pins."""

    pins: tuple[Pin, ...]
    layer: Layer
    weight: Weighed


def decided(task: AnyTask, scored: Scored, pins: Sequence[Pin] = ()) -> Found:
    """The decision under the pins; raises InputError or Infeasible if nothing satisfies them."""
    if not isinstance(task, WeighsOutputs):
        raise InputError(f"{task.name} cannot say what an output scores")
    held = {scored.documents[0].id: tuple(pins)} if pins else None
    [layer] = task.decide(scored, pins=held)
    return Found(tuple(pins), layer, task.weigh(scored, pins=pins))


def best_right(task: AnyTask, scored: Scored, case: Case) -> Found | None:
    """The best output that is right where the case is wrong; None if no scores could lead to one."""
    found = [right for way in ways(task, scored, case) if (right := _made_right(task, scored, case, way)) is not None]
    # A pin without a scored part is satisfied by creating one, which was not among the original options.
    weighed = [one for one in found if _n_parts(task, scored, one.pins) == _n_parts(task, scored)]
    best = max(weighed, key=lambda one: one.weight.value, default=None)
    if best is None or len(weighed) == len(found):
        return best
    return replace(best, weight=best.weight._replace(exact=False))


def still_wrong(task: AnyTask, scored: Scored, layer: Layer, case: Case) -> list[Error]:
    """The errors of a layer that concern the same thing as the case."""
    by_name = "label" in task.decides
    return [
        error for error in task.errors(scored, [layer]) if any(_same_thing(error, one, by_name) for one in case.errors)
    ]


def ways(task: AnyTask, scored: Scored, case: Case) -> list[tuple[Pin, ...]]:
    """The pins for each way in which gold's answer to the case can be obtained."""
    [document] = scored.documents
    error = case.main
    if "label" in task.decides:
        wanted = [LabelPin(case.missed.type)] if case.missed is not None else []
        unwanted = [LabelPin(case.said.type, holds=False)] if case.said is not None else []
        return [(*wanted, *unwanted)]
    if "coreference" in task.decides:
        return _ways_to_corefer(document, _listed(task, scored), (error.start, error.end))
    if error.arguments is not None:
        pin = RelationPin(*error.arguments, error.gold) if error.gold else _forbidden(error)
        return [] if pin is None else [(pin,)]
    if "type" in task.decides:
        return [(TypePin((error.start, error.end), error.gold),)] if error.gold else []
    if error.gold in ("", NIL):
        return [(LinkPin((error.start, error.end), NIL),)]
    return [(LinkPin(span, entity),) for span, entity in _finders(document, _listed(task, scored), error)]


def _made_right(task: AnyTask, scored: Scored, case: Case, way: tuple[Pin, ...]) -> Found | None:
    pins = way
    while True:
        try:
            found = decided(task, scored, pins)
        except (InputError, Infeasible):
            return None
        wrong = still_wrong(task, scored, found.layer, case)
        if not wrong:
            return found
        more = [pin for error in wrong if (pin := _forbidden(error)) is not None and pin not in pins]
        if not more:
            return None
        pins = (*pins, *more)


def _forbidden(error: Error) -> Pin | None:
    """The pin that forbids a false alarm; None if forbidding one answer is not enough."""
    if error.kind == "miss" and not error.predicted:
        return None
    if error.arguments is not None:
        return RelationPin(*error.arguments, error.predicted, holds=False)
    if error.attributes.get("what") == "entity":
        return TypePin((error.start, error.end), error.predicted, holds=False)
    if error.kind == "false alarm" and error.predicted:
        return LinkPin((error.start, error.end), error.predicted, holds=False)
    return None


def _ways_to_corefer(document: Document, parts: Iterable[ListedPart], span: SpanRange) -> list[tuple[Pin, ...]]:
    """Together with each of the mentions before it in its gold chain; if there is none, apart from all earlier
    mentions."""
    before = earlier(document.gold).get(span, [])
    if before:
        return [(ClusterPin(other, span),) for other in before]
    candidates = [part.says["antecedent"] for part in parts if (part.says["start"], part.says["end"]) == span]
    return [tuple(ClusterPin((one[0], one[1]), span, holds=False) for one in candidates if one is not None)]


def _finders(document: Document, parts: Iterable[ListedPart], error: Error) -> Iterator[tuple[SpanRange, str]]:
    """Candidates that would find the gold link of an error: its entity, at a span that shares a character."""
    wanted = {
        title
        for mention in document.gold.mentions
        if mention.is_linked and mention.entity == error.gold and _overlap(mention.span, error)
        for title in titles_of(mention)
    }
    for part in parts:
        says: Mapping[str, Any] = part.says
        span = says["start"], says["end"]
        if says["entity"] in wanted and _overlap(span, error):
            yield span, says["entity"]


def _listed(task: AnyTask, scored: Scored) -> list[ListedPart]:
    return task.list_parts(scored) if isinstance(task, ListsParts) else []


def _n_parts(task: AnyTask, scored: Scored, pins: Sequence[Pin] = ()) -> int:
    return len(task.list_parts(scored, pins=pins)) if isinstance(task, ListsParts) else 0


def _overlap(span: SpanRange, error: Error) -> bool:
    return span[0] < error.end and error.start < span[1]


def _same_thing(error: Error, other: Error, by_name: bool) -> bool:
    if error.kind != other.kind or (error.attributes.get("what") != other.attributes.get("what")):
        return False
    return error.type == other.type if by_name else is_same_place(error, other)
