"""People at work, many at once: how long what they do takes, what fails, and what memory the server keeps afterwards.

python -m tests.trials.load [--sessions 20] [--windows 2] [--minutes 10] [--beside]     # `make load`

Of the sessions some have a window of their own in headless Chromium, on the same machine as the server; the others
speak to the server as its page does, without one: twenty windows would measure Chromium, not the server. All open
pages, step through documents, move the knob, open error cells and annotate, with the pauses that people make.
--beside trains a model and uploads a corpus meanwhile. Ends with 1 where an action failed, where 95 of 100 clicks
took longer than a second, or where more memory than a tenth is not given back.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

import psutil
from playwright.async_api import async_playwright

from engine.data.document import Document
from engine.store.workspace import Workspace
from engine.tasks import registry
from tests.browser.chromium import find
from tests.browser.conftest import Server, serving
from tests.trials.people import OPEN, Seen, first_visit, in_a_window, without_window
from ui.background import jobs

FAST: Final = 1.0
"""Seconds that 95 of 100 clicks may take."""
KEPT: Final = 1.1
"""Memory after everybody has left over memory before they came."""
LEFT: Final = 135.0
"""Seconds after which a session that has left is gone: Streamlit keeps it for two minutes, for who comes back, and lets
go of it when somebody else comes or goes."""


def beside(directory: Path) -> None:
    """A training and a big upload into the same workspace."""
    workspace = Workspace.open(directory)
    settings = asdict(registry.get("coreference").learner("delayed-laso").settings)
    train = next(info.id for info in workspace.corpora() if "oreference" in info.source or "oreference" in info.name)
    jobs.start(workspace, "coreference", "delayed-laso", settings, train=[train], dev=[])
    workspace.add_corpus("big", [Document(str(i), "A text of some length. " * 40) for i in range(20_000)])
    workspace.close()


async def trial(server: Server, sessions: int, windows: int, seconds: float, *, with_work: bool) -> tuple[Seen, Seen]:
    """What those without a window have seen, and those with one."""
    without, within = Seen(), Seen()
    until = time.monotonic() + seconds
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        people = [in_a_window(browser, server.address, i, until, within) for i in range(windows)]
        people += [without_window(server.address, i, until, without) for i in range(windows, sessions)]
        work = [asyncio.to_thread(beside, server.workspace)] if with_work else []
        await asyncio.gather(*people, *work)
        await browser.close()
    return without, within


def memory(server: Server) -> float:
    """Megabytes that the server itself holds."""
    return float(psutil.Process(server.process.pid).memory_info().rss) / 1e6


def work(server: Server) -> float:
    """Seconds of CPU that the server itself has used; unlike the time that things take, others change it little."""
    used = psutil.Process(server.process.pid).cpu_times()
    return float(used.user + used.system)


@contextmanager
def _served(existing: Path | None, place: Path) -> Iterator[Server]:
    if existing is not None:
        with serving(existing, toy=False) as server:
            yield server
        return
    with serving(place / "workspace", samples=True, toy=False) as server:
        prepared(server)
        yield server


def prepared(server: Server) -> None:
    """Wait until the samples are loaded and their models trained."""
    workspace = Workspace.open(server.workspace)
    until = time.monotonic() + 900
    while time.monotonic() < until:
        done = {run.task for run in workspace.runs() if run.status == "done"}
        running = any(run.status == "running" for run in workspace.runs())
        if done == set(registry.names()) and not running:
            break
        time.sleep(1)
    workspace.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--windows", type=int, default=2, help="sessions of these that have a window")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--beside", action="store_true", help="train and upload meanwhile")
    parser.add_argument("--workspace", type=Path, help="one that exists, instead of a new one with the samples")
    parser.add_argument("--unjudged", action="store_true", help="say how long things took without judging it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, _served(args.workspace, Path(place)) as server:
        # The first visit loads libraries and fills caches: the memory to come back to is the one after it.
        failures = asyncio.run(first_visit(server.address))
        before, worked, begun = memory(server), work(server), time.monotonic()
        seconds = 60 * args.minutes
        seen = asyncio.run(trial(server, args.sessions, args.windows, seconds, with_work=args.beside))
        worked, took = work(server) - worked, time.monotonic() - begun
        during, busy = memory(server), os.getloadavg()[1]
        time.sleep(0.0 if args.unjudged else LEFT)
        failures += asyncio.run(first_visit(server.address))
        kept = memory(server)
    times, slow = _told(*seen)
    failures += [failure for one in seen for failure in one.failures]
    print("\n".join(failures))
    print(f"memory: {before:.0f} MB before, {during:.0f} MB at the end, {kept:.0f} MB after they left,", end=" ")
    print(f"{kept / before:.2f} x")
    print(f"the server worked {worked / max(times, 1):.3f} s of CPU an action, {worked / took:.2f} of a core;", end=" ")
    print(f"load of the machine {busy:.1f}")
    print(f"{args.sessions} sessions, {times} actions, {len(failures)} failed")
    return 1 if failures or (not args.unjudged and (slow > FAST or kept > KEPT * before)) else 0


def _told(without: Seen, within: Seen) -> tuple[int, float]:
    """Print how long things took; the number of actions, and what 95 of 100 clicks did not exceed."""
    worst = 0.0
    for who, seen in (("without a window", without), ("in a window", within)):
        if not seen.times:
            continue
        for kind, times in sorted(seen.times.items()):
            print(f"{who}, {kind}: {_marks(times)}")
        clicks = [time for kind, times in seen.times.items() if kind != OPEN for time in times]
        print(f"{who}, all clicks: {_marks(clicks)}")
        worst = max(worst, _quantiles(clicks)[94])
    return sum(len(times) for seen in (without, within) for times in seen.times.values()), worst


def _quantiles(times: list[float]) -> list[float]:
    return statistics.quantiles(times, n=100) if len(times) > 1 else (times or [0.0]) * 99


def _marks(times: list[float]) -> str:
    marks = _quantiles(times)
    return f"{len(times)} times, p50 {marks[49]:.2f} s, p95 {marks[94]:.2f} s, p99 {marks[98]:.2f} s"


if __name__ == "__main__":
    sys.exit(main())
