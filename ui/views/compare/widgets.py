"""The Compare page's parts: two systems side by side, who found what, how they learnt, how they were set."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from engine.corpora import data_hash
from engine.corpora.answers import answers
from engine.data.document import NIL, Document, Layer
from engine.data.errors import InputError
from engine.metrics.differences import Decision, decisions
from engine.metrics.errors import Error
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.base import AnyTask, Report
from engine.tasks.scored import Scored
from engine.workbench.comparison import (
    Beside,
    Comparison,
    Shared,
    beside_first,
    compare,
    gold_items,
    leaderboard,
    shared,
)
from engine.workbench.report import About, RunReport, System, report
from ui.components.cases import cases
from ui.components.text import DrawnSpan, text
from ui.figures import curves
from ui.shell import cache, glances, layout, mistakes, pages, session, upload
from ui.shell.palette import RIGHT
from ui.views.errors import widgets as errors_page
from ui.views.errors.widgets import WALKED
from ui.views.see import frame as see

IMPORTED = "imported: "


def systems(run: RunInfo, corpus: CorpusInfo) -> list[str]:
    """What a run can be compared with on this corpus: other runs of its task, and imported predictions."""
    others = [one.id for one in cache.runs(run.task, usable=True) if one.id != run.id]
    return others + [IMPORTED + name for name in cache.workspace().layer_names(corpus.id)]


def label(name: str) -> str:
    run = cache.run(name)
    return name if run is None else f"{run.learner} · {run.id}"


def layers(name: str, corpus: CorpusInfo) -> Sequence[Layer]:
    """The predicted layer of every document; a document without an imported layer has none of its decisions."""
    if name.startswith(IMPORTED):
        found = cache.workspace().layer(corpus.id, name.removeprefix(IMPORTED))
        return [found.get(document.id, Layer()) for document in cache.documents(corpus)]
    run = cache.run(name)
    if run is None:
        raise InputError(f"the workspace has no run {name!r}")
    return cache.predictions(run, corpus)


@st.cache_resource(show_spinner="Testing the difference over documents …", max_entries=16)
def _comparison(key: str, task: str, first: str, second: str, corpus: str) -> Comparison:
    info = cache.corpus(corpus)
    if info is None:
        raise InputError(f"the workspace has no corpus {corpus!r}")
    known = _scored(first, info), _scored(second, info)
    return compare(cache.task(task), cache.documents(info), layers(first, info), layers(second, info), scored=known)


def _scored(name: str, corpus: CorpusInfo) -> Scored | None:
    """The scores of a run; None for predictions that came without any."""
    run = cache.run(name)
    return None if run is None else cache.scored(run, corpus)


def comparison(run: RunInfo, other: str, corpus: CorpusInfo) -> Comparison:
    return _comparison(_key(corpus, run.id, other), run.task, run.id, other, corpus.id)


def beside(runs: Sequence[RunInfo], corpus: CorpusInfo) -> list[tuple[Beside, Report]]:
    """Each run's difference from the first, and its report, both at the bias chosen for the run."""
    names = tuple(run.id for run in runs)
    return _beside(_key(corpus, *names), runs[0].task, names, corpus.id)


@st.cache_resource(show_spinner="Testing the differences over documents …", max_entries=16)
def _beside(key: str, task: str, names: tuple[str, ...], corpus: str) -> list[tuple[Beside, Report]]:
    info = cache.corpus(corpus)
    if info is None:
        raise InputError(f"the workspace has no corpus {corpus!r}")
    found = {name: layers(name, info) for name in names}
    reports = [cache.task(task).evaluate(cache.documents(info), found[name], _scored(name, info)) for name in names]
    return list(zip(beside_first(cache.task(task), cache.documents(info), found), reports, strict=True))


def _key(corpus: CorpusInfo, *names: str) -> str:
    """Changes whenever something does that the comparison depends on."""
    parts = [str(cache.directory()), corpus.id, cache.content(corpus)]
    for name in names:
        run = cache.run(name)
        parts += [name, "" if run is None else f"{cache.model_version(run.id)} {run.bias}"]
    return " ".join(parts)


