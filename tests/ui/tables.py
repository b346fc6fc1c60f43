"""What no table on screen may show: Python's values, more digits than mean anything, a hyphen for a minus sign."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

PYTHON = re.compile(r"(None|True|False|nan|inf|-?\d\.\d{6,}.*|[(\[{]'.*)")
HYPHEN = re.compile(r"(^|[\s…(])-\d")


def faults(at: AppTest) -> list[str]:
    """A line for each column of a table that shows something of the kind."""
    return [f"{table.key}: {fault}" for table in at.dataframe for fault in _of(table)]


def _of(table: Any) -> Iterator[str]:
    frame, proto = table.value, table.proto
    if proto.editing_mode:
        return  # what is typed there is of the users' own making
    formats = json.loads(proto.columns or "{}")
    styled = proto.arrow_data.styler.display_values != b""
    for name in frame.columns:
        config = formats.get(name) or {}
        column, shaped = frame[name], bool((config.get("type_config") or {}).get("format"))
        if column.isna().any() and not styled and not proto.HasField("placeholder"):
            yield f"{name} has cells that say None"
        if pd.api.types.is_float_dtype(column) and not styled:
            known = column.dropna()
            if not shaped and any(value != float(f"{value:.3g}") for value in known):
                yield f"{name} has more than three digits: {list(known)[:3]}"
            if (known < 0).any():
                yield f"{name} has a hyphen for a minus sign"
        for value in column:
            if isinstance(value, str) and (PYTHON.fullmatch(value) or HYPHEN.search(value)):
                yield f"{name} says {value!r}"
