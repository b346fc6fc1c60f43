"""How long it takes until a page is there, for every page of the app, on the sample data.

    python -m benchmarks.bench_openings [--quick] [--keep FOLDER] [--rounds N]

Each page is opened by its address in a tab of its own, until nothing on it is to be drawn any more and the server has
finished. The first round has the server compute and load what it keeps, and the browser fetch the scripts; it is told
apart. Beside the wall time stand the CPU times of the server and of the page's thread, which other work on the machine
changes little. With --keep the workspace with its trained samples stays in a folder for the next time.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.bench_big_corpus import cpu
from benchmarks.browsing import browser
from benchmarks.places import parser

SLOW: Final = 3.0
"""Seconds that the opening of a page may take."""


class Opening(NamedTuple):
    """Seconds until a page was there, and what the server and the page's own thread worked for it."""

    wall: float
    server: float
    page: float


def opened(context: Any, address: str, process: int) -> Opening:
    """Open one page in a tab of its own."""
    from tests.browser.conftest import settle

    page = context.new_page()
    worked = context.new_cdp_session(page)
    worked.send("Performance.enable")
    before, begun = cpu(process), time.perf_counter()
    page.goto(address)
    settle(page)
    wall = time.perf_counter() - begun
    metrics = {one["name"]: one["value"] for one in worked.send("Performance.getMetrics")["metrics"]}
    found = Opening(wall, cpu(process) - before, float(metrics["TaskDuration"]))
    page.close()
    return found


def rounds(context: Any, address: str, process: int, n: int) -> dict[str, list[Opening]]:
    """Every page so many times and once more, by name; the first of each is the first since the server started."""
    from ui.tab import pages

    names = [info.name for group in pages.groups().values() for info in group]
    found: dict[str, list[Opening]] = defaultdict(list)
    for _ in range(n + 1):
        for name in names:
            found[name].append(opened(context, f"{address}/{'' if name == 'home' else name}", process))
    return found


def told(found: dict[str, list[Opening]]) -> list[str]:
    """Print the medians; the pages that are too slow."""
    slow = []
    for name, (first, *later) in found.items():
        wall, server, page = (statistics.median(column) for column in zip(*later, strict=True))
        print(
            f"{name}: {wall:.2f} s (worst {max(one.wall for one in later):.2f} s, first {first.wall:.2f} s);"
            f" the server works {server:.2f} s, the page {page:.2f} s",
            flush=True,
        )
        slow += [name] if wall > SLOW else []
    return slow


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--keep", type=Path, help="the workspace, kept for the next time")
    options.add_argument("--rounds", type=int, default=5)
    asked = options.parse_args()

    from tests.browser.conftest import serving
    from tests.trials.load import prepared

    os.environ.pop("ESPALIER_DATABASE_URL", None)
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        place = asked.keep or Path(folder) / "workspace"
        with serving(place, samples=not asked.quick, toy=False) as server:
            if not asked.quick:
                prepared(server)
            context = chromium.new_context(viewport={"width": 1440, "height": 900})
            context.new_page()  # stays: Chromium draws a new window for every page that would be the only one
            slow = told(rounds(context, server.address, server.process.pid, 1 if asked.quick else asked.rounds))
    print(f"slower than {SLOW:g} s: {', '.join(slow)}" if slow else f"all pages within {SLOW:g} s")
    return 1 if slow and not asked.quick else 0


if __name__ == "__main__":
    sys.exit(main())
