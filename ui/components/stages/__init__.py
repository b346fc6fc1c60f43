"""Errors by stage and type: a table of counts, each of which can be selected.

Streamlit's own table waits 150 ms after a click before it informs the server; a cell has to open faster than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from ui.components import mount
from ui.tab import messages


@dataclass(frozen=True)
class StageRow:
    name: str
    counts: tuple[int, ...]
    """One per selectable column; the first is the total."""
    facts: tuple[str, ...] = ()
    """Text cells after the total."""
    help: str = ""
    """A sentence on the row, shown when its name is hovered or focused."""


Cell = tuple[int, int]
"""Row and column of a count."""


def stages(
    heads: Sequence[str],
    rows: Sequence[StageRow],
    *,
    key: str,
    chosen: Cell | None,
    on_choose: Callable[[Cell | None], None],
) -> None:
    """Draw the table; `on_choose` receives the clicked cell, None if the selected one was clicked again.

    `heads` name the rows, the total, the facts, then the other counts, which come last because they may be pushed out
    of sight.
    """

    def choose(message: messages.Message) -> None:
        cell = message["cell"]
        if cell is None:
            on_choose(None)
        elif cell[0] < len(rows) and cell[1] < len(rows[cell[0]].counts):
            on_choose((int(cell[0]), int(cell[1])))

    data = {
        "heads": list(heads),
        "rows": [asdict(row) for row in rows],
        "chosen": None if chosen is None else list(chosen),
    }
    mount("stages", key=key, data=data, hear=messages.each(choose=choose))
