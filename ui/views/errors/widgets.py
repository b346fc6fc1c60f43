"""The Errors page's parts: the table of stages, slices, the walk through cases, confusions, documents by loss."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from engine.metrics.errors import (
    STAGES,
    Error,
    Filter,
    confusions,
    stages_absent,
    stages_shown,
)
from engine.store.workspace import CorpusInfo, RunInfo
from engine.workbench.repair import score_if_fixed
from ui.components.cases import cases
from ui.components.stages import Cell, StageRow, stages
from ui.components.text import text
from ui.figures import curves
from ui.shell import cache, layout, mistakes, pages, session
from ui.views.errors import data
from ui.views.see import frame as see
from ui.views.see import verdicts

WALKED = 500
"""Cases in the list at once; filters narrow them down."""
WITHOUT_TYPE = "(no type)"


def show_table(run: RunInfo, corpus: CorpusInfo, bias: float, found: mistakes.Digest) -> None:
    """Stages by types; choosing a cell narrows everything below to it."""
    task = cache.task(run.task)
    if_fixed = mistakes.what_if(run, corpus, bias)
    now = if_fixed.now
    counts = found.table
    types = [name for name, _ in sum(counts.values(), Counter()).most_common(12)]
    score = task.main_name
    shown = stages_shown(task.stages, counts)
    rows = []
    for stage in shown:
        after = if_fixed.fixed.get(stage, now)
        gain = None if after is None or now is None else 100 * (after - now)
        rows.append(
            StageRow(
                stage,
                (sum(counts[stage].values()), *(counts[stage].get(name, 0) for name in types)),
                (layout.percent(after), "–" if gain is None else layout.with_minus(f"{gain:+.1f}")),
            )
        )
    absent = stages_absent(task.stages)
    st.caption(
        f"{layout.counted(len(found.errors), 'error')} of {run.learner} on {layout.count(corpus.n_documents)} documents"
        f" at bias {layout.three(bias)}; {score} {layout.percent(now)} %. The stages add up to all errors. Click a"
        " number to see just those, and again to see all."
        + (f" Cannot occur in this system: {', '.join(absent)}." if absent else "")
    )
    if if_fixed.without_doubted is not None:
        st.caption(
            f"Against gold without what was marked wrong, {score} is {layout.percent(if_fixed.without_doubted)} %."
            " Both golds are kept."
        )
    columns = [name or WITHOUT_TYPE for name in types]

    def choose(cell: Cell | None) -> None:
        stage = None if cell is None else shown[cell[0]]
        type = columns[cell[1] - 1] if cell is not None and cell[1] > 0 else None
        session.put_together({"stage": stage, "type": type, "sel": None})

    stages(
        ["stage", "all", *columns, f"{score} if fixed, %", "gain"],
        rows,
        key="errors.table",
        chosen=_chosen_cell(shown, columns),
        on_choose=choose,
    )


def _chosen_cell(shown: Sequence[str], columns: Sequence[str]) -> Cell | None:
    """The cell that the address speaks of."""
    stage, type = session.get("stage"), session.get("type")
    if stage not in shown or (type is not None and type not in columns):
        return None
    return shown.index(stage), 0 if type is None else 1 + columns.index(type)


def filters(known: Mapping[str, Sequence[Any]], task: str) -> list[Filter]:
    """The chosen cell, a saved slice, and conditions on any attributes: what passes all of them is shown."""
    workspace = cache.workspace()
    chosen: list[Filter] = []
    stage, type = session.get("stage"), session.get("type")
    if stage in STAGES:
        chosen.append(Filter("stage", (stage,)))
    if type is not None:
        chosen.append(Filter("type", ("" if type == WITHOUT_TYPE else type,)))
    saved = workspace.saved_slices(task)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slice_ = st.selectbox("Saved slice", ["", *saved], key="errors.slice", width=180)
        names = st.multiselect(
            "Attributes",
            sorted(known),
            key="errors.attributes",
            width=260,
            format_func=lambda name: mistakes.sureness(task) if name == "confidence" else name,
        )
        if slice_ in saved:
            chosen += data.saved_filters(saved[slice_])
            if st.button("Forget the slice", key="errors.forget"):
                workspace.remove_slice(slice_, task)
                st.rerun()
        if (stage or type) and st.button("Clear the cell", key="errors.clear"):
            session.put("stage", None)
            session.put("type", None)
            st.rerun()
    if names:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            found = [_attribute_filter(name, known[name]) for name in names]
            chosen += [one for one in found if one is not None]
            name = st.text_input("Save as", key="errors.name", width=150, help="Cell and attributes together.")
            if st.button("Save", key="errors.save", disabled=not (name and chosen)):
                workspace.save_slice(name, task, data.slice_json(chosen))
                st.rerun()
    return chosen


def _attribute_filter(name: str, values: Sequence[Any]) -> Filter | None:
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values) and len(values) > 8:
        low, high = float(min(values)), float(max(values))
        chosen = st.slider("Range", low, high, (low, high), key=f"errors.range.{name}", width=260)
        return Filter(name, low=chosen[0], high=chosen[1])
    shown = {layout.visible(str(value)): value for value in values[:500]}
    picked = st.multiselect("Values", list(shown), key=f"errors.values.{name}", width=300)
    return Filter(name, tuple(shown[one] for one in picked)) if picked else None


def show_worth(run: RunInfo, corpus: CorpusInfo, bias: float, kept: Sequence[Error], of: int) -> None:
    """What correcting exactly the cases on screen would bring; computed when asked for."""
    if not kept or len(kept) == of:
        return
    if not st.button(f"Score if these {layout.count(len(kept))} were fixed", key="errors.worth"):
        return
    task, now = cache.task(run.task), mistakes.what_if(run, corpus, bias).now
    predicted, scored = cache.predictions(run, corpus, bias), cache.scored(run, corpus, bias)
    report = score_if_fixed(task, cache.documents(corpus), predicted, kept, scored)
    then = task.main_number(report)
    gain = "" if now is None else f" ({100 * (then - now):+.1f})"
    st.text(f"{task.main_name} {layout.percent(then)} %{gain} if exactly these were corrected.")


def show_cases(
    run: RunInfo,
    corpus: CorpusInfo,
    found: Sequence[Error],
    key: str = "errors",
    *,
    blamed: bool = True,
    bias: float | None = None,
) -> None:
    """The list, most confident first, and the document behind the case under the cursor. Cases of a system without a
    model are not `blamed` on a stage; those of a run were found at `bias`, or at the run's own."""
    documents, places = cache.documents(corpus), cache.positions(corpus)
    shown = [error for error in found[:WALKED] if error.document in places]
    rows = [data.case_row(error, documents[places[error.document]], blamed=blamed) for error in shown]
    by_key = {row["key"]: error for row, error in zip(rows, shown, strict=True)}
    # One case is the current one, in the list as beside it: the first where none is selected.
    current = session.selected()
    if current not in by_key:
        current = next(iter(by_key), None)
    left, right = st.columns([2, 3], gap="medium")

    def go_to(case: str) -> None:
        """The case, and with it its document: the next page opens there."""
        session.put_together({"doc": by_key[case].document if case in by_key else session.get("doc"), "sel": case})

    with left:
        first_are = "widest margin" if mistakes.sureness(run.task) == "margin" else "most confident"
        st.caption(
            f"{layout.counted(len(found), 'case')}, {first_are} first"
            + (f"; the first {WALKED} are listed" if len(found) > WALKED else "")
        )
        version = hashlib.blake2b(repr([row["key"] for row in rows]).encode(), digest_size=12).hexdigest()
        cases(rows, key=f"{key}.cases", version=version, selected=current, on_select=go_to)
    with right:
        if current is None:
            st.caption("No case to show. Clear the cell or the filter.")
            return
        show_case(run, corpus, by_key[current], key, blamed=blamed, bias=bias)


