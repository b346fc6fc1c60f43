"""Precision and recall of in-KB links at every NIL bias, with the counts of every document.

Exact where decisions stand alone; where search is approximate, a grid of biases that are decoded one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.features.disambiguation.table import NO_GOLD
from engine.learners.sgtb.learner import NIL_ROW
from engine.tasks.disambiguation.decoding import NEVER, Prepared
from engine.tuning.curve import Curve, merge_paths

Ints = NDArray[np.int64]

GRID = 21
"""Points of the curve where search is approximate."""


def curve_of(documents: Sequence[Document], ready: Prepared, own: float) -> Curve:
    """The corpus curve of prepared documents; `own` is the model's bias."""
    gold = np.array([sum(m.is_linked for m in document.gold.mentions) for document in documents], dtype=np.int64)
    return _exact(ready, gold) if ready.how.policy == "local" else _grid(ready, gold, own)


def _judged(ready: Prepared) -> NDArray[np.bool_]:
    """Mentions that gold links or calls NIL; of the others nobody knows."""
    table = ready.corpus.table
    return table.nil | (table.gold != NO_GOLD)


def _documents(ready: Prepared) -> Ints:
    offsets = ready.corpus.table.document_offsets
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _exact(ready: Prepared, gold: Ints) -> Curve:
    """A mention is linked while bias and log-odds of NIL are at most its best candidate's log-probability."""
    plain = ready.decode(NEVER)
    linked = np.flatnonzero((plain.rows != NIL_ROW) & _judged(ready))
    right = (plain.rows == ready.corpus.table.gold)[linked].astype(np.int64)
    lost = np.stack([right, right, np.ones_like(right)], axis=1)
    declines = np.nextafter(last_bias(plain.thresholds[linked], ready.corpus.nil[linked]), np.inf)
    of = _documents(ready)[linked]
    n = len(gold)
    all_linked = np.zeros((n, 3), dtype=np.int64)
    np.add.at(all_linked, of, lost)
    order = np.lexsort((declines, of))
    of, declines, lost = of[order], declines[order], lost[order]
    # What a document has lost so far: the running sum, less what the documents before it lost in all.
    before = np.cumsum(all_linked, axis=0) - all_linked
    left = all_linked[of] - (np.cumsum(lost, axis=0) - before[of])
    return merge_paths(
        np.concatenate([np.arange(n), of]),
        np.concatenate([np.full(n, -np.inf), declines]),
        np.concatenate([all_linked, left]),
        gold,
    )


def _grid(ready: Prepared, gold: Ints, own: float) -> Curve:
    table = ready.corpus.table
    plain = ready.decode(NEVER)
    about = (plain.thresholds - ready.corpus.nil)[plain.rows != NIL_ROW]
    grid = np.unique(np.quantile(about, np.linspace(0, 1, GRID) ** 1.5)) if len(about) else np.zeros(0)
    # Log-probabilities are at most 0, so from here on nothing is worth linking.
    ends = float(np.max(-ready.corpus.nil, initial=0.0)) + 5.0
    grid = np.unique([*grid, ends, *([own] if own > NEVER else [])])
    judged, of, n = _judged(ready), _documents(ready), len(gold)
    counts = []
    for bias in [NEVER, *grid]:
        rows = ready.decode(float(bias)).rows
        right = np.bincount(of[(rows == table.gold) & (table.gold >= 0)], minlength=n)
        said = np.bincount(of[(rows != NIL_ROW) & judged], minlength=n)
        counts.append(np.stack([right, right, said], axis=1))
    at = np.concatenate([[-np.inf], grid])
    return merge_paths(
        np.tile(np.arange(n), len(at)),
        np.repeat(at, n),
        np.concatenate(counts).astype(np.int64),
        gold,
        grid_from=NEVER,
    )


def last_bias(thresholds: NDArray[np.float64], nil: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest bias b with nil + b <= threshold as the decoder computes it, sums rounded and all."""
    bias = thresholds - nil
    for _ in range(4):
        bias = np.where(nil + bias > thresholds, np.nextafter(bias, -np.inf), bias)
    for _ in range(4):
        higher = np.nextafter(bias, np.inf)
        bias = np.where(nil + higher <= thresholds, higher, bias)
    return bias
