"""People at work, many at once: how long what they do takes, what fails, and what memory the server keeps afterwards.

python -m tests.trials.load [--sessions 20] [--minutes 10] [--beside]     # `make load`

Every session is a window of its own in headless Chromium, on the same machine as the server: it opens pages, steps
through documents, moves the knob, opens error cells and annotates, with the pauses that people make. An action ends
when the page has been drawn. --beside trains a model and uploads a corpus meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import psutil
from playwright.async_api import Browser, Page, async_playwright

from engine.data.document import Document
from engine.store.workspace import Workspace
from engine.tasks import registry
from tests.browser.chromium import find
from tests.browser.conftest import SETTLED, Server, serving
from ui.background import jobs

PAUSE: Final = (1.0, 6.0)
"""Seconds between two actions of one person, drawn evenly."""
PAGES: Final = ("document", "linking", "coreference", "joint", "tune", "errors", "annotate", "corpora")
PATIENCE: Final = 60_000.0
"""Milliseconds after which an action counts as failed."""


@dataclass
class Seen:
    """Seconds by kind of action, and what failed."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)


async def _settled(page: Page) -> None:
    await page.wait_for_selector(SETTLED, timeout=PATIENCE)


async def _open(page: Page, address: str, rng: random.Random) -> None:
    await page.goto(f"{address}/{rng.choice(PAGES)}")
    await page.wait_for_selector('[data-keys="ready"]', state="attached", timeout=PATIENCE)


async def _step(page: Page, address: str, rng: random.Random) -> None:
    await page.keyboard.press(rng.choice("[]"))


async def _tab(page: Page, address: str, rng: random.Random) -> None:
    tabs = page.get_by_role("tab")
    if count := await tabs.count():
        await tabs.nth(rng.randrange(count)).click()


async def _knob(page: Page, address: str, rng: random.Random) -> None:
    knob = page.get_by_role("slider")
    if await knob.count():
        await knob.first.focus()
        await page.keyboard.press(rng.choice(("ArrowLeft", "ArrowRight")))


async def _annotate(page: Page, address: str, rng: random.Random) -> None:
    if "/annotate" not in page.url:
        await page.goto(f"{address}/annotate?user=person{rng.randrange(100)}")
        await page.wait_for_selector('[data-keys="ready"]', state="attached", timeout=PATIENCE)
    chips = page.locator(".chip")
    if await chips.count():
        await chips.first.click()
        await page.keyboard.press(rng.choice("12"))


ACTIONS: Final[dict[str, tuple[Callable[[Page, str, random.Random], Awaitable[None]], int]]] = {
    "open a page": (_open, 2),
    "next document": (_step, 4),
    "open a tab": (_tab, 2),
    "move the knob": (_knob, 3),
    "annotate": (_annotate, 2),
}
"""What people do -> how, and how often compared with the rest."""


async def person(browser: Browser, address: str, until: float, rng: random.Random, seen: Seen) -> None:
    """One session until the time is over; a failed action is noted, and the session goes on."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()
    names, weights = list(ACTIONS), [weight for _, weight in ACTIONS.values()]
    kind = "open a page"
    while time.monotonic() < until:
        begun = time.monotonic()
        try:
            await ACTIONS[kind][0](page, address, rng)
            await _settled(page)
            if await page.get_by_test_id("stException").count():
                seen.failures.append(f"{kind}: an exception is shown at {page.url}")
        except Exception as error:  # noqa: BLE001  whatever goes wrong for a visitor is a figure of this trial
            seen.failures.append(f"{kind}: {type(error).__name__}")
        seen.times[kind].append(time.monotonic() - begun)
        await asyncio.sleep(rng.uniform(*PAUSE))
        kind = rng.choices(names, weights)[0]
    await context.close()


def beside(directory: Path) -> None:
    """A training and a big upload into the same workspace."""
    workspace = Workspace.open(directory)
    settings = asdict(registry.get("coreference").learner("delayed-laso").settings)
    train = next(info.id for info in workspace.corpora() if "oreference" in info.source or "oreference" in info.name)
    jobs.start(workspace, "coreference", "delayed-laso", settings, train=[train], dev=[])
    workspace.add_corpus("big", [Document(str(i), "A text of some length. " * 40) for i in range(20_000)])
    workspace.close()


async def trial(server: Server, sessions: int, seconds: float, *, with_work: bool) -> Seen:
    seen = Seen()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        until = time.monotonic() + seconds
        people = [person(browser, server.address, until, random.Random(i), seen) for i in range(sessions)]
        work = [asyncio.to_thread(beside, server.workspace)] if with_work else []
        await asyncio.gather(*people, *work)
        await browser.close()
    return seen


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
        with serving(existing) as server:
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
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--beside", action="store_true", help="train and upload meanwhile")
    parser.add_argument("--workspace", type=Path, help="one that exists, instead of a new one with the samples")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, _served(args.workspace, Path(place)) as server:
        # The first visits load libraries and fill caches: the memory to come back to is the one after them.
        asyncio.run(trial(server, 1, 30, with_work=False))
        before, worked = memory(server), -work(server)
        seen = asyncio.run(trial(server, args.sessions, 60 * args.minutes, with_work=args.beside))
        during, busy = memory(server), os.getloadavg()[1]
        worked += work(server)
        time.sleep(30)
        after = memory(server)
    actions = sum(map(len, seen.times.values()))
    for kind, times in sorted(seen.times.items()):
        print(f"{kind}: {_marks(times)}")
    clicks = [time for kind, times in seen.times.items() if kind != "open a page" for time in times]
    print(f"all clicks: {_marks(clicks)}")
    for failure in seen.failures:
        print(failure)
    print(f"memory: {before:.0f} MB before, {during:.0f} MB at the end, {after:.0f} MB half a minute later,", end=" ")
    print(f"{after / before:.2f} x")
    print(f"the server worked {worked / max(actions, 1):.2f} s of CPU an action; load of the machine {busy:.1f}")
    print(f"{args.sessions} sessions, {actions} actions, {len(seen.failures)} failed")
    return 1 if seen.failures else 0


def _marks(times: list[float]) -> str:
    marks = statistics.quantiles(times, n=100) if len(times) > 1 else (times or [0.0]) * 99
    return f"{len(times)} times, p50 {marks[49]:.2f} s, p95 {marks[94]:.2f} s, p99 {marks[98]:.2f} s"


if __name__ == "__main__":
    sys.exit(main())
