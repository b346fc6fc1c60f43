"""What a user fixed, as pins on rows; an entity that is no candidate of its span is forced in beside the lattice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.data.document import NIL, Document, Mention
from engine.data.pins import LinkPin
from engine.structures.base import Pins
from engine.tasks.base import DocumentPins
from engine.tasks.linking.state import Corpus


def as_pins(
    documents: Sequence[Document], corpus: Corpus, scores: NDArray[np.float64], pins: DocumentPins
) -> tuple[Pins, list[list[Mention]]]:
    """Rows pinned on and off, and per document the mentions that are forced although no row stands for them."""
    on: set[int] = set()
    off: set[int] = set()
    forced: list[list[Mention]] = [[] for _ in documents]
    offsets = corpus.candidates.row_offsets
    for d, document in enumerate(documents):
        rows = np.arange(offsets[d], offsets[d + 1])
        for pin in pins.get(document.id, ()):
            if not isinstance(pin, LinkPin):
                continue
            start, end = pin.span
            spans = corpus.characters[rows]
            same = rows[(spans[:, 0] == start) & (spans[:, 1] == end)]
            named = [int(row) for row in same if corpus.titles[row] == pin.entity]
            if pin.entity is None or pin.entity == NIL:
                if pin.holds:
                    off.update(int(row) for row in same)
                elif len(same):
                    # "This is a mention after all": its best entity.
                    on.add(int(same[np.argmax(scores[same])]))
            elif not pin.holds:
                off.update(named)
            elif named:
                on.add(named[0])
            else:
                forced[d].append(Mention(start, end, entity=pin.entity))
                off.update(int(row) for row in rows[(spans[:, 0] < end) & (start < spans[:, 1])])
    return Pins(on=tuple(sorted(on)), off=tuple(sorted(off - on))), forced
