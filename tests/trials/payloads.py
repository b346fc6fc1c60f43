"""A walk over every page, view, tab and expander in a real browser, with something hostile in every field.

python -m tests.trials.payloads [--systems joint ...] [--schemes light dark] [--pages errors ...]     # `make payloads`

A state of a page fails where a script ran, another machine was asked, markup of ours-by-others was rendered, an
exception is shown, or the page is wider than its window. All that can be downloaded is, and what a browser shows of it
(reports, pictures) is opened as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, expect, sync_playwright

from tests.browser.chromium import find
from tests.browser.conftest import serving, settle
from tests.trials.hostile import PAYLOADS
from tests.trials.hostile_workspace import LEARNERS, Place, make
from ui.tab import pages

WIDTH: Final = 1440
LOOKED_AT: Final = ("document", "tune", "errors", "compare", "annotate")
"""Pages, beside the system's own, that are opened with degenerate documents and extreme scores."""
UNCHOSEN: Final = '[data-testid="stButtonGroup"] [data-variant="segmented_control"]:not([data-selected])'
"""Views that could be chosen instead of the one on screen."""
MAKERS: Final = ("Make the report", "Prepare the file")
"""Buttons that make something to download."""

FOREIGN: Final = """() => {
  const found = [];
  const look = root => {
    for (const one of root.querySelectorAll('*')) {
      if (one.hasAttribute('data-payload')) found.push(one.tagName);
      const target = one.tagName === 'A' ? one.href : one.tagName === 'IMG' ? one.src : '';
      if (/^(javascript:|https?:\\/\\/outside\\.invalid)/.test(target)) found.push(`${one.tagName} ${target}`);
      if (one.shadowRoot) look(one.shadowRoot);
    }
  };
  look(document);
  return found;
}"""
"""Elements, also inside components, that only a payload can have made."""


TOO_WIDE: Final = """() => {
  const frames = ['html', '[data-testid="stMain"]', '[data-testid="stSidebarContent"]', '[data-testid="stExpander"]'];
  return frames.flatMap(name => [...document.querySelectorAll(name)].map(one => [name, one]))
    .map(([name, one]) => [name, one.scrollWidth - (name === 'html' ? innerWidth : one.clientWidth)])
    .filter(([, wide]) => wide > 1);
}"""
"""What would have to be scrolled sideways: the page itself, its main part, which scrolls by itself, or the sidebar."""


@dataclass
class Walk:
    """What has been seen so far."""

    states: int = 0
    opened: int = 0
    views: int = 0
    downloaded: int = 0
    faults: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def note(self, page: Page, where: str) -> None:
        """Look at the page as it stands."""
        self.states += 1
        if page.evaluate("window.ran === 1"):
            self.faults.append(f"{where}: a script ran")
        for made in page.evaluate(FOREIGN):
            self.faults.append(f"{where}: rendered {made}")
        if page.get_by_test_id("stException").count():
            said = page.get_by_test_id("stException").first.inner_text()
            self.faults.append(f"{where}: exception: {said[:200]!r}")
        for what, wide in page.evaluate(TOO_WIDE):
            self.faults.append(f"{where}: {what} is {wide} px too wide")
        self.faults += [f"{where}: asked {address}" for address in self.asked]
        self.asked.clear()


