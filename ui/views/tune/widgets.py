"""The widgets of the Tune page: curves with bands and other runs, what flips, all scores, the guard on test data."""

from __future__ import annotations

from typing import Final

import streamlit as st

from engine.store import modelfile
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tuning import guard
from engine.tuning.band import Band, bootstrap_band
from engine.tuning.curve import Curve
from ui.figures import curves as figures
from ui.shell import cache, glances, layout, pages, session, sidebar
from ui.views.tune import data, words

FLIPS_SHOWN: Final = 300


def show_targets(curve: Curve) -> None:
    """From a wish to a bias."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.selectbox("Reach", ["precision", "recall"], key="tune.what", width=140)
        wish = st.number_input("percent", 0.0, 100.0, 90.0, 1.0, key="tune.wish", width=130)
        index = (curve.for_precision if what == "precision" else curve.for_recall)(wish / 100)
        if index is None:
            st.text(words.OUT_OF_REACH.format(wish=f"{wish:g}", what=what))
            return
        point = curve.point(index)
        if st.button("Go there", key="tune.go"):
            session.put("bias", curve.bias_of(index))
            st.rerun()
        reached = f"P {layout.percent(point.precision)} %, R {layout.percent(point.recall)} %"
        st.text(f"{reached} at bias {layout.three(curve.bias_of(index))}")


def show_curves(run: RunInfo, corpus: CorpusInfo, curve: Curve, bias: float, beta: float) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        _show_band(run, corpus, curve, bias, beta)
    with right:
        _show_against(run, corpus, curve, bias)
    st.download_button("Curve as CSV", data.csv(data.curve_rows(curve)), "curve.csv", "text/csv", key="tune.csv")


def _show_band(run: RunInfo, corpus: CorpusInfo, curve: Curve, bias: float, beta: float) -> None:
    """Precision, recall and F along the bias, with how far each may be off."""
    wanted = st.toggle("90 % band over documents", value=True, key="tune.band")
    band = _band(cache.version(run, corpus), beta, curve) if wanted else None
    if wanted and band is None:
        st.caption(words.NO_BAND)
    abstain = cache.task(run.task).abstain
    figure = figures.curve_figure(curve, bias=bias, beta=beta, dark=layout.is_dark(), band=band, name=abstain)
    st.plotly_chart(figure, key="tune.curve", config={"displaylogo": False})
    st.caption(
        words.STEPS.format(
            steps=layout.count(len(curve.bias)),
            kind=words.EXACT if curve.exact else words.GRID,
            documents=layout.count(corpus.n_documents),
            gold=layout.count(curve.gold),
        )
    )


@st.cache_resource(show_spinner="Resampling documents …", max_entries=32)
def _band(key: tuple[str, ...], beta: float, _curve: Curve) -> Band | None:
    return None if _curve.steps is None else bootstrap_band(_curve, beta=beta)


def _show_against(run: RunInfo, corpus: CorpusInfo, curve: Curve, bias: float) -> None:
    """Precision against recall, of this run and of others."""
    others = {one.id: one for one in cache.runs(run.task, usable=True) if one.id != run.id}
    picked = st.multiselect(
        "Other runs",
        list(others),
        format_func=lambda id: _label(others[id]),
        key="tune.others",
        placeholder="none overlaid",
    )
    shown: dict[str, tuple[Curve, float]] = {_label(run): (curve, bias)}
    for id in picked:
        theirs = cache.curve(others[id], corpus)
        if theirs is not None:
            shown[_label(others[id])] = theirs, others[id].bias
    figure = figures.against_figure(shown, dark=layout.is_dark())
    st.plotly_chart(figure, key="tune.against", config={"displaylogo": False})
    st.caption(words.AREA.format(area=f"{curve.area():.3f}"))


def _label(run: RunInfo) -> str:
    return f"{run.learner} · {run.id}"


def show_flips(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Decisions that differ between the kept bias and the cursor."""
    start = st.number_input("Compared with bias", value=float(run.bias), key="tune.from", format="%.4g", width=200)
    if start == bias:
        st.text(words.NOT_MOVED)
        return
    before, after = cache.predictions(run, corpus, start), cache.predictions(run, corpus, bias)
    rows = data.flip_rows(cache.documents(corpus), before, after, cache.task(run.task).decides)
    decisions = layout.counted(len(rows), "decision")
    st.text(words.FLIPPED.format(decisions=decisions, start=layout.three(start), bias=layout.three(bias)))
    if not rows:
        return
    chosen = layout.choose_row(
        rows[:FLIPS_SHOWN], key="tune.flips", column_order=("document", "text", "kind", "decision", "change")
    )
    if chosen is not None and pages.exists(run.task):
        row = rows[chosen]
        where = {} if row["at"] is None else {"sel": row["at"]}
        layout.link_to(run.task, "Open it in its view", doc=row["document"], bias=repr(bias), **where)


def show_scores(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Everything that `evaluate` says of the run at the cursor."""
    st.caption(words.REPORT.format(bias=layout.three(bias)))
    rows = data.score_rows(cache.report(run, corpus, bias))
    st.dataframe(rows, hide_index=True, column_config={"percent": st.column_config.NumberColumn(format="%.1f")})


def show_guard(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Choose on dev, lock, reveal test once; every look is written down."""
    workspace = cache.workspace()
    st.text(layout.with_minus(glances.verdict(run)))
    with st.container(horizontal=True):
        if st.button("Keep this bias", key="tune.keep", help=words.KEEP_HELP):
            workspace.set_bias(run.id, bias)
            modelfile.restate(workspace.model_path(run.id), bias=bias)
            st.rerun()
        if st.button("Lock it", key="tune.lock", type="primary", help=words.LOCK_HELP):
            workspace.lock(run.id, corpus.id, bias)
            modelfile.restate(workspace.model_path(run.id), bias=bias)
            st.rerun()
    tests = [info for info in cache.corpora() if info.id != corpus.id and cache.fits(info, run.task) == "yes"]
    if not tests:
        st.caption(words.NO_TEST)
        return
    _reveal(run, tests)
    _show_looks(run)


def _reveal(run: RunInfo, tests: list[CorpusInfo]) -> None:
    names = sidebar.corpus_labels(tests)
    guess = next((i for i, info in enumerate(tests) if info.split == "test"), 0)
    test = st.selectbox("Test corpus", list(names), guess, format_func=names.__getitem__, key="tune.test", width=320)
    lock = glances.lock_of(run)
    if st.button("Reveal test", key="tune.reveal", disabled=lock is None):
        locked = guard.check(lock)
        info = cache.corpus(test)
        if info is not None:
            cache.workspace().record_look(run.id, test, locked.bias, cache.report(run, info, locked.bias))
            st.rerun()


def _show_looks(run: RunInfo) -> None:
    looks, task = cache.workspace().looks(run.id), cache.task(run.task)
    if not looks:
        return
    score = f"{task.main_name}, %"
    st.dataframe(
        data.look_rows(looks, score, task.main_score),
        hide_index=True,
        width="stretch",
        column_config={
            "bias": st.column_config.NumberColumn(format="%.3g"),
            score: st.column_config.NumberColumn(format="%.1f"),
        },
    )