@st.cache_resource(show_spinner=False, max_entries=32)
def _unanswered(key: str, name: str, corpus: str, n_documents: int) -> int:
    return n_documents - len(cache.workspace().layer(corpus, name))


def show_unanswered(other: str, corpus: CorpusInfo) -> None:
    """Imported predictions may lack documents: tables often list only those with an answer."""
    if other.startswith(IMPORTED):
        n = _unanswered(_key(corpus, other), other.removeprefix(IMPORTED), corpus.id, corpus.n_documents)
        if n:
            st.caption(
                f"{layout.count(n)} of {layout.counted(corpus.n_documents, 'document')} have no prediction in B;"
                " they count as empty."
            )


def score_rows(result: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "score": one.name.replace("_", " "),
            "A, %": 100 * one.first,
            "B, %": 100 * one.second,
            "B − A": 100 * one.difference.value,
            "95 % interval": f"{100 * one.difference.low:+.1f} … {100 * one.difference.high:+.1f}",
            "p (permutation)": one.p_permutation,
            "p (Holm)": one.p_corrected,
        }
        for one in result.scores
    ]


def show_scores(result: Comparison) -> None:
    st.caption(
        f"Paired bootstrap and permutation over n = {layout.count(result.n_documents)} documents; p (Holm) is corrected"
        f" for the {len(result.scores)} scores tested here."
    )
    st.dataframe(
        score_rows(result),
        hide_index=True,
        width="stretch",
        column_config={
            "A, %": st.column_config.NumberColumn(format="%.1f"),
            "B, %": st.column_config.NumberColumn(format="%.1f"),
            "B − A": st.column_config.NumberColumn(format="%+.1f"),
            "p (permutation)": st.column_config.NumberColumn(format="%.3f"),
            "p (Holm)": st.column_config.NumberColumn(format="%.3f"),
        },
    )
    with st.expander("All scores, per type too (differences without intervals)"):
        st.dataframe(
            [{"score": name, "A": a, "B": b, "B − A": b - a} for name, (a, b) in result.all_scores.items()],
            hide_index=True,
            width="stretch",
        )


def found_by(run: RunInfo, other: str, corpus: CorpusInfo) -> tuple[Shared, dict[str, Sequence[Error]]]:
    """Gold items by who found them, and the cases behind each number."""
    task, second = cache.task(run.task), cache.run(other)
    mine = mistakes.errors(run, corpus, run.bias)
    if second is not None:
        theirs = mistakes.errors(second, corpus, second.bias)
    else:
        theirs = _imported_errors(_key(corpus, run.id, other), run.id, other, corpus.id)
    table = shared(gold_items(task, cache.documents(corpus)), mine, theirs)
    return table, {"only A": table.only_first, "only B": table.only_second, "neither": table.neither}


@st.cache_resource(show_spinner="Finding what the imported predictions miss …", max_entries=8)
def _imported_errors(key: str, run: str, other: str, corpus: str) -> tuple[Error, ...]:
    """What an outside system misses. It has no model that could say why, so its stages mean nothing; what is missed
    does not depend on the model."""
    info, of = cache.corpus(corpus), cache.run(run)
    if info is None or of is None:
        raise InputError("the run or the corpus is gone")
    return tuple(cache.task(of.task).errors(cache.scored(of, info), layers(other, info)))


def found_by_both(
    task: AnyTask, documents: Sequence[Document], missed: Iterable[Error]
) -> list[tuple[Document, Decision]]:
    """What gold says and neither system missed, in text order."""
    about_document = "label" in task.decides
    lost = {(error.document, _where(error, about_document=about_document)) for error in missed}
    return [
        (document, one)
        for document in documents
        for one in sorted(decisions(document.gold, task.decides))
        if one.value != NIL and (document.id, _place(one)) not in lost
    ]


def _where(error: Error, *, about_document: bool) -> tuple[Any, ...]:
    """What a miss is a miss of, comparable with `_place`."""
    if about_document:
        return "label", error.type
    return ("relation", *error.arguments, error.gold) if error.arguments is not None else (error.start, error.end)


