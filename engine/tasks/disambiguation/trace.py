"""What the beam did on one document: the sequences of every step, the rank of gold, and the cause of each error.

An error is a *search* error if the right sequence, or one that is right at one more mention, scores higher than the
chosen one but was pruned; then the beam width that would have kept it is determined. Otherwise it is a *model* error.
If a pin forbids the right entity, the right sequence is the one that is right everywhere else, so that neither is
charged with the pin. Each direction has its own steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from engine.arrays import Floats, Ints
from engine.data.document import NIL
from engine.data.pins import Pin
from engine.structures.beam import NIL_ROW
from engine.tasks.disambiguation.deciding import problem_of
from engine.tasks.disambiguation.scored import GOLD_MISSING, DisambiguationScored
from engine.tasks.disambiguation.search.passes import DIRECTIONS, Direction, Pass, Reference, pass_of
from engine.tasks.disambiguation.search.problem import Problem
from engine.tasks.disambiguation.search.recording import Answer, answer, beats, record, score_of

Verdict: TypeAlias = Literal["right", "candidate missing", "pinned away", "model error", "search error", "no gold"]

WIDTHS: Final = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 128)
"""Beam widths that are tried in order to keep the right sequence."""


@dataclass(frozen=True)
class Option:
    """A candidate of a mention: its score given the earlier decisions, its probability (for the chosen one, the
    confidence of the decision), and whether the pins allow it. `part` is its number among all candidates of the
    document."""

    part: int
    entity: str
    score: float
    probability: float
    gold: bool
    chosen: bool
    allowed: bool = True


@dataclass(frozen=True)
class RunnerUp:
    """The second choice for a mention, with all other decisions unchanged, and the lead of the chosen one: in score, or
    in log-odds if NIL was chosen. The lead is negative if the rest of the document made up for a lower score."""

    entity: str
    lead: float


@dataclass(frozen=True)
class Decision:
    """A mention as the document view shows it."""

    start: int
    end: int
    surface: str
    gold: str | None
    entity: str
    confidence: float
    """The marginal probability of the decision, whatever is decided elsewhere."""
    options: tuple[Option, ...]
    """The highest score first."""
    runner_up: RunnerUp | None
    """None if the chosen one is the only option, or the only one that the pins allow."""

    @property
    def is_wrong(self) -> bool:
        """Whether gold links it to something else."""
        return self.gold not in (None, NIL) and self.gold != self.entity

    @property
    def is_out_of_reach(self) -> bool:
        """Whether the right entity is not among the candidates, so that no scores could have chosen it."""
        return self.is_wrong and not any(option.gold for option in self.options)


class Sequenced(NamedTuple):
    """One of the search's final sequences: its score, its probability among them, and the entity of each mention."""

    score: float
    probability: float
    entities: tuple[str, ...]


@dataclass(frozen=True)
class DisambiguationTrace:
    document: str
    decisions: tuple[Decision, ...]
    passes: tuple[Pass, ...]
    chosen: Direction
    score: float
    gold_score: float | None
    verdict: Verdict
    width: int
    width_needed: int | None
    k_best: tuple[Sequenced, ...]

    @property
    def n_wrong(self) -> int:
        return sum(decision.is_wrong for decision in self.decisions)

    @property
    def n_out_of_reach(self) -> int:
        return sum(decision.is_out_of_reach for decision in self.decisions)

    @property
    def n_pinned_away(self) -> int:
        """Mentions whose right entity a pin forbids."""
        return sum(option.gold and not option.allowed for decision in self.decisions for option in decision.options)


def trace(scored: DisambiguationScored, pins: Sequence[Pin] = ()) -> DisambiguationTrace:
    """Decode a corpus of one document and record everything."""
    (document,) = scored.documents
    if not scored.n_mentions:
        return DisambiguationTrace(document.id, (), (), "forward", 0.0, None, "no gold", scored.width, None, ())
    problem = problem_of(scored, {document.id: pins} if pins else None)
    runs = record(problem)
    found = answer(problem, runs)
    chosen = found.chosen
    away = {m for m in chosen if scored.gold[m] >= 0 and not problem.allowed[scored.gold[m]]}
    gold = _gold_rows(scored.gold, chosen, away)
    path = Reference(gold, frozenset(away), chosen)
    gold_score = score_of(problem, gold, found.weights)
    score = float(found.scores[found.best])
    lost = gold_score > score or any(
        beats(problem, m, row, score, found.weights) for m, row in gold.items() if row != chosen[m]
    )
    verdict = _verdict(scored, chosen == gold, bool(away), lost)
    return DisambiguationTrace(
        document=document.id,
        decisions=_decisions(problem, found),
        passes=tuple(pass_of(run, problem, path, direction) for run, direction in zip(runs, DIRECTIONS, strict=False)),
        chosen="backward" if found.backward else "forward",
        score=score,
        gold_score=gold_score if np.isfinite(gold_score) else None,
        verdict=verdict,
        width=scored.width,
        width_needed=_width_that_keeps(problem, gold) if verdict == "search error" else None,
        k_best=_k_best(problem, found),
    )


