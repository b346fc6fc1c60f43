"""How close decisions were: by how much a part's score alone would have to change to flip the decision on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.data.pins import Pin
from engine.structures.base import Pins, Scores
from engine.structures.nonoverlap import NonOverlapBatch
from engine.tasks.linking.deciding import fix_one_document
from engine.tasks.linking.scored import LinkingScored


@dataclass(frozen=True)
class Flip:
    """A candidate, and the change of its score alone that flips the decision on it."""

    candidate: int
    change: float


def flip_needed(scored: LinkingScored, part: int, pins: Sequence[Pin] = ()) -> float | None:
    """The change of a part's score that flips the decision on it, in a corpus of one document: the difference between
    the best output without it and the best with it. None if a pin decided it."""
    return _change(scored.lattice, scored.biased, part, fix_one_document(scored, pins))


def closest(lattice: NonOverlapBatch, scores: Scores, marginals: Scores, fixed: Pins, most: int = 3) -> list[Flip]:
    """The closest decisions, without those made by a pin."""
    # A flip takes two searches, so only the parts with the least certain probabilities are examined.
    likely = sorted(range(len(scores)), key=lambda part: (-min(marginals[part], 1 - marginals[part]), part))
    changes = ((part, _change(lattice, scores, part, fixed)) for part in likely[: 4 * most])
    flips = [Flip(part, change) for part, change in changes if change is not None]
    return sorted(flips, key=lambda flip: (abs(flip.change), flip.candidate))[:most]


def _change(lattice: NonOverlapBatch, scores: Scores, part: int, fixed: Pins) -> float | None:
    starts, ends = lattice.starts, lattice.ends
    blocked = any(starts[on] < ends[part] and starts[part] < ends[on] for on in fixed.on)
    if blocked or part in fixed.off:
        return None
    with_it = lattice.argmax(scores, pins=Pins((*fixed.on, part), fixed.off))
    without = lattice.argmax(scores, pins=Pins(fixed.on, (*fixed.off, part)))
    return float(scores[without].sum() - scores[with_it].sum())
