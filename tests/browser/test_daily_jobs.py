"""The daily jobs in a browser, one after the other as a user does them: tune on dev, lock, reveal test; open an error
and walk ten by keyboard; compare two runs; take the report away and open it offline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Server, Visit, settle
from tests.ui import harness


@pytest.fixture(scope="module")
def runs(server: Server) -> tuple[str, str]:
    workspace = server.open_workspace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{harness.ROOT / 'tests' / 'ui' / 'with_toy'}:{harness.ROOT}")
        found = []
        for stops in ((), ("London",)):
            found.append(harness.trained(workspace, "sample-train", "sample-dev", epochs=2, stops=stops))
    return found[0], found[1]


def test_tune_on_dev_lock_and_reveal_test_once(visit: Visit, server: Server, runs: tuple[str, str]) -> None:
    page = visit(f"/tune?corpus=sample-dev&run={runs[0]}")
    page.locator(".tuner input[type=range]").focus()
    page.keyboard.press("Enter")  # the best F
    expect(page).to_have_url(re.compile("bias="))
    chosen = float(re.search(r"bias=([^&]+)", page.url)[1])  # type: ignore[index]
    page.get_by_role("tab", name="Keep, lock, reveal test").click()
    reveal = page.get_by_role("button", name="Reveal test")
    expect(reveal).to_be_disabled()
    expect(page.get_by_text("No setting is locked; test has not been looked at.")).to_be_visible()
    page.get_by_role("button", name="Lock it").click()
    expect(reveal).to_be_enabled()
    reveal.click()
    expect(page.get_by_text("test was revealed")).to_be_visible()
    [look] = server.open_workspace().looks(runs[0])
    assert look.bias == chosen and look.corpus == "sample-train"


def test_an_error_is_opened_marked_and_ten_are_walked_by_keyboard(
    visit: Visit, server: Server, runs: tuple[str, str]
) -> None:
    page = visit(f"/errors?corpus=sample-train&run={runs[1]}")
    cases = page.locator(".cases")
    expect(cases).to_be_visible()
    expect(page.locator(".case").nth(11)).to_be_attached()
    # The case beside the list is the first one until another is chosen, and so is the one marked in it.
    expect(page.locator(".case.at")).to_have_attribute("id", "case0")
    cases.focus()
    for step in range(10):
        page.keyboard.press("ArrowDown")
        expect(page.locator(".case.at")).to_have_attribute("id", f"case{step + 1}")
    # The server follows to where the cursor stopped, and the case beside the list is that one.
    key = page.locator(".case.at").get_attribute("data-key")
    page.wait_for_function("key => new URLSearchParams(location.search).get('sel') === key", arg=key)
    settle(page)
    expect(page.locator(".case.at")).to_have_attribute("id", "case10")
    expect(page.get_by_text(f"document {(key or '').split('|')[0]}", exact=False).first).to_be_visible()
    # After a click on a number the keyboard goes on in the list of its cases.
    number = page.locator(".stages button:enabled").first
    wanted = int((number.text_content() or "0").replace("\u2009", ""))
    number.click()
    expect(page.locator(".case")).to_have_count(wanted)
    expect(cases).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".case.at")).to_have_attribute("id", "case1")
    # Each step is answered before the next: the address belongs to one at a time.
    page.wait_for_function("['stage', 'sel'].every(name => new URLSearchParams(location.search).has(name))")
    settle(page)
    page.locator(".stages button[aria-pressed=true]").click()
    expect(page).not_to_have_url(re.compile("stage="))
    settle(page)
    page.locator(".case").nth(10).click()
    page.wait_for_function("key => new URLSearchParams(location.search).get('sel') === key", arg=key)
    settle(page)
    # Gold can be blamed on the spot; the table has one more error in that row, and both golds have a score.
    wrong = page.get_by_role("switch", name="Gold is wrong here")
    page.get_by_text("Gold is wrong here").click()
    expect(page.get_by_text("Without the errors where gold was marked wrong")).to_be_visible()
    expect(wrong).to_be_checked()
    edits = [row.edit for row in server.open_workspace().annotations("sample-train").history()]
    assert len(edits) == 1 and type(edits[0]).__name__ == "DoubtGold"
    settle(page)
    page.get_by_text("Gold is wrong here").click()
    expect(wrong).not_to_be_checked()
    expect(page.get_by_text("Without the errors where gold was marked wrong")).to_have_count(0)
    # From the case to its document, with the span selected there; one step back is the case again.
    page.get_by_role("link", name="Open the document").click()
    expect(page).to_have_url(re.compile("/document.*sel="))
    settle(page)
    expect(page.get_by_role("heading", name="Selected span")).to_be_visible()
    page.go_back()
    expect(page).to_have_url(re.compile("/errors.*sel="))
    expect(page.locator(".case.at")).to_have_attribute("id", "case10")


def test_two_runs_are_compared_and_the_report_opens_offline(
    visit: Visit, browser: Browser, runs: tuple[str, str], tmp_path: Path
) -> None:
    page = visit(f"/compare?corpus=sample-dev&run={runs[0]}&other={runs[1]}")
    expect(page.get_by_text("Paired bootstrap and permutation")).to_be_visible()
    for name in ("found by both", "only by A", "only by B", "by neither", "false alarms only in A"):
        expect(page.get_by_text(f"{name}: ", exact=False).first).to_be_visible()
    expect(page.get_by_text("Such a difference by chance", exact=False)).to_be_visible()
    page.get_by_role("tab", name="Report").click()
    page.get_by_role("button", name="Make the report").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Report as HTML").click()
    kept = tmp_path / "report.html"
    started.value.save_as(kept)
    offline = browser.new_context(offline=True)
    try:
        _read_report(offline.new_page(), kept)
    finally:
        offline.close()


def _read_report(page: Page, file: Path) -> None:
    """The file alone, without a network: nothing is asked for, nothing is missing."""
    asked: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    for title in ("Run", "Precision and recall against the bias", "Errors by stage", "All scores"):
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Compared with")).to_be_visible()
    expect(page.locator("svg")).to_have_count(2)
    expect(page.locator("svg polyline").first).to_be_visible()
    assert asked == [file.as_uri()] and faults == []
