"""Explains a candidate's score: exact Shapley values of its features, and the decisions behind the pooled ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Bytes, Floats
from engine.data.errors import InputError
from engine.data.pins import Pin
from engine.features.disambiguation.pairs import CHANNELS, PairTable
from engine.learners.sgtb.pools import EXTRA, code_values
from engine.learners.trees.shapley import shapley_values
from engine.structures.beam import NIL_ROW
from engine.tasks.base import Model
from engine.tasks.disambiguation.deciding import problem_of
from engine.tasks.disambiguation.scored import DisambiguationScored
from engine.tasks.disambiguation.scoring import prepare_for
from engine.tasks.disambiguation.search.problem import Problem
from engine.tasks.disambiguation.search.recording import Answer, answer, record
from engine.tasks.disambiguation.settings import DisambiguationSettings
from engine.tasks.disambiguation.state import DisambiguationState
from engine.tasks.explanation import Contribution, Explanation


@dataclass(frozen=True)
class Support:
    """An earlier decision and its ties to the candidate, one value per channel (only those that are not zero)."""

    mention: int
    surface: str
    entity: str
    channels: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class DisambiguationExplanation(Explanation):
    """An explanation with the earlier decisions behind the pooled features, strongest ties first."""

    support: tuple[Support, ...] = ()


def explain(
    scored: DisambiguationScored,
    model: Model[DisambiguationSettings, DisambiguationState],
    part: int,
    pins: Sequence[Pin] = (),
) -> DisambiguationExplanation:
    """The features of one candidate given the decisions before it, and what each contributes. Another bias or beam
    width may lead to other decisions."""
    (document,) = scored.documents
    held = {document.id: pins} if pins else None
    ready = prepare_for(scored.documents, model, held)
    if ready.table.n_rows != scored.n_rows:
        raise InputError("the scores hold other candidates than the model finds under these pins: score again")
    own = ready.features.own[part].astype(np.float64)
    if scored.steps is None:
        return _explanation(model.state, own, ())
    problem = problem_of(scored, held)
    found = answer(problem, record(problem))
    mention = int(np.searchsorted(scored.row_offsets, part, side="right")) - 1
    at = found.run.starts(found.k)[mention] + part - scored.rows(mention).start
    values = np.concatenate([own, _pooled_values(found.run.block.cache.codes[at])])
    return _explanation(model.state, values, _support(problem, ready.features.pairs, found, mention, part))


def _explanation(state: DisambiguationState, values: Floats, support: tuple[Support, ...]) -> DisambiguationExplanation:
    shares = shapley_values(state.forest, values[None, :])[0]
    contributions = (
        Contribution(named.name, named.group, float(value), float(share))
        for named, value, share in zip(state.names, values, shares[:-1], strict=True)
    )
    largest_first = tuple(sorted(contributions, key=lambda one: -abs(one.adds or 0.0)))
    return DisambiguationExplanation(float(shares.sum()), float(shares[-1]), largest_first, support)


def _pooled_values(codes: Bytes) -> Floats:
    values = np.append(code_values(), 1.0)[codes]
    values[-EXTRA:] = codes[-EXTRA:]
    return values


def _support(problem: Problem, pairs: PairTable, found: Answer, mention: int, row: int) -> tuple[Support, ...]:
    """The decisions before this mention that have a tie to the row."""
    slot, n = problem.steps.slot, int(problem.steps.n_slots[0])
    (document,) = problem.scored.documents
    out = []
    for m, other in zip(found.run.mentions.tolist(), found.run.path(found.k), strict=True):
        if m == mention:
            break
        if other == NIL_ROW:
            continue
        channels = pairs.values[int(slot[row]) * n + int(slot[other])]
        held = tuple((CHANNELS[c][0], int(v) / 255) for c, v in zip(pairs.channels, channels, strict=True) if v)
        if held:
            surface = document.surface(document.gold.mentions[m])
            out.append(Support(m, surface, problem.scored.title(other), held))
    return tuple(sorted(out, key=lambda s: -sum(value for _, value in s.channels)))
