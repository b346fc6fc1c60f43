"""Constraints as switches: each on or off, hard or at a price, with its effect on the current sentence.

Every message contains the whole table, so that neither of two quick changes is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from ui.components import mount
from ui.tab import messages


@dataclass(frozen=True)
class Switch:
    name: str
    on: bool
    weight: float | None
    """Price of one violation; None is hard."""
    alone: int
    """Violations by the classifiers alone, in this sentence."""
    together: int
    """Remaining violations, which can only be of soft constraints."""
    binds: bool
    """Whether it binds the decision: a row at its bound."""


Wanted = Sequence[tuple[bool, float | None]]
"""On or off, and the weight, of every switch in order."""


def switches(rows: Sequence[Switch], *, key: str, on_change: Callable[[Wanted], None]) -> None:
    """Draw the table; `on_change` receives the new values."""

    def want(message: messages.Message) -> None:
        if len(message["rows"]) == len(rows):
            on_change([(bool(one["on"]), _price(one["weight"])) for one in message["rows"]])

    mount("switches", key=key, data={"rows": [asdict(row) for row in rows]}, hear=messages.each(want=want))


def _price(weight: float | None) -> float | None:
    return None if weight is None else max(0.0, float(weight))
