"""The useful range of the bias, in which F is not far below its best.

On a large corpus most steps of a curve lie where almost everything, or almost nothing, is answered. A plot of all of
them would hide the few that matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from engine.tuning.curve import Curve
from engine.tuning.in_pieces import InPieces, finite_ends

RECALL_SIDE: Final = 0.85
"""The share of the best F below which a bias that answers more is not worth showing."""
PRECISION_SIDE: Final = 0.7
"""The same for a bias that answers less: people give up more F for precision than for recall."""
MARGIN: Final = 0.06
"""Margin on both sides, as a share of the window."""


def useful_window(curve: Curve, keep: Sequence[float] = (), beta: float = 1.0) -> tuple[float, float]:
    """The range of the bias in which F stays above a share of the best, extended to contain `keep`, with a margin."""
    ends = whole(curve)
    f = curve.f(beta)
    inside = [bias for bias in keep if np.isfinite(bias)]
    if len(f) and f.max() > 0:
        first = np.flatnonzero(f >= RECALL_SIDE * f.max())[0]
        last = np.flatnonzero(f >= PRECISION_SIDE * f.max())[-1]
        upper = curve.bias[last + 1] if last + 1 < len(curve.bias) else ends[1]
        inside += [max(float(curve.bias[first]), ends[0]), min(float(upper), ends[1])]
    if not inside:
        return ends
    low, high = min(inside), max(inside)
    room = MARGIN * (high - low) or 1.0
    return low - room, high + room


def whole(curve: InPieces) -> tuple[float, float]:
    """The range from the first to the last step, with a margin for the unbounded ones before and after."""
    ends = finite_ends(curve)
    if ends is None:
        return -1.0, 1.0
    first, last = ends
    room = MARGIN * (last - first) or 1.0
    return first - room, last + room
