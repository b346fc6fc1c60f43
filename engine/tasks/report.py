"""One self-contained account of a run: settings, data, curve, errors by stage, comparison, ledger.

The HTML file holds its plots as SVG and asks the network for nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from engine.data.document import Document, Layer
from engine.metrics.errors import STAGES, stage_table
from engine.tasks.base import Model, Task
from engine.tasks.comparison import compare
from engine.tasks.repair import score_if_fixed
from engine.tasks.tables import Table
from engine.tuning.curve import Curve, thin


@dataclass(frozen=True)
class Section:
    """A heading, a sentence, a picture as SVG, tables."""

    title: str
    text: str = ""
    picture: str = ""
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class RunReport:
    title: str
    sections: tuple[Section, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
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
            f"<title>{escape(self.title)}</title><style>{_STYLE}</style></head><body><h1>{escape(self.title)}</h1>"
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


def report(
    task: Task,
    model: Model,
    documents: Sequence[Document],
    *,
    name: str,
    data_name: str,
    data_hash: str,
    bias: float | None = None,
    verdict: str = "",
    others: Mapping[str, tuple[Sequence[Layer], Model | None]] | None = None,
) -> RunReport:
    """Everything about a model on a corpus. `others` are systems to compare with, by name; `verdict` is the guard's."""
    at = model.bias if bias is None else bias
    predicted = task.predict(documents, model, bias=at)
    scores = task.evaluate(documents, predicted, model)
    sections = [
        Section(
            "Run",
            verdict,
            tables=(
                Table.of(
                    "settings",
                    [
                        {"setting": key, "value": str(value)}
                        for key, value in {
                            "task": task.name,
                            "learner": model.learner,
                            "bias": at,
                            "training data (SHA-256)": model.data_hash,
                            "evaluated on": data_name,
                            "evaluated data (SHA-256)": data_hash,
                            "documents": len(documents),
                            **dataclasses.asdict(model.settings),
                        }.items()
                    ],
                ),
            ),
        ),
        Section("Scores", "Fractions in [0, 1].", tables=(_scores(scores),)),
    ]
    curve = task.curve(documents, model)
    sections.append(_curve(curve, at, task.abstain))
    sections.append(_errors(task, model, documents, predicted, scores, at))
    for other, (layers, theirs) in (others or {}).items():
        sections.append(_comparison(task, documents, predicted, layers, (model, theirs), name, other))
    extra = task.extra_tables(documents, model)
    if extra:
        sections.append(Section("More of this system", tables=tuple(Table.of(*one) for one in extra.items())))
    return RunReport(f"Espalier report: {name} on {data_name}", tuple(sections))


def _scores(report: Mapping[str, Any]) -> Table:
    rows: list[dict[str, Any]] = []

    def walk(value: Mapping[str, Any], path: str) -> None:
        for key, one in value.items():
            where = f"{path} {key}".strip()
            if isinstance(one, Mapping):
                walk(one, where)
            elif isinstance(one, int | float | str):
                rows.append({"score": where, "value": one})

    walk(report, "")
    return Table.of("all scores", rows)


def _curve(curve: Curve, bias: float, abstain: str) -> Section:
    best = curve.best_index()
    rows = [
        {"point": label, "bias": p.bias, "precision": p.precision, "recall": p.recall, "f1": p.f1}
        for label, p in (("chosen", curve.at(bias)), ("highest F1", curve.point(best)))
    ]
    kind = "all operating points, exact" if curve.exact else "a grid, since search is approximate"
    return Section(
        "Precision and recall against the bias",
        f"{len(curve.bias)} steps of the {abstain} bias ({kind}); area under the curve {curve.area():.3f}.",
        curve_svg(curve, bias),
        (Table.of("operating points", rows),),
    )


def _errors(
    task: Task,
    model: Model,
    documents: Sequence[Document],
    predicted: Sequence[Layer],
    scores: Mapping[str, Any],
    bias: float,
) -> Section:
    errors = task.errors(documents, predicted, model, bias=bias)
    counts = stage_table(errors)
    rows = []
    for stage in STAGES:
        own = [error for error in errors if error.stage == stage]
        fixed = _at(score_if_fixed(task, documents, predicted, own, model), task.main_score) if own else None
        rows.append({"stage": stage, "errors": sum(counts[stage].values()), "score if fixed": fixed})
    return Section(
        "Errors by stage",
        f"{len(errors)} misses and false alarms, each with the one stage to blame;"
        f" {' '.join(task.main_score)} is {_at(scores, task.main_score):.4f} now.",
        tables=(Table.of("stages", rows),),
    )


def _comparison(
    task: Task,
    documents: Sequence[Document],
    first: Sequence[Layer],
    second: Sequence[Layer],
    models: tuple[Model | None, Model | None],
    name: str,
    other: str,
) -> Section:
    result = compare(task, documents, first, second, models=models)
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
    return Section(
        f"Compared with {other}",
        f"Paired over {result.n_documents} documents; p (Holm) is corrected for {len(rows)} scores.",
        tables=(Table.of("differences", rows),),
    )


def _at(report: Mapping[str, Any], path: Sequence[str]) -> float:
    found: Any = report
    for key in path:
        found = found[key]
    return float(found)


def curve_svg(curve: Curve, bias: float) -> str:
    """Precision (solid), recall (dashed) and F1 (thick) over the steps of the bias."""
    kept = thin(curve, [curve.index_at(bias), curve.best_index()], 600)
    n = max(len(curve.bias) - 1, 1)
    x = 40 + 640 * kept / n

    def line(values: np.ndarray, style: str) -> str:
        points = " ".join(f"{a:.1f},{210 - 200 * b:.1f}" for a, b in zip(x, values[kept], strict=True))
        return f'<polyline fill="none" {style} points="{points}"/>'

    at = 40 + 640 * curve.index_at(bias) / n
    ticks = "".join(
        f'<text x="34" y="{214 - 2 * p}" text-anchor="end">{p}</text><path d="M40 {210 - 2 * p}H680" stroke="#ddd"/>'
        for p in (0, 25, 50, 75, 100)
    )
    return (
        '<svg viewBox="0 0 700 250" width="700" role="img" font-size="11"><title>precision, recall and F1</title>'
        + ticks
        + line(curve.precision, 'stroke="#0072B2"')
        + line(curve.recall, 'stroke="#D55E00" stroke-dasharray="5 3"')
        + line(curve.f(), 'stroke="#009E73" stroke-width="2.2"')
        + f'<path d="M{at:.1f} 10V210" stroke="#555"/>'
        + '<text x="40" y="240">percent by step of the bias: — precision, - - recall, thick F1</text></svg>'
    )


_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; }
td, th { border: 1px solid #ccc; padding: 2px 8px; text-align: left; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { background: #14191c; color: #ddd; } td, th { border-color: #444; } svg text { fill: #ccc; }
}
"""
