"""The tables of an experiment: means over seeds with intervals, and paired differences from the first system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from engine.arrays import Floats
from engine.metrics.significance import ScoreDifference, as_counts, paired_bootstrap, t_interval
from engine.tasks.base import AnyTask
from engine.workbench.experiments.running import Outcome
from engine.workbench.experiments.saved import Experiment, write_whole
from engine.workbench.reporting.tables import ReportTable


@dataclass(frozen=True)
class Line:
    """One system on one corpus, learnt from one share of the documents; scores are fractions."""

    system: str
    corpus: str
    share: float
    runs: int
    """Seeds, or folds."""
    scores: Mapping[str, tuple[float, float | None]]
    """Mean, and half the 95 % interval of Student's t over the runs (None for a single run)."""
    difference: ScoreDifference | None
    """Of the main score from the first system of the corpus, paired over documents; None for the first."""
    seconds: float


def main_of(task: AnyTask, scores: Mapping[str, Any]) -> str:
    """The score that systems are compared by: the task's main one where gold can tell it, else the last."""
    main = task.main_score[-1]
    return main if main in scores else list(scores)[-1]


def grouped(experiment: Experiment) -> dict[tuple[str, float, str], list[Outcome]]:
    """The outcomes of each system, share and corpus, in the order of the first."""
    groups: dict[tuple[str, float, str], list[Outcome]] = {}
    for outcome in experiment.outcomes.values():
        for corpus in outcome.scores:
            groups.setdefault((outcome.trial.system, outcome.trial.share, corpus), []).append(outcome)
    return groups


def lines(task: AnyTask, experiment: Experiment, *, samples: int = 2000) -> list[Line]:
    """Every system on every corpus, first by corpus and share, in the order in which they were made."""
    groups = grouped(experiment)
    first: dict[tuple[float, str], tuple[str, float, str]] = {}
    made = []
    for key, outcomes in groups.items():
        system, share, corpus = key
        begins = first.setdefault((share, corpus), key)
        names = list(outcomes[0].scores[corpus])
        scores = {name: _interval([one.scores[corpus][name] for one in outcomes]) for name in names}
        difference = None
        if begins != key:
            difference = _difference(task, groups[begins], outcomes, corpus, samples)
        seconds = mean(one.seconds for one in outcomes)
        made.append(Line(system, corpus, share, len(outcomes), scores, difference, seconds))
    corpora = list(dict.fromkeys(line.corpus for line in made))
    return sorted(made, key=lambda line: (corpora.index(line.corpus), line.share))


def _interval(values: Sequence[float]) -> tuple[float, float | None]:
    found = t_interval(values)
    return found.value, None if len(values) < 2 else found.high - found.value


def _difference(
    task: AnyTask, first: Sequence[Outcome], second: Sequence[Outcome], corpus: str, samples: int
) -> ScoreDifference | None:
    """Second minus first, over the runs that both have: the same seeds, or the same folds."""
    runs = [{(one.trial.seed, one.trial.fold): one for one in outcomes} for outcomes in (first, second)]
    common = [run for run in runs[0] if run in runs[1]]
    if not common:
        return None
    columns, statistic = task.statistics()[main_of(task, first[0].scores[corpus])]
    a, b = (_pooled([own[run] for run in common], corpus, columns) for own in runs)
    if a.shape != b.shape or not len(a):
        return None
    return paired_bootstrap(a, b, statistic, samples=samples)


def _pooled(outcomes: Sequence[Outcome], corpus: str, columns: Sequence[str]) -> Floats:
    """Counts of all documents: summed over seeds, one fold after another."""
    by_fold: dict[int, list[Floats]] = {}
    for one in outcomes:
        by_fold.setdefault(one.trial.fold or 0, []).append(as_counts(one.counts[corpus], columns))
    return np.concatenate([np.sum(by_fold[fold], axis=0) for fold in sorted(by_fold)])


def tables(task: AnyTask, experiment: Experiment) -> list[ReportTable]:
    """What a paper would print of it; a table that would be empty is left out."""
    found = lines(task, experiment)
    made = [_scores(task, experiment, found), _shares(task, found), _chosen(experiment), _forced(experiment)]
    return [table for table in made if table.rows]


