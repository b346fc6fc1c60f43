"""What a score means, and how it becomes a number that adds up and stands against declining.

Deciding adds the scores of parts and compares them with declining, which scores 0 or a number of its own. So every
score is brought to a logarithmic scale:

    logit, margin, logprob   s, against what declining scores, or 0 where nobody scored it
    prob, declining scored   ln p, against ln p of declining
    prob, declining absent   ln p / (1 - p), against 0: each part stands alone against not being chosen

A constant that all parts share moves the bias and no decision, so curves are exact for scores without a meaningful zero
too; their zero then means nothing, and `comparable` says where numbers of different mentions need not be comparable.
"""

from __future__ import annotations

import math
from typing import Final, Literal, TypeAlias, get_args

from engine.data.errors import InputError

Scale: TypeAlias = Literal["logit", "logprob", "prob", "margin"]
SCALES: Final[tuple[Scale, ...]] = get_args(Scale)

Alternatives: TypeAlias = Literal["all", "top-k", "argmax"]
"""How complete the parts are: everything the system weighed, the best few, or only what it chose."""
ALTERNATIVES: Final[tuple[Alternatives, ...]] = get_args(Alternatives)

CLAMP: Final = 1e-6
"""Probabilities nearer to 0 or 1 than this are taken to be this far away: rounding made most of them."""

ROUNDING: Final = 1e-6
"""How far above 0 a log-probability, or above 1 a probability, may lie: sums in single precision do."""


LARGEST: Final = 1e100
"""How large a score may be: sums of some thousand of them are still numbers."""


def bounds_of(scale: Scale) -> tuple[float, float]:
    """The least and the greatest score of a scale; what is not a finite number lies outside."""
    lowest = -ROUNDING if scale == "prob" else -LARGEST
    highest = {"prob": 1.0 + ROUNDING, "logprob": ROUNDING}.get(scale, LARGEST)
    return lowest, highest


def check(score: float, scale: Scale, field: str) -> float:
    """The score, if its scale allows it."""
    lowest, highest = bounds_of(scale)
    if lowest <= score <= highest:
        return float(score)
    if not math.isfinite(score):
        raise InputError("a score is a finite number; leave out what cannot be chosen", field=field)
    if scale == "prob":
        raise InputError(f"a probability lies between 0 and 1, not at {score:g}; is the scale another?", field=field)
    if abs(score) > LARGEST:
        raise InputError(f"{score:g} is too large to be added up; leave out what cannot be chosen", field=field)
    raise InputError(f"a log-probability is at most 0, not {score:g}; is the scale another?", field=field)


def additive(score: float, scale: Scale, *, declining: bool) -> float:
    """The score on a scale where scores add up. `declining`: whether declining is scored beside it."""
    if scale != "prob":
        return score
    likely = min(max(score, CLAMP), 1.0)
    return math.log(likely) if declining else math.log(likely) - math.log(max(1.0 - likely, CLAMP))


def comparable(scale: Scale, *, declining: bool) -> str:
    """What to bear in mind about the zero of these scores; empty where there is nothing."""
    if declining or scale in ("logit", "prob"):
        return ""
    return (
        "declining is not scored and the scale has no zero of its own: the curve is exact for these scores, but"
        " a bias of 0 means nothing, and scores that were trained for each mention alone need not be comparable across"
        " mentions"
    )
