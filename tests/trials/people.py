"""What people do in the app, over and over, with the pauses that people make.

In a window of a real browser, and without one, speaking to the server as its page does.
Both open pages, step through documents, move the knob, choose cases and annotate. In a window an action ends when the
page has been drawn, without one when all of it has arrived. Only what a page offers is done there.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from playwright.async_api import Browser, Page, TimeoutError

from tests.browser.conftest import SETTLED
from tests.trials.visitor import Failed, Visitor

PAUSE: Final = (1.0, 6.0)
"""Seconds between two actions of one person, drawn evenly."""
PAGES: Final = ("document", "linking", "coreference", "joint", "tune", "errors", "annotate", "corpora")
PATIENCE: Final = 60_000.0
"""Milliseconds after which an action in a window counts as failed."""
RUNNING: Final = SETTLED.replace("notRunning", "running")
OPEN, NEXT, TAB, KNOB, CHOOSE, ANNOTATE = (
    "open a page", "next document", "open a tab", "move the knob", "choose a case", "annotate",
)  # fmt: skip
WEIGHTS: Final = {OPEN: 2, NEXT: 4, TAB: 2, KNOB: 3, CHOOSE: 2, ANNOTATE: 2}
"""What people do, and how often compared with the rest."""


@dataclass
class Seen:
    """Seconds by kind of action, and what failed."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)


Action = Callable[[], Awaitable[None]]


async def _work(possible: Callable[[], Awaitable[dict[str, Action]]], until: float, chance: random.Random,
                seen: Seen) -> None:  # fmt: skip
    """Do what is possible until the time is over; a failed action is noted, and the session goes on."""
    actions = await possible()
    kind = OPEN
    while time.monotonic() < until:
        begun = time.monotonic()
        try:
            await actions[kind]()
        except Exception as error:  # noqa: BLE001  whatever goes wrong for a visitor is a figure of this trial
            seen.failures.append(f"{kind}: {type(error).__name__}: {str(error).splitlines()[0]}"[:300])
        seen.times[kind].append(time.monotonic() - begun)
        await asyncio.sleep(chance.uniform(*PAUSE))
        actions = await possible()
        kind = chance.choices(list(actions), [WEIGHTS[name] for name in actions])[0]


async def without_window(address: str, number: int, until: float, seen: Seen) -> None:
    """One person who is only seen by the server."""
    chance, visitor = random.Random(number), Visitor(f"person{number}")

    async def open_page() -> None:
        await visitor.opened(address, chance.choice(PAGES), f"user=person{number}")

    async def possible() -> dict[str, Action]:
        return {OPEN: open_page, **offers(visitor, chance)}

    await asyncio.sleep(chance.uniform(0, PAUSE[1]))
    await _work(possible, until, chance, seen)
    await visitor.close()


async def first_visit(address: str) -> list[str]:
    """Somebody looks at every page and does everything once; what failed."""
    chance, visitor, failures = random.Random(0), Visitor("first"), []
    for page in PAGES:
        try:
            await visitor.opened(address, page, "user=first")
            for kind in WEIGHTS:
                if action := offers(visitor, chance).get(kind):
                    await action()
        except Failed as error:
            failures.append(f"first visit of {page}: {error}")
    await visitor.close()
    return failures


def offers(visitor: Visitor, chance: random.Random) -> dict[str, Action]:
    """What can be done on the page as it stands."""
    found: dict[str, Action] = {}
    for kind, offered in _OFFERED.items():
        for name, message in offered.items():
            body = message(visitor.components[name].data, chance) if name in visitor.components else None
            if body is not None:
                found[kind] = partial(visitor.tell, name, **body)
    return found


def _step(data: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    steps = data.get("steps")
    return {"action": "step", "to": max(0, (steps["at"] or 0) + chance.choice((-1, 1)))} if steps else None


def _release(data: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    if not data.get("n"):
        return None
    return {
        "action": "release", "bias": chance.uniform(-2, 2), "index": chance.randrange(data["n"]), "beta": 1.0,
        "run": data["run"],
    }  # fmt: skip


def _select(data: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    rows = data.get("rows")
    return {"action": "select", "id": chance.choice(rows)["key"]} if rows else None


def _cell(data: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    rows = [i for i, row in enumerate(data.get("rows", ())) if row["counts"][0]]
    return {"action": "choose", "cell": [chance.choice(rows), 0]} if rows else None


def _mark(data: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    mentions, types = data.get("mentions"), data.get("types")
    if not mentions:
        return None
    id = chance.choice(mentions)["id"]
    told = {"document": data["document"], "layer": data["layer"], "base": data["version"]}
    kind = chance.choice(types)["name"] if types else "PER"
    return {"action": "edit", "edit": {"kind": "SetType", "id": id, "type": kind}, **told}


_OFFERED: Final[dict[str, dict[str, Callable[[dict[str, Any], random.Random], dict[str, Any] | None]]]] = {
    NEXT: {"keys": _step},
    KNOB: {"strip": _release, "tuner": _release},
    CHOOSE: {"cases": _select, "stages": _cell},
    ANNOTATE: {"editor": _mark},
}
"""What people do -> the components that it is done with, and what these would tell."""


async def in_a_window(browser: Browser, address: str, number: int, until: float, seen: Seen) -> None:
    """One person with a window of a real browser."""
    chance = random.Random(number)
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE)
    page = await context.new_page()

    def settled(act: Callable[[Page, str, random.Random], Awaitable[None]]) -> Action:
        async def action() -> None:
            await act(page, address, chance)
            with suppress(TimeoutError):  # components tell the server a moment later, or have nothing to tell
                await page.wait_for_selector(RUNNING, timeout=400)
            await page.wait_for_selector(SETTLED, timeout=PATIENCE)
            if await page.get_by_test_id("stException").count():
                raise Failed(f"an exception is shown at {page.url}")

        return action

    async def possible() -> dict[str, Action]:
        found = {OPEN: settled(_open)}
        for kind, (what, act) in _IN_WINDOW.items():
            if await page.locator(what).count():
                found[kind] = settled(act)
        return found

    await _work(possible, until, chance, seen)
    await context.close()


async def _open(page: Page, address: str, chance: random.Random) -> None:
    await page.goto(f"{address}/{chance.choice(PAGES)}")
    await page.wait_for_selector('[data-keys="ready"]', state="attached", timeout=PATIENCE)


async def _press_step(page: Page, address: str, chance: random.Random) -> None:
    await page.keyboard.press(chance.choice("[]"))


async def _click_tab(page: Page, address: str, chance: random.Random) -> None:
    tabs = page.get_by_role("tab")
    await tabs.nth(chance.randrange(await tabs.count())).click()


async def _press_knob(page: Page, address: str, chance: random.Random) -> None:
    await page.get_by_role("slider").first.focus()
    await page.keyboard.press(chance.choice(("ArrowLeft", "ArrowRight")))


async def _click_chip(page: Page, address: str, chance: random.Random) -> None:
    await page.locator(".chip").first.click()
    await page.keyboard.press(chance.choice("12"))


_IN_WINDOW: Final = {
    NEXT: ('[data-steps="ready"]', _press_step),
    TAB: ('[role="tab"]', _click_tab),
    KNOB: ('input[type="range"]', _press_knob),
    ANNOTATE: (".chip", _click_chip),
}
"""What people do -> where the page offers it, and how it is done."""
