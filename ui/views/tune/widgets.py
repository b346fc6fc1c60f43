"""The Tune page's parts: curves with bands and other runs, what flips, the guard on test data, the kept bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from engine.data.document import Document, Layer
from engine.metrics.differences import Difference, differences
from engine.store import modelfile
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tuning import guard
from engine.tuning.band import Band, bootstrap_band
from engine.tuning.curve import Curve
from ui.figures import curves as drawn
from ui.shell import cache, glances, layout, pages, session
from ui.views.see import frame as see

FLIPS_SHOWN = 300


@st.cache_resource(show_spinner="Resampling documents …", max_entries=32)
def _band(key: str, beta: float, _curve: Curve) -> Band | None:
    return None if _curve.steps is None else bootstrap_band(_curve, beta=beta)


def band(run: RunInfo, corpus: CorpusInfo, curve: Curve, beta: float) -> Band | None:
    key = f"{cache.directory()} {run.id} {cache.model_version(run.id)} {corpus.id} {cache.content(corpus)}"
    return _band(key, beta, curve)


def show_curves(run: RunInfo, corpus: CorpusInfo, curve: Curve, bias: float, beta: float) -> None:
    dark = layout.is_dark()
    left, right = st.columns(2, gap="medium")
    with left:
        with_band = st.toggle("90 % band over documents", value=True, key="tune.band")
        found = band(run, corpus, curve, beta) if with_band else None
        if with_band and found is None:
            st.caption("This system's curve keeps no counts per document, so there is no band.")
        figure = drawn.curve_figure(
            curve, bias=bias, beta=beta, dark=dark, band=found, name=cache.task(run.task).abstain
        )
        st.plotly_chart(figure, key="tune.curve", config={"displaylogo": False})
        kind = "every operating point" if curve.exact else "a grid of operating points (search is approximate)"
        st.caption(
            f"{layout.count(len(curve.bias))} steps: {kind}. Solid line: current bias; dotted: highest F."
            f" n = {layout.count(corpus.n_documents)} documents, {layout.count(curve.gold)} gold items."
        )
    with right:
        others = [one for one in cache.runs(run.task, usable=True) if one.id != run.id]
        labels = {one.id: f"{one.learner} · {one.id}" for one in others}
        picked = st.multiselect(
            "Other runs", list(labels), format_func=labels.__getitem__, key="tune.others", placeholder="none overlaid"
        )
        curves: dict[str, tuple[Curve, float]] = {f"{run.learner} · {run.id}": (curve, bias)}
        for id in picked:
            other = cache.run(id)
            theirs = cache.curve(other, corpus) if other else None
            if other is not None and theirs is not None:
                curves[labels[id]] = theirs, other.bias
        st.plotly_chart(drawn.against_figure(curves, dark=dark), key="tune.against", config={"displaylogo": False})
        st.caption(f"Area under the curve of this run: {curve.area():.3f}. A dot is where a run stands.")
    rows = curve_rows(curve)
    st.download_button("Curve as CSV", _csv(rows), "curve.csv", "text/csv", key="tune.csv")


def show_targets(curve: Curve) -> None:
    """From a wish to a bias."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.selectbox("Reach", ["precision", "recall"], key="tune.what", width=140)
        wish = st.number_input("percent", 0.0, 100.0, 90.0, 1.0, key="tune.wish", width=130)
        index = (curve.for_precision if what == "precision" else curve.for_recall)(wish / 100)
        if index is None:
            st.text(f"No operating point reaches {wish:g} % {what}.")
            return
        point = curve.point(index)
        if st.button("Go there", key="tune.go"):
            session.put("bias", curve.bias_of(index))
            st.rerun()
        reached = f"P {layout.percent(point.precision)} %, R {layout.percent(point.recall)} %"
        st.text(f"{reached} at bias {layout.three(curve.bias_of(index))}")


