"""The visitor's own text in place of the document, on every See page: the field, and the names in it from which the
system starts, found by a simple proposer and edited by the visitor. All of it is in the address."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.base import AnyTask
from engine.workbench.own_text import LONGEST, own_document, proposed
from ui.shell import layout
from ui.tab import session

NAMES = {
    "mentions": ("Mentions", "Names that the system decides about: take one away, or type words of the text."),
    "pair": ("Pair", "The first and the second argument: names that stand in one sentence of the text."),
}


def field(task: AnyTask, document: str) -> Document | None:
    """The visitor's text as a document of this system; None if none was entered, or if something is missing."""
    typed = (session.get("text") or "").strip()
    key = f"{task.name}.own"
    session.sync(key, session.get("text") or "")
    place, back = st.columns([3, 1], vertical_alignment="center") if typed else (st.container(), None)
    place.text_input(
        "Try your own text",
        key=key,
        placeholder="Try your own: type or paste a text and press Enter",
        label_visibility="collapsed",
        on_change=lambda: _read(str(session.value(key, ""))),
    )
    if back is None:
        return None
    back.button(f"✕ back to {_in_label(document)}", key=f"{task.name}.back", on_click=_read, args=("",))
    st.text(layout.visible(f"This is your text, not {document}.{_cut_sentence(typed)}"))
    text = shortened(typed)
    names = _names(task, text)
    try:
        return own_document(task, text, names)
    except InputError as error:
        st.text(layout.visible(f"{error.what[:1].upper()}{error.what[1:]}."))
        return None


def no_mentions(document: Document, why: str) -> None:
    """For a document without mentions: offer to propose or mark some."""
    layout.empty(why)
    with st.container(horizontal=True, vertical_alignment="center"):
        if document.text.strip() and not session.get("text"):
            st.button("Try it with mentions proposed", key="own.propose", on_click=_read, args=(document.text,))
        layout.link_to("annotate", "Mark them on Annotate")


def _names(task: AnyTask, text: str) -> list[str]:
    """The names chosen by the visitor, initially the proposed ones; empty if the system finds its own."""
    if task.starts_from == "text":
        return []
    found = proposed(text)
    asked = session.get_all("marks")
    known = list(dict.fromkeys([*found, *asked]))
    chosen = asked or (found[:2] if task.starts_from == "pair" else found)
    label, help = NAMES[task.starts_from]
    key = f"{task.name}.marks"
    session.sync(key, chosen)
    st.multiselect(
        label,
        known,
        key=key,
        format_func=layout.visible,
        accept_new_options=True,
        max_selections=2 if task.starts_from == "pair" else None,
        help=help,
        on_change=lambda: _mark(session.value(key, [])),
    )
    return chosen


def _mark(names: Sequence[str]) -> None:
    """Set other names, and clear the selection and pins, which referred to the previous ones."""
    session.put_together({"sel": None, "pins": None})
    session.put_all("marks", names)


def _read(typed: str) -> None:
    """Set another text, and clear the selection and pins, which referred to the previous one."""
    session.put_together({"text": typed or None, "sel": None, "pins": None, "marks": None})


def shortened(text: str) -> str:
    """At most `LONGEST` characters, cut at the end of a word if possible."""
    if len(text) <= LONGEST:
        return text
    head = text[: LONGEST + 1]
    return head.rsplit(maxsplit=1)[0] if len(head.split()) > 1 else text[:LONGEST]


def _cut_sentence(text: str) -> str:
    if len(text) <= LONGEST:
        return ""
    return (
        f" Of its {layout.count(len(text))} characters the first {layout.count(LONGEST)} are read;"
        " for longer texts add a corpus."
    )


def _in_label(name: str) -> str:
    """A name escaped for the label of a button, which is rendered as Markdown."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>:$^])", r"\\\1", layout.visible(name))
