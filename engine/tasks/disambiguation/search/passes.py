"""One direction of a recorded problem, step by step: which sequences were kept, which pruned, and where gold stood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from engine.arrays import Floats
from engine.structures.beam import NIL_ROW, top_of
from engine.tasks.disambiguation.search.problem import Problem
from engine.tasks.disambiguation.search.recording import Recorded

Direction: TypeAlias = Literal["forward", "backward"]
Prefix: TypeAlias = tuple[int, ...]
Extension: TypeAlias = tuple[int | None, int]
"""A sequence kept before, and the row it is extended by."""

DIRECTIONS: Final[tuple[Direction, Direction]] = ("forward", "backward")
SHOWN: Final = 6
"""Maximum number of pruned sequences that a step keeps for the view, best first."""


@dataclass(frozen=True)
class Hypothesis:
    """A sequence at one step: the decision it ends in, its parent among those kept before, and its score.

    `probability` is relative to this step's kept sequences; 0 for a pruned one. `ahead` is the score that the other
    direction found for the entity: sequences are ranked by the sum of both.
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
class PassStep:
    """One decision: kept sequences first, then the best of the pruned ones. `gold_rank` counts from 1 among all
    expansions; None if the right prefix was already pruned. `pinned_away`: a pin forbids the right entity."""

    mention: int
    hypotheses: tuple[Hypothesis, ...]
    n_expansions: int
    gold_rank: int | None
    pinned_away: bool = False


@dataclass(frozen=True)
class Pass:
    """One direction: its steps in the order in which they were decided."""

    direction: Direction
    steps: tuple[PassStep, ...]
    score: float
    log_probability: float
    gold_fell_at: int | None
    """The step at which the right prefix was pruned."""


class Reference(NamedTuple):
    """What a pass is compared with: the right row of every mention, the mentions whose right entity a pin forbids, and
    the row that was chosen in the end."""

    gold: Mapping[int, int]
    away: frozenset[int]
    chosen: Mapping[int, int]


def pass_of(run: Recorded, problem: Problem, path: Reference, direction: Direction) -> Pass:
    """One recorded direction as a view draws it."""
    chosen = [path.chosen[int(m)] for m in run.mentions]
    winning = {tuple(chosen[: t + 1]) for t in range(run.n)}
    steps = []
    fell: int | None = None
    # The index of the right prefix among the sequences kept so far (None: it was pruned), and the rows of all of them.
    gold_at: int | None = 0
    prefixes: list[Prefix] = [()]
    for t, m in enumerate(int(m) for m in run.mentions):
        at = _At(run, problem, t, m)
        right = (gold_at, path.gold[m])
        is_chosen = [(*prefixes[parent], row) in winning for parent, row in at.kept]
        gold_rank, pruned = at.pruned_hypotheses(right)
        kept = at.kept_hypotheses(right if m not in path.away else None, is_chosen)
        n_expansions = int(np.isfinite(at.expansions).sum())
        steps.append(PassStep(m, (*kept, *pruned), n_expansions, gold_rank, m in path.away))
        if gold_at is not None and right not in at.kept:
            fell = t
        gold_at = at.kept.index(right) if right in at.kept else None
        prefixes = [(*prefixes[parent], row) for parent, row in at.kept]
    top = int(top_of(run.beam, run.n))
    return Pass(direction, tuple(steps), float(run.final[top]), run.log_probability, fell)


class _At:
    """One step of a recorded search: the sequences that were kept, as (parent, row), and all expansions."""

    def __init__(self, run: Recorded, problem: Problem, t: int, m: int) -> None:
        beam, rows = run.beam, problem.scored.rows(m)
        self.problem, self.m, self.first = problem, m, rows.start
        self.wide = len(rows) + 1
        self.expansions: Floats = beam.expansions[int(beam.offsets[t]) : int(beam.offsets[t + 1])]
        self.kept = [(int(beam.parents[t, k]), int(beam.rows[t, k])) for k in range(beam.n_kept[t])]
        self.scores: Floats = beam.scores[t, : len(self.kept)]
        self.before = [float(s) for s in beam.scores[t - 1, : beam.n_kept[t - 1]]] if t else [0.0]
        # The last one is declining.
        self.ahead: Floats = np.append(run.ahead.rows[rows.start : rows.stop], run.ahead.nil[m])

    def kept_hypotheses(self, right: Extension | None, is_chosen: Sequence[bool]) -> list[Hypothesis]:
        shares = np.exp(self.scores - np.logaddexp.reduce(self.scores))
        return [
            self._hypothesis(extension, float(self.scores[k]), float(shares[k]), True, extension == right, is_chosen[k])
            for k, extension in enumerate(self.kept)
        ]

    def pruned_hypotheses(self, right: Extension) -> tuple[int | None, list[Hypothesis]]:
        """The rank of the right extension among all, and the best of those that were pruned, the right one included."""
        seen = set(self.kept)
        order = np.argsort(-(self.expansions + np.tile(self.ahead, len(self.expansions) // self.wide)), kind="stable")
        pruned: list[Hypothesis] = []
        rank = None
        for place, e in enumerate(int(e) for e in order if self.expansions[e] > -np.inf):
            parent, c = divmod(e, self.wide)
            extension = (parent, self.first + c if c < self.wide - 1 else NIL_ROW)
            if extension == right:
                rank = place + 1
            if extension not in seen and (len(pruned) < SHOWN or extension == right):
                score = float(self.expansions[e])
                pruned.append(self._hypothesis(extension, score, 0.0, False, extension == right, False))
        return rank, pruned

    def _hypothesis(
        self, extension: tuple[int, int], score: float, share: float, kept: bool, gold: bool, chosen: bool
    ) -> Hypothesis:
        parent, row = extension
        return Hypothesis(
            parent=parent,
            entity=self.problem.entity(self.m, row),
            score=score,
            added=score - self.before[parent],
            probability=share,
            kept=kept,
            gold=gold,
            chosen=chosen,
            ahead=float(self.ahead[row - self.first] if row != NIL_ROW else self.ahead[-1]),
        )
