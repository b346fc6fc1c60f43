"""Which run to show where nobody asked for one: the starred one, else the best; never a toy or one that was stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.store.workspace import RunInfo
from engine.tasks.registry import get
from engine.workbench.honesty import ids


def first_of(runs: Sequence[RunInfo], sizes: Mapping[str, int]) -> RunInfo:
    """The run to begin with, of runs that stand newest first; `sizes` says how many documents each corpus has.

    Scores on different dev corpora cannot be compared, so the run that learnt from most says which dev counts, and of
    those that chose on it and learnt from at least half as much the best leads: one that was retrained with a few
    texts more and got worse does not. A run that chose on what it learnt from has a
    score that means nothing. Of equal ones the system's own learner leads, then the newest.
    """
    order = {run.id: place for place, run in enumerate(runs)}

    def rank(run: RunInfo) -> tuple[bool, bool, bool, int, bool, int]:
        train, dev = set(ids(run.train)), set(ids(run.dev))
        return (
            run.starred,
            run.status == "done",
            not train & dev,
            sum(sizes.get(id, 0) for id in train),
            run.learner == get(run.task).default_learner,
            -order[run.id],
        )

    leader = max(runs, key=rank)
    least = rank(leader)[3] / 2
    rivals = [
        run
        for run in runs
        if rank(run)[:3] == rank(leader)[:3]
        and rank(run)[3] >= least
        and (run.task, run.dev) == (leader.task, leader.dev)
    ]
    return max(rivals, key=lambda run: (_score(run), *rank(run)))


def _score(run: RunInfo) -> float:
    """The main score of a run; below all others where it has none."""
    found: object = run.scores
    for key in get(run.task).main_score:
        if not isinstance(found, Mapping) or key not in found:
            return -1.0
        found = found[key]
    return float(found) if isinstance(found, int | float) else -1.0
