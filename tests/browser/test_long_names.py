"""Names of six hundred letters: pages break them, or scroll a table by itself, and stay as wide as their window."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Browser

from engine.data.document import GOLD
from tests.browser.conftest import Server, settle
from tests.trials.payloads import TOO_WIDE
from tests.ui import harness

LONG = "W" * 600


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    """The parameters of a corpus and a run in which every name is long."""
    documents = []
    for i, document in enumerate(harness.sample_documents(4)):
        gold = document.layers[GOLD]
        mentions = [replace(one, type=f"{one.type}{LONG}", entity=f"{one.entity}{LONG}") for one in gold.mentions]
        named = replace(document, id=f"{i}{LONG}")
        documents.append(named.with_layer(GOLD, replace(gold, mentions=tuple(mentions))))
    workspace = server.open_workspace()
    train = workspace.add_corpus(f"train {LONG}", documents[:3], split="train")
    dev = workspace.add_corpus(f"dev {LONG}", documents, split="dev")
    run = harness.trained(workspace, train, dev)
    workspace.close()
    return f"corpus={dev}&run={run}&user=anna{LONG}"


@pytest.mark.parametrize("width", [1440, 1024])
@pytest.mark.parametrize("page_name", ["errors"])
def test_long_names_do_not_widen_a_page(
    browser: Browser, server: Server, address: str, page_name: str, width: int
) -> None:
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    page.goto(f"{server.address}/{page_name}?{address}")
    settle(page)
    assert page.evaluate(TOO_WIDE) == []
    for tab in page.get_by_role("tab").all():
        tab.click()
        settle(page)
        assert page.evaluate(TOO_WIDE) == [], tab.inner_text()
    page.context.close()
