"""Components without a build step, one folder each: Python that defines the data, JS that draws it, and CSS.

`mount("name", ...)` reads name.js, an ES module with its imports, and name.css of the folder; every style sheet is
preceded by the palette and shared.css. Data are sent to the page as JSON and inserted as textContent, never as HTML.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from ui.background import opened
from ui.components import modules
from ui.tab import messages, palette

_HERE = Path(__file__).parent


def script(name: str) -> str:
    return modules.bundle(_HERE / name / f"{name}.js", _HERE)


def style(name: str) -> str:
    sheets = (_HERE / "shared" / "shared.css", _HERE / name / f"{name}.css")
    return palette.css() + "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


@cache
def _renderer(name: str) -> Callable[..., Any]:
    # Registered once per process, because registering a name twice logs an error.
    renderer: Callable[..., Any] = st.components.v2.component(
        f"espalier_{name}", html='<div class="root"></div>', css=style(name), js=script(name)
    )
    return renderer


def mount(
    name: str, *, key: str, data: dict[str, Any], width: Any = "stretch", hear: messages.Hear | None = None
) -> None:
    """Draw the component `name`. `hear` receives its messages; it is not needed for a component that sends none."""
    if hear is None:
        _renderer(name)(key=key, data=data, width=width)
        return

    def heard() -> None:
        # A callback comes before the drawing and asks for the same things.
        with opened.drawing():
            hear(messages.new(key))

    _renderer(name)(
        key=key,
        data={**data, "messages": messages.answer(key)},
        width=width,
        on_messages_change=heard,
    )
