"""The People tab: how far annotators agree, where they differ, the final word on each difference; and the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from engine.data.document import Document, Layer
from engine.store.annotations import AnnotationLog
from engine.store.workspace import CorpusInfo, Project
from engine.workbench.adjudication import shared_work, standings
from ui.shell import cache, layout
from ui.shell.sidebar import Choice
from ui.tab import session
from ui.views.annotate import words
from ui.views.annotate.team import adjudication, agreements
from ui.views.annotate.team import project as team

_THREE: Final = st.column_config.NumberColumn(format="%.3f", width=100)


def show(choice: Choice, project: Project, user: str) -> None:
    """Two views: what people agree on and how it becomes gold; who takes part and how far everybody is."""
    corpus, document = choice.corpus, choice.document
    if corpus is None or document is None:
        return
    log = cache.workspace().annotations(corpus.id)
    names = agreements.annotators(log)
    views = (words.AGREEMENT_PART, words.PROJECT_PART)
    first = views[0] if len(names) > 1 else views[1]
    chosen = st.segmented_control("View", views, default=first, key="people.view", label_visibility="collapsed")
    if (chosen or first) == words.PROJECT_PART:
        team.show(corpus, project, user)
    else:
        _show_agreement(corpus, document, names, user, may_curate=project.curates(user))


def _show_agreement(
    corpus: CorpusInfo, document: Document, names: Sequence[str], user: str, *, may_curate: bool
) -> None:
    log = cache.workspace().annotations(corpus.id)
    if len(names) < 2:
        st.text(words.TOO_FEW.format(names=", ".join(names) or words.NOBODY))
        return
    names = _choose_people(log, names)
    if len(names) < 2:
        st.text(words.CHOOSE_TWO)
        return
    originals = cache.original_documents(corpus)
    documents, layers = shared_work(log, originals, names)
    if not documents:
        st.text(words.NOTHING_SHARED.format(names=", ".join(names)))
        return
    session.keep("people.drawn", log.version())
    found = standings(log, originals, names)
    if may_curate:
        adjudication.show(log, found, document.id, user)
    else:
        st.text(words.CURATORS_ONLY)
    left, right = st.columns([2, 3])
    with left:
        _show_documents(documents, layers, {id: len(one.questions) for id, one in found.items()})
    with right:
        _show_measures(documents, layers, document.id)
    _watch(log)


def _choose_people(log: AnnotationLog, names: Sequence[str]) -> list[str]:
    """Whose layers are compared: only documents that all of them have worked on count, so few people see more."""
    asked = session.get_all("people")
    session.sync("people.names", [name for name in names if name in asked] or agreements.closest(log, names))
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
    rows = agreements.measure_rows(documents, layers, id)
    numbers = dict.fromkeys((name for row in rows[:1] for name in row if name != "measure"), _THREE)
    st.dataframe(rows, hide_index=True, width="stretch", column_config=numbers, placeholder="–")
    labels = agreements.label_rows(layers)
    if labels:
        st.dataframe(labels, hide_index=True, width="stretch", column_config={"F1": _THREE})


def _show_documents(
    documents: Sequence[Document], layers: Mapping[str, Sequence[Layer]], open_: Mapping[str, int]
) -> None:
    """Every document that all have annotated; choosing one opens it."""
    rows = agreements.document_rows(documents, layers, open_)
    columns = agreements.short_columns(documents, layers)
    chosen = layout.choose_row(rows, key="people.documents", column_config=dict.fromkeys(columns, _THREE))
    if chosen is not None and st.button("Open the marked one", key="people.open"):
        session.choose("doc", str(rows[chosen]["document"]))
        st.rerun()


@st.fragment(run_every=1.0)
def _watch(log: AnnotationLog) -> None:
    """Whatever is done to the corpus, in the editor or by others, is seen here: an undo opens its question again."""
    if log.version() != session.value("people.drawn", 0):
        st.rerun()
