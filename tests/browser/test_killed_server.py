"""The server is killed at random moments while somebody annotates: every edit that was acknowledged is there after the
restart, and those that were not are sent again by the page.

Two kills in `make test-all`; `ESPALIER_KILLS=20 python -m pytest tests/browser/test_killed_server.py -s` for twenty.
"""

from __future__ import annotations

import os
import random
import signal
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.store.workspace import Workspace
from tests.browser.conftest import free_port, serving, settle
from tests.ui import harness

KILLS = int(os.environ.get("ESPALIER_KILLS", "2"))

# Every edit the page ever made is noted here; what it keeps in its storage is what it has no answer for.
NOTE = """
window.made = new Set();
const keep = Storage.prototype.setItem;
Storage.prototype.setItem = function (key, value) {
  if (key.startsWith('espalier unsaved')) for (const op of JSON.parse(value)) window.made.add(`${op.client}:${op.seq}`);
  return keep.call(this, key, value);
};
"""
WAITING = """() => Object.keys(localStorage).filter(k => k.startsWith('espalier unsaved'))
  .flatMap(k => JSON.parse(localStorage.getItem(k))).map(op => `${op.client}:${op.seq}`)"""


def annotate_until(page: Page, ended: threading.Event, rng: random.Random) -> None:
    """Give a mention one type after the other, fast and slow, until the server is gone; and once more after that."""
    page.locator(".chip[data-key=g0]").click()
    page.locator(".page").focus()
    last = False
    while not last:
        last = ended.is_set()
        page.keyboard.press(rng.choice("12"))
        page.wait_for_timeout(rng.choice((0, 5, 40, 200)))


@pytest.mark.slow
def test_every_acknowledged_edit_survives_a_killed_server(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "workspace"
    workspace = Workspace.open(place)
    corpus = workspace.add_corpus("Kill", harness.sample_documents(2))
    log = workspace.annotations(corpus)
    rng = random.Random(20)
    port = free_port()
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(NOTE)
    answered = 0
    for kill in range(KILLS + 1):
        with serving(place, port=port) as server:
            if kill == 0:
                page.goto(f"{server.address}/annotate?corpus={corpus}&doc=d1&user=anna")
                settle(page)
            else:
                # The page finds the new server by itself, and sends again what it has no answer for.
                expect(page.locator(".saved")).to_contain_text("saved", timeout=90_000)
                page.wait_for_function(f"({WAITING})().length === 0", timeout=90_000)
                tokens = [row.token for row in log.history("d1")]
                made = set(page.evaluate("[...window.made]"))
                assert made == set(tokens) and len(made) == len(tokens), "every edit is there, once"
            if kill == KILLS:
                break
            ended = threading.Event()

            def end(number: int = server.process.pid, ended: threading.Event = ended) -> None:
                os.kill(number, signal.SIGKILL)
                ended.set()

            threading.Timer(rng.uniform(0.3, 1.5), end).start()
            annotate_until(page, ended, rng)
            server.process.wait(timeout=20)
            made, waiting = set(page.evaluate("[...window.made]")), set(page.evaluate(WAITING))
            acknowledged = made - waiting
            assert acknowledged <= {row.token for row in log.history("d1")}
            answered = len(acknowledged)
    print(f"{KILLS} kills, {len(made)} edits, {answered} acknowledged before the last kill, none lost")
    assert answered > 0
    context.close()
