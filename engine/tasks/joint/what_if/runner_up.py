"""How close one decision of a sentence was: the runner-up structure, and what it takes for each option to flip it.

The change of score that flips the decision is exact: an output's value changes by as much as the score of an option it
contains, so the option's score alone must change by the difference between the best output with it and the best
without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.data.pins import Pin
from engine.structures.program import Conflict
from engine.structures.typed_pairs import pair_index
from engine.tasks.joint.deciding import part_pins
from engine.tasks.joint.inference import Decisions, Decoder, PartPin, Sentences
from engine.tasks.joint.scored import JointScored


@dataclass(frozen=True)
class Flip:
    """One option, and the change of its score alone that flips the decision; None if there is no legal output without
    it, or none with it."""

    option: str
    change: float | None


@dataclass(frozen=True)
class Change:
    """A decision elsewhere that is different in the runner-up."""

    what: str
    now: str
    then: str


@dataclass(frozen=True)
class RunnerUp:
    """The decision on one mention (its type) or one pair (its label), compared with the best output that decides it
    differently."""

    chosen: str
    rival: str
    """The option in the best output that decides differently; if there is none, the next best by its own score."""
    chosen_part: int
    rival_part: int
    flips: tuple[Flip, ...]
    margin: float | None
    """The lead of the best output over the best one that decides differently; None if there is none."""
    changes: tuple[Change, ...]


def runner_up(scored: JointScored, part: int, pins: Sequence[Pin] = ()) -> RunnerUp:
    """How close the decision was to which `part`, in a one-document corpus, belongs as an option."""
    numbering, space = scored.numbering, scored.space
    options = numbering.rivals(part)
    names = space.types if part < numbering.n_type_parts else space.labels
    given = part_pins(scored, 0, pins)
    decoder = Decoder.of(scored)
    sentence = decoder.sentences(scored)
    biases = np.array([scored.bias])

    def decided(*more: PartPin) -> Decisions:
        return decoder.settle(_pinned(sentence, [*given, *more]), biases)

    def under(option: int, holds: bool) -> Decisions | None:
        try:
            return decided(PartPin(option, holds, "what if"))
        except Conflict:
            return None

    best = decided()
    value = float(best.objective[0])
    chosen = _option(scored, best, options)
    other = under(chosen, False)
    flips = []
    for option, name in zip(options, names, strict=True):
        tried = other if option == chosen else under(option, True)
        gap = None if tried is None else value - float(tried.objective[0])
        flips.append(Flip(name, None if gap is None else -gap if option == chosen else gap))
    rival = _next_by_score(scored, options, chosen) if other is None else _option(scored, other, options)
    return RunnerUp(
        chosen=names[chosen - options.start],
        rival=names[rival - options.start],
        chosen_part=chosen,
        rival_part=rival,
        flips=tuple(flips),
        margin=None if other is None else value - float(other.objective[0]),
        changes=() if other is None else _changes(scored, best, other, options),
    )


def _pinned(sentence: Sentences, pins: Sequence[PartPin]) -> Sentences:
    return sentence.pinned({0: pins}) if pins else sentence


def _option(scored: JointScored, decisions: Decisions, options: range) -> int:
    """The option that was decided on."""
    parts = scored.numbering.chosen(decisions.types, decisions.labels)
    return int(parts[np.searchsorted(parts, options.start)])


def _next_by_score(scored: JointScored, options: range, chosen: int) -> int:
    scores = scored.numbering.joined(scored.type_score, scored.label_score)[options.start : options.stop]
    order = np.argsort(-scores)
    return options.start + int(order[1 if int(np.argmax(scores)) == chosen - options.start else 0])


def _changes(scored: JointScored, best: Decisions, other: Decisions, options: range) -> tuple[Change, ...]:
    space, surfaces, numbering = scored.space, scored.surfaces(0), scored.numbering
    pairs = pair_index(len(surfaces))
    found = []
    for i in np.flatnonzero(best.types != other.types).tolist():
        if numbering.node(i, 0) not in options:
            found.append(Change(surfaces[i], space.types[best.types[i]], space.types[other.types[i]]))
    for p in np.flatnonzero(best.labels != other.labels).tolist():
        if numbering.pair(p, 0) not in options:
            i, j = pairs[p]
            what = f"{surfaces[i]} → {surfaces[j]}"
            found.append(Change(what, space.labels[best.labels[p]], space.labels[other.labels[p]]))
    return tuple(found)
