"""What the beam did on one document: every step's sequences, where gold stood, and who is to blame for an error.

An error is the *model's* if the right sequence scores lower than the one chosen, and the *search's* if it scores higher
but was pruned; then the width that would have kept it is looked for. Where a pin forbids the right entity, the right
sequence is the one that is right everywhere else: neither is to blame for the pin. Each direction has its own steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document
from engine.data.pins import Pin
from engine.learners.sgtb.blocks import Search
from engine.learners.sgtb.learner import NIL_ROW, Choices
from engine.learners.sgtb.pools import Trees
from engine.structures.beam import top_of
from engine.tasks.base import Model
from engine.tasks.disambiguation.decoding import Prepared, prepare, with_bias
from engine.tasks.disambiguation.recording import Answer, Recorded, answer, record, score_of

Direction: TypeAlias = Literal["forward", "backward"]
Verdict: TypeAlias = Literal["right", "pinned away", "model error", "search error", "no gold"]

DIRECTIONS: Final[tuple[Direction, Direction]] = ("forward", "backward")
SHOWN: Final = 6
"""Pruned sequences that a step keeps for the view, best first."""
WIDTHS: Final = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 128)
"""Beam widths that are tried to keep the right sequence."""


@dataclass(frozen=True)
class Hypothesis:
    """A sequence at one step: the decision it ends in, its parent among those kept before, and its score.

    `probability` is within this step's kept sequences; 0 for a pruned one. `ahead` is what the other direction promises
    the entity: sequences are kept by score and promise together.
    """

    parent: int
    entity: str
    score: float
    added: float
    probability: float
    kept: bool
    gold: bool
    chosen: bool
    ahead: float = 0.0


@dataclass(frozen=True)
class Step:
    """One decision: kept sequences first, then the best of the pruned ones. `gold_rank` counts from 1 among all
    expansions; None once the right prefix has been pruned before. `pinned_away`: a pin forbids the right entity."""

    mention: int
    hypotheses: tuple[Hypothesis, ...]
    n_expansions: int
    gold_rank: int | None
    pinned_away: bool = False


@dataclass(frozen=True)
class Pass:
    """One direction: its steps in the order in which they were decided."""

    direction: Direction
    steps: tuple[Step, ...]
    score: float
    log_probability: float
    gold_fell_at: int | None
    """The step at which the right prefix was pruned."""


@dataclass(frozen=True)
class Option:
    """A candidate of a mention: its score after what was decided, its probability among the mention's candidates, and
    whether the pins leave it."""

    entity: str
    score: float
    probability: float
    gold: bool
    chosen: bool
    allowed: bool = True


@dataclass(frozen=True)
class Decision:
    """A mention as the document view shows it."""

    start: int
    end: int
    surface: str
    gold: str | None
    entity: str
    confidence: float
    options: tuple[Option, ...]
    nil: float
    """Log-odds of NIL before the bias."""


@dataclass(frozen=True)
class BeamTrace:
    document: str
    decisions: tuple[Decision, ...]
    passes: tuple[Pass, ...]
    chosen: Direction
    score: float
    gold_score: float | None
    verdict: Verdict
    width: int
    width_needed: int | None
    k_best: tuple[tuple[float, float, tuple[str, ...]], ...]
    """(score, probability within the final beam, entities by mention)."""


def trace_document(
    document: Document, model: Model, bias: float, pins: Sequence[Pin] = (), *, width: int | None = None
) -> BeamTrace:
    """Decode one document and record everything."""
    ready = prepare([document], model, {document.id: pins} if pins else None)
    how = ready.how if width is None else replace(ready.how, width=width)
    table, choices = ready.corpus.table, with_bias(ready.corpus.choices, bias)
    if not table.n_mentions:
        return BeamTrace(document.id, (), (), "forward", 0.0, None, "no gold", how.width, None, ())
    nil = ready.corpus.nil + bias
    runs = record(choices, ready.forest, how, nil)
    found = answer(choices, ready.forest, how, nil, runs)
    chosen = found.sequences[found.best]
    pinned_away = {m for m in chosen if table.gold[m] >= 0 and not choices.allowed[table.gold[m]]}
    gold = _gold_rows(table.gold, chosen, pinned_away)
    passes = tuple(
        _pass(run, ready, gold, pinned_away, direction, set(_prefixes([chosen[int(m)] for m in run.mentions])))
        for run, direction in zip(runs, DIRECTIONS, strict=False)
    )
    gold_score = score_of(choices, ready.forest, how, nil, gold)
    score = float(found.scores[found.best])
    # Decisions that stand alone have probabilities of their own; a beam over them would only blur these.
    alone = ready.decode(bias).confidence if how.policy == "local" else None
    annotated = bool((table.gold != -1).any())
    verdict: Verdict = "no gold" if not annotated else "model error"
    if annotated and chosen == gold:
        verdict = "pinned away" if pinned_away else "right"
    needed = None
    if verdict == "model error" and gold_score > score:
        verdict = "search error"
        needed = _width_that_keeps(choices, ready.forest, how, nil, gold)
    return BeamTrace(
        document=document.id,
        decisions=_decisions(document, ready, found, alone),
        passes=passes,
        chosen="backward" if found.backward else "forward",
        score=score,
        gold_score=gold_score if np.isfinite(gold_score) else None,
        verdict=verdict,
        width=how.width,
        width_needed=needed,
        k_best=_k_best(found, ready),
    )


def _gold_rows(gold: NDArray[np.int64], chosen: dict[int, int], pinned_away: set[int]) -> dict[int, int]:
    """The right row of every mention; where gold says nothing, or its entity is no candidate or forbidden by a pin,
    what was chosen."""
    return {m: int(gold[m]) if gold[m] >= 0 and m not in pinned_away else row for m, row in chosen.items()}


def _width_that_keeps(
    choices: Choices, forest: Trees, how: Search, nil: NDArray[np.float64], gold: dict[int, int]
) -> int | None:
    for width in WIDTHS:
        if width <= how.width:
            continue
        for run in record(choices, forest, replace(how, width=width), nil):
            wanted = [gold[int(m)] for m in run.mentions]
            if any(run.path(k) == wanted for k in range(len(run.final))):
                return width
    return None


def _prefixes(rows: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple(rows[: t + 1]) for t in range(len(rows))]


def _pass(
    run: Recorded,
    ready: Prepared,
    gold: dict[int, int],
    pinned_away: set[int],
    direction: Direction,
    winning: set[tuple[int, ...]],
) -> Pass:
    beam, offsets = run.beam, ready.corpus.table.row_offsets
    steps = []
    gold_at: int | None = 0
    fell: int | None = None
    prefixes: list[tuple[int, ...]] = [()]
    for t, m in enumerate(int(m) for m in run.mentions):
        first, wide = int(offsets[m]), int(offsets[m + 1] - offsets[m]) + 1
        start, end = int(beam.offsets[t]), int(beam.offsets[t + 1])
        expansions = beam.expansions[start:end]
        kept = [(int(beam.parents[t, k]), int(beam.rows[t, k])) for k in range(beam.n_kept[t])]
        scores = beam.scores[t, : len(kept)]
        shares = np.exp(scores - np.logaddexp.reduce(scores))
        ahead = np.append(run.future[first : first + wide - 1], run.future_nil[m])
        before = [float(s) for s in beam.scores[t - 1, : beam.n_kept[t - 1]]] if t else [0.0]

        hypotheses = [
            Hypothesis(
                parent,
                ready.entity(row),
                float(scores[k]),
                float(scores[k]) - before[parent],
                float(shares[k]),
                True,
                gold_at is not None and (parent, row) == (gold_at, gold[m]) and m not in pinned_away,
                (*prefixes[parent], row) in winning,
                float(ahead[row - first] if row != NIL_ROW else ahead[-1]),
            )
            for k, (parent, row) in enumerate(kept)
        ]
        seen = set(kept)
        order = np.argsort(-(expansions + np.tile(ahead, len(expansions) // wide)), kind="stable")
        pruned: list[Hypothesis] = []
        rank = None
        for place, e in enumerate(int(e) for e in order if expansions[e] > -np.inf):
            parent, c = divmod(e, wide)
            promise = float(ahead[c])
            row = first + c if c < wide - 1 else NIL_ROW
            is_gold = gold_at is not None and parent == gold_at and row == gold[m]
            if is_gold:
                rank = place + 1
            if (parent, row) not in seen and (len(pruned) < SHOWN or is_gold):
                score = float(expansions[e])
                pruned.append(
                    Hypothesis(
                        parent, ready.entity(row), score, score - before[parent], 0.0, False, is_gold, False, promise
                    )
                )
        steps.append(Step(m, (*hypotheses, *pruned), int(np.isfinite(expansions).sum()), rank, m in pinned_away))
        if gold_at is not None:
            right = (gold_at, gold[m])
            gold_at = kept.index(right) if right in kept else None
            if gold_at is None:
                fell = t
        prefixes = [(*prefixes[parent], row) for parent, row in kept]
    top = int(top_of(beam, run.n))
    return Pass(direction, tuple(steps), float(run.final[top]), run.log_probability, fell)


def _decisions(
    document: Document, ready: Prepared, found: Answer, plain: NDArray[np.float64] | None
) -> tuple[Decision, ...]:
    """Every mention with its candidates as they score after the decisions that the chosen sequence made before.

    `plain` holds the confidences of decisions that stand alone; else the final sequences tell them.
    """
    table, run, k = ready.corpus.table, found.run, found.k
    chosen, shares = found.sequences[found.best], found.shares
    before: dict[int, int] = {}
    for t in range(run.n - 1, -1, -1):
        parent = int(run.beam.parents[t, k])
        before[int(run.mentions[t])] = int(run.beam.blocks[t, parent])
        k = parent
    out = []
    for m, mention in enumerate(document.gold.mentions):
        rows = range(int(table.row_offsets[m]), int(table.row_offsets[m + 1]))
        scores = run.block.cache.scores[before[m] : before[m] + len(rows)]
        total = np.logaddexp.reduce(scores) if len(scores) else 0.0
        options = sorted(
            (
                Option(
                    ready.entity(row),
                    float(s),
                    float(np.exp(s - total)),
                    row == table.gold[m],
                    row == chosen[m],
                    bool(ready.corpus.choices.allowed[row]),
                )
                for row, s in zip(rows, scores, strict=True)
            ),
            key=lambda option: (-option.score, option.entity),
        )
        agreeing = sum(share for share, rows in zip(shares, found.sequences, strict=True) if rows[m] == chosen[m])
        confidence = float(agreeing) if plain is None else float(plain[m])
        out.append(
            Decision(
                mention.start,
                mention.end,
                document.surface(mention),
                mention.entity,
                ready.entity(chosen[m]),
                confidence,
                tuple(options),
                float(ready.corpus.nil[m]),
            )
        )
    return tuple(out)


def _k_best(found: Answer, ready: Prepared) -> tuple[tuple[float, float, tuple[str, ...]], ...]:
    return tuple(
        (
            float(found.scores[k]),
            float(found.shares[k]),
            tuple(ready.entity(row) for _, row in sorted(found.sequences[k].items())),
        )
        for k in np.argsort(-found.scores, kind="stable")
    )