def _scores(task: AnyTask, experiment: Experiment, found: Sequence[Line]) -> ReportTable:
    """Percentages with one decimal; the interval after ± is over runs, that of the difference over documents."""
    runs = "folds" if experiment.about.plan.folds else "seeds"
    whole = max((line.share for line in found), default=1.0)
    rows = []
    for line in found:
        if line.share != whole:
            continue
        scores = {name: _percent(*value) for name, value in line.scores.items()}
        row = {"corpus": line.corpus, "system": line.system, runs: line.runs, **scores}
        difference = line.difference
        row[f"{main_of(task, line.scores)} − first"] = "" if difference is None else _signed(difference.value)
        row["95 % interval"] = "" if difference is None else f"{_signed(difference.low)} … {_signed(difference.high)}"
        row["seconds"] = f"{line.seconds:.0f}"
        rows.append(row)
    return ReportTable.of("scores", rows)


def _shares(task: AnyTask, found: Sequence[Line]) -> ReportTable:
    """The main score of each system by the share of the documents that it learnt from."""
    shares = sorted({line.share for line in found})
    if len(shares) < 2:
        return ReportTable("shares", (), ())
    rows = []
    for corpus, system in dict.fromkeys((line.corpus, line.system) for line in found):
        own = {line.share: line for line in found if (line.corpus, line.system) == (corpus, system)}
        cells = {
            f"{100 * share:g} %": _percent(*own[share].scores[main_of(task, own[share].scores)]) if share in own else ""
            for share in shares
        }
        rows.append({"corpus": corpus, "system": system, **cells})
    return ReportTable.of("shares", rows)


def _chosen(experiment: Experiment) -> ReportTable:
    rows = [
        {"system": one.trial.system, "seed": one.trial.seed, "chosen on dev": " ".join(one.chosen)}
        for one in experiment.outcomes.values()
        if one.chosen
    ]
    return ReportTable.of("chosen", rows)


def _forced(experiment: Experiment) -> ReportTable:
    """Where a relation is known to hold: means over seeds of what `evaluate --forced` reports."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in experiment.outcomes.values():
        for corpus, report in one.forced.items():
            groups.setdefault((corpus, one.trial.system), []).append(_numbers(report))
    rows = []
    for (corpus, system), reports in groups.items():
        cells = {name: f"{100 * mean(one[name] for one in reports):.1f}" for name in reports[0]}
        rows.append({"corpus": corpus, "system": system, **cells})
    return ReportTable.of("forced", rows)


def _numbers(report: Mapping[str, Any], before: str = "") -> dict[str, float]:
    """The shares of a report by their path."""
    found: dict[str, float] = {}
    for name, value in report.items():
        if isinstance(value, Mapping):
            found.update(_numbers(value, f"{before}{name} "))
        elif isinstance(value, float):
            found[f"{before}{name}"] = value
    return found


def write(task: AnyTask, experiment: Experiment) -> list[Path]:
    """The tables beside the trials: all as Markdown, each as CSV and LaTeX. Returns what was written."""
    made = tables(task, experiment)
    about = experiment.about
    data = ", ".join(f"{name} ({one['documents']} documents)" for name, one in about.documents.items())
    words = [f"# {task.title}", f"On {data}.", *([f"Made by `{about.command}`."] if about.command else [])]
    notes = sorted({f"- {one.trial.system}: {note}" for one in experiment.outcomes.values() for note in one.notes})
    sections = [f"## {table.name}\n\n{table.markdown()}" for table in made]
    text = "\n\n".join([*words, *sections, *(["## Notes\n\n" + "\n".join(notes)] if notes else [])])
    files = {"tables.md": text + "\n"}
    for table in made:
        files |= {f"{table.name}.csv": table.csv(), f"{table.name}.tex": table.latex()}
    for name, content in files.items():
        write_whole(experiment.folder / name, content)
    return [experiment.folder / name for name in files]


def _percent(value: float, half: float | None) -> str:
    return f"{100 * value:.1f}" if half is None else f"{100 * value:.1f} ± {100 * half:.1f}"


def _signed(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return text.replace("-", "−")