def _place(one: Decision) -> tuple[Any, ...]:
    if one.kind == "label":
        return "label", one.value
    return ("relation", (one.start, one.end), one.other, one.value) if one.kind == "relation" else (one.start, one.end)


def show_both(run: RunInfo, corpus: CorpusInfo, found: Sequence[tuple[Document, Decision]]) -> None:
    """What both found: the list, and the text with the chosen one. There is no error to explain; its view is a link."""
    by_key = {f"{d.id}|{one.kind}|{one.start}|{one.end}|{one.value}|{one.other}": (d, one) for d, one in found[:WALKED]}
    current = session.selected() if session.selected() in by_key else next(iter(by_key), None)
    rows = [{"key": key, "sign": RIGHT, "title": _title(*item), "note": ""} for key, item in by_key.items()]

    def go_to(key: str) -> None:
        session.put_together({"doc": by_key[key][0].id if key in by_key else session.get("doc"), "sel": key})

    left, right = st.columns([2, 3], gap="medium")
    with left:
        more = f"; the first {WALKED} are listed" if len(found) > WALKED else ""
        st.caption(f"{layout.counted(len(found), 'item')} of gold, in the order of the corpus{more}")
        version = hashlib.blake2b(repr(list(by_key)).encode(), digest_size=12).hexdigest()
        cases(rows, key="compare.both", version=version, selected=current, on_select=go_to)
    if current is None:
        return
    document, one = by_key[current]
    with right:
        st.text(layout.visible(f"found by both · document {document.id}"))
        spans = [("item", (one.start, one.end)), ("other", one.other)]
        drawn = [
            DrawnSpan(key, *span, label=one.value if key == "item" else "", gold=True, predicted=True)
            for key, span in spans
            if span[1] > span[0] >= 0
        ]
        text(document, drawn, key="compare.both.text", selected="item", judged=True, height=280)
        with st.container(horizontal=True):
            sel = see.place(one.start, one.end)
            if pages.exists(run.task):
                layout.link_to(run.task, "Why? Open its view", doc=document.id, sel=sel)
            layout.link_to("document", "Open the document", doc=document.id, sel=sel)


def _title(document: Document, one: Decision) -> str:
    words = [document.text[slice(*span)] for span in ((one.start, one.end), one.other) if span[1] > span[0] >= 0]
    surface = " … ".join(" ".join(word.split())[:40] for word in words)
    return f"{surface}: {one.value}".removeprefix(": ").removesuffix(": ")


def show_found(run: RunInfo, other: str, corpus: CorpusInfo) -> None:
    table, behind = found_by(run, other, corpus)
    numbers = {"both": table.both, **{name: len(found) for name, found in behind.items()}}
    columns = st.columns(4)
    for column, (name, n) in zip(columns, numbers.items(), strict=True):
        column.metric(f"found by {name}", layout.count(n))
    chosen = st.segmented_control("Show the cases", list(numbers), default="only B", key="compare.which")
    if chosen == "both":
        missed = [error for found in behind.values() for error in found]
        show_both(run, corpus, found_by_both(cache.task(run.task), cache.documents(corpus), missed))
    elif chosen:
        # A case that only one system found is an error of the other, and is explained by the other's view.
        second = cache.run(other)
        owner = second if chosen == "only A" and second is not None else run
        blamed = chosen != "only A" or second is not None
        if not blamed:
            st.caption("Imported predictions have no model, so nothing can say why they missed these.")
        errors_page.show_cases(owner, corpus, behind[chosen], key="compare", blamed=blamed)


def show_learning(runs: Sequence[RunInfo]) -> None:
    path = cache.task(runs[0].task).main_score[-1]
    rounds = {run.id: cache.workspace().rounds(run.id) for run in runs}
    name = path if any(path in one.scores for found in rounds.values() for one in found) else "objective"
    series = {
        f"{run.learner} · {run.id}": [
            (one.index, 100 * one.scores[name] if name != "objective" else one.objective)
            for one in rounds[run.id]
            if name == "objective" or name in one.scores
        ]
        for run in runs
    }
    unit = "objective" if name == "objective" else f"{name} on dev, percent"
    figure = curves.learning_figure(series, label=unit, dark=layout.is_dark())
    st.plotly_chart(figure, key="compare.learning", config={"displaylogo": False})


