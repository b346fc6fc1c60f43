"""The keyboard: [ and ] for the previous and next document, ? for the list of keys."""

from __future__ import annotations

from typing import Final

from ui.components import mount
from ui.shell import messages, session

COMMON: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("[",), "previous document"),
    (("]",), "next document"),
    (("←", "→"), "previous, next span (in the text); one step of the knob (on its slider)"),
    (("Enter",), "open or accept; on the knob: go to the best F"),
    (("Esc",), "clear the selection; on the knob: back to where it was"),
    (("?",), "show or hide this list"),
)


OF_PAGE: Final[dict[str, tuple[tuple[tuple[str, ...], str], ...]]] = {
    "linking": (
        (("←", "↑", "↓", "→"), "next candidate in that direction (in the lattice)"),
        (("p",), "pin the candidate"),
        (("f",), "forbid the candidate"),
        (("u",), "free the candidate of its pin"),
    ),
    "disambiguation": ((("←", "→"), "previous, next decision (in the beam)"),),
    "coreference": ((("↑", "↓"), "previous, next mention (in the tree)"), (("←",), "to its antecedent (in the tree)")),
    "joint": ((("←", "→"), "previous, next mention (in the graph)"),),
}
"""Keys of single views, which stand before the common ones."""


def keys(*, key: str, steps: bool, hear: messages.Hear) -> None:
    """Listen to the keyboard. `hear` gets a message per press, "step" `by` so many documents; without `steps` none."""
    listed = [[list(names), meaning] for names, meaning in (*OF_PAGE.get(session.page(), ()), *COMMON)]
    mount("keys", key=key, data={"keys": listed, "steps": steps}, hear=hear)
