"""The stretch of the bias in which somebody would work: where F is not far below the best there is.

On a large corpus most steps of a curve lie where almost everything, or almost nothing, is answered. A picture of all of
them hides the few that matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from engine.tuning.curve import Curve

LAVISH: Final = 0.85
"""Share of the best F below which nobody answers even more for the sake of recall."""
SPARING: Final = 0.7
"""The same where less is answered for the sake of precision, for which people give up more."""
MARGIN: Final = 0.06
"""Room on both sides, as a share of the window."""


def useful_window(curve: Curve, keep: Sequence[float] = (), beta: float = 1.0) -> tuple[float, float]:
    """From and to which bias F stays above a share of the best, with `keep` inside, and some room on both sides."""
    ends = whole(curve)
    f = curve.f(beta)
    inside = [bias for bias in keep if np.isfinite(bias)]
    if len(f) and f.max() > 0:
        first = np.flatnonzero(f >= LAVISH * f.max())[0]
        last = np.flatnonzero(f >= SPARING * f.max())[-1]
        upper = curve.bias[last + 1] if last + 1 < len(curve.bias) else ends[1]
        inside += [max(float(curve.bias[first]), ends[0]), min(float(upper), ends[1])]
    if not inside:
        return ends
    low, high = min(inside), max(inside)
    room = MARGIN * (high - low) or 1.0
    return low - room, high + room


def whole(curve: Curve) -> tuple[float, float]:
    """Where the first and the last step begin, with room for the unbounded ones before and after."""
    finite = curve.bias[np.isfinite(curve.bias)]
    if not len(finite):
        return -1.0, 1.0
    room = MARGIN * float(finite[-1] - finite[0]) or 1.0
    return float(finite[0]) - room, float(finite[-1]) + room