def settings_diff(first: RunInfo, second: RunInfo) -> list[dict[str, str]]:
    """Settings and data that differ."""
    a = {"learner": first.learner, "train": first.train, "dev": first.dev, "bias": first.bias, **first.settings}
    b = {"learner": second.learner, "train": second.train, "dev": second.dev, "bias": second.bias, **second.settings}
    return [
        {"setting": name, "A": str(a.get(name, "–")), "B": str(b.get(name, "–"))}
        for name in dict.fromkeys([*a, *b])
        if a.get(name) != b.get(name)
    ]


def show_leaderboard(run: RunInfo, corpus: CorpusInfo) -> None:
    """All systems on this corpus; those that share a letter do not differ beyond luck."""
    names = [run.id, *systems(run, corpus)]
    ranked = _leaderboard(_key(corpus, *names), run.task, tuple(names), corpus.id)
    st.caption("Systems that share a letter do not differ significantly (pairwise permutation, Holm, 5 %).")
    st.dataframe(
        [
            {
                "system": label(one.name),
                "score, %": 100 * one.score.value,
                "95 % interval": f"{100 * one.score.low:.1f} … {100 * one.score.high:.1f}",
                "letters": one.letters,
            }
            for one in ranked
        ],
        hide_index=True,
        width="stretch",
        column_config={"score, %": st.column_config.NumberColumn(format="%.1f")},
    )


@st.cache_resource(show_spinner="Ranking …", max_entries=8)
def _leaderboard(key: str, task: str, names: tuple[str, ...], corpus: str) -> list[Any]:
    info = cache.corpus(corpus)
    if info is None:
        raise InputError(f"the workspace has no corpus {corpus!r}")
    return leaderboard(
        cache.task(task), cache.documents(info), {name: layers(name, info) for name in names}, samples=1000
    )


def import_predictions(corpus: CorpusInfo) -> None:
    """Predictions of an outside system, in any format that is read; matched by document id."""
    sent = st.file_uploader("Predictions of another system", key="compare.file")
    name = st.text_input("Its name", key="compare.name", width=240)
    if sent is None or not name or not st.button("Import", key="compare.import", type="primary"):
        return
    reading = upload.read([sent])
    if reading.fault is not None:
        st.error("The file could not be read.", icon=":material/error:")
        st.text(reading.fault.sentence)
        return
    found = predicted_layers(reading.documents, cache.documents(corpus))
    cache.workspace().add_layer(corpus.id, name, found)
    # The name may have stood for other predictions before.
    for known in (_comparison, _imported_errors, _leaderboard, _unanswered):
        known.clear()
    session.put("other", IMPORTED + name)
    st.rerun()


def predicted_layers(documents: Sequence[Document], gold: Sequence[Document]) -> dict[str, Layer]:
    found = answers(gold, documents)
    if not found:
        raise InputError("none of its documents has an id of this corpus; predictions are matched by document id")
    return found


def show_report(run: RunInfo, corpus: CorpusInfo, other: str | None) -> None:
    """One self-contained HTML file, and the tables in it."""
    st.caption("Settings, data hashes, curve, errors by stage and the comparison in one file that needs no network.")
    about = _key(corpus, run.id, other or "")
    if st.button("Make the report", key="compare.report"):
        session.keep("compare.made", (about, _report(run, corpus, other)))
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


def _report(run: RunInfo, corpus: CorpusInfo, other: str | None) -> RunReport:
    about = About.of_model(
        cache.model(run),
        name=run.id,
        data_name=f"{corpus.name} {corpus.split}, gold {cache.gold_name(corpus)}".strip(),
        # Of the documents as they were scored: corrections of gold make them others than were imported.
        data_hash=data_hash(cache.documents(corpus)),
    )
    return report(
        cache.task(run.task),
        cache.scored(run, corpus),
        about,
        verdict=glances.verdict(run),
        doubts=mistakes.doubts(corpus),
        others={} if other is None else {label(other): System(layers(other, corpus), _scored(other, corpus))},
    )
