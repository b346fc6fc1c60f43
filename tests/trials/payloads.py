"""A walk over every page, tab and expander in a real browser, with something hostile in every field.

python -m tests.trials.payloads [--systems joint ...] [--schemes light dark] [--pages errors ...]     # `make payloads`

A state of a page fails where a script ran, another machine was asked, markup of ours-by-others was rendered, an
exception is shown, or the page is wider than its window. Reports and exported pages are opened as well.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from engine.corpora import data_hash, read
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.saving import save_model
from tests.browser.chromium import find
from tests.browser.conftest import serving, settle
from tests.fuzz.models import KINDS, SAMPLES
from tests.trials.hostile import PAYLOADS, Poison, degenerate, poisoned
from ui.shell import pages

WIDTH: Final = 1440
LEARNERS: Final = {
    "linking": "linking-linear",
    "disambiguation": "disambiguation-bsg",
    "coreference": "coreference-local",
    "distant": "distant",
    "joint": "joint",
}
"""System -> the kind of small model that is trained on its hostile sample."""

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


def prepare(directory: Path, systems: Sequence[str]) -> dict[str, tuple[str, str]]:
    """A workspace of hostile corpora with a trained run for each; system -> (corpus, run)."""
    workspace = Workspace.open(directory)
    found = {}
    for name in systems:
        poison = Poison()
        documents = {
            split: poisoned(read(next((SAMPLES / name).glob(f"{split}.*")))[:24], poison) for split in ("train", "dev")
        }
        ids = {split: workspace.add_corpus(poison.name(name), documents[split], split=split) for split in documents}
        found[name] = (ids["dev"], _train(workspace, name, ids))
    workspace.add_corpus(f"degenerate {PAYLOADS[0]}", degenerate())
    workspace.close()
    return found


def _train(workspace: Workspace, name: str, ids: dict[str, str]) -> str:
    task = registry.get(name)
    _, learner, changes = KINDS[LEARNERS[name]]
    settings = dataclasses.replace(task.learner(learner).settings, **changes)
    lexicon = (SAMPLES / "linking" / "lexicon",) if name in ("linking", "disambiguation") else ()
    train, dev = workspace.documents(ids["train"]), workspace.documents(ids["dev"])
    run = workspace.start_run(name, learner, asdict(settings), train=ids["train"], dev=ids["dev"])
    for one in task.rounds(train, dev, learner, settings, Resources(lexicon=lexicon)):
        workspace.add_round(run, one.index, one.objective, one.scores, {"total": one.total})
    save_model(task, dataclasses.replace(one.model, data_hash=data_hash(train)), workspace.model_path(run))
    workspace.set_data_hash(run, data_hash(train))
    workspace.finish_run(run, "done", scores=one.scores, bias=one.model.bias)
    return run


def addresses(found: dict[str, tuple[str, str]], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(what it is called in a report, path) of every page for every system, and of hostile addresses."""
    for system, (corpus, run) in found.items():
        for infos in pages.groups().values():
            for info in infos:
                if (pages.is_system(info.name) and info.name != system) or (names and info.name not in names):
                    continue
                query = urlencode({"corpus": corpus, "run": run, "user": PAYLOADS[0]})
                yield f"{system} {info.name}", f"/{'' if info.name == 'home' else info.name}?{query}"
    if not names:
        for i, payload in enumerate(PAYLOADS):
            query = urlencode({key: payload for key in ("corpus", "run", "doc", "layer", "bias", "pins", "q")})
            yield f"address {i}", f"/{'errors' if i % 2 else 'document'}?{query}"


def walk(browser: Browser, address: str, places: Sequence[tuple[str, str]], scheme: str, seen: Walk) -> None:
    """Open every place in turn, with all its tabs and expanders."""
    context = browser.new_context(viewport={"width": WIDTH, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    context.on("request", lambda request: _is_outside(request.url) and seen.asked.append(request.url))
    context.on("weberror", lambda error: seen.faults.append(f"thrown: {error.error}"))
    for name, path in places:
        page = context.new_page()
        page.on("dialog", lambda dialog: (seen.faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.goto(address + path)
        settle(page)
        seen.note(page, f"{name} ({scheme})")
        for kind, locator in (("tab", page.get_by_role("tab")), ("expander", page.get_by_test_id("stExpander"))):
            for i in range(locator.count()):
                one = locator.nth(i) if kind == "tab" else locator.nth(i).locator("summary")
                if one.is_visible():
                    one.click()
                    settle(page)
                    seen.note(page, f"{name}, {kind} {i + 1} ({scheme})")
        page.close()
    context.close()


def _is_outside(address: str) -> bool:
    return not address.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "about:"))


def run(systems: Sequence[str], schemes: Sequence[str], names: Sequence[str]) -> Walk:
    """The whole trial."""
    seen = Walk()
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        directory = Path(place) / "workspace"
        found = prepare(directory, systems)
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        with serving(directory, toy=False) as server:
            for scheme in schemes:
                walk(browser, server.address, list(addresses(found, names)), scheme, seen)
        browser.close()
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
    print(f"{seen.states} states of pages with {len(PAYLOADS)} payloads: {len(seen.faults)} faults")
    return 1 if seen.faults else 0


if __name__ == "__main__":
    sys.exit(main())
