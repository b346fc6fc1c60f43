"""A fresh server whose first visit is a deep link shows that view, inside the shell."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.store.workspace import Workspace
from tests.browser.conftest import Visit, serving
from tests.ui import harness

pytestmark = pytest.mark.thorough


def test_a_first_visit_by_deep_link_passes_through_the_shell(visit: Visit, tmp_path: Path) -> None:
    harness.add_samples(Workspace.open(tmp_path / "workspace"))
    with serving(tmp_path / "workspace") as fresh:
        page = visit("/document?corpus=sample-dev&doc=d2&sel=gold:0", fresh.address)
        expect(page.get_by_test_id("stSidebarNav")).to_contain_text("Corpora")
        expect(page.locator(".text")).to_contain_text("Ada Lovelace")
        expect(page.get_by_text("Selected span")).to_be_visible()
        assert "doc=d2" in page.url
