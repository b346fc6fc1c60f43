"""The widgets of the Compare page: two systems side by side, who found what, how they learnt, how they were set."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from engine.data.document import Document
from engine.metrics.differences import Decision
from engine.store.workspace import CorpusInfo, RunInfo
from engine.workbench.comparison import Comparison
from ui.components.text import text
from ui.figures import curves
from ui.shell import cache, layout, session, upload
from ui.views.compare import data, results, words
from ui.views.errors import widgets as errors
from ui.views.errors.words import FIRST_LISTED
from ui.views.see import walk

_PERCENT = st.column_config.NumberColumn(format="%.1f")


def choose_other(others: Sequence[str]) -> str:
    """Which system is B; in the address."""
    named = session.get("other")
    session.sync("compare.other", named if named in others else others[0])
    return st.selectbox(
        "B", others, key="compare.other", format_func=results.label, on_change=session.writes("other", "compare.other")
    )


def show_unanswered(other: str, corpus: CorpusInfo) -> None:
    n = results.unanswered(other, corpus)
    if n:
        documents = layout.counted(corpus.n_documents, "document")
        st.caption(words.UNANSWERED.format(missing=layout.count(n), documents=documents))


def show_scores(result: Comparison) -> None:
    st.caption(words.SCORES.format(documents=layout.count(result.n_documents), scores=len(result.scores)))
    st.dataframe(
        data.score_rows(result),
        hide_index=True,
        width="stretch",
        column_config={
            "A, %": _PERCENT,
            "B, %": _PERCENT,
            "B − A": st.column_config.NumberColumn(format="%+.1f"),
        },
    )
    with st.expander(words.ALL_SCORES):
        st.dataframe(data.all_score_rows(result), hide_index=True, width="stretch")


def show_found(run: RunInfo, other: str, corpus: CorpusInfo) -> None:
    """How much each system found, and the cases behind each number."""
    table, behind = results.found_by(run, other, corpus)
    numbers = {"both": table.both, **{name: len(found) for name, found in behind.items()}}
    for column, (name, n) in zip(st.columns(4), numbers.items(), strict=True):
        column.metric(f"found by {name}", layout.count(n))
    chosen = st.segmented_control("Show the cases", list(numbers), default="only B", key="compare.which")
    if chosen == "both":
        missed = [error for found in behind.values() for error in found]
        both = data.found_by_both(cache.task(run.task).decides, cache.documents(corpus), missed)
        _show_both(run, both)
    elif chosen:
        # A case that only one system found is an error of the other, and is explained by the other's view.
        second = cache.run(other)
        owner = second if chosen == "only A" and second is not None else run
        blamed = chosen != "only A" or second is not None
        if not blamed:
            st.caption(words.NOT_EXPLAINED)
        errors.show_cases(owner, corpus, behind[chosen], key="compare", blamed=blamed)


def _show_both(run: RunInfo, found: Sequence[tuple[Document, Decision]]) -> None:
    """What both found: the list, and the text with the chosen one. There is no error to explain; its view is a link."""
    rows = [data.found_row(*item) for item in found[: errors.WALKED]]
    by_key = {row["key"]: item for row, item in zip(rows, found, strict=False)}
    left, right = st.columns([2, 3], gap="medium")
    with left:
        more = FIRST_LISTED.format(n=errors.WALKED) if len(found) > errors.WALKED else ""
        st.caption(words.BOTH.format(items=layout.counted(len(found), "item"), more=more))
        walk.listed(rows, {key: document.id for key, (document, _) in by_key.items()}, key="compare.both")
    current = walk.current(rows)
    if current is None:
        return
    document, one = by_key[current]
    with right:
        st.text(layout.visible(f"found by both · document {document.id}"))
        text(document, data.found_spans(one), key="compare.both.text", selected="item", judged=True, height=280)
        walk.links(run.task, document.id, (one.start, one.end), correct=False)


def show_learning(runs: Sequence[RunInfo]) -> None:
    rounds = {results.label(run.id): cache.workspace().rounds(run.id) for run in runs}
    unit, series = data.learning_series(rounds, cache.task(runs[0].task).main_score[-1])
    figure = curves.learning_figure(series, label=unit, dark=layout.is_dark())
    st.plotly_chart(figure, key="compare.learning", config={"displaylogo": False})


def show_settings(run: RunInfo, second: RunInfo | None) -> None:
    st.dataframe(data.setting_rows(run, second) if second else [], hide_index=True, width="stretch")


def show_leaderboard(run: RunInfo, corpus: CorpusInfo) -> None:
    """All systems on this corpus; those that share a letter do not differ beyond luck."""
    ranked = results.ranked(run, corpus)
    st.caption(words.LETTERS)
    st.dataframe(
        data.rank_rows(ranked, {one.name: results.label(one.name) for one in ranked}),
        hide_index=True,
        width="stretch",
        column_config={"score, %": _PERCENT},
    )


def import_predictions(corpus: CorpusInfo) -> None:
    """Predictions of an outside system, in any format that is read; matched by document id."""
    sent = st.file_uploader("Predictions of another system", key="compare.file")
    name = st.text_input("Its name", key="compare.name", width=240)
    if sent is None or not name or not st.button("Import", key="compare.import", type="primary"):
        return
    reading = upload.read([sent])
    if reading.fault is not None:
        layout.failure(words.UNREADABLE, reading.fault.sentence)
        return
    cache.workspace().add_layer(corpus.id, name, data.predicted_layers(reading.documents, cache.documents(corpus)))
    results.forget_imported()
    session.put("other", results.IMPORTED + name)
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
