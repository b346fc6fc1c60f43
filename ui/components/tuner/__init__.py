"""The full-size chart of the Tune page: a window on the useful part of the curve, and the whole curve as a strip below.

The browser gets every operating point as packed arrays and moves the cursor without the server; `on_release` runs once,
at the end. Besides the run's own curve it draws the band, other runs, and scores that are computed only at points along
the bias.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.tuning.band import Band
from engine.tuning.curve import Curve
from engine.tuning.window import useful_window, whole
from engine.workbench.along import Along
from ui.components import mount
from ui.components.strip import Knob, along_data, knob_data, path_of
from ui.tab import messages

RIVAL_POINTS = 4_000
"""Maximum number of operating points of another run sent to the browser."""


@dataclass(frozen=True)
class Rival:
    """Another run in the same chart: its label, its caption, its curve and its bias."""

    label: str
    note: str
    curve: Curve
    bias: float


def payload(
    curve: Curve, knob: Knob, *, band: Band | None, rivals: Sequence[Rival] = (), along: Along | None = None
) -> dict[str, Any]:
    """All data of the chart. `version` changes with any of it, so that the chart is rebuilt."""
    path = path_of(curve, knob.bias, knob.chosen, knob.beta)
    scores = [] if along is None else [along_data(along)]
    others = [_rival(one) for one in rivals]
    limits = None if band is None else _limits(band)
    told = json.dumps([path["version"], knob.run, scores, limits, [one["label"] for one in others]])
    return {
        **path,
        "version": hashlib.blake2b(told.encode(), digest_size=12).hexdigest(),
        **knob_data(curve, knob),
        "window": useful_window(curve, [bias for bias in (knob.bias, knob.chosen) if _in_reach(curve, bias)]),
        "whole": whole(curve),
        "band": limits,
        "bandNote": "" if band is None else f"{100 * band.level:.0f} % band over documents",
        "others": others,
        "scores": scores,
    }


def _in_reach(curve: Curve, bias: float) -> bool:
    """Whether a bias is among the steps; one far beyond them would make any window useless."""
    low, high = whole(curve)
    return low <= bias <= high


def _rival(one: Rival) -> dict[str, Any]:
    path = path_of(one.curve, one.bias, one.bias, 1.0, points=RIVAL_POINTS)
    first = None if one.curve.exact else float(one.curve.first)
    return {
        **path,
        "gold": int(one.curve.gold),
        "first": first,
        "whole": whole(one.curve),
        "label": one.label,
        "note": one.note,
    }


def _limits(band: Band) -> dict[str, Any]:
    def pairs(limits: Floats) -> list[list[float] | None]:
        return [[round(float(low), 5), round(float(high), 5)] if np.isfinite(low) else None for low, high in limits]

    return {
        "bias": band.bias.tolist(),
        "precision": pairs(band.precision),
        "recall": pairs(band.recall),
        "f": pairs(band.f),
    }


def tuner(data: dict[str, Any], *, key: str, on_release: Callable[[messages.Message], None]) -> None:
    """Draw the chart; `on_release` receives the final position: bias, index, beta, run."""
    mount("tuner", key=key, data=data, hear=messages.each(release=on_release))
