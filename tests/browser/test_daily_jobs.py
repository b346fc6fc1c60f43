"""The daily jobs in a browser: tune on dev, lock, reveal test; walk errors by keyboard; compare; report."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit
from tests.ui import harness


@pytest.fixture(scope="module")
def runs(server: Server) -> tuple[str, str]:
    workspace = server.open_workspace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{harness.ROOT / 'tests' / 'ui' / 'with_toy'}:{harness.ROOT}")
        found = []
        for stops in ((), ("London",)):
            found.append(harness.start(workspace, ["sample-train"], dev=["sample-dev"], epochs=2, stops=stops))
            harness.wait_for(workspace, found[-1])
    return found[0], found[1]


def test_tune_on_dev_lock_and_reveal_test_once(visit: Visit, server: Server, runs: tuple[str, str]) -> None:
    page = visit(f"/tune?corpus=sample-dev&run={runs[0]}")
    page.locator(".strip input[type=range]").focus()
    page.keyboard.press("Enter")  # the best F
    expect(page).to_have_url(re.compile("bias="))
    page.get_by_role("tab", name="Keep, lock, reveal test").click()
    reveal = page.get_by_role("button", name="Reveal test")
    expect(reveal).to_be_disabled()
    page.get_by_role("button", name="Lock it").click()
    expect(reveal).to_be_enabled()
    reveal.click()
    expect(page.get_by_text("test was revealed")).to_be_visible()
    assert len(server.open_workspace().looks(runs[0])) == 1


def test_ten_errors_are_walked_by_keyboard(visit: Visit, runs: tuple[str, str]) -> None:
    page = visit(f"/errors?corpus=sample-train&run={runs[1]}")
    cases = page.locator(".cases")
    expect(cases).to_be_visible()
    assert page.locator(".case").count() >= 10
    cases.focus()
    seen = set()
    for _ in range(10):
        page.keyboard.press("ArrowDown")
        seen.add(page.locator(".case.at").get_attribute("id"))
    assert len(seen) == 10
    expect(page).to_have_url(re.compile("sel="))


def test_two_runs_are_compared_and_the_report_opens_offline(
    visit: Visit, runs: tuple[str, str], tmp_path: Path
) -> None:
    page = visit(f"/compare?corpus=sample-dev&run={runs[0]}&other={runs[1]}")
    expect(page.get_by_text("Paired bootstrap and permutation")).to_be_visible()
    page.get_by_role("tab", name="Report").click()
    page.get_by_role("button", name="Make the report").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Report as HTML").click()
    kept = tmp_path / "report.html"
    started.value.save_as(kept)
    text = kept.read_text(encoding="utf-8")
    assert "Errors by stage" in text and "Compared with" in text and "<svg" in text
    assert not re.search(r"(src|href)=", text)
