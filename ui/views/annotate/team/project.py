"""The project: who takes part, who annotates which document, and how far everybody is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

import pandas as pd
import streamlit as st

from engine.data.document import Document
from engine.data.errors import InputError
from engine.store.projects import ROLES, Project
from engine.store.workspace import CorpusInfo
from engine.workbench.team.progress import Overview, dealt, overview
from ui.shell import cache, layout
from ui.tab import session
from ui.views.annotate import words

SHOWN: Final = 500
"""Documents in the table."""
SIGNS: Final = {"": "", "assigned": "○ assigned", "begun": "◐ begun", "done": "● done"}


def show(corpus: CorpusInfo, project: Project, user: str) -> None:
    """The lead sets up; everybody sees how far the project is, blind annotators only their own part."""
    documents = cache.original_documents(corpus)
    if told := session.value("project.told", ""):
        session.keep("project.told", "")
        st.text(told)
    st.text(_summary(project))
    found = overview(cache.workspace().annotations(corpus.id), documents, project)
    if project.is_blind_to(user):
        found = Overview(
            tuple(name for name in found.names if name == user),
            {key: share for key, share in found.shares.items() if key[0] == user},
            {},
        )
    if not project.leads(user):
        st.text(words.LEAD_SETS_UP)
        _show_progress(found, documents)
        return
    left, right = st.columns([3, 2])
    with left:
        _show_progress(found, documents)
    with right:
        _set_up(corpus, project, user)
        if project.annotators:
            _assign(corpus, project, documents)


def _summary(project: Project) -> str:
    if not project.members:
        return words.OPEN_PROJECT
    parts = [
        layout.counted(len(project.members), "member"),
        words.BLIND if project.blind else words.NOT_BLIND,
        f"until {project.deadline}{_left(project.deadline)}" if project.deadline else "no deadline",
    ]
    return ", ".join(parts) + "."


def _left(deadline: str) -> str:
    days = (date.fromisoformat(deadline) - date.today()).days
    return f" ({layout.counted(days, 'day')} left)" if days >= 0 else " (over)"


def people_rows(found: Overview) -> list[dict[str, Any]]:
    """One line per person."""
    return [
        {
            "person": name,
            "to do": found.count(name, "assigned", "begun"),
            "begun": found.count(name, "begun"),
            "done": found.count(name, "done"),
            "minutes": found.seconds(name) / 60,
            # Whoever works blind is not told how far others say the same.
            **({"agreement, F1": found.agreement[name]} if name in found.agreement else {}),
        }
        for name in found.names
    ]


def document_rows(found: Overview, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """One line per document that is somebody's, one column per person."""
    mine = {document for _, document in found.shares}
    rows = []
    for document in documents:
        if document.id in mine:
            shares = {name: found.shares.get((name, document.id)) for name in found.names}
            told = {name: SIGNS[share.progress] if share else "" for name, share in shares.items()}
            seconds = sum(share.seconds for share in shares.values() if share)
            rows.append({"document": document.id, **told, "minutes": seconds / 60})
    return rows


def _show_progress(found: Overview, documents: Sequence[Document]) -> None:
    if not found.shares:
        st.text(words.NOTHING_ASSIGNED)
        return
    minutes = {"minutes": st.column_config.NumberColumn(format="%.0f", help=words.MINUTES_HELP)}
    agreement = {"agreement, F1": st.column_config.NumberColumn(format="%.3f", help=words.SO_FAR_HELP)}
    columns = {**minutes, **agreement}
    st.dataframe(people_rows(found), hide_index=True, width="stretch", column_config=columns, placeholder="–")
    rows = document_rows(found, documents)
    chosen = layout.choose_row(rows[:SHOWN], key="project.documents", column_config=minutes)
    if chosen is not None and st.button("Open the marked one", key="project.open"):
        session.choose("doc", str(rows[chosen]["document"]))
        st.rerun()


def _set_up(corpus: CorpusInfo, project: Project, user: str) -> None:
    with st.container(border=True):
        st.caption(words.MEMBERS)
        given = project.members or {user: "lead"}
        _add_members(corpus, project, given)
        frame = pd.DataFrame([{"name": name, "role": role} for name, role in given.items()], columns=["name", "role"])
        table = st.data_editor(
            frame,
            key=f"project.members.{corpus.id}.{given}",  # a table that was edited keeps to the rows it began with
            num_rows="dynamic",
            hide_index=True,
            width="stretch",
            column_config={
                "name": st.column_config.TextColumn(required=True, help=words.NAMES_HELP),
                "role": st.column_config.SelectboxColumn(options=list(ROLES), required=True, default="annotator"),
            },
        )
        blind = st.checkbox("Blind", project.blind, key="project.blind", help=words.BLIND_HELP)
        day = date.fromisoformat(project.deadline) if project.deadline else None
        until = st.date_input("Deadline", day, key="project.deadline")
        if st.button("Save the project", key="project.save", type="primary"):
            members = {str(row["name"]).strip(): str(row["role"]) for row in table.to_dict("records") if row["name"]}
            _save(corpus, members, blind, until.isoformat() if until else "", words.SET_UP)


def _add_members(corpus: CorpusInfo, project: Project, given: Mapping[str, str]) -> None:
    """People by name: Enter in the field adds them; the table below changes roles and takes people out."""
    with st.form("project.add", clear_on_submit=True, border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            names = st.text_input("New members", key="project.names", placeholder="anna, bob", help=words.ADD_MEMBERS)
            role = st.selectbox("Role", list(ROLES), index=ROLES.index("annotator"), key="project.role", width=140)
            pressed = st.form_submit_button("Add")
    new = [name.strip() for name in names.split(",") if name.strip()]
    if pressed and new:
        told = words.MEMBERS_ADDED.format(names=", ".join(new))
        _save(corpus, {**given, **dict.fromkeys(new, role)}, project.blind, project.deadline, told)


def _save(corpus: CorpusInfo, members: Mapping[str, str], blind: bool, deadline: str, told: str) -> None:
    try:
        cache.workspace().set_up_project(corpus.id, members=members, blind=blind, deadline=deadline)
    except InputError as error:
        layout.failure(words.NOT_SET_UP, str(error))
    else:
        session.keep("project.told", layout.visible(told))
        st.rerun()


def _assign(corpus: CorpusInfo, project: Project, documents: Sequence[Document]) -> None:
    with st.container(border=True):
        st.caption(words.ASSIGN)
        ids = [document.id for document in documents]
        names = project.annotators
        each = st.number_input("People a document", 1, len(names), min(2, len(names)), key="project.each")
        who = st.multiselect("Annotators", names, default=names, key="project.who")
        some = st.multiselect("Documents (none: all)", ids[:SHOWN], key="project.some")
        with st.container(horizontal=True):
            if st.button("Deal out at random", key="project.deal", disabled=not who):
                meant = some or ids
                given = dealt(meant, who, min(int(each), len(who)), before=project.assigned)
                _give(corpus, given)
            if st.button("Assign to these people", key="project.assign", disabled=not (who and some)):
                _give(corpus, {id: tuple(who) for id in some})
            if st.button("Unassign", key="project.take", disabled=not some):
                _give(corpus, dict.fromkeys(some, ()))


def _give(corpus: CorpusInfo, given: dict[str, tuple[str, ...]]) -> None:
    cache.workspace().assign(corpus.id, given)
    session.keep("project.told", words.ASSIGNED.format(documents=layout.counted(len(given), "document")))
    st.rerun()
