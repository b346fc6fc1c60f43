"""No page breaks a rule of WCAG 2.1, level A or AA, that axe-core can check: contrast, names, roles; light and dark.

Every page and every tab of it: with the toy system in the ordinary tier, the pages of the five systems on their samples
in the slow one. Left out is the markup of Streamlit's own navigation, whose list items have no list around them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page

from engine import corpora
from engine.store.workspace import Workspace
from engine.tasks import registry
from tests.browser.conftest import SETTLED, Server, serving
from tests.ui import harness
from ui.background import first, jobs
from ui.tab import pages

pytestmark = pytest.mark.thorough

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
VIEWS = {"corpora": ("Documents", "Statistics", "Add", "Export")}
"""Pages whose views are no tabs but parts of their address."""
SYSTEMS = ("linking", "disambiguation", "coreference", "distant", "joint")
WIDER = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth; }"


def addresses() -> list[str]:
    """Every page but those of single systems, which the toy does not have."""
    names = [info.name for entries in pages.groups().values() for info in entries if info.name not in SYSTEMS]
    return [f"{name}?view={view}" if view else f"{name}?" for name in names for view in VIEWS.get(name, ("",))]


@pytest.fixture(scope="module")
def runs(server: Server) -> tuple[str, str]:
    workspace = server.open_workspace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{harness.ROOT / 'tests' / 'ui' / 'with_toy'}:{harness.ROOT}")
        first, second = (harness.trained(workspace, "sample-train", "sample-dev", epochs=n) for n in (1, 2))
    return first, second


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=request.param)
    context.set_default_timeout(90_000)
    yield context.new_page()
    context.close()


def faults(page: Page) -> list[str]:
    """What axe-core finds, a line each: the rule, where, and why."""
    page.evaluate(AXE)
    script = "rules => axe.run({ exclude: [['[data-testid=stSidebarNav]']] }, { runOnly: rules })"
    found: list[dict[str, Any]] = page.evaluate(script, RULES)["violations"]
    return [
        f"{rule['id']}: {node['html'][:120]} {' '.join(one['message'] for one in node['any'][:1])}"
        for rule in found
        for node in rule["nodes"]
    ]


def opened(page: Page, address: str) -> None:
    page.goto(address)
    drawn(page)


def drawn(page: Page) -> None:
    """Charts and components draw a moment after the script has ended."""
    page.wait_for_selector(SETTLED)
    page.wait_for_timeout(500)
    page.wait_for_selector(SETTLED)


def check_all_tabs(page: Page) -> None:
    """What is on screen, and each tab of it in turn."""
    tabs = page.get_by_role("tab")
    for number in range(max(1, tabs.count())):
        name = "page"
        if tabs.count():
            name = tabs.nth(number).inner_text()
            tabs.nth(number).click()
            drawn(page)
        assert (name, faults(page)) == (name, [])
        assert (name, max(0, page.evaluate(WIDER))) == (name, 0)


@pytest.mark.parametrize("name", addresses())
def test_a_page_breaks_no_rule_and_does_not_scroll_sideways(
    page: Page, server: Server, runs: tuple[str, str], name: str
) -> None:
    opened(page, f"{server.address}/{name.removeprefix('home')}&corpus=sample-dev&run={runs[0]}")
    check_all_tabs(page)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The five samples, each with one quick run."""
    workspace = Workspace.open(tmp_path_factory.mktemp("samples") / "workspace")
    for task in SYSTEMS:
        ids = {
            split: workspace.add_corpus(f"Sample {task}", corpora.read(path), split=split, source=f"sample {task}")
            for split, path in first.sample_files(task).items()
        }
        info = registry.get(task).learner(None, "quick")
        files = first.sample_resources(task)
        settings, train, dev = asdict(info.settings), [ids["train"]], [ids["dev"]]
        run = jobs.start(workspace, task, info.name, settings, train=train, dev=dev, files=files)
        until = time.monotonic() + 300
        while jobs.is_alive(workspace, run):
            assert time.monotonic() < until, f"{task} did not end"
            time.sleep(0.2)
        assert workspace.run(run).status == "done", task
    with serving(workspace.directory, toy=False) as running:
        yield running


@pytest.mark.long
@pytest.mark.parametrize("name", [*SYSTEMS, "tune", "errors", "document", "annotate"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_page_breaks_no_rule_on_the_samples(page: Page, samples: Server, system: str, name: str) -> None:
    if name in SYSTEMS and name != system:
        pytest.skip("a system has one page of its own")
    opened(page, f"{samples.address}/{name}?corpus=sample-{system}-dev")
    check_all_tabs(page)


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(90_000)
    yield context.new_page()
    context.close()


@pytest.mark.long
@pytest.mark.parametrize("name", [*SYSTEMS, "tune", "errors", "compare", "document", "annotate", "train", "corpora"])
def test_no_page_scrolls_sideways_on_a_phone(phone: Page, samples: Server, name: str) -> None:
    opened(phone, f"{samples.address}/{name}?corpus=sample-{name if name in SYSTEMS else 'joint'}-dev")
    assert max(0, phone.evaluate(WIDER)) == 0


def test_the_check_can_fail(page: Page) -> None:
    page.set_content("<main><p style='color: #ccc; background: #fff'>pale</p><img src='data:,'></main>")
    found = " ".join(faults(page))
    assert "color-contrast" in found and "image-alt" in found
