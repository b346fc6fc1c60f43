"""The widgets of the Compare page: two systems side by side, what each found, their training and their settings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, RunInfo
from engine.workbench import verdicts
from engine.workbench.comparison import Comparison
from ui.components.chart import chart
from ui.components.text import text
from ui.figures import curves
from ui.shell import cache, layout, naming
from ui.tab import session
from ui.tab.scores import score_name
from ui.views.compare import data, results, words
from ui.views.compare.found import Both
from ui.views.errors import widgets as errors
from ui.views.see import walk
from ui.views.train import outside

_PERCENT = st.column_config.NumberColumn(format="%.1f")


def choose_other(others: Sequence[str]) -> str:
    """Choose system B, which is kept in the address."""
    named = session.get("other")
    session.sync("compare.other", named if named in others else others[0])
    return st.selectbox(
        "B, compared with A",
        others,
        key="compare.other",
        format_func=results.label,
        on_change=session.writes("other", "compare.other"),
    )


def show_unanswered(other: str, corpus: CorpusInfo) -> None:
    n = results.unanswered(other, corpus)
    if n:
        documents = layout.counted(corpus.n_documents, "document")
        st.caption(words.UNANSWERED.format(missing=layout.count(n), documents=documents))


def show_scores(run: RunInfo, other: str, corpus: CorpusInfo, result: Comparison) -> None:
    """The verdict, whether the two may be compared at all, and the numbers behind it."""
    task = cache.task(run.task)
    unequal = results.unequal(run, other, corpus)
    if unequal:
        st.warning(words.UNEQUAL, icon=":material/balance:")
        st.text(layout.visible(unequal))
    else:
        main = task.main_score[-1] if task.main_score[-1] in {one.name for one in result.scores} else None
        decisive = main or result.scores[-1].name
        name = task.main_name if main else score_name((decisive,))
        st.text(verdicts.of_comparison(result, decisive, name, task.unit))
    st.caption(words.SCORES.format(documents=layout.count(result.n_documents), scores=len(result.scores)))
    st.dataframe(
        data.score_rows(result),
        hide_index=True,
        width="stretch",
        column_config={
            "A, %": _PERCENT,
            "B, %": _PERCENT,
        },
    )
    with st.expander(words.ALL_SCORES):
        percent = {"A, %": _PERCENT, "B, %": _PERCENT}
        st.dataframe(data.all_score_rows(result), hide_index=True, width="stretch", column_config=percent)


def show_found(run: RunInfo, other: str, corpus: CorpusInfo) -> None:
    """What each system found, what each wrongly predicted, and the cases behind each number."""
    found = results.found_by(run, other, corpus)
    numbers = {words.GROUPS[name]: n for name, n in found.numbers.items()}
    groups = {words.GROUPS[name]: name for name in found.numbers}
    chosen = st.segmented_control(
        "Show the cases",
        list(numbers),
        default=words.ONLY_B,
        key="compare.which",
        format_func=lambda name: f"{name}: {layout.count(numbers[name])}",
    )
    if chosen == words.FOUND_BOTH:
        _show_both(run, corpus, found.both())
    elif chosen:
        # An item found only by A is an error of B and is explained by B's view, as is a wrong prediction of B alone.
        second, of_b = cache.run(other), chosen in (words.ONLY_A, words.WRONG_B)
        owner = second if of_b and second is not None else run
        blamed = not of_b or second is not None
        if not blamed:
            st.caption(words.NOT_EXPLAINED)
        errors.show_cases(owner, corpus, found.cases(groups[chosen]), key="compare", blamed=blamed)


def _show_both(run: RunInfo, corpus: CorpusInfo, found: Both) -> None:
    """The items that both found: a list, and the text with the selected one. There is no error to explain, only a
    link."""

    def rows(first: int, last: int) -> list[walk.Line]:
        shown = found.part(first, last)
        documents = walk.documents_named(corpus, [id for id, _ in shown])
        return [(data.found_row(document, one), id) for (id, one), document in zip(shown, documents, strict=True)]

    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.caption(words.BOTH.format(items=layout.counted(len(found), "item")))
        current = walk.paged(found, rows, key="compare.both")
    if current is None:
        return
    id, one = found.part(current, current + 1)[0]
    document = cache.documents_at(corpus, [cache.positions(corpus)[id]])[0]
    with right:
        st.text(layout.visible(f"found by both · document {document.id}"))
        text(document, data.found_spans(one), key="compare.both.text", selected="item", judged=True, height=280)
        walk.links(run.task, document.id, (one.start, one.end), correct=False)


def show_learning(runs: Sequence[RunInfo]) -> None:
    rounds = {results.label(run.id): cache.workspace().rounds(run.id) for run in runs}
    unit, series = data.learning_series(rounds, cache.task(runs[0].task).main_score[-1])
    figure = curves.learning_figure(series, label=unit, dark=layout.is_dark())
    chart(figure, key="compare.learning")


def show_settings(run: RunInfo, second: RunInfo | None) -> None:
    if second is None:
        st.caption(words.NO_SETTINGS)
        return
    labels = naming.corpus_labels(cache.corpora())
    st.dataframe(data.setting_rows(run, second, labels), hide_index=True, width="stretch", height="content")


def show_leaderboard(run: RunInfo, corpus: CorpusInfo) -> None:
    """All systems on this corpus; those that share a letter do not differ significantly."""
    st.caption(words.LETTERS)
    for group in results.ranked(run, corpus):
        given = results.starting_points(corpus, group[0].name)[group[0].name]
        if given:
            st.text(words.STARTS.format(given=given))
        st.dataframe(
            data.rank_rows(group, {one.name: results.label(one.name) for one in group}),
            hide_index=True,
            width="stretch",
            column_config={"score, %": _PERCENT},
        )


def show_everywhere(run: RunInfo, corpus: CorpusInfo) -> None:
    """Several systems on several corpora, in one table."""
    corpora = {one.id: one for one in cache.corpora() if cache.fits(one, run.task) == "yes" and one.split != "test"}
    labels = naming.corpus_labels(list(corpora.values()))
    left, right = st.columns(2)
    picked = left.multiselect(
        "Corpora", list(corpora), [corpus.id], format_func=labels.__getitem__, key="compare.corpora"
    )
    runs = [one.id for one in cache.runs(run.task, usable=True)]
    systems = right.multiselect("Systems", runs, runs[:4], format_func=results.label, key="compare.systems")
    if not picked or not systems:
        return
    st.caption(words.EVERYWHERE.format(score=cache.task(run.task).main_name))
    found = {(system, id): results.main_score(system, corpora[id]) for system in systems for id in picked}
    rows = data.table_rows(found, {one: results.label(one) for one in systems}, {one: labels[one] for one in picked})
    st.dataframe(rows, hide_index=True, width="stretch", column_config={labels[one]: _PERCENT for one in picked})


def import_predictions(task: str, corpus: CorpusInfo) -> None:
    """Import predictions of an outside system, in any supported format, as a run; matched by document id."""
    st.caption(words.IMPORT_HELP)
    sent = st.file_uploader("Predictions of another system", accept_multiple_files=True, key="compare.file")
    name = st.text_input("Its name", key="compare.name", width=240)
    if not sent or not name or not st.button("Import", key="compare.import", type="primary"):
        return
    try:
        offered = outside.check_answers(cache.task(task), sent, cache.documents(corpus))
    except InputError as error:
        layout.failure(words.UNREADABLE, str(error))
        return
    session.put("other", outside.add(cache.workspace(), cache.task(task), offered, corpus=corpus.id, name=name))
    st.rerun()


def show_report(run: RunInfo, corpus: CorpusInfo, other: str | None) -> None:
    """One self-contained HTML file, and the tables in it."""
    st.caption(words.REPORT_CAPTION)
    about = results.key(corpus, run.id, other or "")
    if st.button("Make the report", key="compare.report"):
        session.keep("compare.made", (about, results.report(run, corpus, other)))
    of, made = session.value("compare.made", ("", None))
    if made is None or of != about:
        return
    st.download_button("Report as HTML", made.html(), f"{run.id}.html", "text/html", key="compare.html")
    with st.container(horizontal=True):
        for table in made.tables:
            name = table.name.replace(" ", "-")
            st.download_button(f"{table.name} (CSV)", table.csv(), f"{name}.csv", "text/csv", key=f"compare.csv.{name}")
        st.download_button("all tables (Markdown)", made.markdown(), f"{run.id}.md", "text/markdown", key="compare.md")
        latex = "\n".join(table.latex() for table in made.tables)
        st.download_button("all tables (LaTeX)", latex, f"{run.id}.tex", "text/x-tex", key="compare.tex")
