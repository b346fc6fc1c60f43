"""Contrasts two outputs: the system's own, and the best output that is right where it was wrong.

The smallest change that flips a decision is exact if inference is: it is the lead of the system's output over the best
output that is right. The value of an output is a sum over its parts, so a total change of scores by d brings two
outputs closer by at most d: as long as the scores change by less than the lead, the system's output stays ahead of
every right one. And the lead is enough for gold's answer to win: once it, or declining if gold has nothing, scores that
much more.
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
    """One of two outputs: the decisions that only it makes, the parts that only it has, and its total score."""

    decisions: tuple[Decision, ...]
    parts: tuple[ListedPart, ...]
    value: float
    layer: Layer


@dataclass(frozen=True)
class Contrast:
    """A wrong answer compared with the right one."""

    case: Case
    document: Document
    stage: Stage
    said: Side
    right: Side | None
    """None if the right answer was not among the options, so that no scores could have led to it."""
    exact: bool = True
    """Whether it is certain that no right output scores higher than `right`; a search that prunes cannot know."""
    features: tuple[Telling, ...] = ()
    """The features that distinguish the two outputs, strongest first; empty if there is no model."""
    bias: biases.Nearest | None = None
    """The nearest bias at which the answer is right; None if there is none."""

    @property
    def lead(self) -> float | None:
        """By how much the scores must change in total for the answer to be right. If negative, the right output already
        scores higher and the search lost it."""
        return None if self.right is None else self.said.value - self.right.value

    @property
    def fewest(self) -> tuple[Telling, ...]:
        """The smallest set of features without which the right output would be ahead; empty if even all of them are not
        enough, or if it is already ahead."""
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
    """Why a one-document corpus is decided as it is and not like gold, at its bias. Features are explained if a `model`
    is given; otherwise only scores."""
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
    """The contrasts of all wrong answers of a corpus, document by document."""
    for d in range(len(scored)):
        one = scored.one(d)
        for case in cases(task.errors(one, task.decide(one))):
            yield contrast(task, one, case, model)


def _chosen(task: AnyTask, scored: Scored, pins: Sequence[Pin] = ()) -> dict[int, ListedPart]:
    listed: Iterable[ListedPart] = task.list_parts(scored, pins=pins) if isinstance(task, ListsParts) else ()
    return {part.number: part for part in listed if part.chosen}


def _side(found: Iterable[Difference], side: str) -> tuple[Decision, ...]:
    return tuple(one.decision for one in found if one.side == side)
