"""The knob: precision, recall and F at every abstain bias, with the cursor on the current one.

The browser gets the whole path as packed arrays and moves without asking the server; `on_change` runs once, on
release. While it moves, it broadcasts the DOM event "espalier-bias" with {bias, index, beta, run}.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from engine.tuning.curve import Curve
from ui.components import mount
from ui.components.text import Interval


def payload(
    curve: Curve | None,
    *,
    bias: float,
    chosen: float = 0.0,
    name: str = "abstain",
    run: str = "",
    beta: float = 1.0,
    decisions: Sequence[Sequence[Interval]] = (),
    large: bool = False,
    empty: str = "No curve: this corpus has no gold annotation to count against.",
) -> dict[str, Any]:
    """`chosen` is the run's own bias, `bias` the current one; `decisions` hold, for each decision of the document
    on screen, the bias intervals in which it is on, so that the strip can say what flips."""
    if curve is None or not len(curve.bias):
        return {"n": 0, "empty": empty, "decisions": [], "run": run, "exact": True, "chosen": chosen}
    arrays = {
        "bias": _packed(curve.bias, np.float64),
        "correct": _packed(curve.correct, np.int32),
        "found": _packed(curve.found, np.int32),
        "predicted": _packed(curve.predicted, np.int32),
    }
    digest = hashlib.blake2b(repr((run, name, large, curve.gold)).encode(), digest_size=12)
    for packed in arrays.values():
        digest.update(packed.encode())
    return {
        **arrays,
        "n": len(curve.bias),
        "gold": int(curve.gold),
        "exact": bool(curve.exact),
        "value": float(bias),
        "chosen": float(chosen),
        "name": name,
        "run": run,
        "beta": float(beta),
        "decisions": [list(intervals) for intervals in decisions],
        "large": large,
        "version": digest.hexdigest(),
    }


def _packed(values: Any, kind: Any) -> str:
    little = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<"))
    return base64.b64encode(little.tobytes()).decode("ascii")


def strip(curve: Curve | None, *, key: str, on_change: Callable[[], None] | None = None, **options: Any) -> Any:
    """Draw the knob. The result's `.point` is {bias, index, beta, run} after a release, None before."""
    return mount("strip", key=key, data=payload(curve, **options), on_point_change=on_change or (lambda: None))
