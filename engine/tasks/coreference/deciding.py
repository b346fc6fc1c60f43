"""The best trees of scored documents, and hence their clusters.

With local scores the best head of each mention alone gives the best tree (`AntecedentTree`, Björkelund and Kuhn 2014,
section 4): this is exact, and among equal scores the nearest antecedent wins and the root comes last. With a scorer of
the steps, a beam search runs over partial clusterings (over partial trees if training used the paper's agendas).

Pins constrain clusters, which no single arc decides. If the best tree happens to satisfy them, it is also the best tree
under the pins. With local scores the best tree is known exactly in two more cases: two mentions must be together, or
one must begin a cluster. Otherwise the same beam search looks for a tree under the pins, for local scores too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, ShortInts
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import ClusterPin, NoPlace, Pin
from engine.learners.laso.arrays import ClusterTemplates
from engine.learners.laso.clusters import arcs_and_rivals, rescore
from engine.learners.laso.learner import search
from engine.structures.base import Infeasible, restrict
from engine.structures.clusters import ClusterPins, TogetherAndApart, clusters_of, labels_of
from engine.tasks.base import DocumentPins
from engine.tasks.coreference.scored import ClusterScorer, CoreferenceScored, Span, allowed_arcs

_NO_STEPS: Final = ClusterScorer(ClusterTemplates(), np.zeros(1))
"""The scorer of the steps of a local model: it adds nothing."""


def decide(scored: CoreferenceScored, pins: DocumentPins | None = None) -> list[Layer]:
    """The predicted layer of every document."""
    return [layer_of(best_tree(one, (pins or {}).get(one.document.id, ()))) for one in scored.each()]


class ArcsBeside(NamedTuple):
    """The scores of all arcs, given the clusters of one tree."""

    totals: Floats
    label: ShortInts
    """The cluster of each mention (from 1), named by its first."""
    chosen: Ints
    """Row of each mention's own arc."""
    rival: Ints
    """Row of the best other decision, -1 if there is none."""


class DecidedTree:
    """The head of every mention of one document. Other arcs are needed only by views and errors, so they are scored on
    request."""

    def __init__(self, one: CoreferenceScored, heads: ShortInts) -> None:
        self.one, self.heads = one, heads
        self._beside: ArcsBeside | None = None

    @property
    def beside(self) -> ArcsBeside:
        # Not a cached property: before Python 3.12 all instances share one lock, and two trees are scored in parallel.
        if self._beside is None:
            one, steps = self.one, self.one.steps or _NO_STEPS
            instance, heads = one.instance(), self.heads.astype(np.int64)
            totals, label, _ = rescore(instance, one.score, heads, steps.scoring, float(one.bias))
            self._beside = ArcsBeside(totals, label, *arcs_and_rivals(instance, totals, label, heads))
        return self._beside

    @property
    def total(self) -> float:
        return float(self.beside.totals[self.beside.chosen].sum())


def best_tree(one: CoreferenceScored, pins: Sequence[Pin] = ()) -> DecidedTree:
    """The best tree of one document under the pins; raises Infeasible if there is none."""
    wanted = cluster_pins(pins)
    fixed = _fixed(one, wanted) if wanted else None
    if one.steps is None:
        exact = DecidedTree(one, one.head[one.tree().argmax(_biased(one))])
        if fixed is None or fixed.hold_for(labels_of(exact.heads)):
            return exact
    if fixed is None:
        return _searched(one, None)
    one = _with_arcs_for(one, fixed)
    known = _known_best(one, fixed) if one.steps is None else None
    return _searched(one, fixed) if known is None else known


def decided_exactly(one: CoreferenceScored, pins: Sequence[Pin] = ()) -> bool:
    """Whether it is certain that no tree under the pins scores higher than `best_tree`."""
    wanted = cluster_pins(pins)
    if one.steps is not None:
        return False
    fixed = _fixed(one, wanted) if wanted else None
    return fixed is None or fixed.hold_for(labels_of(best_tree(one).heads)) or _is_known(one, fixed)


def _is_known(one: CoreferenceScored, fixed: ClusterPins) -> bool:
    return (len(fixed.pairs) == 1 and not fixed.apart) or _first_of_its_own(one, fixed) is not None


def _known_best(one: CoreferenceScored, fixed: ClusterPins) -> DecidedTree | None:
    """The best tree by local scores, if the pins are simple enough for an exact search; else None."""
    scores = _biased(one)
    if len(fixed.pairs) == 1 and not fixed.apart:
        [(earlier, later)] = fixed.pairs
        return DecidedTree(one, one.head[one.tree().argmax_joined(scores, later, earlier)])
    mention = _first_of_its_own(one, fixed)
    if mention is None:
        return None
    scores[int(one.arc_offsets[mention - 1]) + 1 : int(one.arc_offsets[mention])] = -np.inf
    return DecidedTree(one, one.head[one.tree().argmax(scores)])


