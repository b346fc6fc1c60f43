"""Learning curves that grow while a run trains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engine.store.workspace import RoundInfo
from ui.components import mount
from ui.tab.scores import score_name


def payload(rounds: Sequence[RoundInfo], total: int, *, training: bool) -> dict[str, Any]:
    """Objective and scores as (round, value) points; values that are not numbers are left out."""
    names = list(dict.fromkeys(name for one in rounds for name, value in one.scores.items() if _is_number(value)))
    return {
        "objective": [(one.index, one.objective) for one in rounds if _is_number(one.objective)],
        "scores": [
            {
                "name": score_name((name,)),
                "points": [(one.index, one.scores[name]) for one in rounds if _is_number(one.scores.get(name))],
            }
            for name in names
        ],
        "total": total,
        "empty": "The first round is on its way." if training else "No round of this run was recorded here.",
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def learning_curves(rounds: Sequence[RoundInfo], total: int, *, training: bool, key: str) -> None:
    mount("rounds", key=key, data=payload(rounds, total, training=training))
