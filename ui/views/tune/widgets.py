"""The widgets of the Tune page: the chart, what flips, calibration, all scores, the guard on test data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import streamlit as st

from engine.arrays import Flags, Floats
from engine.store import modelfile
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.outside.run import caveat
from engine.tuning import guard
from engine.tuning.band import Band, Resampled, band_of, bootstrap_band
from engine.tuning.curve import Curve
from engine.tuning.window import useful_window
from engine.workbench import verdicts
from engine.workbench.along import Along, scores_in
from engine.workbench.answers import Flip, Judge, flips, reliability, scored_answers
from engine.workbench.large.flipping import LISTED
from engine.workbench.large.results import BAND_POINTS
from ui.components.chart import chart
from ui.components.strip import Knob
from ui.components.tuner import Rival, payload, tuner
from ui.figures import curves as figures
from ui.shell import cache, glances, layout, mistakes, naming
from ui.shell.held import brief
from ui.shell.large import results, waiting
from ui.tab import pages, session
from ui.tab.scores import score_name
from ui.views.see import along as see_along
from ui.views.see import frame as see
from ui.views.tune import data, words

Numbers: TypeAlias = Mapping[tuple[bool, bool], int]
"""(whether decisions appear, whether they are right) -> how many."""


def show_chart(run: RunInfo, corpus: CorpusInfo, curve: Curve, bias: float, beta: float) -> None:
    """The one chart, what it says here in a sentence, and what else is drawn in it."""
    place = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rivals = _choose_rivals(run, corpus)
        along = _choose_score(run, corpus, curve)
        wanted = st.toggle("Band", value=True, key="tune.band", help=words.BAND_HELP)
        st.download_button(
            "Curve as CSV", _csv(cache.version(run, corpus), curve), "curve.csv", "text/csv", key="tune.csv"
        )
    band = _band(cache.version(run, corpus), beta, curve, _resampled(run, corpus)) if wanted else None
    task = cache.task(run.task)
    knob = Knob(
        bias,
        chosen=run.bias,
        names=task.curve_names,
        help=see.knob_help(run.task),
        unit=task.unit,
        run=run.id,
        beta=beta,
    )
    with place:
        tuner(payload(curve, knob, band=band, rivals=rivals, along=along), key="tune.chart", on_release=see.released)
        st.text(verdicts.of_point(data.standing(curve, bias), data.standing(curve, run.bias), task.unit))
        if mind := caveat(cache.model(run)):
            st.caption(mind)
    st.caption(
        words.STEPS.format(
            steps=layout.count(len(curve.bias)),
            kind=words.EXACT if curve.exact else words.GRID,
            documents=layout.count(corpus.n_documents),
            gold=layout.count(curve.gold),
            area=f"{100 * curve.area():.1f}",
        )
        + (words.NO_BAND if wanted and band is None else "")
    )


def _resampled(run: RunInfo, corpus: CorpusInfo) -> Resampled | None:
    """What the band of a large corpus is made of; a curve in memory is resampled when it is drawn."""
    known = results.curve_of(cache.subject(run, corpus)) if cache.is_large(corpus) else None
    return None if known is None else known.resampled


@st.cache_resource(show_spinner="Resampling documents …", max_entries=32)
def _band(key: tuple[str, ...], beta: float, _curve: Curve, _drawn: Resampled | None) -> Band | None:
    if _drawn is not None:
        return band_of(_curve, _drawn, beta=beta)
    if _curve.steps is None:
        return None
    return bootstrap_band(_curve, beta=beta, points=BAND_POINTS, window=useful_window(_curve))


def _choose_rivals(run: RunInfo, corpus: CorpusInfo) -> list[Rival]:
    """Other runs in the same chart, each with its own bias."""
    others = {one.id: one for one in cache.runs(run.task, usable=True) if one.id != run.id}
    picked = st.multiselect(
        "Other runs",
        list(others),
        format_func=lambda id: _label(others[id]),
        key="tune.others",
        placeholder="none overlaid",
        width=340,
        help=words.RIVALS_HELP,
    )
    found = []
    for id in picked:
        theirs = cache.curve(others[id], corpus)
        if theirs is not None:
            best = theirs.point(theirs.best_index())
            note = words.RIVAL.format(
                f=layout.percent(best.f1), at_bias=layout.at_bias(cache.task(run.task), others[id].bias)
            )
            found.append(Rival(_label(others[id]), note, theirs, others[id].bias))
    return found


def _choose_score(run: RunInfo, corpus: CorpusInfo, curve: Curve) -> Along | None:
    """Any reported score along the bias: the main one where the curve does not hold it, else what is chosen."""
    task = cache.task(run.task)
    if cache.is_large(corpus):
        return None
    known = list(_scores(cache.version(run, corpus), run, corpus))
    first = None if task.main_on_curve or task.main_score not in known else task.main_score
    options = [None, *known]
    chosen = st.selectbox(
        "Another score",
        options,
        options.index(first),
        format_func=lambda path: words.NO_OTHER_SCORE if path is None else score_name(path),
        key="tune.score",
        width=220,
        help=words.SCORE_HELP,
    )
    if chosen is None:
        return None
    name = task.main_name if chosen == task.main_score else score_name(chosen)
    return see_along.score_along(run, corpus, curve, chosen, name)


@brief
@st.cache_resource(show_spinner=False, max_entries=16)
def _csv(key: tuple[str, ...], _curve: Curve) -> str:
    """Every operating point: as many as the curve has, and every drawing of the page offers them."""
    return data.csv(data.curve_rows(_curve))


@st.cache_resource(show_spinner=False, max_entries=32)
def _scores(key: tuple[str, ...], _run: RunInfo, _corpus: CorpusInfo) -> tuple[tuple[str, ...], ...]:
    """The names of what is reported, at the run's own bias: they stay while the knob is moved."""
    return tuple(scores_in(cache.report(_run, _corpus)))


