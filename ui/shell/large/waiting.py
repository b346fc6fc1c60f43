"""Placeholders for results in computation: the progress, the remaining time, and a cancel button."""

from __future__ import annotations

from typing import Any, Final, TypeVar

import streamlit as st

from ui.background.beside import Soon
from ui.shell import layout

T = TypeVar("T")

OFTEN: Final = 0.5
"""Seconds between two updates of the progress."""
STOPPED: Final = "This was cancelled."


def for_all(soon: Soon[T], what: str) -> T:
    """The result; until it is available, show only the progress. `what` begins the sentence about it."""
    if soon.is_here() and not soon.failed():
        return soon.future.result()
    _show(soon, what)
    st.stop()


@st.fragment(run_every=OFTEN)
def _show(soon: Soon[Any], what: str) -> None:
    if soon.progress.outdated:
        st.rerun()
    if soon.stopped():
        st.text(f"{what}: {STOPPED}")
        if st.button("Compute it", key="waiting.again", on_click=soon.forget):
            st.rerun()
        return
    if soon.future.done():
        if soon.failed():
            soon.forget()
            soon.future.result()
        st.rerun()
    show(soon, what)


def show(soon: Soon[Any], what: str) -> None:
    """Show the progress and the cancel button."""
    progress = soon.progress
    with st.container(border=True):
        st.progress(progress.share, text=in_words(soon, what))
        st.button("Cancel", key="waiting.cancel", on_click=soon.cancel)


def in_words(soon: Soon[Any], what: str) -> str:
    """What is being computed, its progress and the remaining time."""
    progress = soon.progress
    if not progress.of:
        return f"{what}: waiting for its turn."
    far = f"{layout.count(progress.done)} of {layout.count(progress.of)} {progress.unit}"
    left = "" if progress.left is None else f", {_time(progress.left)} left"
    return f"{what}. {progress.doing}: {far}{left}."


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"
