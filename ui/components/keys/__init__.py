"""The keyboard: [ and ] for the previous and next document, ? for the list of keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ui.components import mount
from ui.shell import pages, session

COMMON: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("[",), "previous document"),
    (("]",), "next document"),
    (("←", "→"), "previous, next span (in the text); one step of the knob (on its slider)"),
    (("Enter",), "open or accept; on the knob: go to the best F"),
    (("Esc",), "clear the selection; on the knob: back to where it was"),
    (("?",), "show or hide this list"),
)


def keys(
    *,
    key: str,
    done: int,
    steps: bool,
    on_steps: Callable[[], None],
) -> Any:
    """Listen to the keyboard. `.steps` are the presses not yet acted on, {id, by}; `done` is the last id acted on."""
    listed = [[list(names), meaning] for names, meaning in (*pages.own_keys(session.page()), *COMMON)]
    return mount("keys", key=key, data={"keys": listed, "done": done, "steps": steps}, on_steps_change=on_steps)
