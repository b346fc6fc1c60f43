"""The keyboard: [ and ] for the previous and next document, ? for the list of keys. Also adds tooltips to tabs, which
Streamlit does not offer, because this component is on every page."""

from __future__ import annotations

from typing import Final, TypedDict

from engine.workbench.glossary import tabs
from ui.components import mount
from ui.tab import messages, pages, session

COMMON: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("[",), "previous document"),
    (("]",), "next document"),
    (("←", "→"), "previous, next span (in the text); one step of the knob (on its slider)"),
    (("Enter",), "open or accept; on the knob: go to the best F"),
    (("Esc",), "clear the selection; on the knob: back to where it was"),
    (("?",), "show or hide this list"),
)


class Steps(TypedDict):
    at: int | None
    """The rank of the current document among those that [ and ] step through; None if it is not one of them."""


def keys(*, key: str, steps: Steps | None, hear: messages.Hear) -> None:
    """Listen to the keyboard. `hear` receives one message per key press, "step" `to` a rank; none without `steps`."""
    listed = [[list(names), meaning] for names, meaning in (*pages.own_keys(session.page()), *COMMON)]
    mount("keys", key=key, data={"keys": listed, "steps": steps, "tabs": tabs()}, hear=hear)
