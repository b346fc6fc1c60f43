"""Coreference scores as functions of summed counts, for paired tests over documents.

Each function works on any number of draws at once: sums of counts [..., fields] to scores [...].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.metrics.coreference import FIELDS

_FOUND = {
    # metric: (recall's numerator, denominator, precision's numerator, denominator)
    "muc": ("muc_correct", "muc_key", "muc_correct", "muc_response"),
    "b3": ("b3_recalled", "b3_key", "b3_precise", "b3_response"),
    "ceafe": ("ceafe_aligned", "ceafe_key", "ceafe_aligned", "ceafe_response"),
    "lea": ("lea_recalled", "lea_key", "lea_precise", "lea_response"),
}


def f_of(metric: str, sums: Floats) -> Floats:
    """F1 of one metric."""
    columns = [sums[..., FIELDS.index(name)] for name in _FOUND[metric]]
    recall, precision = _ratio(columns[0], columns[1]), _ratio(columns[2], columns[3])
    return _ratio(2 * precision * recall, precision + recall)


def muc(sums: Floats) -> Floats:
    return f_of("muc", sums)


def b3(sums: Floats) -> Floats:
    return f_of("b3", sums)


def ceafe(sums: Floats) -> Floats:
    return f_of("ceafe", sums)


def lea(sums: Floats) -> Floats:
    return f_of("lea", sums)


def conll(sums: Floats) -> Floats:
    """Mean F1 of MUC, B3 and CEAFe."""
    result: Floats = (muc(sums) + b3(sums) + ceafe(sums)) / 3
    return result


def _ratio(top: Any, bottom: Any) -> Floats:
    top, bottom = np.asarray(top, dtype=np.float64), np.asarray(bottom, dtype=np.float64)
    ratio: Floats = np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
    return ratio
