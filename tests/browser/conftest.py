"""A server and a headless Chromium for the tests of this folder.

A test fails when the page throws, or when anything is asked of another machine.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from engine.store.workspace import Workspace
from tests.browser.chromium import ABSENT, find
from tests.ui import harness
from ui import components

ROOT = harness.ROOT
SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'
PICTURES = ROOT / "docs" / "screenshots"

# Generous: a slow machine is no fault of the page.
expect.set_options(timeout=45_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@dataclass(frozen=True)
class Server:
    address: str
    workspace: Path
    process: subprocess.Popen[bytes]

    def kill(self, number: int) -> None:
        """End it at once, as a crash would."""
        self.process.send_signal(number)
        self.process.wait(timeout=20)

    def open_workspace(self) -> Workspace:
        return Workspace.open(self.workspace)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(
    workspace: Path, *, samples: bool = False, toy: bool = True, port: int | None = None, directory: Path = ROOT
) -> Iterator[Server]:
    """The app on a port of its own, started in a directory; ended, and waited for, in any case."""
    port = port or free_port()
    path = [str(ROOT / "tests" / "ui" / "with_toy")] if toy else []
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*path, str(ROOT)]),
        "ESPALIER_WORKSPACE": str(workspace),
        "ESPALIER_SAMPLES": "on" if samples else "off",
    }
    environment.pop("ESPALIER_DATABASE_URL", None)
    command = [sys.executable, "-m", "ui.server.serve", "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=directory, env=environment, **quiet)
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield Server(f"http://127.0.0.1:{port}", workspace, process)
    finally:
        process.terminate()
        process.wait(timeout=20)


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 180
    while time.monotonic() < until:
        assert process.poll() is None, "the server ended at once"
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Never installed from here: every worker would install at the same time."""
    found = find()
    if found is None:
        pytest.fail(ABSENT)
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests, with the small sample corpora of the harness."""
    workspace = tmp_path_factory.mktemp("browser") / "workspace"
    harness.add_samples(Workspace.open(workspace))
    with serving(workspace) as running:
        yield running


@pytest.fixture(scope="session")
def visitor(browser: Browser) -> BrowserContext:
    """One for all visits, so that the scripts of the app are fetched and compiled once."""
    return _with_window(browser, 1440, 900)


def _with_window(browser: Browser, width: int, height: int) -> BrowserContext:
    """Its first page stays: Chromium draws a new window for every page that would be the only one."""
    context = browser.new_context(viewport={"width": width, "height": height})
    context.set_default_timeout(90_000)
    context.new_page()
    return context


Visit = Callable[..., Page]


@pytest.fixture
def visit(visitor: BrowserContext, server: Server) -> Iterator[Visit]:
    """`visit("/document?doc=d1")` opens a page and waits until it is drawn; the next test finds nothing of it."""
    faults: list[str] = []
    outside: list[str] = []

    def open_page(path: str, address: str = server.address) -> Page:
        page = visitor.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: outside.append(request.url) if _is_outside(request.url) else None)
        page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.goto(address + path)
        settle(page)
        return page

    yield open_page
    for page in visitor.pages[1:]:
        page.evaluate("localStorage.clear()")
        page.close()
    visitor.clear_cookies()
    assert not faults
    assert not outside


def settle(page: Page) -> None:
    """Until the script has run and nothing is stale."""
    page.wait_for_selector(SETTLED, timeout=90_000)
    page.wait_for_selector('[data-keys="ready"]', state="attached", timeout=90_000)
    expect(page.get_by_test_id("stMainBlockContainer").get_by_test_id("stHeading").first).to_be_visible()


def _is_outside(address: str) -> bool:
    return not address.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "about:"))


_MOUNT = """([css, js, data]) => {
  let parentElement, cleanUp;
  const place = () => {
    document.body.replaceChildren(document.createElement('div'));
    parentElement = document.body.firstChild.attachShadow({ mode: 'open' });  // as the server's page does
    parentElement.innerHTML = '<style></style><div class="root"></div>';
    parentElement.querySelector('style').textContent = css;
  };
  window.leave?.();  // what was mounted before is gone: it tells and keeps nothing any more
  window.leave = () => cleanUp?.();
  window.sent = [];
  place();
  const address = URL.createObjectURL(new Blob([js], { type: 'text/javascript' }));
  return import(address).then(module => {
    const setStateValue = (name, value) => window.sent.push(value.queue);
    window.update = data => {
      cleanUp = module.default({
        parentElement, setStateValue, data: { messages: { session: 'test', ack: {} }, ...data },
      });
    };
    window.remount = data => { cleanUp?.(); place(); window.update(data); };
    window.update(data);
  });
}"""


def mounted(page: Page, name: str, data: dict[str, object]) -> None:
    """A component on a page of its own, without a server: `window.update(data)` is what the server would say next,
    `window.sent` what it was told, each time with everything that waits for an answer; `window.remount(data)` puts a
    new node in the place of the old one, as another page of the app does."""
    # JSON as the server would send it: tuples become lists.
    page.evaluate(_MOUNT, [components.style(name), components.script(name), json.loads(json.dumps(data))])


def answer_to(message: dict[str, Any], session: str = "test") -> dict[str, Any]:
    """The part of a component's data that says that this message, and all before it, were acted on."""
    return {"messages": {"session": session, "ack": {message["client"]: message["seq"]}}}


Mount = Callable[[str, dict[str, Any]], Page]


@pytest.fixture(scope="session")
def bench(browser: Browser) -> BrowserContext:
    return _with_window(browser, 1200, 600)


@pytest.fixture
def mount(bench: BrowserContext) -> Iterator[Mount]:
    """`mount("strip", data)` shows a component on a page of its own; a test fails when the page throws."""
    faults: list[str] = []

    def make(name: str, data: dict[str, Any]) -> Page:
        page = bench.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        mounted(page, name, data)
        return page

    yield make
    for page in bench.pages[1:]:
        page.close()
    assert not faults
