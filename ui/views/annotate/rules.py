"""Marking by rule on the Bulk tab: the same words everywhere, the names of a dictionary, a regular expression.

What would be marked is shown first; marking it is one action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo
from engine.workbench import marking
from engine.workbench.team import labelling
from ui.shell import cache, layout
from ui.tab import session
from ui.views.annotate import labels, words
from ui.views.annotate.desk import Seat

SHOWN: Final = 200
AROUND: Final = 40
"""Characters of context on either side."""


def like(mention: Mapping[str, Any]) -> None:
    """Fill the form in with a mention of the editor: its words, its type and its entity."""
    session.keep("bulk.view", words.BY_RULE)
    session.keep("bulk.how", words.WORDS)
    session.keep("bulk.words", str(mention.get("text", "")))
    session.keep("bulk.type", mention.get("type") or None)
    session.keep("bulk.entity", str(mention.get("entity") or ""))


def show(corpus: CorpusInfo, seat: Seat) -> None:
    try:
        rule = _rule(corpus)
        if rule is None:
            return
        log = cache.workspace().annotations(corpus.id)
        with st.spinner(words.LOOKING):
            done = cache.workspace().done_documents(corpus.id, layer=seat.layer)
            planned = marking.plan(
                log, cache.original_documents(corpus), rule, layer=seat.layer, but=done if _spares_done() else ()
            )
        _preview(planned)
        n = sum(len(one.marks) for one in planned)
        if n and st.button(f"Mark {layout.counted(n, 'place')}", key="bulk.mark", type="primary"):
            marking.mark_all(log, planned, user=seat.user, layer=seat.layer, labels=labelling.defined(log))
            session.keep("bulk.told", words.MARKED.format(places=layout.counted(n, "place")))
            st.rerun()
    except InputError as error:
        layout.failure(words.NOT_MARKED, str(error))


def _spares_done() -> bool:
    return bool(st.checkbox(words.SPARE_DONE, True, key="bulk.spare"))


def _rule(corpus: CorpusInfo) -> marking.Rule | None:
    """What the form says; None while it is not filled in."""
    if told := session.value("bulk.told", ""):
        session.keep("bulk.told", "")
        st.text(told)
    session.sync("bulk.how", session.value("bulk.how", words.WORDS))
    how = st.segmented_control("Mark", words.RULES, key="bulk.how") or words.WORDS
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = _what(how)
        known, _ = labels.current(corpus)
        names = [one.name for one in known.types if not one.deprecated]
        if (given := session.value("bulk.type")) and given not in names:
            names.append(given)
        type = st.selectbox(
            "Type",
            names,
            index=None,
            key="bulk.type",
            accept_new_options=not known.locked,
            width=200,
            placeholder="none",
        )
        entity = st.text_input("Entity", key="bulk.entity", width=200, placeholder="none", max_chars=500).strip()
        ignore = st.checkbox("Ignore case", key="bulk.case")
    if not what:
        st.caption(words.RULE_HELP[how])
        return None
    entry = marking.Entry(str(type) if type else None, entity or None)
    if how == words.PATTERN:
        return marking.pattern(what, entry, ignore_case=ignore)
    if how == words.DICTIONARY:
        return marking.dictionary(marking.read_dictionary(what, entry=entry), ignore_case=ignore)
    return marking.same_words(what, entry, ignore_case=ignore)


def _what(how: str) -> str:
    """The words, the expression, or the text of the dictionary."""
    if how == words.WORDS:
        return str(st.text_input("Words", key="bulk.words", width=260, max_chars=500)).strip()
    if how == words.PATTERN:
        return str(st.text_input("Regular expression", key="bulk.pattern", width=320, max_chars=1000))
    file = st.file_uploader("Dictionary", key="bulk.file", width=320, type=["txt", "tsv", "csv"])
    if file is None:
        return ""
    try:
        return bytes(file.getvalue()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name} is not UTF-8: save it as UTF-8 and upload it again") from error


def _preview(planned: Sequence[marking.Planned]) -> None:
    marks = [(one, mark) for one in planned for mark in one.marks]
    told = {
        "places": layout.counted(len(marks), "place"),
        "documents": layout.counted(sum(bool(one.marks) for one in planned), "document"),
        "left": layout.count(sum(one.left for one in planned)),
    }
    st.text(words.WOULD_MARK.format(**told))
    if marks:
        st.dataframe([_row(one, mark) for one, mark in marks[:SHOWN]], hide_index=True, width="stretch")


def _row(one: marking.Planned, mark: marking.Mark) -> dict[str, str]:
    text = one.document.text
    before, after = text[max(0, mark.start - AROUND) : mark.start], text[mark.end : mark.end + AROUND]
    return {
        "document": one.document.id,
        "before": layout.visible(" ".join(before.split())),
        "marked": layout.visible(text[mark.start : mark.end]),
        "after": layout.visible(" ".join(after.split())),
        "type": mark.type or "",
        "entity": mark.entity or "",
    }