def show_case(
    run: RunInfo, corpus: CorpusInfo, error: Error, key: str, *, blamed: bool = True, bias: float | None = None
) -> None:
    place = cache.positions(corpus).get(error.document)
    if place is None:
        st.caption("The document is gone.")
        return
    document = cache.documents(corpus)[place]
    about = [error.kind, *([error.stage] if blamed else []), error.type or "no type", f"document {error.document}"]
    st.text(layout.visible(" · ".join(about)))
    st.text(layout.visible(f"gold: {error.gold or 'nothing'}    predicted: {error.predicted or 'nothing'}"))
    spans = [data.case_span(error)] if error.end > error.start else []
    if "coreference" in cache.task(run.task).decides:
        # Imported predictions are not the run's.
        spans += data.antecedents(error, document.gold, cache.predictions(run, corpus, bias)[place] if blamed else None)
    text(
        document,
        spans,
        key=f"{key}.text",
        selected="case",
        judged=True,
        height=280,
    )
    details = {**({mistakes.sureness(run.task): round(error.confidence, 4)} if blamed else {}), **error.attributes}
    st.dataframe(
        pd.DataFrame({"attribute": list(details), "value": [layout.visible(str(v)) for v in details.values()]}),
        hide_index=True,
        width="stretch",
    )
    state = verdicts.state_of(corpus, error.document)
    if state is not None:
        target = verdicts.target_of(state, error, about_document="label" in cache.task(run.task).decides)
        verdicts.show(corpus, error.document, state, target, key=key)
    with st.container(horizontal=True):
        sel = see.place(error.start, error.end)
        if pages.exists(run.task):
            layout.link_to(run.task, "Why? Open its view", doc=error.document, sel=sel)
        layout.link_to("document", "Open the document", doc=error.document, sel=sel)
        layout.link_to("annotate", "Correct it", doc=error.document, sel=sel)


