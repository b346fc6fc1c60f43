"""Pictures of every main view for the README, taken from the sample data: ESPALIER_SCREENSHOTS=1 (make screenshots)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from engine.store.workspace import Workspace
from engine.tasks.registry import TASKS
from tests.browser.conftest import PICTURES, serving, settle
from ui.background import first
from ui.tab import pages

pytestmark = pytest.mark.skipif(
    os.environ.get("ESPALIER_SCREENSHOTS") != "1", reason="pictures are taken on request: ESPALIER_SCREENSHOTS=1"
)

CURVE_COMES = "Computing precision and recall"
"""What a page says while its curve is computed: not what a picture should show."""
ADDRESSES = {
    "home": "",
    "corpora": "corpora?view=Statistics",
    "add": "corpora?view=Add",
    "annotate": "annotate?corpus=sample-linking-new",
}
"""Pictures whose address is not just the name of their page."""


def test_every_main_view_has_its_picture(browser: Browser, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    with serving(workspace, samples=True, toy=False) as server:
        # The first visit starts the preparation.
        opened = browser.new_page()
        opened.goto(server.address)
        settle(opened)
        _wait_until_trained(Workspace.open(workspace))
        PICTURES.mkdir(exist_ok=True)
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            for name in _pages():
                page.goto(f"{server.address}/{ADDRESSES.get(name, name)}")
                settle(page)
                expect(page.get_by_text(CURVE_COMES)).to_have_count(0, timeout=120_000)
                settle(page)
                # Charts and components draw a moment after the script has ended.
                page.wait_for_timeout(2500)
                page.screenshot(path=PICTURES / f"{name}{'-dark' if scheme == 'dark' else ''}.png")
            context.close()
    assert {path.stem for path in PICTURES.glob("*.png")} >= set(_pages())


def _pages() -> list[str]:
    """Every page, and what the guide shows besides."""
    named = [info.name for entries in pages.groups().values() for info in entries if pages.exists(info.name)]
    return [*named, *(name for name in ADDRESSES if name not in named)]


def _wait_until_trained(workspace: Workspace) -> None:
    wanted = [task for task in TASKS if "train" in first.sample_files(task)]
    until = time.monotonic() + 600
    while not all(any(run.status == "done" for run in workspace.runs(task)) for task in wanted):
        failed = [(run.id, run.message) for run in workspace.runs() if run.status == "failed"]
        assert not failed and time.monotonic() < until, failed
        time.sleep(1.0)
