"""A self-contained report on a run: the result first, then curve, errors, typical cases, comparison, settings.

The HTML file contains its plots as SVG and loads nothing from the network.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from engine.metrics.errors import Doubts, stages_absent, stages_shown
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.outside.records import UNTOLD
from engine.tasks.scored import Scored
from engine.tuning.sketch import Sketch
from engine.workbench.blocks.curves import Joining, curve_tallies
from engine.workbench.blocks.sources import Answered
from engine.workbench.reporting.pictures import STYLE, against_svg, curve_svg
from engine.workbench.reporting.summary import Against, Gathering, Summary, report_portion
from engine.workbench.reporting.tables import ReportTable, plain
from engine.workbench.verdicts import Standing, of_comparison, of_point, p_in_words, percent, points, signed


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
    """The description of a run and its data."""

    name: str
    data_name: str
    data_hash: str
    learner: str = ""
    training_hash: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of_model(cls, model: AnyModel, *, name: str, data_name: str, data_hash: str) -> About:
        # An imported run was not trained here, so our settings do not apply to it.
        settings = {} if model.outside is not None else dataclasses.asdict(model.settings)
        return cls(name, data_name, data_hash, model.learner, model.data_hash, settings)


def report(
    task: AnyTask,
    scored: Scored,
    about: About,
    *,
    verdict: str = "",
    others: Mapping[str, Answered] | None = None,
    doubts: Mapping[str, Doubts] | None = None,
    revealed: Sequence[Mapping[str, object]] = (),
) -> RunReport:
    """The report on a scored corpus with gold, at its bias; for answers without scores, as far as possible.

    `others` are systems to compare with, by name; `doubts` are the places where people marked gold as wrong, by
    document; `verdict` and `revealed` are those of `drawn`.
    """
    ours, compared = Answered(scored.documents, task.decide(scored), scored), others or {}
    found = Gathering(task)
    found.take(report_portion(task, ours, list(compared.values()), doubts=doubts))
    if found.curve.needs_outline:
        outline, found.curve = found.curve.outline, Joining()
        found.curve.take(curve_tallies(task, scored, outline, steps=True))
    return drawn(task, found.summary(list(compared), scored.documents), about, verdict=verdict, revealed=revealed)


def drawn(
    task: AnyTask,
    found: Summary,
    about: About,
    *,
    verdict: str = "",
    revealed: Sequence[Mapping[str, object]] = (),
) -> RunReport:
    """The report of a summary. `verdict` is the guard's; `revealed` lists the looks at test data, one row each."""
    compared = [_comparison(task, one, about.name) for one in found.against]
    sections = [_result(task, found, [verdict, *(one.text for one in compared)], revealed)]
    if found.sketch is not None:
        sections.append(_curve(found.sketch))
    sections.append(_errors(task, found))
    sections.append(_typical(found.typical))
    sections += compared
    if found.extra:
        tables = tuple(ReportTable.of(*one) for one in found.extra.items())
        sections.append(Section("More of this system", tables=tables))
    sections.append(Section("All scores", "In percent, unless they are counts.", tables=(_scores(found.scores),)))
    untold = UNTOLD if found.sketch is None else ""
    sections.append(Section("Run", untold, tables=(_run(task, about, found),)))
    return RunReport(f"Espalier report: {about.name} on {about.data_name}", tuple(sections))


def _result(task: AnyTask, found: Summary, told: Sequence[str], revealed: Sequence[Mapping[str, object]]) -> Section:
    """The result in a few sentences, and the scores on test data that somebody looked at."""
    parts = [f"{task.main_name[:1].upper()}{task.main_name[1:]} is {percent(task.main_number(found.scores))} %."]
    if found.sketch is not None:
        curve, i = found.sketch.shown, found.sketch.chosen
        here = Standing(int(curve.predicted[i]), int(curve.correct[i]), int(curve.found[i]), int(curve.gold))
        parts.append(f"At bias {signed(found.sketch.bias)}, {of_point(here, here, task.unit)}")
    parts += [one for one in told if one]
    tables = (ReportTable.of("test data that was looked at", revealed),) if revealed else ()
    return Section("Result", " ".join(parts), tables=tables)


def _typical(cases: Sequence[str]) -> Section:
    """Some cases as the app draws them."""
    text = "The surest wrong answers, from every stage in turn. Outlined: what gold says; filled: what was said."
    return Section("Typical errors", text if cases else "There are none.", f"<div class='cases'>{''.join(cases)}</div>")


