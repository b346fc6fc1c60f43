"""No page breaks a rule of WCAG 2.1, level A or AA, that axe-core can check: contrast, names, roles; light and dark.

Left out is the markup of Streamlit's own navigation, whose list items have no list around them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import SETTLED, Server
from tests.ui import harness

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
PAGES = ("", "tune", "errors", "compare", "document", "annotate", "train", "corpora")


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


@pytest.mark.parametrize("name", PAGES)
def test_a_page_breaks_no_rule_and_does_not_scroll_sideways(
    page: Page, server: Server, runs: tuple[str, str], name: str
) -> None:
    page.goto(f"{server.address}/{name}?corpus=sample-dev&run={runs[0]}")
    page.wait_for_selector(SETTLED)
    page.wait_for_timeout(500)
    page.wait_for_selector(SETTLED)
    assert faults(page) == []
    wider = "() => { const m = document.querySelector('[data-testid=stMain]'); return m.scrollWidth - m.clientWidth; }"
    assert page.evaluate(wider) <= 0


def test_the_check_can_fail(page: Page) -> None:
    page.set_content("<main><p style='color: #ccc; background: #fff'>pale</p><img src='data:,'></main>")
    found = " ".join(faults(page))
    assert "color-contrast" in found and "image-alt" in found
