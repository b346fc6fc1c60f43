"""As much of a curve as a picture shows: some of its points, the best one, the area below it, and a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.tuning.band import Band, band_of, places, resampled
from engine.tuning.curve import Curve, Point, thin_ranks
from engine.tuning.in_pieces import points_at, ranks_of
from engine.tuning.long_curve import LongCurve
from engine.tuning.long_steps import LongSteps

POINTS: Final = 600
"""About so many points are shown ..."""
BAND_POINTS: Final = 60
"""... and so many of the band."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """Some points of a curve, the chosen and the best one among them."""

    n_points: int
    area: float
    shown: Curve
    ranks: Ints
    """Which points of the curve are shown."""
    bias: float
    """The chosen operating point."""
    best: tuple[Point, float]
    """The point with the highest F1, and a bias that gives it."""
    band: Band | None
    band_ranks: Ints
    """The point of the curve at each bias of the band."""

    @property
    def chosen(self) -> int:
        """The place of the chosen point among those shown."""
        return self.shown.index_at(self.bias)


def sketch(curve: LongCurve, steps: LongSteps | None, bias: float) -> Sketch:
    """The sketch of a curve at an operating point. `steps` are those of its documents; there is no band without them,
    or of a single document."""
    best = curve.best()
    n = len(curve)
    keep = ranks_of(curve, np.array([bias, best[0].bias])).tolist()
    ranks = thin_ranks(n, keep, POINTS).astype(np.int64)
    band = None
    if steps is not None and len(steps) > 1:
        band = band_of(curve, resampled(steps, places(curve, BAND_POINTS, None)))
    band_ranks = ranks_of(curve, np.zeros(0) if band is None else band.bias)
    return Sketch(n, curve.area(), points_at(curve, ranks), ranks, bias, best, band, band_ranks)
