"""The People tab: how far annotators agree, where they differ, and the final word on each difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from engine.data.document import Document, Layer
from engine.metrics.differences import Decision, decisions
from engine.store.annotations import AnnotationLog
from engine.workbench.suggestions import KINDS
from ui.shell import cache, layout, session
from ui.shell.sidebar import Choice
from ui.views.annotate import disagreements, words
from ui.views.annotate.disagreements import Case

_THREE: Final = st.column_config.NumberColumn(format="%.3f")


def show(choice: Choice, user: str) -> None:
    corpus, document = choice.corpus, choice.document
    if corpus is None or document is None:
        return
    log = cache.workspace().annotations(corpus.id)
    names = disagreements.annotators(log)
    if len(names) < 2:
        st.text(words.TOO_FEW.format(names=", ".join(names) or words.NOBODY))
        return
    names = _choose_people(log, names)
    if len(names) < 2:
        st.text(words.CHOOSE_TWO)
        return
    documents, layers = disagreements.shared_work(log, cache.original_documents(corpus), names)
    if not documents:
        st.text(words.NOTHING_SHARED.format(names=", ".join(names)))
        return
    cases = {
        one.id: disagreements.open_cases(log, one, {name: layers[name][i] for name in names})
        for i, one in enumerate(documents)
    }
    left, right = st.columns([3, 2])
    with left:
        _adjudicate(log, documents, cases, document.id, user)
        _show_documents(documents, layers, cases)
    with right:
        _show_measures(documents, layers, document.id)


def _choose_people(log: AnnotationLog, names: Sequence[str]) -> list[str]:
    """Whose layers are compared: only documents that all of them have worked on count, so few people see more."""
    asked = session.get_all("people")
    session.sync("people.names", [name for name in names if name in asked] or disagreements.closest(log, names))
    return st.multiselect(
        "Annotators",
        names,
        key="people.names",
        on_change=lambda: session.put_all("people", session.value("people.names", [])),
        help=words.PEOPLE_HELP,
    )


def _show_measures(documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], id: str) -> None:
    """Agreement on the corpus and on the document at hand, and by label."""
    st.text(words.AGREEMENT.format(names=", ".join(layers)))
    rows = disagreements.measure_rows(documents, layers, id)
    numbers = dict.fromkeys((name for row in rows[:1] for name in row if name != "measure"), _THREE)
    st.dataframe(rows, hide_index=True, width="stretch", column_config=numbers)
    labels = disagreements.label_rows(layers)
    if labels:
        st.dataframe(labels, hide_index=True, width="stretch", column_config={"F1": _THREE})


def _show_documents(
    documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], cases: Mapping[str, Sequence[Case]]
) -> None:
    """Every document that all have annotated; choosing one opens it."""
    rows = disagreements.document_rows(documents, layers, cases)
    columns = disagreements.short_columns(documents, layers)
    chosen = layout.choose_row(rows, key="people.documents", column_config=dict.fromkeys(columns, _THREE))
    if chosen is not None and st.button("Open the marked one", key="people.open"):
        session.choose("doc", str(rows[chosen]["document"]))
        st.rerun()


def _adjudicate(
    log: AnnotationLog, documents: Sequence[Document], cases: Mapping[str, Sequence[Case]], id: str, user: str
) -> None:
    """One disagreement at a time; the answer is written to the shared gold, and the next one follows."""
    waiting = [one for one in documents if cases[one.id]]
    here = cases.get(id, ())
    st.text(
        words.OPEN.format(
            disagreements=layout.counted(sum(map(len, cases.values())), "open disagreement"),
            documents=layout.counted(len(waiting), "document"),
            here=len(here),
        )
    )
    if not here:
        if waiting and st.button("Go to the next document with disagreements", key="people.next", type="primary"):
            session.choose("doc", waiting[0].id)
            st.rerun()
        return
    document = next(one for one in documents if one.id == id)
    skipped = int(session.value("people.skipped", 0)) % len(here)
    with st.container(border=True):
        answers = _show_case(log, document, here[skipped])
        with st.container(horizontal=True):
            for position, (answer, name) in enumerate(answers):
                if st.button(name, key=f"people.answer.{position}", type="primary" if position == 0 else "secondary"):
                    edit = disagreements.settle(log.state(document), here[skipped], answer, f"adj{log.version()}")
                    log.append(document, edit, user=user)
                    st.rerun()
            if len(here) > 1 and st.button("Skip", key="people.skip"):
                session.keep("people.skipped", skipped + 1)
                st.rerun()


def _show_case(log: AnnotationLog, document: Document, case: Case) -> list[tuple[Decision | None, str]]:
    """What was said there and by whom; the answers that can be given, each with the label of its button."""
    st.text(layout.visible(disagreements.context(document, case.place)))
    in_gold = decisions(log.state(document).layer(), KINDS)
    answers: list[tuple[Decision | None, str]] = []
    for number, (decision, who) in enumerate(case.choices, 1):
        note = " (in gold now)" if decision in in_gold else ""
        st.text(layout.visible(f"{number}. {disagreements.said(document, decision)}{note}: {', '.join(who)}"))
        answers.append((decision, f"{number} holds"))
    if case.silent:
        st.text(f"said nothing here: {', '.join(case.silent)}")
    return [*answers, (None, "Nothing holds")]
