"""The state of a browser tab: the only module that reads and writes session state and query parameters.

The address holds the choice (corpus, run, doc, bias, and what a page adds), so every view is a link that survives a
refresh. Going to another page clears the address; the choices are remembered here and restored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import unquote

import streamlit as st

SHARED: Final = ("corpus", "run", "doc", "bias")

# The parameters that a choice invalidates: another corpus has other documents, another document other spans.
_CLEARS: Final[dict[str, tuple[str, ...]]] = {
    "corpus": ("doc", "sel", "pins", "text", "marks"),
    "run": ("bias", "sel"),
    "doc": ("sel", "pins", "text", "marks"),
}


def begin(page: str, scope: str) -> None:
    """Start of a script run. `scope` is the page's task, or "": each remembers its own corpus and run."""
    st.session_state["page"] = page
    st.session_state["scope"] = scope
    for name in SHARED:
        if name in st.query_params:
            remember(name, st.query_params[name])


def page() -> str:
    return str(st.session_state.get("page", ""))


def scope() -> str:
    return str(st.session_state.get("scope", ""))


# The address


def get(name: str, default: str | None = None) -> str | None:
    value = st.query_params.get(name)
    return default if value is None else str(value)


def get_float(name: str) -> float | None:
    """A number from the address; anything but a finite number counts as absent, since anybody can write an address."""
    text = get(name)
    try:
        value = None if text is None else float(text)
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None


def get_all(name: str) -> list[str]:
    return [str(value) for value in st.query_params.get_all(name)]


def put(name: str, value: str | float | None) -> None:
    """Write one parameter (None removes it) and nothing else."""
    put_together({name: value})


def put_together(values: Mapping[str, str | float | None]) -> None:
    """Write several parameters (None removes one) as one step, since each write is a step for the browser's Back
    key."""
    address: dict[str, str | list[str]] = {name: get_all(name) for name in st.query_params}
    before = dict(address)
    for name, value in values.items():
        if value is None:
            forget(name)
            address.pop(name, None)
            continue
        text = repr(value) if isinstance(value, float) else str(value)
        if name in SHARED:
            remember(name, text)
        if get(name) != text:
            address[name] = text
    if address != before:
        st.query_params.from_dict(address)


def put_all(name: str, values: Iterable[str]) -> None:
    kept = list(values)
    if kept:
        st.query_params[name] = kept
    elif name in st.query_params:
        del st.query_params[name]


def choose(name: str, value: str | float | None) -> None:
    """Write the user's choice, and remove the parameters that it invalidates."""
    if value is not None and get(name) == str(value) and next(iter(remembered(name)), None) == str(value):
        return
    put_together({**dict.fromkeys(_CLEARS.get(name, ())), name: value})


def cookie(name: str) -> str:
    """The value of a cookie; empty if there is none."""
    value = st.context.cookies.get(name)
    return unquote(value).strip() if isinstance(value, str) else ""


# Memory across pages


def remember(name: str, value: str) -> None:
    memory = st.session_state.setdefault("memory", {})
    memory.setdefault(scope(), {})[name] = value
    memory.setdefault("*", {})[name] = value


def forget(name: str) -> None:
    memory = st.session_state.setdefault("memory", {})
    memory.get(scope(), {}).pop(name, None)
    memory.get("*", {}).pop(name, None)


def remembered(name: str) -> list[str]:
    """Candidates for a parameter missing in the address: the last value anywhere, the last value in this scope."""
    memory = st.session_state.get("memory", {})
    found = [memory.get(where, {}).get(name) for where in ("*", scope())]
    return [value for value in found if value is not None]


def remembered_here(name: str) -> str | None:
    """The last value in this scope."""
    found: str | None = st.session_state.get("memory", {}).get(scope(), {}).get(name)
    return found


def bias_of(run: str) -> float | None:
    """The bias in the address, if it was set for this run."""
    return get_float("bias") if get("run") == run else None


# Widgets


def sync(key: str, value: Any) -> None:
    """Make the widget with this key show `value`; call it before the widget is drawn."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def value(key: str, default: Any = None) -> Any:
    """The value that a widget, a component or a page stored under its key."""
    found = st.session_state.get(key, default)
    return default if found is None else found


def keep(key: str, value: Any) -> None:
    st.session_state[key] = value


def writes(name: str, key: str) -> Callable[[], None]:
    """A callback that writes the value of the widget under `key` to the address as `name`."""

    def on_change() -> None:
        put(name, value(key))

    return on_change


def component(key: str, state: str) -> Any:
    """A state value of the component mounted under `key`, None before its first event."""
    found = st.session_state.get(key)
    if found is None:
        return None
    return found.get(state) if isinstance(found, dict) else getattr(found, state, None)


def select(text: str | None) -> None:
    """Set the selection of the view, in the address, so that a link opens with it."""
    put("sel", text)


def selected() -> str | None:
    """The selection of the view: the one in the address, or the item at the place that the address names."""
    said = get("sel")
    place, found = value("session.found", (None, None))
    return found if said is not None and said == place else said


def found_selected(key: str | None) -> None:
    """Record that the selection in the address is a place, and `key` the item there in this view. The address is not
    changed, which would be a second step for the browser's Back key."""
    keep("session.found", (get("sel"), key))
