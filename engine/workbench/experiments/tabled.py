"""The tables of an experiment, in the style of a paper, and the files that hold them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, Final

from engine.tasks.base import AnyTask
from engine.workbench.experiments import deviating, published
from engine.workbench.experiments.running import shares
from engine.workbench.experiments.saved import Experiment, write_whole
from engine.workbench.experiments.summary import Line, grouped, interval, lines, main_of, percent, signed_cells
from engine.workbench.reporting.tables import ReportTable

SCALE: Final = "Percent; after ± half the 95 % interval over runs; differences are paired over documents."


def tables(task: AnyTask, experiment: Experiment) -> list[ReportTable]:
    """All tables of an experiment; empty ones are left out."""
    found = lines(task, experiment)
    made = [
        _scores(task, experiment, found),
        published.table(task, experiment),
        deviating.table(task, experiment),
        _shares(task, found),
        _chosen(experiment),
        _forced(experiment),
        _details(experiment),
    ]
    return [table for table in made if table.rows]


def _scores(task: AnyTask, experiment: Experiment, found: Sequence[Line]) -> ReportTable:
    """Percentages with one decimal; the interval after ± is over runs, that of the difference over documents."""
    runs = "folds" if experiment.about.plan.folds else "seeds"
    whole = max((line.share for line in found), default=1.0)
    rows = []
    for line in found:
        if line.share != whole:
            continue
        scores = {name: percent(*value) for name, value in line.scores.items()}
        row = {"corpus": line.corpus, "system": line.system, runs: line.runs, **scores}
        row |= signed_cells(f"{main_of(task, line.scores)} − first", line.difference)
        rows.append({**row, "CPU seconds": f"{line.seconds:.0f}"})
    return ReportTable.of("scores", rows)


def _shares(task: AnyTask, found: Sequence[Line]) -> ReportTable:
    """The main score of each system by the share of the documents on which it was trained."""
    shares = sorted({line.share for line in found})
    if len(shares) < 2:
        return ReportTable("shares", (), ())
    rows = []
    for corpus, system in dict.fromkeys((line.corpus, line.system) for line in found):
        own = {line.share: line for line in found if (line.corpus, line.system) == (corpus, system)}
        cells = {
            f"{100 * share:g} %": percent(*own[share].scores[main_of(task, own[share].scores)]) if share in own else ""
            for share in shares
        }
        rows.append({"corpus": corpus, "system": system, **cells})
    return ReportTable.of("shares", rows)


def _chosen(experiment: Experiment) -> ReportTable:
    rows = [
        {
            "system": one.trial.system,
            "seed": one.trial.seed,
            "on dev": " ".join(one.chosen),
            "on train": one.suited,
        }
        for one in experiment.outcomes.values()
        if one.chosen or one.suited
    ]
    return ReportTable.of("chosen", rows)


def _forced(experiment: Experiment) -> ReportTable:
    """The forced-decision test: means over seeds of the results of `evaluate --forced`."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in experiment.outcomes.values():
        for corpus, report in one.forced.items():
            groups.setdefault((corpus, one.trial.system), []).append(shares(report))
    rows = []
    for (corpus, system), reports in groups.items():
        cells = {
            name.removeprefix("systems "): f"{100 * mean(one[name] for one in reports):.1f}" for name in reports[0]
        }
        rows.append({"corpus": corpus, "system": system, **cells})
    return ReportTable.of("forced", rows)


def _details(experiment: Experiment) -> ReportTable:
    """Every share that `evaluate` reports, one row each: means over the runs with the largest training share. Those
    that are 0 in every run, such as labels that nobody finds, are left out."""
    groups = grouped(experiment)
    whole = max((share for _, share, _ in groups), default=1.0)
    columns = {(corpus, system): found for (system, share, corpus), found in groups.items() if share == whole}
    rows = []
    for corpus in dict.fromkeys(corpus for corpus, _ in columns):
        own = {
            system: [one.reports[corpus] for one in found if corpus in one.reports]
            for (judged, system), found in columns.items()
            if judged == corpus
        }
        names = dict.fromkeys(name for reports in own.values() for report in reports for name in report)
        for name in names:
            values = {system: [report[name] for report in reports if name in report] for system, reports in own.items()}
            if not any(value for known in values.values() for value in known):
                continue
            cells = {system: percent(*interval(known)) if known else "" for system, known in values.items()}
            rows.append({"corpus": corpus, "score": name, **cells})
    return ReportTable.of("details", rows)


def write(task: AnyTask, experiment: Experiment, copy: Path | None = None) -> list[Path]:
    """Write the tables next to the trials: all as Markdown, each as CSV and LaTeX. Returns the files written, including
    the requested copy of the Markdown."""
    made = tables(task, experiment)
    files = {experiment.folder / "tables.md": markdown(task, experiment, made)}
    if copy is not None:
        files[copy] = markdown(task, experiment, made)
    for table in made:
        files |= {
            experiment.folder / f"{table.name}.csv": table.csv(),
            experiment.folder / f"{table.name}.tex": table.latex(),
        }
    for path, content in files.items():
        write_whole(path, content)
    return list(files)


def markdown(task: AnyTask, experiment: Experiment, made: Sequence[ReportTable]) -> str:
    """All tables on one page, with the command that made them and the learners' notes."""
    about = experiment.about
    data = ", ".join(f"{name} ({one['documents']} documents)" for name, one in about.documents.items())
    words = [f"# {task.title}: an experiment", _filled(f"On {data}. {SCALE}")]
    if about.command:
        words.append(f"```\n{_wrapped(about.command)}\n```")
    sections = [f"## {table.name.capitalize()}\n\n{table.markdown()}{_said(task, table)}".rstrip() for table in made]
    said = {f"{one.trial.system}: {note}" for one in experiment.outcomes.values() for note in one.notes}
    notes = [_filled(f"- {note}") for note in sorted(said)]
    return "\n\n".join([*words, *sections, *(["## Notes\n\n" + "\n".join(notes)] if notes else [])]) + "\n"


def _filled(text: str) -> str:
    """Wrapped prose; lines of a list item are indented."""
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _wrapped(command: str) -> str:
    """A command over several lines, each but the last ending with the shell's continuation mark."""
    lines = textwrap.wrap(command, 112, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return " \\\n".join(lines)


def _said(task: AnyTask, table: ReportTable) -> str:
    """The text below a table of published numbers."""
    paper = published.papers().get(task.name)
    if paper is None or table.name != published.NAME:
        return ""
    return "\n" + _filled(f"{paper.source}. {paper.differs}") + "\n"
