"""Progress bars on stderr for work on many documents; training has its own bar, which shows scores."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.data.progress import Progress

if TYPE_CHECKING:
    from engine.workbench.blocks.portions import Portion

X = TypeVar("X")

UNSEEN_SECONDS = 1.0
"""Shorter work shows no bar."""


def bar(items: Iterable[Any], doing: str, *, unit: str = "document", quiet: bool = False) -> Any:
    """The same items, with a progress bar on a terminal, which disappears at the end.

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


@contextmanager
def reading_bar(
    items: Iterable[X], doing: str, paths: Iterable[Path], *, unit: str = "document", quiet: bool = False
) -> Iterator[Iterator[X]]:
    """A context with the same items, read from these files; the bar tells the remaining time from their sizes."""
    with bar([], doing, unit=unit, quiet=quiet) as shown, Progress(paths) as progress:
        shown.total = None

        def counted() -> Iterator[X]:
            for item in items:
                yield item
                if shown.update() and (share := progress.share) > 0:
                    shown.total = max(shown.n, round(shown.n / share))

        yield counted()


class Clock:
    """Counts pieces of work that take minutes each, and estimates the remaining time from the pace so far."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._began = total, 0, time.monotonic()

    def done(self, what: str) -> str:
        """The line to print when one more is finished."""
        self._done += 1
        left = (time.monotonic() - self._began) / self._done * (self._total - self._done)
        rest = f"; about {_spoken(left)} left" if self._done < self._total else ""
        return f"{self._done} of {self._total}: {what}{rest}"


def _spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def portions_bar(
    portions: Iterator[Portion], doing: str, total: int | None, *, quiet: bool = False
) -> Iterator[Portion]:
    """The same portions, with a bar that shows documents per second and the remaining time."""
    with bar([], doing, quiet=quiet) as shown:
        shown.reset(total=total)
        for portion in portions:
            yield portion
            shown.update(portion.n_documents)


class Spool:
    """Lines kept on disk until what precedes them in the output is known."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+", encoding="utf-8")

    def add(self, line: str) -> None:
        self._file.write(line + "\n")

    def __iter__(self) -> Iterator[str]:
        self._file.seek(0)
        return (line.removesuffix("\n") for line in self._file)
