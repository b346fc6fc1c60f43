"""Progress on stderr for work over many documents; training has its own bar, which shows scores."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

UNSEEN_SECONDS = 1.0
"""Work that takes less shows no bar."""


def bar(items: Iterable[Any], doing: str, *, unit: str = "document", quiet: bool = False) -> Any:
    """The same items, counted on a terminal while they are taken; nothing is left of the bar at the end.

    Also a context manager: leaving it early removes the bar, so that an error message has a line of its own.
    """
    from tqdm import tqdm

    return tqdm(
        items,
        desc=doing,
        unit=f" {unit}s",
        unit_scale=True,
        file=sys.stderr,
        # None: shown on a terminal, not in a log.
        disable=True if quiet else None,
        delay=UNSEEN_SECONDS,
        leave=False,
        dynamic_ncols=True,
    )
