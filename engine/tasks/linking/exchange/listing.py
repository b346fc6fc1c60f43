"""The parts of one text with their probabilities, and its k best outputs, for programs that ask over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

from engine.data.document import Layer
from engine.data.pins import Pin
from engine.structures.base import as_mask
from engine.tasks.capabilities import ListedPart, Weighed
from engine.tasks.linking.deciding import fix, layers
from engine.tasks.linking.scored import LinkingScored


def list_parts(scored: LinkingScored, pins: Sequence[Pin] = ()) -> list[ListedPart]:
    fixed = fix(scored, {scored.documents[0].id: pins}).pins
    chosen = as_mask(scored.lattice.argmax(scored.biased, pins=fixed), scored.n_parts)
    _, marginals = scored.lattice.marginals(scored.biased, pins=fixed)
    return [
        ListedPart(
            part,
            {"start": int(scored.start[part]), "end": int(scored.end[part]), "entity": scored.title(part)},
            float(scored.biased[part]),
            bool(chosen[part]),
            float(marginals[part]),
        )
        for part in range(scored.n_parts)
    ]


def weigh(scored: LinkingScored, pins: Sequence[Pin] = ()) -> Weighed:
    """The score of the best output. Mentions forced in outside the lattice have no score and add nothing."""
    fixed = fix(scored, {scored.documents[0].id: pins}).pins
    chosen = scored.lattice.argmax(scored.biased, pins=fixed)
    return Weighed(float(scored.biased[chosen].sum()), True)


def best_outputs(scored: LinkingScored, k: int, pins: Sequence[Pin] = ()) -> list[tuple[float, Layer]]:
    """The k best outputs. Each link carries its probability over all outputs, as it does in the best one."""
    fixed = fix(scored, {scored.documents[0].id: pins})
    _, marginals = scored.lattice.marginals(scored.biased, pins=fixed.pins)
    found = scored.lattice.single(0).k_best(scored.biased, k, pins=fixed.pins)
    return [(float(score), layers(scored, parts, marginals, fixed.forced)[0]) for score, parts in found]
