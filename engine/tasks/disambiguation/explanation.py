"""Why a candidate has its score: exact Shapley values of its features, and the decisions its pooled ones come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.data.pins import Pin
from engine.features.disambiguation.pairs import CHANNELS
from engine.learners.sgtb.learner import NIL_ROW
from engine.learners.sgtb.pools import EXTRA, code_values
from engine.learners.trees.shapley import shapley_values
from engine.tasks.base import Model
from engine.tasks.disambiguation.decoding import Prepared, prepare, with_bias
from engine.tasks.disambiguation.recording import Recorded, answer, record
from engine.tasks.disambiguation.state import State


@dataclass(frozen=True)
class Support:
    """An earlier decision and what holds between it and the candidate, channel by channel (only what is not zero)."""

    mention: int
    surface: str
    entity: str
    channels: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Explanation:
    """Why a candidate has its score: each feature's value and contribution, and the decisions behind pooled ones."""

    mention: int
    entity: str
    score: float
    base: float
    features: tuple[tuple[str, str, float, float], ...]
    """(name, group, value, contribution), largest contribution first."""
    support: tuple[Support, ...]


def explain(
    document: Document,
    model: Model,
    mention: int,
    entity: str,
    bias: float,
    pins: Sequence[Pin] = (),
    *,
    width: int | None = None,
) -> Explanation:
    """The features of one candidate after the decisions that were made before it, and what each contributes; with
    another beam width other decisions may have been made."""
    ready = prepare([document], model, {document.id: pins} if pins else None)
    how = ready.how if width is None else replace(ready.how, width=width)
    state: State = model.state
    table, choices = ready.corpus.table, with_bias(ready.corpus.choices, bias)
    nil = ready.corpus.nil + bias
    found = answer(choices, ready.forest, how, nil, record(choices, ready.forest, how, nil))
    run, path = found.run, found.run.path(found.k)
    step = int(np.flatnonzero(run.mentions == mention)[0])
    rows = range(int(table.row_offsets[mention]), int(table.row_offsets[mention + 1]))
    row = next((r for r in rows if ready.entity(r) == entity), None)
    if row is None:
        raise ValueError(f"{entity!r} is no candidate of mention {mention}")
    k = found.k
    for t in range(run.n - 1, step - 1, -1):
        parent = int(run.beam.parents[t, k])
        at = int(run.beam.blocks[t, parent])
        k = parent
    codes = run.block.cache.codes[at + row - rows.start]
    values = np.concatenate([ready.corpus.features.own[row].astype(np.float64), _pooled_values(codes)])
    shares = shapley_values(state.forest, values[None, :])[0]
    named = sorted(
        (
            (name.name, name.group, float(v), float(c))
            for name, v, c in zip(state.names, values, shares[:-1], strict=True)
        ),
        key=lambda item: -abs(item[3]),
    )
    support = _support(document, ready, run, path, step, row) if choices.n_pooled else ()
    return Explanation(mention, entity, float(shares.sum()), float(shares[-1]), tuple(named), support)


def _pooled_values(codes: NDArray[np.uint8]) -> NDArray[np.float64]:
    if not len(codes):
        return np.zeros(0)
    values = np.append(code_values(), 1.0)[codes]
    values[-EXTRA:] = codes[-EXTRA:]
    return values


def _support(
    document: Document, ready: Prepared, run: Recorded, path: Sequence[int], step: int, row: int
) -> tuple[Support, ...]:
    table, pairs = ready.corpus.table, ready.corpus.features.pairs
    n = int(ready.corpus.choices.n_slots[0])
    out = []
    for t in range(step):
        if path[t] == NIL_ROW:
            continue
        m = int(run.mentions[t])
        channels = pairs.values[int(table.slot[row]) * n + int(table.slot[path[t]])]
        held = tuple((CHANNELS[c][0], int(v) / 255) for c, v in zip(pairs.channels, channels, strict=True) if v)
        if held:
            out.append(Support(m, document.surface(document.gold.mentions[m]), ready.entity(path[t]), held))
    return tuple(sorted(out, key=lambda s: -sum(value for _, value in s.channels)))
