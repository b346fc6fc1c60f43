"""The effect of each setting in which the paper differs from the default, one at a time: compared with the learner's
own default, paired over documents."""

from __future__ import annotations

from engine.tasks.base import AnyTask
from engine.workbench.experiments.plan import deviations
from engine.workbench.experiments.running import Outcome
from engine.workbench.experiments.saved import Experiment
from engine.workbench.experiments.summary import difference, interval, main_of, percent, signed_cells
from engine.workbench.reporting.tables import ReportTable

NAME = "deviations"


def table(task: AnyTask, experiment: Experiment) -> ReportTable:
    """A row for every default, for every deviation that was tried, and for all of the paper's settings together."""
    rows: list[dict[str, object]] = []
    if not experiment.about.plan.deviations:
        return ReportTable(NAME, (), ())
    whole = max((one.trial.share for one in experiment.outcomes.values()), default=1.0)
    for learner in experiment.about.plan.learners:
        alone = set(deviations(task.learner(learner)))
        groups: dict[tuple[str, str], list[Outcome]] = {}
        for one in experiment.outcomes.values():
            trial = one.trial
            ours = trial.learner == learner and trial.share == whole
            if ours and (not trial.changes or (trial.preset == "default" and trial.changes in alone)):
                name = " ".join(trial.changes) or ("default" if trial.preset == "default" else f"{trial.preset}: all")
                for corpus in one.scores:
                    groups.setdefault((corpus, name), []).append(one)
        for (corpus, name), outcomes in groups.items():
            begins = groups.get((corpus, "default"))
            if begins is None:
                continue
            main = main_of(task, outcomes[0].scores[corpus])
            found = None if name == "default" else difference(task, begins, outcomes, corpus)
            rows.append(
                {
                    "corpus": corpus,
                    "learner": learner,
                    "setting as in the paper": name,
                    "runs": len(outcomes),
                    main: percent(*interval([one.scores[corpus][main] for one in outcomes])),
                    **signed_cells(f"{main} − default", found),
                }
            )
    return ReportTable.of(NAME, rows)
