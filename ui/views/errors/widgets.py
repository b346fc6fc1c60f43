"""The widgets of the Errors page: the table of stages, slices, the walk through cases, confusions, documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pandas as pd
import streamlit as st

from engine.metrics.cases import Case
from engine.metrics.errors import STAGES, Filter, stages_absent, stages_shown
from engine.store.large.chosen import Chosen, Digest, HeldChosen, Kind, Listed
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.outside.records import UNTOLD
from engine.tasks.outside.run import has_scores
from engine.workbench import verdicts as sentences
from engine.workbench.repair import score_if_fixed
from ui.components.chart import chart
from ui.components.stages import Cell, stages
from ui.components.text import text
from ui.figures import curves
from ui.shell import cache, layout, mistakes, naming
from ui.tab import session
from ui.views.errors import data, words
from ui.views.see import contrast, verdicts, walk


def show_table(run: RunInfo, corpus: CorpusInfo, bias: float, found: Digest) -> None:
    """The table of stages by types; selecting a cell restricts everything below to it."""
    task = cache.task(run.task)
    if_fixed = mistakes.what_if(run, corpus, bias)
    possible = stages_shown(task.stages, found.table)
    shown = [stage for stage in possible if found.table[stage]]
    caption = words.TABLE.format(
        errors=layout.counted(found.n_errors, "error"),
        learner=naming.run_name(run),
        documents=layout.count(corpus.n_documents),
        at_bias=layout.at_bias(task, bias),
        score=task.main_name,
        now=layout.percent(if_fixed.now),
    )
    counts: dict[str, int] = {stage: sum(found.table[stage].values()) for stage in shown}
    st.text(sentences.of_errors(counts, if_fixed.now, if_fixed.fixed, task.main_name))
    st.caption(caption)
    if not has_scores(cache.model(run)):
        st.caption(UNTOLD)
    if if_fixed.without_doubted is not None:
        percent = layout.percent(if_fixed.without_doubted)
        st.caption(words.WITHOUT_DOUBTED.format(score=task.main_name, percent=percent))
    columns = [column.name for column in data.columns_of(found.table)]

    def choose(cell: Cell | None) -> None:
        stage = None if cell is None else shown[cell[0]]
        type = columns[cell[1] - 1] if cell is not None and cell[1] > 0 else None
        session.put_together({"stage": stage, "type": type, "sel": None})

    stages(
        ["stage", "all", f"{task.main_name} if fixed, %", "gain", *columns],
        data.stage_rows(found.table, shown, if_fixed.now, if_fixed.fixed),
        key="errors.table",
        chosen=_chosen_cell(shown, columns),
        on_choose=choose,
    )
    empty, absent = [stage for stage in possible if stage not in shown], stages_absent(task.stages)
    without = words.NONE_AT.format(stages=", ".join(empty)) if empty else ""
    st.caption(without + (words.CANNOT_OCCUR.format(stages=", ".join(absent)) if absent else ""))


def _chosen_cell(shown: Sequence[str], columns: Sequence[str]) -> Cell | None:
    """The cell named in the address."""
    stage, type = session.get("stage"), session.get("type")
    if stage not in shown or (type is not None and type not in columns):
        return None
    return shown.index(stage), 0 if type is None else 1 + columns.index(type)


def filters(found: Digest, task: str) -> list[Filter]:
    """The filters: the selected cell, a saved slice, and conditions on any attributes."""
    workspace, known = cache.workspace(), found.attributes
    chosen: list[Filter] = []
    stage, type = session.get("stage"), session.get("type")
    if stage in STAGES:
        chosen.append(Filter("stage", (stage,)))
    column = next((one for one in data.columns_of(found.table) if one.name == type), None)
    if column is not None:
        chosen.append(Filter("type", column.types))
    saved = workspace.saved_slices(task)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        slice_ = st.selectbox("Saved filter", ["", *saved], key="errors.slice", width=180) if saved else ""
        names = st.multiselect(
            "Filter by",
            sorted(known),
            key="errors.attributes",
            placeholder="confidence, words …",
            width=300,
            format_func=lambda name: mistakes.sureness(task) if name == "confidence" else name,
        )
        if slice_ in saved:
            chosen += data.saved_filters(saved[slice_])
            if st.button("Forget this filter", key="errors.forget"):
                workspace.remove_slice(slice_, task)
                st.rerun()
        if (stage or type) and st.button("Clear the cell", key="errors.clear"):
            session.put("stage", None)
            session.put("type", None)
            st.rerun()
    if names:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            conditions = [_attribute_filter(name, known[name]) for name in names]
            chosen += [one for one in conditions if one is not None]
            name = st.text_input("Save as", key="errors.name", width=150, help=words.SAVE_HELP)
            if st.button("Save", key="errors.save", disabled=not (name and chosen)):
                workspace.save_slice(name, task, data.slice_json(chosen))
                st.rerun()
    return chosen


def _attribute_filter(name: str, values: Sequence[Any]) -> Filter | None:
    if data.has_range(values):
        low, high = float(min(values)), float(max(values))
        chosen = st.slider("Range", low, high, (low, high), key=f"errors.range.{name}", width=260)
        return Filter(name, low=chosen[0], high=chosen[1])
    shown = {layout.visible(str(value)): value for value in values[:500]}
    picked = st.multiselect("Values", list(shown), key=f"errors.values.{name}", width=300)
    return Filter(name, tuple(shown[one] for one in picked)) if picked else None


def show_worth(run: RunInfo, corpus: CorpusInfo, bias: float, kept: Chosen, of: int) -> None:
    """The gain from correcting exactly the listed cases; computed on request, for a corpus in memory."""
    if not isinstance(kept, HeldChosen) or not kept.errors or len(kept) == of:
        return
    if not st.button(f"Score if these {layout.count(len(kept))} were fixed", key="errors.worth"):
        return
    task, now = cache.task(run.task), mistakes.what_if(run, corpus, bias).now
    predicted, scored = cache.predictions(run, corpus, bias), cache.scored(run, corpus, bias)
    then = task.main_number(score_if_fixed(task, cache.documents(corpus), predicted, kept.errors, scored))
    gain = "" if now is None else f" ({sentences.points(then - now)})"
    st.text(words.WORTH.format(score=task.main_name, percent=layout.percent(then), gain=gain))


def narrowed(run: RunInfo, kept: Chosen) -> Listed:
    """The cases of the chosen kind: missed, wrongly predicted, or all; optionally only those that the main score
    counts."""
    task, found = cache.task(run.task), kept.cases()
    only = False
    with st.container(horizontal=True, vertical_alignment="center"):
        numbers = {"all": len(found), "miss": found.of_kind("miss"), "false alarm": found.of_kind("false alarm")}
        kind = st.segmented_control(
            "Kind",
            list(numbers),
            default="all",
            key="errors.kind",
            label_visibility="collapsed",
            format_func=lambda one: words.KINDS[one].format(n=layout.count(numbers[one])),
        )
        label = words.ONLY_COUNTED.format(score=task.main_name, n=layout.count(found.counted))
        if found.counted < len(found):
            only = st.toggle(label, key="errors.counted", help=words.ONLY_COUNTED_HELP)
    return kept.cases(cast(Kind, kind or "all"), counted=only)


def show_cases(
    run: RunInfo,
    corpus: CorpusInfo,
    found: Listed,
    key: str = "errors",
    *,
    blamed: bool = True,
    bias: float | None = None,
) -> None:
    """The list, most confident first, and the document of the case under the cursor. Cases of a system without a model
    are not `blamed` on a stage; those of a run were found at `bias`, or at the run's own."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.caption(
            words.CASES_OF.format(
                cases=layout.counted(len(found), "case"),
                misses=layout.count(found.of_kind("miss")),
                alarms=layout.count(found.of_kind("false alarm")),
                order="widest margin" if mistakes.sureness(run.task) == "margin" else "most confident",
            )
        )

        def rows(first: int, last: int) -> list[walk.Line]:
            shown = found.part(first, last)
            documents = walk.documents_named(corpus, [case.main.document for case in shown])
            return [
                (data.case_row(case, document, blamed=blamed), case.main.document)
                for case, document in zip(shown, documents, strict=True)
            ]

        current = walk.paged(found, rows, key=f"{key}.cases")
    with right:
        if current is None:
            st.caption(words.NO_CASES)
        else:
            _show_case(run, corpus, found.part(current, current + 1)[0], key, blamed=blamed, bias=bias)


