"""A text of the visitor's own in place of the document, the same on every See page: the field, and the names in it that
the system starts from, found by a simple proposer and edited by the visitor. All of it is in the address."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st

from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.base import AnyTask
from engine.workbench.own_text import LONGEST, own_document, proposed
from ui.shell import layout, session

NAMES = {
    "mentions": ("Mentions", "Names that the system decides about: take one away, or type words of the text."),
    "pair": ("Pair", "The first and the second argument: names that stand in one sentence of the text."),
}


def field(task: AnyTask, document: str) -> Document | None:
    """The visitor's text as a document of this system; None where none was typed, or where it cannot be one yet."""
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
    """Nothing to decide in a document without mentions: have some proposed, or mark them."""
    layout.empty(why)
    with st.container(horizontal=True, vertical_alignment="center"):
        if document.text.strip() and not session.get("text"):
            st.button("Try it with mentions proposed", key="own.propose", on_click=_read, args=(document.text,))
        layout.link_to("annotate", "Mark them on Annotate")


def _names(task: AnyTask, text: str) -> list[str]:
    """The names that the visitor wants, at first those that are proposed; nothing where the system finds its own."""
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
    """Other names: what was selected or pinned among those before has no place any more."""
    session.put_together({"sel": None, "pins": None})
    session.put_all("marks", names)


def _read(typed: str) -> None:
    """Another text: nothing is selected in it, and pins on the one before have no place in it."""
    session.put_together({"text": typed or None, "sel": None, "pins": None, "marks": None})


def shortened(text: str) -> str:
    """At most `LONGEST` characters, up to the end of a word where there is one."""
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
    """A name in the label of a button, where Markdown is live."""
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~<>:$^])", r"\\\1", layout.visible(name))
