"""Components without a build step: each is a .py that says what it takes, a .js that draws it, a .css.

`mount("name", ...)` reads name.js and name.css of this folder. Every script gets shared.js in front of it and every
style sheet the palette and shared.css. Data reach the page as JSON and the page as textContent, never as HTML.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from ui import palette

_HERE = Path(__file__).parent


@cache
def _renderer(name: str) -> Any:
    # Registered once per process: registering a name twice is an error of the server's log.
    def text(file: str) -> str:
        return (_HERE / file).read_text(encoding="utf-8")

    return st.components.v2.component(
        f"espalier_{name}",
        html='<div class="root"></div>',
        css=palette.css() + text("shared.css") + text(f"{name}.css"),
        js=text("shared.js") + text(f"{name}.js"),
    )


def mount(name: str, *, key: str, data: dict[str, Any], width: Any = "stretch", **callbacks: Any) -> Any:
    """Draw the component `name` and return its state; callbacks are on_<state>_change."""
    return _renderer(name)(key=key, data=data, width=width, **callbacks)