def _show_case(run: RunInfo, corpus: CorpusInfo, case: Case, key: str, *, blamed: bool, bias: float | None) -> None:
    error, place = case.main, cache.positions(corpus)[case.main.document]
    document = cache.documents_at(corpus, [place])[0]
    st.text(layout.visible(data.case_title(case, document)))
    types = " / ".join(dict.fromkeys(one.type or "no type" for one in case.errors))
    kinds = " and ".join(words.KIND_OF[one.kind] for one in case.errors)
    about = [kinds, *([error.stage] if blamed else []), types, f"document {error.document}"]
    st.text(layout.visible(" · ".join(about)))
    spans = data.case_spans(case, document)
    if "coreference" in cache.task(run.task).decides:
        # Imported predictions are not the run's.
        spans += data.antecedents(error, document.gold, cache.predictions(run, corpus, bias)[place] if blamed else None)
    text(document, spans, key=f"{key}.text", selected="case", judged=True, height=280)
    sure = {mistakes.sureness(run.task): layout.three(case.confidence)} if blamed else {}
    details = {**sure, **error.attributes}
    st.dataframe(
        pd.DataFrame({"attribute": list(details), "value": [layout.plain(v) for v in details.values()]}),
        hide_index=True,
        width="stretch",
    )
    if blamed:
        contrast.asked(run, corpus, case, run.bias if bias is None else bias, key=key)
    state = verdicts.state_of(corpus, error.document)
    if state is not None:
        target = verdicts.target_of(state, error, about_document="label" in cache.task(run.task).decides)
        verdicts.show(corpus, error.document, state, target, key=key)
    walk.links(run.task, error.document, (error.start, error.end), mention=next(iter(error.spans), None))


def show_confusions(found: Chosen) -> None:
    counts = found.confusions()
    if not counts:
        st.caption(words.NO_CONFUSIONS)
        return
    figure = curves.confusion_figure(counts, dark=layout.is_dark())
    chart(figure, key="errors.confusion")
    st.dataframe(data.confusion_rows(counts), hide_index=True, width="stretch")


def show_documents(run: RunInfo, corpus: CorpusInfo, found: Chosen) -> None:
    """Documents by number of errors; the selected one can be opened."""
    n, worst = found.by_document()
    rows = data.document_rows(worst)
    counted = layout.counted(n, "document")
    st.caption(words.DOCUMENTS_CAPTION.format(documents=counted, all=layout.count(corpus.n_documents)))
    chosen = layout.choose_row(
        rows,
        key="errors.documents",
        column_config={"stages": st.column_config.BarChartColumn("errors by stage", y_min=0)},
    )
    if chosen is None:
        st.caption(words.CHOOSE_DOCUMENT)
    else:
        walk.links(run.task, str(rows[chosen]["document"]))
