"""Makes a form from a settings dataclass: one widget per field, by its type, with its help and range."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import streamlit as st

from engine.settings import Settings, file_settings, with_values
from engine.workbench.glossary import setting_help
from ui.tab import session

S = TypeVar("S", bound=Settings)


def settings_form(system: str, defaults: S, *, key: str, columns: int = 3) -> tuple[S | None, str]:
    """Widgets for every field that does not name a file on the server. Returns the settings, or None and a sentence on
    what is invalid. The system is that of the glossary's sentences."""
    hints = get_type_hints(type(defaults))
    offered = [spec for spec in dataclasses.fields(defaults) if spec.name not in file_settings(type(defaults))]
    # Every learner has a seed, and it is the last thing anybody changes.
    fields = sorted((spec for spec in offered if _matters(spec, defaults, key)), key=lambda spec: spec.name == "seed")
    changes: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for start in range(0, len(fields), columns):
        # Row by row, so that switches and boxes are aligned.
        row = st.columns(columns, vertical_alignment="bottom")
        for place, spec in zip(row, fields[start : start + columns], strict=False):
            with place:
                help = setting_help(system, spec.name, spec.metadata.get("help", ""))
                value = _widget(spec, hints[spec.name], getattr(defaults, spec.name), f"{key}.{spec.name}", help)
            if isinstance(value, _Text):
                texts[spec.name] = value.text
            else:
                changes[spec.name] = value
    try:
        return with_values(dataclasses.replace(defaults, **changes), texts), ""
    except ValueError as error:
        return None, str(error)


def _matters(spec: dataclasses.Field[Any], defaults: Settings, key: str) -> bool:
    """Whether the setting has any effect given the others: those of Winnow need Winnow."""
    only = spec.metadata.get("only")
    if only is None:
        return True
    name, value = only
    return bool(session.value(f"{key}.{name}", getattr(defaults, name)) == value)


@dataclasses.dataclass(frozen=True)
class _Text:
    """The text entered for a field whose type has no widget; parsed as on the command line."""

    text: str


def _widget(spec: dataclasses.Field[Any], hint: Any, value: Any, key: str, help: str) -> Any:
    label = spec.name.replace("_", " ")
    low, high = spec.metadata.get("low"), spec.metadata.get("high")
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        return st.selectbox(label, choices, index=choices.index(value), key=key, help=help)
    if hint is bool:
        return st.toggle(label, value=value, key=key, help=help)
    if hint is int:
        return int(st.number_input(label, _whole(low), _whole(high), value, step=1, key=key, help=help))
    if hint is float:
        step = 10.0 ** len(str(abs(int(value)))) / 100 if abs(value) >= 1 else 0.01
        least, most = (None if bound is None else float(bound) for bound in (low, high))
        return float(st.number_input(label, least, most, float(value), step=step, format="%g", key=key, help=help))
    help = f"{help} ({_words(hint)})"
    return _Text(st.text_input(label, _text_of(value), key=key, help=help) or "")


def _whole(bound: float | None) -> int | None:
    return None if bound is None else int(bound)


def _text_of(value: Any) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _words(hint: Any) -> str:
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_words(option) for option in get_args(hint))
    if hint is type(None):
        return "none"
    if get_origin(hint) is tuple:
        return "separated by commas"
    return {int: "a whole number", float: "a number", str: "text"}.get(hint, str(hint))