def addresses(found: Sequence[Place], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(what it is called in a report, path) of every page for every place, and of hostile addresses."""
    for place in found:
        for infos in pages.groups().values():
            for info in infos:
                if pages.is_system(info.name) and info.name != place.system:
                    continue
                if names and info.name not in names:
                    continue
                if place.name != place.system and info.name not in (*LOOKED_AT, place.system):
                    continue
                query = urlencode({"corpus": place.corpus, "run": place.run, "user": PAYLOADS[0]})
                yield f"{place.name}: {info.name}", f"/{'' if info.name == 'home' else info.name}?{query}"
    if not names:
        for i, payload in enumerate(PAYLOADS):
            query = urlencode({key: payload for key in ("corpus", "run", "doc", "layer", "bias", "pins", "q")})
            yield f"address {i}", f"/{'errors' if i % 2 else 'document'}?{query}"


def walk(browser: Browser, address: str, places: Sequence[tuple[str, str]], scheme: str, seen: Walk) -> None:
    """Open every place in turn, with all its views."""
    context = browser.new_context(viewport={"width": WIDTH, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    context.on("request", lambda request: _is_outside(request.url) and seen.asked.append(request.url))
    context.on("weberror", lambda error: seen.faults.append(f"thrown: {error.error}"))
    for name, path in places:
        page = context.new_page()
        page.on("dialog", lambda dialog: (seen.faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        print(f"{name} ({scheme}): {seen.states} states, {len(seen.faults)} faults", file=sys.stderr, flush=True)
        try:
            page.goto(address + path)
            settle(page)
            seen.opened += 1
            _see_all(page, name, scheme, seen)
        except (Error, AssertionError) as error:  # the rest is to be seen nevertheless
            seen.faults.append(f"{name} ({scheme}): the walk got stuck: {str(error)[:300]}")
        page.close()
    context.close()


def _see_all(page: Page, name: str, scheme: str, seen: Walk) -> None:
    """The page as it was opened, then in each of its views."""
    look(page, f"{name} ({scheme})", seen)
    # Choosing a view may bring others: those of the page as it was opened are enough.
    for label in _unchosen(page):
        wanted = page.locator(UNCHOSEN).filter(has_text=label)
        if wanted.count() and wanted.first.is_enabled():
            if not _brought_up(page, wanted.first):
                seen.faults.append(f"{name} ({scheme}): the view {label[:30]} is on no tab")
                continue
            wanted.first.click()
            _drawn(page)
            seen.views += 1
            look(page, f"{name}, view {label[:30]} ({scheme})", seen)


def look(page: Page, where: str, seen: Walk) -> None:
    """The page as it stands, then with its expanders open, every tab, and what can be downloaded."""
    seen.note(page, where)
    closed = page.locator('[data-testid="stExpander"] details:not([open]) > summary')
    n_closed = closed.count()
    for _ in range(n_closed):
        if not closed.count() or not closed.first.is_visible():
            break
        closed.first.click()
        _drawn(page)
    if n_closed:
        seen.note(page, f"{where}, expanders open")
    tabs = page.get_by_role("tab")
    for i in range(tabs.count()):
        if tabs.nth(i).is_visible():
            tabs.nth(i).click()
            _drawn(page)
            seen.note(page, f"{where}, tab {i + 1}")
    for name in MAKERS:
        maker = page.get_by_role("button", name=name)
        if maker.count() and maker.first.is_visible():
            maker.first.click()
            _drawn(page)
            seen.note(page, f"{where}, {name}")
    _download(page, where, seen)


def _download(page: Page, where: str, seen: Walk) -> None:
    """Everything that the page offers to download; what a browser shows of it is opened in one."""
    offered = page.get_by_test_id("stDownloadButton").get_by_role("button")
    with tempfile.TemporaryDirectory() as folder:
        for i in range(offered.count()):
            if not offered.nth(i).is_visible() or not offered.nth(i).is_enabled():
                continue
            with page.expect_download() as waiting:
                offered.nth(i).click()
            path = Path(folder) / waiting.value.suggested_filename
            waiting.value.save_as(path)
            _drawn(page)
            seen.downloaded += 1
            if path.suffix in (".html", ".svg"):
                _open_file(page.context, path, f"{where}, {path.suffix[1:]} file", seen)


def _open_file(context: BrowserContext, path: Path, where: str, seen: Walk) -> None:
    page = context.new_page()
    page.goto(path.as_uri())
    seen.note(page, where)
    page.close()


def _unchosen(page: Page) -> list[str]:
    return [one for one in page.locator(UNCHOSEN).all_inner_texts() if one.strip()]


def _brought_up(page: Page, wanted: Locator) -> bool:
    """Open the tab on which this is, where it is not on screen."""
    tabs = page.get_by_role("tab")
    for i in range(tabs.count()):
        if wanted.is_visible():
            return True
        if tabs.nth(i).is_visible():
            tabs.nth(i).click()
            _drawn(page)
    return wanted.is_visible()


def _drawn(page: Page) -> None:
    """Until the click has been answered: it is sent at once, so the page is at work by now or has nothing to do."""
    page.wait_for_timeout(80)
    settle(page)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def _is_outside(address: str) -> bool:
    return not address.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "about:", "file:"))


def run(systems: Sequence[str], schemes: Sequence[str], names: Sequence[str]) -> Walk:
    """The whole trial."""
    seen = Walk()
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        directory = Path(place) / "workspace"
        found = make(directory, systems)
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        with serving(directory, toy=False) as server:
            for scheme in schemes:
                walk(browser, server.address, list(addresses(found, names)), scheme, seen)
        browser.close()
    if not seen.views and (not names or "corpora" in names):
        seen.faults.append("no view could be chosen anywhere: this walk does not see what it should")
    return seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--systems", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--schemes", nargs="+", choices=("light", "dark"), default=("light", "dark"))
    parser.add_argument("--pages", nargs="+", default=(), help="only these pages")
    args = parser.parse_args()
    seen = run(args.systems, args.schemes, args.pages)
    for fault in seen.faults:
        print(fault)
    print(f"{seen.opened} pages with {seen.views} views in {seen.states} states, {len(PAYLOADS)} payloads,", end=" ")
    print(f"{seen.downloaded} downloads: {len(seen.faults)} faults")
    return 1 if seen.faults else 0


if __name__ == "__main__":
    sys.exit(main())
