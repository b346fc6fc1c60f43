"""The tour: seven stops on the actual pages, from one close call to a verdict. It is started by a button, can be left
at every stop, and never reappears by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import streamlit as st

from ui.tab import pages, session

STEP: Final = "tour.step"
ENDED: Final = "tour.ended"
CLOSE_CALL: Final = "dev-160"
"""A tweet of the linking sample on which two readings nearly tie."""

DEV: Final = "sample-linking-dev"
UNLABELLED: Final = "sample-linking-new"
"""The sample corpora that the stops open; if one was removed, the page opens the corpus used last."""


@dataclass(frozen=True)
class Stop:
    """One stop: the page, what to do there, and the address parameters with which it opens."""

    page: str
    text: str
    document: str | None = None
    corpus: str | None = None


STOPS: Final = (
    Stop(
        "linking",
        "A close call: two readings of one name nearly tie. **Drag the knob** at the top to the right and to the left,"
        " and watch the link in the tweet come and go.",
        CLOSE_CALL,
    ),
    Stop(
        "linking",
        "**Click a candidate and press p** to pin it, f to forbid it, u to free it. The rest of the text is decided"
        " again at once; the model stays as it is.",
        CLOSE_CALL,
    ),
    Stop(
        "tune",
        "The same knob for the whole corpus: **drag it** and read what precision and recall do. Keep a bias you like.",
    ),
    Stop(
        "errors",
        "Every error has one stage to blame. **Click a number** in the table and walk through its cases with ↑ and ↓;"
        " “Why?” opens the picture behind one.",
    ),
    Stop(
        "annotate",
        "Where gold is wrong, or there is none yet, **correct it**: mark text and press Enter, or accept what the model"
        " suggests. Every edit is saved, and Ctrl+Z takes it back. **Press d** when a text is done.",
        corpus=UNLABELLED,
    ),
    Stop(
        "annotate",
        "**Retrain with the corrections** is under “Versions and scores”: the same settings, on the current gold."
        " It trains in the background.",
        corpus=UNLABELLED,
    ),
    Stop(
        "compare",
        "**Read the verdict**: is one run better than the other, and could that be luck? A run that you retrain is"
        " offered here as B. That is the whole loop; your own texts go the same way.",
    ),
)


def is_possible() -> bool:
    """Whether the tour is available: it needs the linking system."""
    return all(pages.exists(stop.page) for stop in STOPS)


def offer(key: str) -> None:
    """The button that starts the tour, if it is available."""
    if is_possible():
        st.button("Take the tour · 90 seconds", icon=":material/tour:", key=key, on_click=_go, args=(0,))


def show() -> None:
    """Show the current stop at the top of its page, if a tour is in progress."""
    if session.value(ENDED):
        session.keep(ENDED, False)
        st.switch_page("pages/corpora.py", query_params={"view": "Add"})
    step = session.value(STEP)
    if step is None or not is_possible():
        return
    if session.value("tour.leap"):
        session.keep("tour.leap", False)
        st.switch_page(f"pages/{STOPS[step].page}.py", query_params=_query(STOPS[step]))
    if STOPS[step].page != session.page():
        _elsewhere(step)
        return
    with st.container(border=True, key="tour"):
        st.markdown(f"**Tour, {step + 1} of {len(STOPS)}** · {STOPS[step].text}")
        with st.container(horizontal=True, gap="small"):
            if step + 1 < len(STOPS):
                st.button("Next", key="tour.next", type="primary", on_click=_go, args=(step + 1,))
            else:
                st.button("Bring your own texts", key="tour.end", type="primary", on_click=_end)
            st.button("Back", key="tour.back", disabled=step == 0, on_click=_go, args=(step - 1,))
            st.button("Leave the tour", key="tour.leave", on_click=_leave)


def _elsewhere(step: int) -> None:
    """One line with a link back, if the visitor has gone to another page."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="tour"):
        st.caption(f"The tour waits at stop {step + 1} of {len(STOPS)}.", width="content")
        st.button("Go on", key="tour.on", on_click=_go, args=(step,))
        st.button("Leave the tour", key="tour.leave", on_click=_leave)


def _query(stop: Stop) -> dict[str, str]:
    wanted = {"doc": stop.document, "corpus": stop.corpus or DEV}
    return {name: value for name, value in wanted.items() if value is not None}


def _go(step: int) -> None:
    # A callback cannot switch pages, so the next redraw does it.
    session.keep(STEP, step)
    session.keep("tour.leap", STOPS[step].page != session.page())


def _end() -> None:
    _leave()
    session.keep(ENDED, True)


def _leave() -> None:
    session.keep(STEP, None)