def _first_of_its_own(one: CoreferenceScored, fixed: ClusterPins) -> int | None:
    """The one mention that all pins together separate from each of its antecedents, so that it begins a cluster; None
    if the pins say anything else."""
    later = {b for _, b in fixed.apart}
    if fixed.pairs or len(later) != 1:
        return None
    [mention] = later
    rows = slice(int(one.arc_offsets[mention - 1]) + 1, int(one.arc_offsets[mention]))
    kept_from = {a for a, _ in fixed.apart}
    # The first arc of a mention comes from the root.
    return mention if set(one.head[rows].tolist()) <= kept_from else None


def latent_tree(one: CoreferenceScored) -> DecidedTree:
    """The best tree that gold allows, under the same arc scores."""
    return DecidedTree(one, one.head[one.tree().argmax(restrict(one.score, one.allowed))])


def layer_of(tree: DecidedTree) -> Layer:
    """The clusters of a tree as a layer; mentions in no cluster are not part of the output."""
    clusters = [cluster for cluster in clusters_of(tree.heads) if len(cluster) > 1 or tree.one.singletons]
    kept = sorted(mention for cluster in clusters for mention in cluster)
    position = {mention: number for number, mention in enumerate(kept)}
    return Layer(
        mentions=tuple(Mention(*tree.one.span(mention)) for mention in kept),
        clusters=tuple(tuple(position[mention] for mention in cluster) for cluster in clusters),
    )


def _biased(one: CoreferenceScored) -> Floats:
    scores = one.score.copy()
    scores[one.arc_offsets[:-1]] += one.bias
    return scores


def _searched(one: CoreferenceScored, fixed: ClusterPins | None) -> DecidedTree:
    steps = one.steps or _NO_STEPS
    found = search(
        steps.weights,
        one.instance(),
        steps.templates,
        beam=one.beam,
        trees=one.agenda == "trees",
        scores=_biased(one),
        together=None if fixed is None else fixed.together,
        apart=() if fixed is None else fixed.apart,
    )
    if found.total == -np.inf:
        raise Infeasible(f"the pins of document {one.document.id!r} leave some mention no place")
    return DecidedTree(one, found.heads)


# The user's pins as pins on mentions.


def cluster_pins(pins: Sequence[Pin]) -> list[ClusterPin]:
    """The pins on clusters; other kinds do not concern coreference."""
    return [pin for pin in pins if isinstance(pin, ClusterPin)]


def fix(document: Document, pins: Sequence[ClusterPin], n: int, at: Callable[[Span], int]) -> ClusterPins:
    """The pins in terms of n mentions, where `at` finds the mention of a span; raises Infeasible if they conflict."""
    apart = [pin for pin in pins if not pin.holds]
    try:
        return ClusterPins.of(
            n,
            together=[(at(pin.first), at(pin.second)) for pin in pins if pin.holds],
            apart=[(at(pin.first), at(pin.second)) for pin in apart],
        )
    except TogetherAndApart as clash:
        first, second = (document.text[slice(*span)] for span in (apart[clash.index].first, apart[clash.index].second))
        raise Infeasible(
            f"two mentions of document {document.id!r} are pinned together and apart: {first!r} and {second!r}"
        ) from clash


def no_word(document: Document, span: Span) -> InputError:
    return InputError(f"a pin of document {document.id!r} names [{span[0]}, {span[1]}), where there is no word")


def _fixed(one: CoreferenceScored, pins: Sequence[ClusterPin]) -> ClusterPins:
    """The pins on the mentions of a scored document.

    A pin on a span that is not a mention raises NoPlace: only `score`, given the pins, can add the span as a mention.
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
    """The span extended to whole words."""
    first = int(np.searchsorted(one.word_end, span[0], side="right"))
    last = int(np.searchsorted(one.word_start, span[1], side="left"))
    if first >= last:
        raise no_word(one.document, span)
    return int(one.word_start[first]), int(one.word_end[last - 1])


def _with_arcs_for(one: CoreferenceScored, fixed: ClusterPins) -> CoreferenceScored:
    """The document with an arc between any two mentions that are pinned together.

    `score` adds such arcs if it is given the pins. An arc without a score gets the lowest score of its mention, so that
    any scored antecedent that satisfies the pins is preferred.
    """
    missing = []
    for earlier, later in fixed.pairs:
        first, last = int(one.arc_offsets[later - 1]), int(one.arc_offsets[later])
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
