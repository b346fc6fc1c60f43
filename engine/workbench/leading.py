"""Chooses the run to show by default: the starred one, else the best; never a toy or a stopped one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.store.workspace import RunInfo
from engine.tasks.registry import get
from engine.workbench.honesty import ids


def first_of(runs: Sequence[RunInfo], sizes: Mapping[str, int]) -> RunInfo:
    """The default among runs listed newest first; `sizes` gives the number of documents of each corpus.

    Scores on different dev corpora cannot be compared, so the dev corpus of the run with the most training documents is
    used. The default is the best of the runs that used this dev corpus and at least half as many training documents, so
    a run that was retrained with a few more texts and got worse is not chosen. The score of a run whose dev corpus was
    also its training corpus is meaningless. Among equals, the system's default learner wins, then the newest run.
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
    """The main score of a run; below all others if it has none."""
    found: object = run.scores
    for key in get(run.task).main_score:
        if not isinstance(found, Mapping) or key not in found:
            return -1.0
        found = found[key]
    return float(found) if isinstance(found, int | float) else -1.0
