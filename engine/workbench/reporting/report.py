"""A self-contained report on a run: the result first, then curve, errors, typical cases, comparison, settings.

The HTML file contains its plots as SVG and loads nothing from the network.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

from engine.data.document import Document, Layer
from engine.metrics.cases import Case, cases, surest_first
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
from engine.tasks.outside.records import UNTOLD, errors_of, of_answers
from engine.tasks.outside.run import is_outside
from engine.tasks.scored import Scored
from engine.tuning.band import bootstrap_band
from engine.tuning.curve import Curve
from engine.workbench.comparison import compare, gold_items, main_judged, shared
from engine.workbench.honesty import apart
from engine.workbench.repair import score_if_fixed, score_without
from engine.workbench.reporting.pictures import STYLE, against_svg, case_html, curve_svg
from engine.workbench.reporting.tables import ReportTable, plain
from engine.workbench.verdicts import Standing, of_comparison, of_point, p_in_words, percent, points, signed

TYPICAL: Final = 10
"""Number of cases that a report draws."""


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
    starts: str = ""
    """What the run is given besides the text; empty where nobody can tell."""

    @classmethod
    def of_model(cls, model: AnyModel, *, name: str, data_name: str, data_hash: str) -> About:
        # An imported run was not trained here, so our settings do not apply to it.
        settings = {} if is_outside(model) else dataclasses.asdict(model.settings)
        return cls(name, data_name, data_hash, model.learner, model.data_hash, settings)


@dataclass(frozen=True)
class System:
    """Predicted layers, with the scores from which they were decided if known."""

    layers: Sequence[Layer]
    scored: Scored | None = None
    starts: str = ""
    """What it is given besides the text (honesty.py); empty if unknown."""


def report(
    task: AnyTask,
    scored: Scored,
    about: About,
    *,
    verdict: str = "",
    others: Mapping[str, System] | None = None,
    doubts: Mapping[str, Doubts] | None = None,
    revealed: Sequence[Mapping[str, object]] = (),
) -> RunReport:
    """The report on a scored corpus with gold, at its bias; for answers without scores, as far as possible.

    `others` are systems to compare with, by name; `verdict` is the guard's; `doubts` are the places where people marked
    gold as wrong, by document; `revealed` lists the looks at test data, one row each.
    """
    documents, predicted = scored.documents, task.decide(scored)
    known = scored if scored.answers is None else None
    scores = task.evaluate(documents, predicted, known)
    errors = blame_gold(errors_of(task, scored, predicted), doubts or {})
    ours = System(predicted, known, about.starts)
    compared = [
        _comparison(task, documents, ours, theirs, (about.name, other), errors)
        for other, theirs in (others or {}).items()
    ]
    curve = None if known is None else task.curve(scored)
    sections = [_result(task, scores, scored.bias, curve, [verdict, *(one.text for one in compared)], revealed)]
    if curve is not None:
        sections.append(_curve(curve, scored.bias))
    sections.append(_errors(task, documents, ours, scores, errors))
    sections.append(_typical(documents, errors))
    sections += compared
    extra = {} if known is None else task.extra_tables(scored)
    if extra:
        sections.append(Section("More of this system", tables=tuple(ReportTable.of(*one) for one in extra.items())))
    sections.append(Section("All scores", "In percent, unless they are counts.", tables=(_scores(scores),)))
    decided = {} if known is None else {"bias": signed(scored.bias)}
    untold = UNTOLD if known is None else ""
    sections.append(Section("Run", untold, tables=(_run(task, about, decided, len(scored)),)))
    return RunReport(f"Espalier report: {about.name} on {about.data_name}", tuple(sections))


def _result(
    task: AnyTask,
    scores: Mapping[str, Any],
    bias: float,
    curve: Curve | None,
    told: Sequence[str],
    revealed: Sequence[Mapping[str, object]],
) -> Section:
    """The result in a few sentences, and the scores on test data that somebody looked at."""
    parts = [f"{task.main_name[:1].upper()}{task.main_name[1:]} is {percent(task.main_number(scores))} %."]
    if curve is not None:
        i = curve.index_at(bias)
        here = Standing(int(curve.predicted[i]), int(curve.correct[i]), int(curve.found[i]), int(curve.gold))
        parts.append(f"At bias {signed(bias)}, {of_point(here, here, task.unit)}")
    parts += [one for one in told if one]
    tables = (ReportTable.of("test data that was looked at", revealed),) if revealed else ()
    return Section("Result", " ".join(parts), tables=tables)


def _typical(documents: Sequence[Document], errors: Sequence[Error]) -> Section:
    """Ten cases as the app draws them: the most confident of each stage in turn, so that no stage hides the others."""
    by_id = {document.id: document for document in documents}
    waiting: dict[str, list[Case]] = {}
    for case in surest_first(cases(errors)):
        waiting.setdefault(case.main.stage, []).append(case)
    shown: list[Case] = []
    while len(shown) < TYPICAL and any(waiting.values()):
        shown += [queue.pop(0) for queue in waiting.values() if queue]
    drawn = "".join(case_html(case, by_id[case.main.document]) for case in shown[:TYPICAL])
    text = "The surest wrong answers, from every stage in turn. Outlined: what gold says; filled: what was said."
    return Section("Typical errors", text if shown else "There are none.", f"<div class='cases'>{drawn}</div>")


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


def _curve(curve: Curve, bias: float) -> Section:
    best = curve.best_index()
    rows = [
        {
            "point": label,
            "bias": signed(at),
            "precision, %": percent(p.precision),
            "recall, %": percent(p.recall),
            "F1, %": percent(p.f1),
        }
        for label, at, p in (
            ("chosen", bias, curve.at(bias)),
            ("highest F1", curve.bias_of(best), curve.point(best)),
        )
    ]
    kind = "all operating points, exact" if curve.exact else "a grid, since search is approximate"
    band = bootstrap_band(curve, points=60) if curve.steps is not None and len(curve.steps.gold) > 1 else None
    shade = f" Shaded: {100 * band.level:.0f} % bootstrap band over documents." if band is not None else ""
    return Section(
        "Precision and recall against the bias",
        f"{len(curve.bias)} steps of the abstain bias ({kind}); area under the curve {percent(curve.area())} %."
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
        gain: dict[str, str | None] = {"if fixed, %": None, "gain": None}
        if fixed is not None:
            gain = {"if fixed, %": percent(fixed), "gain": points(fixed - now)}
        rows.append({**row, **gain})
    absent = stages_absent(task.stages)
    text = f"{len(errors)} misses and false alarms, each with the one stage to blame; {main} is {percent(now)} % now."
    if absent:
        text += f" Cannot occur in this system: {', '.join(absent)}."
    wrong = [error for error in errors if error.stage == STAGES[0]]
    if wrong:
        other = task.main_number(score_without(task, documents, predicted, wrong, scored))
        text += f" Without the errors where gold was marked wrong, {main} is {percent(other)} %."
    return Section("Errors by stage", text, tables=(ReportTable.of("stages", rows),))


def _errors_of(task: AnyTask, documents: Sequence[Document], system: System) -> list[Error]:
    scored = system.scored if system.scored is not None else of_answers(task, documents, system.layers)
    return errors_of(task, scored, system.layers)


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
    if theirs.scored is not None or task.exchange is not None:
        found = shared(gold_items(task, documents), errors, _errors_of(task, documents, theirs))
        numbers = {
            "both": found.both,
            f"only {name}": len(found.only_first),
            f"only {other}": len(found.only_second),
            "neither": len(found.neither),
        }
        tables.append(ReportTable.of("gold items found by", [{"by": who, "items": n} for who, n in numbers.items()]))
    unequal = apart({"A": ours.starts, "B": theirs.starts})
    main = main_judged(task, documents)
    called = task.main_name if main == task.main_score[-1] else main
    told = f"{unequal}." if unequal else of_comparison(result, main, called, task.unit)
    return Section(
        f"Compared with {other}",
        f"A is {name}, B is {other}. {told} Paired over {result.n_documents} documents; p (Holm) is corrected for"
        f" {len(rows)} scores.",
        tables=tuple(tables),
    )
