"""Two outputs side by side: what was said, and the best output that is right where it was wrong.

The smallest change that flips a decision is exact wherever inference is: it is the lead of what was said over the best
output that is right. The value of an output is a sum over its parts, so a change of scores by d in all moves two
outputs at most d nearer to each other: while the scores change by less than the lead, what was said stays ahead of
everything that is right. And gold's answer needs no more than the lead: it wins once it scores that much more, or,
where gold has nothing, once declining does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.metrics.cases import Case, cases
from engine.metrics.differences import Decision, Difference, differences
from engine.metrics.errors import Stage
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.capabilities import ListedPart, ListsParts
from engine.tasks.scored import Scored
from engine.workbench.why import biases, telling
from engine.workbench.why.telling import Telling
from engine.workbench.why.ways import best_right, decided


@dataclass(frozen=True)
class Side:
    """One of two outputs: what only it says, the parts that only it has, and what all of it scores."""

    decisions: tuple[Decision, ...]
    parts: tuple[ListedPart, ...]
    value: float
    layer: Layer


@dataclass(frozen=True)
class Contrast:
    """A wrong answer beside the right one."""

    case: Case
    document: Document
    stage: Stage
    said: Side
    right: Side | None
    """None where the right answer was no option, so that no score could have brought it about."""
    exact: bool = True
    """Whether no output that is right scores higher than `right`; a search that prunes cannot tell."""
    features: tuple[Telling, ...] = ()
    """What the two outputs are told apart by, the strongest first; nothing where there is no model to ask."""
    bias: biases.Nearest | None = None
    """The nearest bias at which the answer is right; None where there is none."""

    @property
    def lead(self) -> float | None:
        """By how much the scores must change, all in all, for the answer to be right. Below zero the right output
        scores higher already: the search lost it."""
        return None if self.right is None else self.said.value - self.right.value

    @property
    def fewest(self) -> tuple[Telling, ...]:
        """As few features as possible without which the right output would be ahead; nothing where even all of them
        are not enough, or where it is ahead already."""
        lead = self.lead
        if lead is None or lead <= 0:
            return ()
        taken: list[Telling] = []
        for one in sorted(self.features, key=lambda one: one.adds):
            if one.adds >= 0:
                break
            taken.append(one)
            if sum(-feature.adds for feature in taken) > lead:
                return tuple(taken)
        return ()


def contrast(task: AnyTask, scored: Scored, case: Case, model: AnyModel | None = None) -> Contrast:
    """Why a corpus of one document is answered as it is and not as gold says, at its bias. `model` is asked for
    features; without one the scores speak alone."""
    [document] = scored.documents
    if scored.answers is not None:
        raise InputError("answers that came without scores cannot say why they are what they are")
    if case.main.document != document.id:
        raise ValueError(f"the case is of document {case.main.document!r}, not of {document.id!r}")
    now, right = decided(task, scored), best_right(task, scored, case)
    parts = _chosen(task, scored)
    if right is None:
        said = Side((), tuple(parts.values()), now.weight.value, now.layer)
        return Contrast(case, document, case.main.stage, said, None)
    others = _chosen(task, scored, right.pins)
    only_said = tuple(part for number, part in parts.items() if number not in others)
    only_right = tuple(part for number, part in others.items() if number not in parts)
    found = differences(now.layer, right.layer, task.decides)
    return Contrast(
        case=case,
        document=document,
        stage=case.main.stage,
        said=Side(_side(found, "first"), only_said, now.weight.value, now.layer),
        right=Side(_side(found, "second"), only_right, right.weight.value, right.layer),
        exact=now.weight.exact and right.weight.exact,
        features=telling.tell_apart(task, scored, model, only_said, only_right, right.pins) if model else (),
        bias=biases.nearest(task, scored, case),
    )


def contrasts(task: AnyTask, scored: Scored, model: AnyModel | None = None) -> Iterator[Contrast]:
    """Every wrong answer of a corpus beside the right one, document by document."""
    for d in range(len(scored)):
        one = scored.one(d)
        for case in cases(task.errors(one, task.decide(one))):
            yield contrast(task, one, case, model)


def _chosen(task: AnyTask, scored: Scored, pins: Sequence[Pin] = ()) -> dict[int, ListedPart]:
    listed: Iterable[ListedPart] = task.list_parts(scored, pins=pins) if isinstance(task, ListsParts) else ()
    return {part.number: part for part in listed if part.chosen}


def _side(found: Iterable[Difference], side: str) -> tuple[Decision, ...]:
    return tuple(one.decision for one in found if one.side == side)