def _label(run: RunInfo) -> str:
    return naming.run_label(run, with_task=False)


def show_flips(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Decisions that differ between the kept bias and the cursor."""
    start = st.number_input("Compared with bias", value=float(run.bias), key="tune.from", format="%.4g", width=200)
    if start == bias:
        st.text(words.NOT_MOVED)
        return
    found = _large_flips(run, corpus, start, bias) if cache.is_large(corpus) else _flips(run, corpus, start, bias)
    if found is None:
        return
    numbers, listed = found
    n = sum(numbers.values())
    st.text(
        words.FLIPPED.format(
            decisions=layout.counted(n, "decision"), start=layout.three(start), bias=layout.three(bias)
        )
        + " "
        + data.flips_in_words(numbers)
    )
    rows = data.flip_rows(listed)
    if not rows:
        return
    if len(rows) < n:
        st.caption(words.FIRST_FLIPS.format(n=layout.count(len(rows))))
    chosen = layout.choose_row(
        rows, key="tune.flips", column_order=("right", "text", "decision", "change", "kind", "document")
    )
    if chosen is not None and pages.exists(run.task):
        row = rows[chosen]
        where = {} if row["at"] is None else {"sel": row["at"]}
        layout.link_to(run.task, "Open it in its view", doc=row["document"], bias=repr(bias), **where)


def _flips(run: RunInfo, corpus: CorpusInfo, start: float, bias: float) -> tuple[Numbers, Sequence[Flip]]:
    """How many decisions come and go, and the first to be listed."""
    before, after = cache.predictions(run, corpus, start), cache.predictions(run, corpus, bias)
    judges = Judge(mistakes.errors(run, corpus, start)), Judge(mistakes.errors(run, corpus, bias))
    found = flips(cache.documents(corpus), before, after, cache.task(run.task).decides, judges)
    return Counter((one.appears, one.right) for one in found), found[:LISTED]


def _large_flips(run: RunInfo, corpus: CorpusInfo, start: float, bias: float) -> tuple[Numbers, Sequence[Flip]] | None:
    """The same of a large corpus. That takes a pass over it, so it is begun by a button and not by every move."""
    cache.ask_first(corpus, run)
    asked = session.value("tune.find", False)
    soon = results.flips_soon(cache.beside(), cache.subject(run, corpus), start, bias, begin=asked)
    if soon is None:
        st.button(words.FIND_FLIPS, key="tune.find", help=words.FIND_FLIPS_HELP)
        return None
    kept = waiting.for_all(soon, words.FINDING_FLIPS)
    return kept.numbers, kept.listed


def show_calibration(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Whether probabilities mean what they say: the share of right answers by how sure the run was of them."""
    if cache.task(run.task).confidence != "probability":
        st.text(words.MARGINS)
        return
    found = reliability(*_answers(run, corpus, bias))
    if not found.n:
        st.text(words.NO_PROBABILITIES)
        return
    st.text(words.CALIBRATION.format(n=layout.count(found.n), error=layout.percent(found.expected_error)))
    chart(
        figures.reliability_figure(found, dark=layout.is_dark()),
        key="tune.reliability",
    )
    st.dataframe(data.bin_rows(found), hide_index=True)


def _answers(run: RunInfo, corpus: CorpusInfo, bias: float) -> tuple[Floats, Flags]:
    """How probable every answer was, and whether it is right."""
    if cache.is_large(corpus):
        return mistakes.stored(run, corpus, bias).answers
    documents, layers = cache.documents(corpus), cache.predictions(run, corpus, bias)
    return scored_answers(documents, layers, mistakes.errors(run, corpus, bias))


def show_scores(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """Everything that `evaluate` says of the run at the cursor."""
    st.caption(words.REPORT.format(at_bias=layout.at_bias(cache.task(run.task), bias)))
    rows = data.score_rows(cache.report(run, corpus, bias))
    percent = {"percent": st.column_config.NumberColumn(format="%.1f")}
    st.dataframe(rows, hide_index=True, placeholder="", column_config=percent)


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
    _reveal(run, corpus, tests)
    _show_looks(run)


def _reveal(run: RunInfo, corpus: CorpusInfo, tests: list[CorpusInfo]) -> None:
    labels = naming.corpus_labels(tests)
    # The test part of the corpus on screen comes first, before that of any other.
    by_kinship = sorted(range(len(tests)), key=lambda i: (tests[i].split != "test", tests[i].name != corpus.name))
    guess = by_kinship[0]
    test = st.selectbox("Test corpus", list(labels), guess, format_func=labels.__getitem__, key="tune.test", width=320)
    lock = glances.lock_of(run)
    if st.button("Reveal test", key="tune.reveal", disabled=lock is None):
        locked = guard.check(lock)
        info = cache.corpus(test)
        if info is not None:
            scores = cache.report(run, info, locked.bias, asked=True)
            cache.workspace().record_look(run.id, test, locked.bias, scores)
            st.rerun()


def _show_looks(run: RunInfo) -> None:
    looks, task = cache.workspace().looks(run.id), cache.task(run.task)
    if not looks:
        return
    score = f"{task.main_name}, %"
    st.dataframe(
        layout.in_three(data.look_rows(looks, score, task.main_score), ("bias",)),
        hide_index=True,
        width="stretch",
        column_config={score: st.column_config.NumberColumn(format="%.1f")},
    )
