"""The step size that all passive-aggressive learners share."""

from __future__ import annotations

from engine.kernels import inlined


@inlined
def passive_aggressive_step(violation: float, squared_norm: float, C: float) -> float:
    """The step after which a violated margin just holds, at most C (PA-I; Crammer et al. 2006, figure 1)."""
    tau = 0.0
    if violation > 0.0 and squared_norm > 0.0:
        tau = min(C, violation / squared_norm)
    return tau
