"""What inference did on one text, for the lattice view to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.data.pins import Pin
from engine.learners.priced import Priced
from engine.learners.trees.forest import Forest
from engine.learners.trees.shapley import shapley_values
from engine.metrics.linking import linked
from engine.tasks.linking.gold import Gold
from engine.tasks.linking.pinning import as_pins
from engine.tasks.linking.state import Corpus, State
from engine.tuning.path import bias_path

K_BEST = 5


@dataclass(frozen=True)
class TokenTrace:
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class FeatureTrace:
    """A feature's value, and what it adds to the score."""

    name: str
    value: float
    contribution: float | None


@dataclass(frozen=True)
class CandidateTrace:
    """One entity of one span. `blocked_by` are the chosen candidates that share a token with it; `blocks` are all
    candidates that it shuts out; `on` are the stretches of the Nil bias where it is chosen (None is unbounded)."""

    id: int
    first: int
    last: int
    start: int
    end: int
    surface: str
    entity: str
    known: bool
    types: tuple[str, ...]
    description: str
    score: float
    marginal: float
    chosen: bool
    gold: bool
    pinned: str
    blocked_by: tuple[int, ...]
    blocks: tuple[int, ...]
    on: tuple[tuple[float | None, float | None], ...]
    features: tuple[FeatureTrace, ...]


@dataclass(frozen=True)
class OutputTrace:
    """One of the best outputs: its score under the bias, and its candidates."""

    score: float
    candidates: tuple[int, ...]


@dataclass(frozen=True)
class GoldTrace:
    start: int
    end: int
    entity: str
    candidates: tuple[int, ...]


@dataclass(frozen=True)
class LinkingTrace:
    """The lattice of one text at one Nil bias. `margin` is the best output's lead over the runner-up; `base` is the
    score before any feature speaks."""

    document: str
    text: str
    bias: float
    tokens: tuple[TokenTrace, ...]
    candidates: tuple[CandidateTrace, ...]
    chosen: tuple[int, ...]
    gold: tuple[GoldTrace, ...]
    k_best: tuple[OutputTrace, ...]
    margin: float | None
    base: float
    path: tuple[tuple[float | None, tuple[int, ...]], ...]


def make_trace(
    document: Document, state: State, bias: float, pins: Sequence[Pin], names: Sequence[str]
) -> LinkingTrace:
    corpus = state.ready([document])
    candidates = corpus.candidates
    scores = state.scores(corpus)
    fixed, _ = as_pins([document], corpus, scores, {document.id: tuple(pins)})
    lattice = corpus.lattice.single(0)
    biased = scores - bias
    chosen = lattice.argmax(biased, pins=fixed)
    _, marginals = lattice.marginals(biased, pins=fixed)
    outputs = lattice.k_best(biased, K_BEST, pins=fixed)
    path = bias_path(lattice, scores, pins=fixed)
    gold = Gold([document], corpus)
    contributions, base = explain(state.scorer, corpus.features)
    overlap = (lattice.starts[None, :] < lattice.ends[:, None]) & (lattice.starts[:, None] < lattice.ends[None, :])
    np.fill_diagonal(overlap, False)
    text = candidates.tokens[0]
    is_on = np.zeros(len(scores), dtype=np.bool_)
    is_on[chosen] = True
    kb = state.inventory.entities
    stretches = _stretches(path, len(scores))
    rows = []
    for row in range(len(scores)):
        known = bool(candidates.entity[row] < candidates.n_known)
        number = int(candidates.entity[row])
        start, end = (int(x) for x in corpus.characters[row])
        rows.append(
            CandidateTrace(
                id=row,
                first=int(lattice.starts[row]),
                last=int(lattice.ends[row]),
                start=start,
                end=end,
                surface=document.text[start:end],
                entity=corpus.titles[row],
                known=known,
                types=kb.types(number) if known else (),
                description=kb.description(number) if known else "",
                score=float(scores[row]),
                marginal=float(marginals[row]),
                chosen=bool(is_on[row]),
                gold=bool(gold.right[row]),
                pinned="on" if row in fixed.on else "off" if row in fixed.off else "",
                blocked_by=tuple(int(i) for i in np.flatnonzero(overlap[row] & is_on)),
                blocks=tuple(int(i) for i in np.flatnonzero(overlap[row])),
                on=stretches[row],
                features=_features(names, corpus, contributions, row),
            )
        )
    return LinkingTrace(
        document=document.id,
        text=document.text,
        bias=float(bias),
        tokens=tuple(TokenTrace(s, e, w) for s, e, w in zip(text.starts, text.ends, text.words, strict=True)),
        candidates=tuple(rows),
        chosen=tuple(int(i) for i in chosen),
        gold=_gold(document, gold),
        k_best=tuple(OutputTrace(float(score), tuple(int(i) for i in parts)) for score, parts in outputs),
        margin=float(outputs[0][0] - outputs[1][0]) if len(outputs) > 1 else None,
        base=base,
        path=tuple((_finite(at), tuple(int(i) for i in parts)) for at, parts in path),
    )


def explain(scorer: Any, features: NDArray[np.float32]) -> tuple[NDArray[np.float64] | None, float]:
    """What each feature adds to each row's score, and the score they add to; None where the scorer cannot tell."""
    if not len(features):
        return None, 0.0
    if isinstance(scorer, Priced):
        values, base = explain(scorer.scorer, features)
        if values is not None:
            values[:, scorer.column] -= scorer.price * features[:, scorer.column]
        return values, base
    if isinstance(scorer, Forest):
        values = shapley_values(scorer, features)
    elif hasattr(scorer, "contributions"):
        values = scorer.contributions(features)
    else:
        return None, 0.0
    # The last column is what the scorer says before it has seen any feature.
    return values[:, :-1], float(values[0, -1])


def _features(
    names: Sequence[str], corpus: Corpus, contributions: NDArray[np.float64] | None, row: int
) -> tuple[FeatureTrace, ...]:
    values = corpus.features[row]
    return tuple(
        FeatureTrace(name, float(values[i]), None if contributions is None else float(contributions[row, i]))
        for i, name in enumerate(names)
    )


def _gold(document: Document, gold: Gold) -> tuple[GoldTrace, ...]:
    rows: dict[int, list[int]] = {}
    for row, found in gold.matches.items():
        for number in found:
            rows.setdefault(number, []).append(row)
    return tuple(
        GoldTrace(m.start, m.end, str(m.entity), tuple(sorted(rows.get(i, ()))))
        for i, m in enumerate(linked(document.gold))
    )


def _stretches(path: Sequence[tuple[float, Any]], n_rows: int) -> list[tuple[tuple[float | None, float | None], ...]]:
    """Per row: where along the bias it is on; neighbouring steps are joined."""
    found: list[list[tuple[float | None, float | None]]] = [[] for _ in range(n_rows)]
    for i, (at, parts) in enumerate(path):
        end = _finite(path[i + 1][0]) if i + 1 < len(path) else None
        for row in map(int, parts):
            known = found[row]
            if known and known[-1][1] is not None and known[-1][1] == at:
                known[-1] = (known[-1][0], end)
            else:
                known.append((_finite(at), end))
    return [tuple(known) for known in found]


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
