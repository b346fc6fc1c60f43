"""The report's pictures as SVG, and its style sheet: light and dark, no scripts, no external resources."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

import numpy as np

from engine.arrays import Floats
from engine.data.document import Document
from engine.metrics.cases import Case, answers_in_words, place_in_words
from engine.tuning.sketch import Sketch


def curve_svg(drawn: Sketch) -> str:
    """Precision (solid), recall (dashed) and F1 (thick) over the steps of the bias."""
    curve, band = drawn.shown, drawn.band
    n = max(drawn.n_points - 1, 1)

    def x(rank: Any) -> Any:
        return 40 + 440 * rank / n

    def line(values: Floats, name: str) -> str:
        found = zip(drawn.ranks, values, strict=True)
        points = " ".join(f"{x(rank):.1f},{210 - 200 * value:.1f}" for rank, value in found if np.isfinite(value))
        return f'<polyline class="{name}" points="{points}"/>'

    def area(limits: Floats, name: str) -> str:
        known = [(x(rank), *two) for rank, two in zip(drawn.band_ranks, limits, strict=True) if np.isfinite(two[0])]
        up = [f"{place:.1f},{210 - 200 * high:.1f}" for place, _, high in known]
        down = [f"{place:.1f},{210 - 200 * low:.1f}" for place, low, _ in known]
        return f'<polygon class="{name} band" points="{" ".join([*up, *down[::-1]])}"/>'

    series = (("precision", curve.known_precision), ("recall", curve.recall), ("f", curve.f()))
    bands = "" if band is None else "".join(area(getattr(band, name), name) for name, _ in series)
    return (
        '<svg viewBox="0 0 500 262" role="img"><title>precision, recall and F1 by step of the bias</title>'
        + _grid(480)
        + bands
        + "".join(line(values, name) for name, values in series)
        + f'<path class="cursor" d="M{x(drawn.ranks[drawn.chosen]):.1f} 10V210"/>'
        + '<text x="260" y="230" text-anchor="middle">step of the bias: declining more and more to the right</text>'
        + _legend((("precision", "precision"), ("recall", "recall"), ("f", "F1")))
        + "</svg>"
    )


def against_svg(drawn: Sketch) -> str:
    """Precision against recall, with the chosen point."""
    curve, at = drawn.shown, drawn.shown.at(drawn.bias)
    points = " ".join(
        f"{40 + 200 * recall:.1f},{210 - 200 * precision:.1f}"
        for recall, precision, predicted in zip(curve.recall, curve.precision, curve.predicted, strict=True)
        if predicted
    )
    return (
        '<svg class="small" viewBox="0 0 260 262" role="img"><title>precision against recall</title>'
        + _grid(240)
        + f'<polyline class="f" points="{points}"/>'
        + f'<circle class="dot" cx="{40 + 200 * at.recall:.1f}" cy="{210 - 200 * at.precision:.1f}" r="4.5"/>'
        + '<text x="140" y="230" text-anchor="middle">recall, percent</text>'
        + '<text x="40" y="252">↑ precision, percent</text></svg>'
    )


def _grid(right: int) -> str:
    return "".join(
        f'<text x="34" y="{214 - 2 * p}" text-anchor="end">{p}</text><path class="grid" d="M40 {210 - 2 * p}H{right}"/>'
        for p in (0, 25, 50, 75, 100)
    )


def _legend(entries: Sequence[tuple[str, str]]) -> str:
    return "".join(
        f'<path class="{name}" d="M{40 + 150 * i} 248h24"/><text x="{70 + 150 * i}" y="252">{label}, percent</text>'
        for i, (name, label) in enumerate(entries)
    )


AROUND: Final = 160
"""Number of characters of the text that are shown on each side of a case."""


def case_html(case: Case, document: Document) -> str:
    """A case as on screen: what it concerns, and its place in the text, with gold outlined and the answer filled."""
    gold, said = answers_in_words(case, document)
    told = f"said {said or 'nothing'}, gold: {gold or 'nothing'}" if case.said is not None else f"missed: {gold}"
    head = f"<b>{escape(place_in_words(case.main, document))}</b> {escape(told)}"
    note = f"· {case.main.stage} · document {case.main.document}"
    text = f"<p class='text'>{_marked(case, document)}</p>"
    return f"<div class='case'><p>{head} <span>{escape(note)}</span></p>{text}</div>"


def _marked(case: Case, document: Document) -> str:
    """The text around a case with its spans marked; everything escaped."""
    kind = " ".join(name for name, error in (("gold", case.missed), ("said", case.said)) if error is not None)
    spans = sorted(case.main.spans)
    if not spans:
        return escape(document.text[: 2 * AROUND])
    at, last = max(0, spans[0][0] - AROUND), min(len(document.text), spans[-1][1] + AROUND)
    out = ["… " if at else ""]
    for start, end in spans:
        if start >= at:
            marked = f"<mark class='{kind}'>{escape(document.text[start:end])}</mark>"
            out, at = [*out, escape(document.text[at:start]), marked], end
    return "".join([*out, escape(document.text[at:last]), " …" if last < len(document.text) else ""])


STYLE = """
:root { color-scheme: light dark; --p: #0072B2; --r: #D55E00; --f: #009E73; --text: #222; --line: #d5d9d6;
  --quiet: #5c6662; --ground: #fff; --head: #f3f5f2; }
@media (prefers-color-scheme: dark) {
  :root { --p: #56B4E9; --r: #FF9E4A; --f: #2BC49A; --text: #ddd; --line: #3a4449; --quiet: #a0aba6; --ground: #14191c;
    --head: #1b2226; }
}
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: var(--text);
  background: var(--ground); }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; } p { color: var(--quiet); margin: .2rem 0; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .2rem; }
td, th { border: 1px solid var(--line); padding: 2px 8px; text-align: left; overflow-wrap: anywhere; }
th { background: var(--head); overflow-wrap: normal; } td.number { text-align: right; white-space: nowrap; }
section { overflow-x: auto; }
.case { border-left: 3px solid var(--line); padding-left: .7rem; margin: .7rem 0; } .case .text { color: var(--text); }
mark { color: inherit; background: none; padding: 0 2px; border-radius: 3px; }
mark.gold { outline: 1.5px solid var(--p); } mark.said { background: color-mix(in srgb, var(--r) 25%, transparent); }
.plots { display: flex; flex-wrap: wrap; gap: 1rem; } svg { width: 40rem; max-width: 100%; font-size: 12px; }
svg.small { width: 20rem; } svg text { fill: var(--quiet); } .grid { stroke: var(--line); }
polyline, path { fill: none; stroke-width: 1.4; } .precision { stroke: var(--p); }
.f { stroke: var(--f); stroke-width: 2.2; }
.recall { stroke: var(--r); stroke-dasharray: 5 3; } .cursor { stroke: var(--text); } .dot { fill: var(--text); }
.band { stroke: none; fill-opacity: .14; } .band.precision { fill: var(--p); } .band.recall { fill: var(--r); }
.band.f { fill: var(--f); }
"""