def show_confusions(found: Sequence[Error]) -> None:
    counts = confusions(found)
    if not counts:
        st.caption("Nothing was taken for anything else.")
        return
    st.plotly_chart(
        curves.confusion_figure(counts, dark=layout.is_dark()), key="errors.confusion", config={"displaylogo": False}
    )
    st.dataframe(
        [
            {"gold": layout.visible(g) or "nothing", "predicted": layout.visible(p) or "nothing", "times": n}
            for (g, p), n in counts.most_common(200)
        ],
        hide_index=True,
        width="stretch",
    )


def show_documents(run: RunInfo, corpus: CorpusInfo, found: Sequence[Error]) -> None:
    """Documents by how much went wrong; the bars are the stages."""
    per: dict[str, Counter[str]] = {}
    for error in found:
        per.setdefault(error.document, Counter())[error.stage] += 1
    rows = [
        {
            "document": id,
            "errors": sum(stages.values()),
            "stages": [stages.get(stage, 0) for stage in STAGES],
            "worst stage": stages.most_common(1)[0][0],
        }
        for id, stages in sorted(per.items(), key=lambda item: (-sum(item[1].values()), item[0]))
    ]
    st.caption(
        f"{layout.counted(len(rows), 'document')} of {corpus.n_documents} have errors; bars in the order of the stages."
    )
    picked = st.dataframe(
        rows,
        hide_index=True,
        width="stretch",
        key="errors.documents",
        on_select="rerun",
        selection_mode="single-row",
        column_config={"stages": st.column_config.BarChartColumn("errors by stage", y_min=0)},
    )
    chosen = picked.selection.rows if picked else []
    if not chosen or chosen[0] >= len(rows):
        st.caption("Choose a document to open it.")
        return
    document = str(rows[chosen[0]]["document"])
    with st.container(horizontal=True):
        if pages.exists(run.task):
            layout.link_to(run.task, "Open its view", doc=document)
        layout.link_to("document", "Open the document", doc=document)
        layout.link_to("annotate", "Correct it", doc=document)
