"""Precision and recall of in-KB links at every NIL bias, with the counts of every document.

Exact if mentions are decided independently; if search is approximate, a grid of biases, each decoded in full.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats, Ints
from engine.metrics.tally import Tally
from engine.structures.beam import NIL_ROW
from engine.tasks.disambiguation.deciding import problem_of
from engine.tasks.disambiguation.scored import NEVER, NO_GOLD, DisambiguationScored
from engine.tuning.curve import Curve, merge_paths

GRID = 21
"""Number of points of the curve if search is approximate."""


def curve(scored: DisambiguationScored, whole: Tally | None = None) -> Curve:
    """The corpus curve. If it is a grid, the corpus' own bias is one of its points. `whole` is the outline of the
    larger corpus if this one is only a part of it."""
    gold = np.array([sum(m.is_linked for m in document.gold.mentions) for document in scored.documents], dtype=np.int64)
    return _exact(scored, gold) if scored.steps is None else _grid(scored, gold, whole)


def outline(scored: DisambiguationScored) -> Tally:
    """The range of biases in which decisions change, and the bias beyond which nothing is linked."""
    plain = problem_of(scored).at(NEVER).decode()
    made = Tally()
    made.extend("about", (plain.thresholds - scored.nil)[plain.rows != NIL_ROW])
    # Log-probabilities are at most 0.
    made.extend("ends", np.array([np.max(-scored.nil, initial=0.0) + 5.0]))
    return made


def _exact(scored: DisambiguationScored, gold: Ints) -> Curve:
    """A mention is linked while bias and log-odds of NIL are at most its best candidate's log-probability."""
    plain = problem_of(scored.at(NEVER)).decode()
    linked = np.flatnonzero((plain.rows != NIL_ROW) & (scored.gold != NO_GOLD))
    right = (plain.rows == scored.gold)[linked].astype(np.int64)
    lost = np.stack([right, right, np.ones_like(right)], axis=1)
    declines = np.nextafter(last_bias(plain.thresholds[linked], scored.nil[linked]), np.inf)
    of = scored.mention_documents()[linked]
    n = len(gold)
    all_linked = np.zeros((n, 3), dtype=np.int64)
    np.add.at(all_linked, of, lost)
    order = np.lexsort((declines, of))
    of, declines, lost = of[order], declines[order], lost[order]
    # What a document has lost so far: the running sum minus what all documents before it lost.
    before = np.cumsum(all_linked, axis=0) - all_linked
    left = all_linked[of] - (np.cumsum(lost, axis=0) - before[of])
    return merge_paths(
        np.concatenate([np.arange(n), of]),
        np.concatenate([np.full(n, -np.inf), declines]),
        np.concatenate([all_linked, left]),
        gold,
    )


def _grid(scored: DisambiguationScored, gold: Ints, whole: Tally | None) -> Curve:
    problem = problem_of(scored)
    remembered = problem.block()
    found = outline(scored) if whole is None else whole
    about, ends = found.column("about"), float(found.column("ends").max())
    grid = np.unique(np.quantile(about, np.linspace(0, 1, GRID) ** 1.5)) if len(about) else np.zeros(0)
    grid = np.unique([*grid, ends, *([scored.bias] if scored.bias > NEVER else [])])
    of, n = scored.mention_documents(), len(gold)
    counts = []
    for bias in [NEVER, *grid]:
        rows = problem.at(float(bias)).decode(remembered).rows
        right = np.bincount(of[(rows == scored.gold) & (scored.gold >= 0)], minlength=n)
        said = np.bincount(of[(rows != NIL_ROW) & (scored.gold != NO_GOLD)], minlength=n)
        counts.append(np.stack([right, right, said], axis=1))
    at = np.concatenate([[-np.inf], grid])
    return merge_paths(
        np.tile(np.arange(n), len(at)),
        np.repeat(at, n),
        np.concatenate(counts).astype(np.int64),
        gold,
        grid_from=NEVER,
    )


def last_bias(thresholds: Floats, nil: Floats) -> Floats:
    """The largest bias b with nil + b <= threshold, in the decoder's own floating-point arithmetic."""
    bias = thresholds - nil
    for _ in range(4):
        bias = np.where(nil + bias > thresholds, np.nextafter(bias, -np.inf), bias)
    for _ in range(4):
        higher = np.nextafter(bias, np.inf)
        bias = np.where(nil + higher <= thresholds, higher, bias)
    return bias
