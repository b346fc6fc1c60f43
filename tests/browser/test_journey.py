"""The main journey, as a newcomer makes it: open, upload, read, train, stop, send a link."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Server, Visit, settle
from tests.ui import harness
from ui.tab import download
from ui.views.train import words


@pytest.mark.slow
def test_from_an_upload_to_a_cancelled_training_that_a_second_tab_sees(visit: Visit, server: Server) -> None:
    page = visit("/")
    expect(page.get_by_role("heading", name="Espalier")).to_be_visible()

    # Upload a file and add it.
    page.get_by_role("link", name="Corpora", exact=True).click()
    page.get_by_role("radio", name="Add").or_(page.get_by_role("button", name="Add", exact=True)).first.click()
    name, content = download.pack(harness.sample_documents(5), "mine-train", "jsonl")
    page.locator('input[type="file"]').set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})
    expect(page.get_by_text("Read without problems: 5 documents.")).to_be_visible()
    page.locator(".st-key-corpora-add button").click()
    expect(page).to_have_url(re.compile("corpus=mine-train-train"))
    expect(page.get_by_text("Added. What next?")).to_be_visible()

    # Read a document, step on with the keyboard.
    page.get_by_role("link", name="Document", exact=True).click()
    expect(page).to_have_url(re.compile("/document.*corpus=mine-train-train"))
    expect(page.locator(".text .line").first).to_contain_text(re.compile("Ada Lovelace.* met Charles Babbage"))
    # The text may stand there a moment before the keys know of its documents.
    page.wait_for_selector('[data-steps="ready"]', state="attached")
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("doc=d2"))
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile("doc=d1"))

    # Train, and watch it from a second tab.
    page.get_by_role("link", name="Train", exact=True).click()
    page.get_by_test_id("stExpander").get_by_text(words.SETTINGS).click()
    epochs = page.get_by_label("epochs", exact=True)
    expect(epochs).to_be_visible()
    epochs.fill("600")
    epochs.press("Enter")
    pause = page.get_by_label("pause", exact=True)
    pause.fill("0.1")
    pause.press("Enter")
    settle(page)
    page.get_by_role("button", name="Start training").click()
    expect(page).to_have_url(re.compile("job=toy-"))
    expect(page.get_by_text(re.compile(r"round \d+ of 600"))).to_be_visible()
    second = visit(page.url.removeprefix(server.address))
    expect(second.get_by_text(re.compile(r"round \d+ of 600"))).to_be_visible()

    # Leaving and coming back, and a refresh, lose nothing.
    page.reload()
    expect(page.get_by_text(re.compile(r"round \d+ of 600"))).to_be_visible()

    # The second tab cancels; the first sees it, and both can go on.
    second.get_by_role("button", name="Cancel").click()
    for tab in (second, page):
        expect(tab.get_by_text("the last finished round is kept")).to_be_visible()
        expect(tab.get_by_role("button", name="Resume")).to_be_visible()


def test_a_bad_upload_says_where_it_breaks_and_adds_nothing(visit: Visit, server: Server) -> None:
    before = len(server.open_workspace().corpora())
    page = visit("/corpora?view=Add")
    bad = b'{"id": "a", "text": "fine"}\n{"id": "b", "text": <b>oops</b>}\n'
    page.locator('input[type="file"]').set_input_files({"name": "bad.jsonl", "mimeType": "text/plain", "buffer": bad})
    expect(page.get_by_text("The upload was not added")).to_be_visible()
    expect(page.get_by_text(re.compile(r"bad\.jsonl, line 2"))).to_be_visible()
    expect(page.get_by_text('{"id": "b", "text": <b>oops</b>}')).to_be_visible()
    assert len(server.open_workspace().corpora()) == before
