"""The stored results of a run on a large corpus, in a folder: arrays, tallies of counts, and the casebook."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.arrays import Flags, Floats
from engine.metrics.errors import STAGES
from engine.metrics.tally import Tally
from engine.store import modelfile
from engine.store.large.casebook import Casebook
from engine.tasks.base import AnyTask, Report
from engine.tuning.band import Resampled
from engine.tuning.curve import Curve
from engine.workbench.blocks.blaming import Blamed
from engine.workbench.comparison import Counted

CASES: Final = "cases.db"
_NOW: Final = "now"
_CURVE, _SCORES, _BLAME = "curve.zip", "scores.zip", "blame.zip"
_BAND, _COUNTED = "band.zip", "counted.zip"
_ARRAYS: Final = ("bias", "correct", "found", "predicted")
_DRAWN: Final = ("bias", "sums", "gold")
BAND_POINTS: Final = 150
"""Number of biases at which the band of a curve is computed."""


def write_curve(folder: Path, curve: Curve, scores: Tally, bias: float) -> None:
    about = {"bias": bias, "gold": curve.gold, "exact": curve.exact, "first": repr(float(curve.first))}
    arrays = {name: getattr(curve, name) for name in _ARRAYS}
    modelfile.write(folder / _CURVE, {"holds": "a curve"}, {"about": about, **arrays}, compress=False)
    modelfile.write(folder / _SCORES, {"holds": "scores"}, scores.to_parts(), compress=False)


def write_resampled(folder: Path, drawn: Resampled) -> None:
    parts = {name: getattr(drawn, name) for name in _DRAWN}
    modelfile.write(folder / _BAND, {"holds": "a curve's resamples"}, parts, compress=False)


def write_blame(folder: Path, found: Blamed, beside: Tally) -> None:
    """Store the errors; `beside` has the counts of each document, and the answers with a probability."""
    modelfile.write(folder / _COUNTED, {"holds": "counts of documents"}, beside.to_parts(), compress=False)
    parts: dict[str, Any] = {"stages": list(found.fixed)}
    tallies: dict[str, Tally] = {_NOW: found.now}
    tallies.update({str(stage): tally for stage, tally in found.fixed.items()})
    for name, tally in tallies.items():
        parts.update({f"{_number(name)}-{key}": part for key, part in tally.to_parts().items()})
    modelfile.write(folder / _BLAME, {"holds": "scores if errors were fixed"}, parts, compress=False)


@dataclass(frozen=True)
class KeptCurve:
    """The curve, and all scores at the bias that the run had."""

    folder: Path

    @cached_property
    def _parts(self) -> dict[str, Any]:
        return modelfile.read(self.folder / _CURVE)[1]

    @property
    def at(self) -> float:
        """The bias of the scores."""
        return float(self._parts["about"]["bias"])

    @cached_property
    def curve(self) -> Curve:
        about = self._parts["about"]
        arrays = {name: self._parts[name] for name in _ARRAYS}
        return Curve(**arrays, gold=int(about["gold"]), exact=bool(about["exact"]), first=float(about["first"]))

    @cached_property
    def resampled(self) -> Resampled | None:
        """The resamples for the band; None if the curve has no counts per document."""
        path = self.folder / _BAND
        return Resampled(**modelfile.read(path)[1]) if path.is_file() else None

    def report(self, task: AnyTask) -> Report:
        return task.report(Tally.from_parts(modelfile.read(self.folder / _SCORES)[1]))


@dataclass(frozen=True)
class KeptErrors:
    """The errors at a bias, and the scores at it."""

    folder: Path

    @cached_property
    def cases(self) -> Casebook:
        return Casebook(self.folder / CASES)

    def reports(self, task: AnyTask) -> dict[str, Report]:
        """The actual scores ("now"), and the scores if exactly the errors of one stage were fixed."""
        _, parts = modelfile.read(self.folder / _BLAME)
        return {name: task.report(_tally(parts, name)) for name in (_NOW, *parts["stages"])}

    def _beside(self) -> Tally:
        return Tally.from_parts(modelfile.read(self.folder / _COUNTED)[1])

    @property
    def gold_items(self) -> int:
        """The number of gold items that the system could find."""
        return self._beside().number("gold items")

    @property
    def counted(self) -> Counted:
        """What each document contributes to the scores, in corpus order."""
        beside = self._beside()
        names = tuple(beside.facts.get("counted", ()))
        return Counted(names, np.asarray(beside.column("counted"), dtype=np.float64).reshape(-1, len(names)))

    @property
    def answers(self) -> tuple[Floats, Flags]:
        """The probability of every answer that has one, and whether it is right."""
        beside = self._beside()
        return beside.column("said").astype(np.float64), beside.column("right").astype(np.bool_)


def _tally(parts: dict[str, Any], name: str) -> Tally:
    own = f"{_number(name)}-"
    return Tally.from_parts({key.removeprefix(own): part for key, part in parts.items() if key.startswith(own)})


def _number(name: str) -> int:
    """The number of a stage, used to name parts of a file, since the names of stages are sentences."""
    return [_NOW, *STAGES].index(name)