def show_flips(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Decisions that differ between the kept bias and the cursor."""
    start = st.number_input("Compared with bias", value=float(run.bias), key="tune.from", format="%.4g", width=200)
    if start == bias:
        st.text("The cursor stands there: move it, and what flips is listed here.")
        return
    documents = cache.documents(corpus)
    before, after = cache.predictions(run, corpus, start), cache.predictions(run, corpus, bias)
    rows = flips(documents, before, after, run.task)
    st.text(
        f"{layout.counted(len(rows), 'decision')} flip between bias {layout.three(start)} and {layout.three(bias)}."
    )
    if not rows:
        return
    picked = st.dataframe(
        rows[:FLIPS_SHOWN],
        hide_index=True,
        width="stretch",
        key="tune.flips",
        column_order=("document", "text", "kind", "decision", "change"),
        on_select="rerun",
        selection_mode="single-row",
    )
    chosen = picked.selection.rows if picked else []
    if chosen and pages.exists(run.task):
        row = rows[chosen[0]]
        where = {} if row["at"] is None else {"sel": row["at"]}
        layout.link_to(run.task, "Open it in its view", doc=row["document"], bias=repr(bias), **where)


def show_scores(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Everything that `evaluate` says of the run at the cursor."""
    st.caption(
        f"Every score of this run on this corpus at bias {layout.three(bias)}, as `python -m engine evaluate` prints"
        " them."
    )
    rows = score_rows(cache.report(run, corpus, bias))
    st.dataframe(rows, hide_index=True, column_config={"percent": st.column_config.NumberColumn(format="%.1f")})


def score_rows(report: Mapping[str, Any], path: str = "") -> list[dict[str, Any]]:
    """One row per number of a report; fractions as percentages, counts as they are."""
    rows: list[dict[str, Any]] = []
    for name, value in report.items():
        where = f"{path} · {name}" if path else str(name)
        if isinstance(value, Mapping):
            rows += score_rows(value, where)
        elif isinstance(value, float):
            rows.append({"score": layout.visible(where.replace("_", " ")), "percent": 100 * value, "count": None})
        elif isinstance(value, int) and not isinstance(value, bool):
            rows.append({"score": layout.visible(where.replace("_", " ")), "percent": None, "count": value})
    return rows


def flips(
    documents: Sequence[Document], before: Sequence[Layer], after: Sequence[Layer], task: str
) -> list[dict[str, Any]]:
    """One row per decision that is made at one bias and not at the other."""
    kinds = cache.task(task).decides
    found: list[dict[str, Any]] = []
    for document, first, second in zip(documents, before, after, strict=True):
        for one in differences(first, second, kinds):
            found.append(_flip(document, one))
    return found


def _flip(document: Document, one: Difference) -> dict[str, Any]:
    decision = one.decision
    return {
        "document": document.id,
        "text": layout.visible(document.text[decision.start : decision.end]),
        "kind": decision.kind,
        "decision": layout.visible(decision.value)
        or layout.visible(document.text[decision.other[0] : decision.other[1]]),
        "change": "appears" if one.side == "second" else "disappears",
        "at": see.place(decision.start, decision.end) if decision.end > decision.start else None,
    }


def show_guard(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Choose on dev, lock, reveal test once; every look is written down."""
    workspace = cache.workspace()
    lock = glances.lock_of(run)
    st.text(layout.with_minus(glances.verdict(run)))
    with st.container(horizontal=True):
        if st.button("Keep this bias", key="tune.keep", help="predict, export and the app use it from now on"):
            workspace.set_bias(run.id, bias)
            modelfile.restate(workspace.model_path(run.id), bias=bias)
            st.rerun()
        if st.button("Lock it", key="tune.lock", type="primary", help="the setting is chosen; test may be revealed"):
            workspace.lock(run.id, corpus.id, bias)
            modelfile.restate(workspace.model_path(run.id), bias=bias)
            st.rerun()
    tests = [info for info in cache.corpora() if info.id != corpus.id and cache.fits(info, run.task) == "yes"]
    if not tests:
        st.caption("There is no other corpus with gold that could serve as test.")
        return
    names = {info.id: f"{info.name} {info.split}".strip() for info in tests}
    guess = next((i for i, info in enumerate(tests) if info.split == "test"), 0)
    test = st.selectbox("Test corpus", list(names), guess, format_func=names.__getitem__, key="tune.test", width=320)
    if st.button("Reveal test", key="tune.reveal", disabled=lock is None):
        locked = guard.check(lock)
        info = cache.corpus(test)
        if info is not None:
            workspace.record_look(run.id, test, locked.bias, cache.report(run, info, locked.bias))
            st.rerun()
    looks = workspace.looks(run.id)
    if looks:
        path = cache.task(run.task).main_score
        st.dataframe(
            [
                {
                    "test": look.corpus,
                    "when": look.time[:19].replace("T", " "),
                    "bias": look.bias,
                    f"{cache.task(run.task).main_name}, %": layout.percent_at(look.scores, path),
                }
                for look in looks
            ],
            hide_index=True,
            width="stretch",
            column_config={
                "bias": st.column_config.NumberColumn(format="%.3g"),
                f"{cache.task(run.task).main_name}, %": st.column_config.NumberColumn(format="%.1f"),
            },
        )


def curve_rows(curve: Curve) -> list[dict[str, float]]:
    """Every operating point, for a table or a file."""
    precision, recall, f = curve.precision, curve.recall, curve.f()
    return [
        {"bias": float(b), "precision": float(p), "recall": float(r), "f1": float(x), "predicted": int(n)}
        for b, p, r, x, n in zip(curve.bias, precision, recall, f, curve.predicted, strict=True)
    ]


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    lines = [",".join(rows[0])] if rows else []
    return "\n".join(lines + [",".join(str(value) for value in row.values()) for row in rows]) + "\n"
