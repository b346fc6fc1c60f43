"""Components without a build step, a folder each: Python that says what it takes, JS that draws it, CSS.

`mount("name", ...)` reads name.js and name.css of the folder; a script may have parts, name-part.js. Every script gets
shared.js and its parts in front of it and every style sheet the palette and shared.css. Data reach the page as JSON
and the page as textContent, never as HTML.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from ui.shell import palette

_HERE = Path(__file__).parent


def script(name: str) -> str:
    folder = _HERE / name
    parts = [_HERE / "shared" / "shared.js", *sorted(folder.glob(f"{name}-*.js")), folder / f"{name}.js"]
    return "".join(part.read_text(encoding="utf-8") for part in parts)


def style(name: str) -> str:
    sheets = (_HERE / "shared" / "shared.css", _HERE / name / f"{name}.css")
    return palette.css() + "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


@cache
def _renderer(name: str) -> Any:
    # Registered once per process: registering a name twice is an error of the server's log.
    return st.components.v2.component(
        f"espalier_{name}", html='<div class="root"></div>', css=style(name), js=script(name)
    )


def mount(name: str, *, key: str, data: dict[str, Any], width: Any = "stretch", **callbacks: Any) -> Any:
    """Draw the component `name` and return its state; callbacks are on_<state>_change."""
    return _renderer(name)(key=key, data=data, width=width, **callbacks)
