"""The knob: precision, recall and F at every abstain bias, with the cursor on the current one.

The browser gets the path as packed arrays and moves the cursor without the server; `on_release` runs once, at the end.
Of very long paths it gets evenly spaced exact points, including the cursor's and the optima. While the cursor moves, it
broadcasts the DOM event "espalier-bias" with {bias, index, beta, run}.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.tuning.curve import Curve, thin
from engine.workbench.along import Along
from ui.components import mount
from ui.components.text import Interval
from ui.tab import messages

POINTS = 50_000
"""Maximum number of operating points sent to the browser; if there are more, this many evenly spaced ones and all
marked ones."""
BETAS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""The values that the control offers; the optimum of each is among the points."""

NO_GOLD = "No curve: this corpus has no gold annotation to count against."


@dataclass(frozen=True)
class Knob:
    """What the strip shows besides the curve."""

    bias: float
    """The current bias."""
    chosen: float = 0.0
    """The bias stored in the run."""
    name: str = "abstain"
    names: tuple[str, str, str] = ("P", "R", "F")
    """The names of precision, recall and F."""
    help: str = ""
    """What the bias is added to, and what moving it does."""
    unit: str = ""
    """What is counted."""
    score: Along | None = None
    """The main score along the bias, if it is none of the three."""
    run: str = ""
    beta: float = 1.0
    decisions: Sequence[Sequence[Interval]] = ()
    """For each decision of the current document, the bias intervals in which it is on, to show what flips."""
    empty: str = NO_GOLD
    """The text shown if there is no curve."""


def payload(curve: Curve | None, knob: Knob) -> dict[str, Any]:
    if curve is None or not len(curve.bias):
        return {
            "n": 0,
            "empty": knob.empty,
            "decisions": [],
            "run": knob.run,
            "exact": True,
            "chosen": knob.chosen,
        }
    return {
        **path_of(curve, knob.bias, knob.chosen, knob.beta, seed=(knob.run, knob.name)),
        **knob_data(curve, knob),
        "score": None if knob.score is None else along_data(knob.score),
        "decisions": [list(intervals) for intervals in knob.decisions],
    }


def knob_data(curve: Curve, knob: Knob) -> dict[str, Any]:
    """What the strip and the chart of Tune both show of a knob and its curve, besides the path."""
    return {
        "gold": int(curve.gold),
        "exact": bool(curve.exact),
        "first": None if curve.exact else float(curve.first),
        "value": float(knob.bias),
        "chosen": float(knob.chosen),
        "name": knob.name,
        "names": knob.names,
        "help": knob.help,
        "unit": knob.unit,
        "run": knob.run,
        "beta": float(knob.beta),
        "betas": BETAS,
    }


def along_data(along: Along) -> dict[str, Any]:
    return {"name": along.name, "bias": along.bias.tolist(), "values": along.values.tolist()}


def path_of(
    curve: Curve, bias: float, chosen: float, beta: float, *, points: int = POINTS, seed: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The operating points as packed arrays, at most about `points` of them. `version` changes with the curve and the
    `seed`, and with the selection of points."""
    arrays = {"bias": curve.bias, "correct": curve.correct, "found": curve.found, "predicted": curve.predicted}
    version = hashlib.blake2b(repr((*seed, curve.gold)).encode(), digest_size=12)
    for values in arrays.values():
        version.update(np.ascontiguousarray(values).tobytes())
    marked = [curve.index_at(one) for one in (bias, chosen)]
    kept = thin(curve, [*marked, *(curve.best_index(one) for one in (*BETAS, beta))], points)
    packed = {key: _packed(values[kept], _KINDS[key]) for key, values in arrays.items()}
    if len(kept) < len(curve.bias):
        # The next selected point is not the end of the step.
        packed["until"] = _packed(np.append(curve.bias, np.inf)[kept + 1], np.float64)
    return {
        **packed,
        "n": len(kept),
        "all": len(curve.bias),
        "version": version.hexdigest(),
        "points": hashlib.blake2b(kept.tobytes(), digest_size=12).hexdigest(),
    }


_KINDS = {"bias": np.float64, "correct": np.int32, "found": np.int32, "predicted": np.int32}


def _packed(values: Any, kind: Any) -> str:
    little = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def strip(curve: Curve | None, knob: Knob, *, key: str, on_release: Callable[[messages.Message], None]) -> None:
    """Draw the knob; `on_release` receives the final position: bias, index, beta, run."""
    mount("strip", key=key, data=payload(curve, knob), hear=messages.each(release=on_release))