def _run(task: AnyTask, about: About, found: Summary) -> ReportTable:
    told = {
        "task": task.name,
        "learner": about.learner,
        **({} if found.sketch is None else {"bias": signed(found.sketch.bias)}),
        "training data (SHA-256)": about.training_hash,
        "evaluated on": about.data_name,
        "evaluated data (SHA-256)": about.data_hash,
        "documents": found.n_documents,
        **about.settings,
    }
    return ReportTable.of("settings", [{"setting": key, "value": plain(value)} for key, value in told.items()])


def _scores(report: Mapping[str, Any]) -> ReportTable:
    rows: list[dict[str, Any]] = []

    def walk(value: Mapping[str, Any], path: str) -> None:
        for key, one in value.items():
            where = f"{path} {key}".strip()
            if isinstance(one, Mapping):
                walk(one, where)
            elif isinstance(one, float):
                rows.append({"score": where, "value": f"{percent(one)} %"})
            elif isinstance(one, int | str):
                rows.append({"score": where, "value": one})

    walk(report, "")
    return ReportTable.of("all scores", rows)


def _curve(sketch: Sketch) -> Section:
    curve, band = sketch.shown, sketch.band
    best, best_bias = sketch.best
    rows = [
        {
            "point": label,
            "bias": signed(at),
            "precision, %": percent(p.precision),
            "recall, %": percent(p.recall),
            "F1, %": percent(p.f1),
        }
        for label, at, p in (
            ("chosen", sketch.bias, curve.at(sketch.bias)),
            ("highest F1", best_bias, best),
        )
    ]
    kind = "all operating points, exact" if curve.exact else "a grid, since search is approximate"
    shade = f" Shaded: {100 * band.level:.0f} % bootstrap band over documents." if band is not None else ""
    return Section(
        "Precision and recall against the bias",
        f"{sketch.n_points} steps of the abstain bias ({kind}); area under the curve {percent(sketch.area)} %."
        f" The vertical line and the dot mark the chosen bias.{shade}",
        f"<div class='plots'>{curve_svg(sketch)}{against_svg(sketch)}</div>",
        (ReportTable.of("operating points", rows),),
    )


def _errors(task: AnyTask, found: Summary) -> Section:
    counts = found.stages
    types = [name for name, _ in sum(counts.values(), Counter()).most_common(8)]
    now = task.main_number(found.scores)
    rows = []
    for stage in stages_shown(task.stages, counts):
        row: dict[str, Any] = {"stage": stage, "errors": counts[stage].total()}
        row |= {name or "(no type)": counts[stage].get(name, 0) for name in types}
        gain: dict[str, str | None] = {"if fixed, %": None, "gain": None}
        if stage in found.fixed:
            fixed = task.main_number(found.fixed[stage])
            gain = {"if fixed, %": percent(fixed), "gain": points(fixed - now)}
        rows.append({**row, **gain})
    n_errors = sum(own.total() for own in counts.values())
    text = f"{n_errors} misses and false alarms, each with the one stage to blame;"
    text += f" {task.main_name} is {percent(now)} % now."
    absent = stages_absent(task.stages)
    if absent:
        text += f" Cannot occur in this system: {', '.join(absent)}."
    if found.without is not None:
        other = task.main_number(found.without)
        text += f" Without the errors where gold was marked wrong, {task.main_name} is {percent(other)} %."
    return Section("Errors by stage", text, tables=(ReportTable.of("stages", rows),))


def _comparison(task: AnyTask, against: Against, name: str) -> Section:
    result, other = against.result, against.name
    rows = [
        {
            "score": one.name,
            f"{name}, %": percent(one.first),
            f"{other}, %": percent(one.second),
            "difference": points(one.difference.value),
            "95 % from": points(one.difference.low),
            "95 % to": points(one.difference.high),
            "p (permutation)": p_in_words(one.p_permutation),
            "p (Holm)": p_in_words(one.p_corrected),
        }
        for one in result.scores
    ]
    tables = [ReportTable.of("differences", rows)]
    if against.found_by:
        called = ("both", f"only {name}", f"only {other}", "neither")
        numbers = dict(zip(called, against.found_by.values(), strict=True))
        tables.append(ReportTable.of("gold items found by", [{"by": who, "items": n} for who, n in numbers.items()]))
    main = task.main_name if against.main == task.main_score[-1] else against.main
    return Section(
        f"Compared with {other}",
        f"A is {name}, B is {other}. {of_comparison(result, against.main, main, task.unit)} Paired over"
        f" {result.n_documents} documents; p (Holm) is corrected for {len(rows)} scores.",
        tables=tuple(tables),
    )
