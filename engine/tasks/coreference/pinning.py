"""What a user fixed about clusters, in numbers of mentions.

Pins that put mentions together are closed under "the same as": each mention of such a group must join the one before
it, and what is kept apart from one of them is kept apart from all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from engine.data.document import Document
from engine.data.errors import InputError
from engine.data.pins import ClusterPin, NoPlace, Pin
from engine.structures.base import Infeasible
from engine.tasks.coreference.scored import CoreferenceScored, Ints, ShortInts, Span, allowed_arcs


@dataclass(frozen=True, eq=False)
class Fixed:
    """Mentions of one document, from 1."""

    together: Ints
    """An earlier mention that mention j must join, at j; 0 for none."""
    apart: tuple[tuple[int, int], ...]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """(earlier, later) that must end up together."""
        return [(int(self.together[later]), int(later)) for later in np.flatnonzero(self.together)]

    def hold_for(self, label: ShortInts) -> bool:
        """Whether a clustering obeys; `label` names the cluster of each mention, from 1."""
        return all(label[a] == label[b] for a, b in self.pairs) and all(label[a] != label[b] for a, b in self.apart)


def cluster_pins(pins: Sequence[Pin]) -> list[ClusterPin]:
    return [pin for pin in pins if isinstance(pin, ClusterPin)]


def fix(document: Document, pins: Sequence[ClusterPin], n: int, at: Callable[[Span], int]) -> Fixed:
    """The pins in terms of n mentions, where `at` finds the mention of a span; Infeasible where they clash."""
    group = list(range(n + 1))

    def find(mention: int) -> int:
        while group[mention] != mention:
            mention = group[mention]
        return mention

    for pin in pins:
        if pin.holds:
            a, b = find(at(pin.first)), find(at(pin.second))
            group[max(a, b)] = min(a, b)
    members: dict[int, list[int]] = {}
    for mention in range(1, n + 1):
        members.setdefault(find(mention), []).append(mention)
    together = np.zeros(n + 1, dtype=np.int64)
    for same in members.values():
        for earlier, later in pairwise(same):
            together[later] = earlier
    apart: set[tuple[int, int]] = set()
    for pin in pins:
        if not pin.holds:
            a, b = find(at(pin.first)), find(at(pin.second))
            if a == b:
                raise Infeasible(
                    f"two mentions of document {document.id!r} are pinned together and apart:"
                    f" {document.text[slice(*pin.first)]!r} and {document.text[slice(*pin.second)]!r}"
                )
            apart.update((min(x, y), max(x, y)) for x in members[a] for y in members[b])
    return Fixed(together, tuple(sorted(apart)))


def fixed_in(one: CoreferenceScored, pins: Sequence[ClusterPin]) -> Fixed:
    """The pins on the mentions of a scored document.

    A pin about a span that is no mention here has no place: only whoever can score it can add it (`score` with pins).
    """
    position = {span: number for number, span in enumerate(one.spans(), 1)}

    def at(span: Span) -> int:
        found = position.get(span) or position.get(_whole_words(one, span))
        if found is None:
            raise NoPlace(
                f"a pin of document {one.document.id!r} is about {one.document.text[slice(*span)]!r}, which is no"
                " mention there: nothing scored it"
            )
        return found

    return fix(one.document, pins, one.n, at)


def _whole_words(one: CoreferenceScored, span: Span) -> Span:
    """The words that share a character with the span."""
    first = int(np.searchsorted(one.word_end, span[0], side="right"))
    last = int(np.searchsorted(one.word_start, span[1], side="left"))
    if first >= last:
        raise no_word(one.document, span)
    return int(one.word_start[first]), int(one.word_end[last - 1])


def no_word(document: Document, span: Span) -> InputError:
    return InputError(f"a pin of document {document.id!r} names [{span[0]}, {span[1]}), where there is no word")


def with_arcs_for(one: CoreferenceScored, fixed: Fixed) -> CoreferenceScored:
    """The document with an arc between any two mentions that are pinned together.

    `score` adds such arcs where it knows the pins. Where nobody scored one, it gets the lowest score that its mention
    has, so that any antecedent that was scored and keeps the pins is preferred.
    """
    missing = []
    for earlier, later in fixed.pairs:
        first, last = one.arc_offsets[later - 1 : later + 1].tolist()
        place = first + int(np.searchsorted(one.head[first:last], earlier))
        if place == last or one.head[place] != earlier:
            missing.append((place, earlier, later, float(one.score[first:last].min())))
    if not missing:
        return one
    places, heads, dependents, scores = (np.array(column) for column in zip(*missing, strict=True))
    added = np.zeros(one.n + 1, dtype=np.int64)
    np.add.at(added, dependents, 1)
    head, arc_offsets = np.insert(one.head, places, heads), one.arc_offsets + np.cumsum(added)
    return replace(
        one,
        arc_offsets=arc_offsets,
        head=head,
        score=np.insert(one.score, places, scores),
        allowed=allowed_arcs(one.gold, arc_offsets, head),
    )
