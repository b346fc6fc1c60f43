"""One self-contained account of a run: settings, data, curve, errors by stage, comparison, ledger.

The HTML file holds its plots as SVG and asks the network for nothing.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from engine.data.document import Document, Layer
from engine.metrics.errors import (
    STAGES,
    Doubts,
    Error,
    blame_gold,
    stage_table,
    stages_absent,
    stages_shown,
)
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.outside import errors_of_answers
from engine.tasks.outside_run import is_outside
from engine.tasks.scored import Scored
from engine.tuning.band import bootstrap_band
from engine.tuning.curve import Curve
from engine.workbench.comparison import compare, gold_items, shared
from engine.workbench.repair import score_if_fixed, score_without
from engine.workbench.report_pictures import STYLE, against_svg, curve_svg
from engine.workbench.tables import ReportTable


@dataclass(frozen=True)
class Section:
    """A heading, a sentence, a picture as SVG, tables."""

    title: str
    text: str = ""
    picture: str = ""
    tables: tuple[ReportTable, ...] = ()


@dataclass(frozen=True)
class RunReport:
    title: str
    sections: tuple[Section, ...]

    @property
    def tables(self) -> tuple[ReportTable, ...]:
        return tuple(table for section in self.sections for table in section.tables)

    def html(self) -> str:
        parts = [
            f"<section><h2>{escape(one.title)}</h2><p>{escape(one.text)}</p>{one.picture}"
            + "".join(table.html() for table in one.tables)
            + "</section>"
            for one in self.sections
        ]
        return (
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
            "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            f"<title>{escape(self.title)}</title><style>{STYLE}</style></head><body><h1>{escape(self.title)}</h1>"
            + "".join(parts)
            + "</body></html>\n"
        )

    def markdown(self) -> str:
        lines = [f"# {self.title}", ""]
        for section in self.sections:
            lines += [f"## {section.title}", "", section.text, ""]
            for table in section.tables:
                lines += [f"**{table.name}**", "", table.markdown()]
        return "\n".join(lines)


@dataclass(frozen=True)
class About:
    """What a report says of a run and its data before any result."""

    name: str
    data_name: str
    data_hash: str
    learner: str = ""
    training_hash: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of_model(cls, model: AnyModel, *, name: str, data_name: str, data_hash: str) -> About:
        # A run from outside was not trained here, so no setting of ours made it.
        settings = {} if is_outside(model) else dataclasses.asdict(model.settings)
        return cls(name, data_name, data_hash, model.learner, model.data_hash, settings)


@dataclass(frozen=True)
class System:
    """Predicted layers, with the scores they were decided from where those are known."""

    layers: Sequence[Layer]
    scored: Scored | None = None


def report(
    task: AnyTask,
    scored: Scored,
    about: About,
    *,
    verdict: str = "",
    others: Mapping[str, System] | None = None,
    doubts: Mapping[str, Doubts] | None = None,
) -> RunReport:
    """Everything about a scored corpus with gold, at its bias.

    `others` are systems to compare with, by name; `verdict` is the guard's; `doubts` are where people said that gold is
    wrong, by document.
    """
    documents, predicted = scored.documents, task.decide(scored)
    scores = task.evaluate(documents, predicted, scored)
    sections = [Section("Run", verdict, tables=(_run(task, about, {"bias": scored.bias}, len(scored)),))]
    sections.append(_curve(task.curve(scored), scored.bias, task.abstain))
    errors = blame_gold(task.errors(scored, predicted), doubts or {})
    ours = System(predicted, scored)
    sections.append(_errors(task, documents, ours, scores, errors))
    for other, theirs in (others or {}).items():
        sections.append(_comparison(task, documents, ours, theirs, (about.name, other), errors))
    extra = task.extra_tables(scored)
    if extra:
        sections.append(Section("More of this system", tables=tuple(ReportTable.of(*one) for one in extra.items())))
    sections.append(Section("All scores", "Fractions in [0, 1].", tables=(_scores(scores),)))
    return RunReport(f"Espalier report: {about.name} on {about.data_name}", tuple(sections))


def report_on_answers(
    task: AnyTask,
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    about: About,
    *,
    others: Mapping[str, System] | None = None,
) -> RunReport:
    """The same about answers that came without scores. What only scores can tell is missing and said to be so."""
    scores = task.evaluate(documents, predicted, None)
    untold = (
        "These answers came without scores: there is no curve, and an answer that was missed is not listed,"
        " whatever stage lost it."
    )
    ours, errors = System(predicted), errors_of_answers(task, documents, predicted)
    sections = [Section("Run", untold, tables=(_run(task, about, {}, len(documents)),))]
    sections.append(_errors(task, documents, ours, scores, errors))
    for other, theirs in (others or {}).items():
        sections.append(_comparison(task, documents, ours, theirs, (about.name, other), errors))
    sections.append(Section("All scores", "Fractions in [0, 1].", tables=(_scores(scores),)))
    return RunReport(f"Espalier report: {about.name} on {about.data_name}", tuple(sections))


def _run(task: AnyTask, about: About, decided: Mapping[str, object], n_documents: int) -> ReportTable:
    told = {
        "task": task.name,
        "learner": about.learner,
        **decided,
        "training data (SHA-256)": about.training_hash,
        "evaluated on": about.data_name,
        "evaluated data (SHA-256)": about.data_hash,
        "documents": n_documents,
        **about.settings,
    }
    return ReportTable.of("settings", [{"setting": key, "value": str(value)} for key, value in told.items()])


def _scores(report: Mapping[str, Any]) -> ReportTable:
    rows: list[dict[str, Any]] = []

    def walk(value: Mapping[str, Any], path: str) -> None:
        for key, one in value.items():
            where = f"{path} {key}".strip()
            if isinstance(one, Mapping):
                walk(one, where)
            elif isinstance(one, int | float | str):
                rows.append({"score": where, "value": one})

    walk(report, "")
    return ReportTable.of("all scores", rows)


def _curve(curve: Curve, bias: float, abstain: str) -> Section:
    best = curve.best_index()
    rows = [
        {"point": label, "bias": p.bias, "precision": p.precision, "recall": p.recall, "f1": p.f1}
        for label, p in (("chosen", curve.at(bias)), ("highest F1", curve.point(best)))
    ]
    kind = "all operating points, exact" if curve.exact else "a grid, since search is approximate"
    band = bootstrap_band(curve, points=60) if curve.steps is not None and len(curve.steps.gold) > 1 else None
    shade = f" Shaded: {100 * band.level:.0f} % bootstrap band over documents." if band is not None else ""
    return Section(
        "Precision and recall against the bias",
        f"{len(curve.bias)} steps of the {abstain} bias ({kind}); area under the curve {curve.area():.3f}."
        f" The vertical line and the dot mark the chosen bias.{shade}",
        f"<div class='plots'>{curve_svg(curve, bias, band)}{against_svg(curve, bias)}</div>",
        (ReportTable.of("operating points", rows),),
    )


def _errors(
    task: AnyTask,
    documents: Sequence[Document],
    ours: System,
    scores: Mapping[str, Any],
    errors: Sequence[Error],
) -> Section:
    predicted, scored = ours.layers, ours.scored
    counts = stage_table(errors)
    types = [name for name, _ in sum(counts.values(), Counter()).most_common(8)]
    main = task.main_name
    now = task.main_number(scores)
    rows = []
    for stage in stages_shown(task.stages, counts):
        own = [error for error in errors if error.stage == stage]
        fixed = task.main_number(score_if_fixed(task, documents, predicted, own, scored)) if own else None
        row: dict[str, Any] = {"stage": stage, "errors": len(own)}
        row |= {name or "(no type)": counts[stage].get(name, 0) for name in types}
        rows.append({**row, f"{main} if fixed": fixed, "gain": None if fixed is None else fixed - now})
    absent = stages_absent(task.stages)
    text = f"{len(errors)} misses and false alarms, each with the one stage to blame; {main} is {now:.4f} now."
    if absent:
        text += f" Cannot occur in this system: {', '.join(absent)}."
    wrong = [error for error in errors if error.stage == STAGES[0]]
    if wrong:
        other = task.main_number(score_without(task, documents, predicted, wrong, scored))
        text += f" Against gold without what was marked wrong, {main} is {other:.4f}."
    return Section("Errors by stage", text, tables=(ReportTable.of("stages", rows),))


def _errors_of(task: AnyTask, documents: Sequence[Document], system: System) -> list[Error]:
    if system.scored is None:
        return errors_of_answers(task, documents, system.layers)
    found: list[Error] = task.errors(system.scored, system.layers)
    return found


def _comparison(
    task: AnyTask,
    documents: Sequence[Document],
    ours: System,
    theirs: System,
    names: tuple[str, str],
    errors: Sequence[Error],
) -> Section:
    name, other = names
    result = compare(task, documents, ours.layers, theirs.layers, scored=(ours.scored, theirs.scored))
    rows = [
        {
            "score": one.name,
            name: one.first,
            other: one.second,
            "difference": one.difference.value,
            "95 % from": one.difference.low,
            "95 % to": one.difference.high,
            "p (permutation)": one.p_permutation,
            "p (Holm)": one.p_corrected,
        }
        for one in result.scores
    ]
    tables = [ReportTable.of("differences", rows)]
    if theirs.scored is not None or task.exchange is not None:
        found = shared(gold_items(task, documents), errors, _errors_of(task, documents, theirs))
        numbers = {
            "both": found.both,
            f"only {name}": len(found.only_first),
            f"only {other}": len(found.only_second),
            "neither": len(found.neither),
        }
        tables.append(ReportTable.of("gold items found by", [{"by": who, "items": n} for who, n in numbers.items()]))
    return Section(
        f"Compared with {other}",
        f"Paired over {result.n_documents} documents; p (Holm) is corrected for {len(rows)} scores.",
        tables=tuple(tables),
    )
