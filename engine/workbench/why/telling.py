"""The features that distinguish two outputs: what each adds to the right one minus what it adds to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.capabilities import ExplainsAgainst, ListedPart
from engine.tasks.explanation import Explanation
from engine.tasks.scored import Scored

HAIR = 1e-12
"""Tolerance: a smaller difference between the two sides is only rounding."""


@dataclass(frozen=True)
class Telling:
    """A feature: what it adds to the right output minus what it adds to the system's, and its values on both sides."""

    name: str
    group: str
    adds: float
    """If negative, it favours the system's answer."""
    right: tuple[float | str, ...]
    said: tuple[float | str, ...]


def tell_apart(
    task: AnyTask,
    scored: Scored,
    model: AnyModel,
    said: Sequence[ListedPart],
    right: Sequence[ListedPart],
    pins: Sequence[Pin],
) -> tuple[Telling, ...]:
    """The distinguishing features, over the parts in which the two outputs differ. If a place takes one of several
    parts, the part of one output is explained relative to that of the other; otherwise each is explained by itself."""
    found = _Sums()
    left, numbers = {part.number for part in said}, [part.number for part in said]
    for part in right:
        against = (
            task.explain_against(scored, model, part.number, numbers) if isinstance(task, ExplainsAgainst) else None
        )
        if against is not None:
            found.take(against.explanation, 1.0)
            left.discard(against.rival)
        else:
            found.take(_explained(task, scored, model, part.number, pins), 1.0)
    for number in numbers:
        if number in left:
            found.take(_explained(task, scored, model, number, ()), -1.0)
    return found.strongest_first()


def _explained(task: AnyTask, scored: Scored, model: AnyModel, part: int, pins: Sequence[Pin]) -> Explanation | None:
    try:
        return task.explain(scored, model, part, pins=pins)
    except InputError:
        # The part was created by a pin, so it is not among the original scores and cannot be explained.
        return None


class _Sums:
    """The sums of feature contributions over all parts, by group and name."""

    def __init__(self) -> None:
        self._adds: dict[tuple[str, str], float] = {}
        self._values: dict[tuple[str, str], tuple[list[float | str], list[float | str]]] = {}

    def take(self, explanation: Explanation | None, sign: float) -> None:
        for one in explanation.contributions if explanation is not None else ():
            key = one.group, one.name
            self._adds[key] = self._adds.get(key, 0.0) + sign * (one.adds or 0.0)
            self._values.setdefault(key, ([], []))[0 if sign > 0 else 1].append(one.value)

    def strongest_first(self) -> tuple[Telling, ...]:
        found = (
            Telling(name, group, adds, tuple(self._values[group, name][0]), tuple(self._values[group, name][1]))
            for (group, name), adds in self._adds.items()
            if abs(adds) > HAIR
        )
        return tuple(sorted(found, key=lambda one: (-abs(one.adds), one.group, one.name)))
