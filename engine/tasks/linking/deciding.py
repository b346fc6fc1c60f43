"""The best set of links that do not overlap, under the user's pins, which become pins on parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from engine.data.document import NIL, Layer, Mention
from engine.data.pins import LinkPin, Pin
from engine.structures.base import Parts, Pins, Scores
from engine.tasks.base import DocumentPins
from engine.tasks.linking.scored import LinkingScored


class Fixed(NamedTuple):
    """The pins in terms of parts."""

    pins: Pins
    forced: list[list[Mention]]
    """Per document, the pinned mentions for which there is no part."""


def decide(scored: LinkingScored, pins: DocumentPins | None = None) -> list[Layer]:
    """The best links of every document, each with its probability."""
    fixed = fix(scored, pins or {})
    chosen = scored.lattice.argmax(scored.biased, pins=fixed.pins)
    _, marginals = scored.lattice.marginals(scored.biased, pins=fixed.pins)
    return layers(scored, chosen, marginals, fixed.forced)


def layers(
    scored: LinkingScored, chosen: Parts, confidence: Scores, forced: Sequence[Sequence[Mention]] | None = None
) -> list[Layer]:
    """The chosen parts and the forced mentions as one layer per document."""
    mentions = [list(own) for own in forced or ((),) * len(scored)]
    document = scored.document
    for part in chosen.tolist():
        start, end = int(scored.start[part]), int(scored.end[part])
        link = Mention(start, end, entity=scored.title(part), score=float(confidence[part]))
        mentions[document[part]].append(link)
    return [Layer(mentions=tuple(sorted(found, key=lambda m: m.span))) for found in mentions]


def rank_entities(scored: LinkingScored, span: tuple[int, int]) -> list[tuple[str, float]]:
    """The entities that these characters of a one-document corpus may mean, likeliest first."""
    _, marginals = scored.lattice.marginals(scored.biased)
    parts = scored.at_span(0, span)
    best_first = parts[np.argsort(-marginals[parts], kind="stable")]
    return [(scored.title(part), float(marginals[part])) for part in best_first.tolist()]


def fix(scored: LinkingScored, pins: DocumentPins) -> Fixed:
    """The user's pins as parts that are on or off. An entity that is not a candidate of its span is added outside the
    lattice, and every part that overlaps it is off."""
    on: set[int] = set()
    off: set[int] = set()
    forced: list[list[Mention]] = [[] for _ in scored.documents]
    for d, document in enumerate(scored.documents):
        for pin in pins.get(document.id, ()):
            if isinstance(pin, LinkPin):
                _fix_one(scored, d, pin, on, off, forced[d])
    return Fixed(Pins(on=tuple(sorted(on)), off=tuple(sorted(off - on))), forced)


def fix_one_document(scored: LinkingScored, pins: Iterable[Pin]) -> Pins:
    """The pins of a corpus of one document."""
    return fix(scored, {scored.documents[0].id: tuple(pins)}).pins


def _fix_one(scored: LinkingScored, d: int, pin: LinkPin, on: set[int], off: set[int], forced: list[Mention]) -> None:
    same = scored.at_span(d, pin.span)
    named = [part for part in same.tolist() if scored.title(part) == pin.entity]
    if pin.entity is None or pin.entity == NIL:
        if pin.holds:
            off.update(same.tolist())
        elif len(same):
            # The pin says that this is a mention, not of which entity: take the best one.
            on.add(int(same[np.argmax(scored.score[same])]))
    elif not pin.holds:
        off.update(named)
    elif named:
        on.add(named[0])
    else:
        forced.append(Mention(*pin.span, entity=pin.entity))
        off.update(scored.over(d, pin.span).tolist())
