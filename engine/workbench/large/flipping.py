"""Decisions of a run that differ between two biases on a large corpus: their numbers, and the first ones as a list."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from engine.metrics.differences import Decision
from engine.metrics.tally import Tally
from engine.tasks.outside.records import errors_of
from engine.tasks.registry import get
from engine.workbench.answers import Flip, Judge, flips
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.sources import Item
from engine.workbench.large.judging import HeldSource, Judgement

LISTED: Final = 300
"""Maximum number of flips that are kept for the list, from the beginning of the corpus."""
_FLIPS: Final = "flips.json"


@dataclass(frozen=True)
class Flipping:
    """The work: the decisions of a block that differ between the bias of the source and `start`."""

    source: HeldSource
    start: float

    def __call__(self, made: Any, items: list[Item]) -> Portion:
        task, scored = get(self.source.task), self.source.scored(made, items)
        before = scored.at(self.start)
        first, second = task.decide(before), task.decide(scored)
        judges = Judge(errors_of(task, before, first)), Judge(errors_of(task, scored, second))
        found = flips(scored.documents, first, second, task.decides, judges)
        numbers = Tally()
        for one in found:
            numbers.count("appears" if one.appears else "disappears", "right" if one.right else "wrong")
        return Portion(len(items), {"numbers": numbers}, records=tuple(map(dataclasses.asdict, found[:LISTED])))


@dataclass(frozen=True)
class KeptFlips:
    """The stored flips."""

    folder: Path

    @cached_property
    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / _FLIPS).read_text(encoding="utf-8"))
        return told

    @property
    def numbers(self) -> Mapping[tuple[bool, bool], int]:
        """(whether they appear, whether they are right) -> their number."""
        return Counter({(bool(appears), bool(right)): int(n) for appears, right, n in self._told["numbers"]})

    @property
    def listed(self) -> Sequence[Flip]:
        return [Flip(**{**one, "decision": _decision(one["decision"])}) for one in self._told["listed"]]


def flip(wanted: Judgement, start: float) -> None:
    """Find the decisions that flip between the bias `start` and that of the source."""
    numbers, listed = Tally(), list[Mapping[str, Any]]()
    for portion in wanted.portions(Flipping(wanted.source, start), "Deciding at both biases"):
        numbers.take(portion.tallies["numbers"])
        listed += portion.records[: LISTED - len(listed)]
    told = [
        (change == "appears", judged == "right", numbers.number(change, judged))
        for change in ("appears", "disappears")
        for judged in ("right", "wrong")
    ]
    with wanted.room.making(*wanted.key) as folder:
        (folder / _FLIPS).write_text(json.dumps({"numbers": told, "listed": listed}), encoding="utf-8")


def _decision(told: Mapping[str, Any]) -> Decision:
    return Decision(**{**told, "other": tuple(told["other"])})
