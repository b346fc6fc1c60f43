"""The knob: precision, recall and F at every abstain bias, with the cursor on the current one.

The browser gets the path as packed arrays and moves without asking the server; `on_release` runs once, at the end. Of
very long paths it gets evenly spread points, exact ones, among them the cursor's and the optima. While it moves, it
broadcasts the DOM event "espalier-bias" with {bias, index, beta, run}.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.tuning.curve import Curve, thin
from ui.components import mount
from ui.components.text import Interval
from ui.shell import messages

POINTS = 50_000
"""Operating points that the browser gets; of more, this many spread evenly, and all that are marked."""
BETAS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""What the control offers; the optimum of each is among the points."""

NO_GOLD = "No curve: this corpus has no gold annotation to count against."


def payload(
    curve: Curve | None,
    *,
    bias: float,
    chosen: float = 0.0,
    name: str = "abstain",
    unit: str = "",
    run: str = "",
    beta: float = 1.0,
    decisions: Sequence[Sequence[Interval]] = (),
    large: bool = False,
    empty: str = NO_GOLD,
) -> dict[str, Any]:
    """`chosen` is the run's own bias, `bias` the current one; `unit` says what is counted; `decisions` hold, for each
    decision of the document on screen, the bias intervals in which it is on, so that the strip can say what flips."""
    if curve is None or not len(curve.bias):
        return {"n": 0, "empty": empty, "decisions": [], "run": run, "exact": True, "chosen": chosen}
    arrays = {"bias": curve.bias, "correct": curve.correct, "found": curve.found, "predicted": curve.predicted}
    digest = hashlib.blake2b(repr((run, name, large, curve.gold)).encode(), digest_size=12)
    for values in arrays.values():
        digest.update(np.ascontiguousarray(values).tobytes())
    marked = [curve.index_at(bias), curve.index_at(chosen), *(curve.best_index(one) for one in (*BETAS, beta))]
    kept = thin(curve, marked, POINTS)
    packed = {key: _packed(values[kept], _KINDS[key]) for key, values in arrays.items()}
    if len(kept) < len(curve.bias):
        # The next point kept is not where a step ends.
        packed["until"] = _packed(np.append(curve.bias, np.inf)[kept + 1], np.float64)
    points = hashlib.blake2b(kept.tobytes(), digest_size=12)
    return {
        **packed,
        "n": len(kept),
        "all": len(curve.bias),
        "gold": int(curve.gold),
        "exact": bool(curve.exact),
        "first": None if curve.exact else float(curve.first),
        "value": float(bias),
        "chosen": float(chosen),
        "name": name,
        "unit": unit,
        "run": run,
        "beta": float(beta),
        "betas": BETAS,
        "decisions": [list(intervals) for intervals in decisions],
        "large": large,
        "version": digest.hexdigest(),
        "points": points.hexdigest(),
    }


_KINDS = {"bias": np.float64, "correct": np.int32, "found": np.int32, "predicted": np.int32}


def _packed(values: Any, kind: Any) -> str:
    little = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def strip(curve: Curve | None, *, key: str, on_release: Callable[[messages.Message], None], **options: Any) -> None:
    """Draw the knob; `on_release` gets where it was let go: bias, index, beta, run."""
    mount("strip", key=key, data=payload(curve, **options), hear=messages.each(release=on_release))
