"""The knob: moving asks nothing of the server, letting go writes the bias into the address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit
from tests.ui import harness


@pytest.fixture(scope="module")
def run(server: Server) -> str:
    workspace = server.open_workspace()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{harness.ROOT / 'tests' / 'ui' / 'with_toy'}:{harness.ROOT}")
        started = harness.trained(workspace, "sample-train", "sample-dev", epochs=2)
    return started


def test_moving_the_knob_shows_the_exact_numbers_and_tells_the_page_at_once(visit: Visit, run: str) -> None:
    page = visit(f"/document?corpus=sample-dev&run={run}")
    knob = page.locator(".strip input[type=range]")
    expect(knob).to_be_visible()
    page.evaluate("window.heard = []; window.addEventListener('espalier-bias', e => window.heard.push(e.detail.bias))")
    steps = int(knob.get_attribute("max") or 0)
    assert steps >= 2
    knob.focus()
    page.keyboard.press("Home")
    # At bias minus infinity every known word is predicted: the 8 mentions of one word, and none of the 8 of two.
    expect(page.locator(".strip .note")).to_contain_text("8 right of")
    expect(page.locator(".strip .note")).to_contain_text("16 gold")
    expect(page.locator(".strip .value").nth(1)).to_have_text("50.0")
    page.keyboard.press("End")
    expect(page.locator(".strip .value").nth(1)).to_have_text("0.0")
    heard = page.evaluate("window.heard")
    assert len(heard) == 2 and heard[0] < heard[1]
    expect(page).to_have_url(re.compile(r"bias="))
    # The best F is one key away, and a refresh opens with it.
    page.keyboard.press("Enter")
    best = page.locator(".strip .value").nth(2).text_content()
    page.wait_for_function("Number(new URLSearchParams(location.search).get('bias')) === window.heard.at(-1)")
    page.reload()
    expect(page.locator(".strip .value").nth(2)).to_have_text(best or "")


def test_a_target_precision_goes_to_the_point_that_reaches_it(visit: Visit, run: str) -> None:
    page = visit(f"/document?corpus=sample-dev&run={run}")
    page.get_by_label("target precision in percent").fill("60")
    page.get_by_label("target precision in percent").press("Enter")
    expect(page).to_have_url(re.compile(r"bias="))
    assert float(page.locator(".strip .value").first.text_content() or 0) >= 60


def test_the_list_of_keys_opens_and_closes(visit: Visit) -> None:
    page = visit("/document?corpus=sample-dev")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next document")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
