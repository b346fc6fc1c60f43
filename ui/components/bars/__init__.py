"""The features behind a decision's score: one bar per feature, longest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ui.components import mount


@dataclass(frozen=True)
class Contribution:
    """What a feature added to the score. `value` is the feature's own value (a number or a short text)."""

    name: str
    contribution: float
    value: float | str | None = None
    help: str = ""


def payload(
    contributions: Iterable[Contribution],
    *,
    total: float | None = None,
    total_name: str = "score",
    most: int = 12,
    caption: str = "",
    heads: tuple[str, str, str] = ("feature", "value", "adds"),
    empty: str = "No feature contributed to this decision.",
) -> dict[str, Any]:
    rows = sorted(contributions, key=lambda row: -abs(row.contribution))
    return {
        "rows": [
            {"name": row.name, "contribution": float(row.contribution), "value": _shown(row.value), "help": row.help}
            for row in rows
        ],
        "total": None if total is None else float(total),
        "total_name": total_name,
        "most": most,
        "caption": caption,
        "heads": list(heads),
        "empty": empty,
    }


def _shown(value: float | str | None) -> float | str | None:
    return value if value is None or isinstance(value, str) else float(value)


def bars(contributions: Iterable[Contribution], *, key: str, **options: Any) -> None:
    mount("bars", key=key, data=payload(contributions, **options))
