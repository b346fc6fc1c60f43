"""Independent structures side by side: the batch of any structure that has no faster batch of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.structures.base import NO_PINS, Batch, Declining, Mask, Normalised, Parts, Pins, Scores, Structure, restrict
from engine.structures.chain import PathsBatch
from engine.structures.nonoverlap import NonOverlapBatch


class Product:
    """Outputs that consist of one output of each structure; part ids are numbered consecutively."""

    def __init__(self, structures: Sequence[Structure]) -> None:
        self.structures = tuple(structures)
        self.offsets = np.concatenate([[0], np.cumsum([s.n_parts for s in self.structures], dtype=np.int64)])

    @property
    def n_parts(self) -> int:
        return int(self.offsets[-1])

    @property
    def n_documents(self) -> int:
        return len(self.structures)

    def part(self, first: int, last: int) -> Product:
        """Structures [first, last), with part ids of their own."""
        return Product(self.structures[first:last])

    def argmax(self, scores: Scores, *, pins: Pins = NO_PINS) -> Parts:
        chosen = [
            self.offsets[d] + structure.argmax(scores[self._rows(d)], pins=self._own(pins, d))
            for d, structure in enumerate(self.structures)
        ]
        return np.concatenate([np.zeros(0, np.intp), *chosen])

    def marginals(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[float, Scores]:
        log_z, probabilities = self.marginals_by_document(scores, pins=pins)
        return float(log_z.sum()), probabilities

    def marginals_by_document(self, scores: Scores, *, pins: Pins = NO_PINS) -> tuple[Scores, Scores]:
        log_z, probabilities = np.zeros(self.n_documents), np.zeros(self.n_parts)
        for d, structure in enumerate(self.structures):
            if not isinstance(structure, Normalised):
                raise TypeError(f"{type(structure).__name__} cannot sum over its outputs")
            log_z[d], probabilities[self._rows(d)] = structure.marginals(scores[self._rows(d)], pins=self._own(pins, d))
        return log_z, probabilities

    def completion(self, scores: Scores, consistent: Mask) -> Parts:
        chosen = []
        for d, structure in enumerate(self.structures):
            own, allowed = scores[self._rows(d)], consistent[self._rows(d)]
            if isinstance(structure, Declining):
                chosen.append(self.offsets[d] + structure.completion(own, allowed))
            else:
                chosen.append(self.offsets[d] + structure.argmax(restrict(own, allowed)))
        return np.concatenate([np.zeros(0, np.intp), *chosen])

    def completion_marginals(self, scores: Scores, consistent: Mask) -> tuple[Scores, Scores]:
        log_z, probabilities = np.zeros(self.n_documents), np.zeros(self.n_parts)
        for d, structure in enumerate(self.structures):
            own, allowed = scores[self._rows(d)], consistent[self._rows(d)]
            if isinstance(structure, Batch):
                totals, probabilities[self._rows(d)] = structure.completion_marginals(own, allowed)
                log_z[d] = totals.sum()
            elif isinstance(structure, Normalised):
                log_z[d], probabilities[self._rows(d)] = structure.marginals(restrict(own, allowed))
            else:
                raise TypeError(f"{type(structure).__name__} cannot sum over its outputs")
        return log_z, probabilities

    def _rows(self, d: int) -> slice:
        return slice(int(self.offsets[d]), int(self.offsets[d + 1]))

    def _own(self, pins: Pins, d: int) -> Pins:
        if not pins:
            return NO_PINS
        rows = self._rows(d)
        return Pins(
            on=tuple(p - rows.start for p in pins.on if rows.start <= p < rows.stop),
            off=tuple(p - rows.start for p in pins.off if rows.start <= p < rows.stop),
        )


def side_by_side(structures: Sequence[Structure]) -> Batch:
    """All structures as one batch, in the fastest form available."""
    if len(structures) == 1 and isinstance(structures[0], Batch):
        return structures[0]
    if structures and all(isinstance(s, NonOverlapBatch) for s in structures):
        return NonOverlapBatch.of([s for s in structures if isinstance(s, NonOverlapBatch)])
    if structures and all(isinstance(s, PathsBatch) for s in structures):
        return PathsBatch.of([s for s in structures if isinstance(s, PathsBatch)])
    return Product(structures)