def _gold_rows(gold: Ints, chosen: dict[int, int], away: set[int]) -> dict[int, int]:
    """The right row of every mention; the chosen row if gold is silent, or if its entity is not a candidate or is
    forbidden by a pin."""
    return {m: int(gold[m]) if gold[m] >= 0 and m not in away else row for m, row in chosen.items()}


def _verdict(scored: DisambiguationScored, right: bool, away: bool, lost: bool) -> Verdict:
    """Whether the search or the model is to blame. `right`: the chosen sequence is the best one within reach; `away`:
    pins forbid an entity; `lost`: the right sequence, or one with one more right entity, scores higher than the chosen
    one."""
    if not ((scored.gold >= 0) | (scored.gold == GOLD_MISSING)).any():
        return "no gold"
    if right:
        missing = bool((scored.gold == GOLD_MISSING).any())
        return "pinned away" if away else "candidate missing" if missing else "right"
    return "search error" if lost else "model error"


def _width_that_keeps(problem: Problem, gold: dict[int, int]) -> int | None:
    for width in WIDTHS:
        if width <= problem.how.width:
            continue
        for run in record(problem.with_width(width)):
            wanted = [gold[int(m)] for m in run.mentions]
            if any(run.path(k) == wanted for k in range(len(run.final))):
                return width
    return None


def _decisions(problem: Problem, found: Answer) -> tuple[Decision, ...]:
    """Every mention with the scores of its candidates given the earlier decisions of the chosen sequence."""
    scored, chosen = problem.scored, found.chosen
    (document,) = scored.documents
    starts = found.run.starts(found.k)
    out = []
    for m, mention in enumerate(document.gold.mentions):
        rows = scored.rows(m)
        scores = found.run.block.cache.scores[starts[m] : starts[m] + len(rows)]
        shares = found.options.options[rows.start : rows.stop]
        options = _options(problem, m, scores, shares, chosen[m])
        sure = found.options.nil[m] if chosen[m] == NIL_ROW else found.options.options[chosen[m]]
        entity = problem.entity(m, chosen[m])
        out.append(
            Decision(
                start=mention.start,
                end=mention.end,
                surface=document.surface(mention),
                gold=mention.entity,
                entity=entity,
                confidence=float(sure),
                options=options,
                runner_up=_runner_up(entity, options, float(problem.nil[m])),
            )
        )
    return tuple(out)


def _options(problem: Problem, m: int, scores: Floats, shares: Floats, chosen: int) -> tuple[Option, ...]:
    scored = problem.scored
    options = (
        Option(
            part=row,
            entity=scored.title(row),
            score=float(score),
            probability=float(share),
            gold=bool(row == scored.gold[m]),
            chosen=row == chosen,
            allowed=bool(problem.allowed[row]),
        )
        for row, score, share in zip(scored.rows(m), scores, shares, strict=True)
    )
    return tuple(sorted(options, key=lambda option: (-option.score, option.entity)))


def _runner_up(entity: str, options: Sequence[Option], nil: float) -> RunnerUp | None:
    """The second choice. `nil`: log-odds of NIL against all candidates together, with the bias."""
    rivals = [option for option in options if option.allowed and not option.chosen]
    if not rivals:
        return None
    if entity == NIL:
        together = float(np.logaddexp.reduce([option.score for option in options]))
        return RunnerUp(rivals[0].entity, nil + together - rivals[0].score)
    score = next((option.score for option in options if option.chosen), None)
    return None if score is None else RunnerUp(rivals[0].entity, score - rivals[0].score)


def _k_best(problem: Problem, found: Answer) -> tuple[Sequenced, ...]:
    return tuple(
        Sequenced(
            float(found.scores[k]),
            float(found.shares[k]),
            tuple(problem.entity(m, row) for m, row in sorted(found.sequences[k].items())),
        )
        for k in np.argsort(-found.scores, kind="stable")
    )
