"""The field's precision-recall curve as a table of a report: all (bag, relation) pairs ranked by score."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Flags, Floats
from engine.metrics.tally import Tally
from engine.tasks.extra import ExtraTables, Rows
from engine.tuning.long_curve import Changes

SHOWN: Final = 40
"""Number of points that the table has, at most."""


def ranked_tally(right: Flags, sure: Floats, n_gold: int) -> Tally:
    """What some pairs contribute to the ranking: how many of them have each score, and how many of these are right. The
    pairs of a bag without members have none (-inf), and none of them is right."""
    has_score = np.isfinite(sure)
    score, which = np.unique(-sure[has_score], return_inverse=True)
    found = Tally()
    found.count("gold", n=n_gold)
    found.count("without score", n=int((~has_score).sum()))
    found.extend("below zero", score)
    found.extend("pairs", np.bincount(which, minlength=len(score)))
    found.extend("right", np.bincount(which[right[has_score]], minlength=len(score)))
    return found


class RankingTable(ExtraTables):
    """The ranking of all pairs, which waits on disk, as each pair has a score of its own."""

    def __init__(self) -> None:
        self._gold = self._without_score = 0
        self._changes = Changes()

    def take(self, found: Tally) -> None:
        self._gold += found.number("gold")
        self._without_score += found.number("without score")
        right, pairs = found.column("right"), found.column("pairs")
        # The third column of changes is not used here.
        self._changes.add(found.column("below zero"), np.stack([right, pairs, pairs], axis=1))

    def tables(self) -> dict[str, Rows]:
        """Precision and recall after some of the scores, from the best to the worst."""
        n = sum(len(piece) for piece in self._changes.ascending()) + self._without_score
        wanted = np.unique(np.linspace(0, n - 1, min(n, SHOWN)).astype(np.int64))
        rows: Rows = []
        done, right, pairs = 0, 0, 0
        for piece in self._changes.ascending():
            n_right = right + np.cumsum(piece["change"][:, 0])
            n_pairs = pairs + np.cumsum(piece["change"][:, 1])
            for rank in wanted[(wanted >= done) & (wanted < done + len(piece))].tolist():
                rows.append(self._row(int(n_right[rank - done]), int(n_pairs[rank - done])))
            done, right, pairs = done + len(piece), int(n_right[-1]), int(n_pairs[-1])
        # Pairs without a score come last, and one after the other, since they are not ranked.
        rows += [self._row(right, pairs + rank - done + 1) for rank in wanted[wanted >= done].tolist()]
        return {"Precision and recall by score": rows}

    def _row(self, right: int, pairs: int) -> dict[str, float]:
        return {"recall": right / max(self._gold, 1), "precision": right / pairs}
