"""The curator's part of the People tab: take over what is agreed, answer one question after the other, by mouse or key.

Answers are written to the shared gold. What is open is found anew from the log each time, so an undo opens it again.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from engine.data.document import NIL, Document
from engine.metrics.differences import Decision
from engine.store.annotations import AnnotationLog
from engine.workbench.adjudication import THRESHOLDS, Place, Reading, Standing, Threshold, answer, take_everything
from ui.shell import layout
from ui.tab import session
from ui.views.annotate import words

NOTHING = Reading(frozenset(), ())


def show(log: AnnotationLog, found: Mapping[str, Standing], id: str, user: str) -> None:
    """What is left to do, the agreed part as one action, then the questions of this document."""
    here = found.get(id)
    waiting = [one for one in found.values() if one.agreed or one.questions]
    st.text(
        words.LEFT.format(
            agreed=layout.counted(sum(len(one.agreed) for one in found.values()), "agreed annotation"),
            questions=layout.counted(sum(len(one.questions) for one in found.values()), "open question"),
            documents=layout.counted(len(waiting), "document"),
            here=0 if here is None else len(here.questions),
        )
    )
    _show_taking_over(log, found, user)
    if here is not None and here.questions:
        _show_question(log, here, user)
    elif waiting and st.button(
        "Next document with something to do", key="people.next", type="primary", shortcut="n", help=words.KEY_NEXT
    ):
        session.choose("doc", waiting[0].document.id)
        st.rerun()
    elif not waiting:
        st.text(words.COMPLETE)


def _show_taking_over(log: AnnotationLog, found: Mapping[str, Standing], user: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        threshold: Threshold = st.selectbox(
            "Take over what",
            THRESHOLDS,
            format_func=words.THRESHOLDS.__getitem__,
            key="people.threshold",
            width=300,
            help=words.THRESHOLD_HELP,
        )
        pressed = st.button("Take over in all documents", key="people.take", shortcut="Shift+A", help=words.KEY_TAKE)
    if pressed:
        n = take_everything(log, found, threshold, user)
        session.keep("people.taken", layout.counted(n, "document"))
        st.rerun()
    if taken := session.value("people.taken", ""):
        session.keep("people.taken", "")
        st.text(words.TAKEN.format(documents=taken))


def _show_question(log: AnnotationLog, here: Standing, user: str) -> None:
    """One question; the answer is one action, and the next question follows."""
    at = int(session.value("people.skipped", 0)) % len(here.questions)
    place = here.questions[at]
    with st.container(border=True):
        st.text(layout.visible(f"{words.KINDS[place.kind]}: {context(here.document, place)}"))
        for number, reading in enumerate(place.readings, 1):
            st.text(layout.visible(f"{number}. {said(here.document, reading)}: {', '.join(reading.by)}"))
        reason = st.text_input("Reason", key=f"people.reason.{place.key}", placeholder=words.REASON, max_chars=500)
        with st.container(horizontal=True):
            for number, reading in enumerate(place.readings[:9], 1):
                if st.button(
                    f"{number} holds",
                    key=f"people.answer.{number}",
                    type="primary" if number == 1 else "secondary",
                    shortcut=str(number),
                ):
                    answer(log, here, place, reading, (reason or "").strip(), user)
                    st.rerun()
            empty_said = any(not reading.said for reading in place.readings)
            if not empty_said and st.button("Nothing holds", key="people.answer.0", shortcut="0"):
                answer(log, here, place, NOTHING, (reason or "").strip(), user)
                st.rerun()
            if len(here.questions) > 1 and st.button("Skip", key="people.skip", shortcut="s"):
                session.keep("people.skipped", at + 1)
                st.rerun()


def context(document: Document, place: Place, around: int = 60) -> str:
    """The words of the place in their surroundings."""
    if not place.spans:
        return f"the document as a whole: {document.text[: 2 * around]}…"
    text, first, last = document.text, place.start, place.end
    start, end = max(0, first - around), min(len(text), last + around)
    marked = f"{text[start:first]}«{text[first:last]}»{text[last:end]}"
    return f"{'…' if start else ''}{' '.join(marked.split())}{'…' if end < len(text) else ''}"


def said(document: Document, reading: Reading) -> str:
    """A reading in words."""
    if not reading.said:
        return "nothing holds here"
    told: dict[tuple[int, int], list[str]] = {}
    for one in sorted(reading.said, key=lambda one: (one.start, -one.end, _ORDER.index(one.kind))):
        told.setdefault((one.start, one.end), []).append(_part(document, one))
    return "; ".join(" · ".join(filter(None, parts)) for parts in told.values())


_ORDER = ("span", "type", "link", "coreference", "relation", "label")


def _part(document: Document, one: Decision) -> str:
    other = f"“{document.text[one.other[0] : one.other[1]]}”"
    match one.kind:
        case "span":
            return f"“{document.text[one.start : one.end]}”"
        case "relation":
            return f"{one.value} → {other}"
        case "coreference":
            return f"same chain as {other}"
        case "label":
            return f"label {one.value}"
        case _:
            return "NIL" if one.value == NIL else one.value
