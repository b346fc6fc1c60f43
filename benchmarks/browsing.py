"""A Chromium for benchmarks of what people see."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import find


@contextmanager
def browser() -> Iterator[Browser]:
    """Ends the benchmark with a sentence where there is no browser."""
    path = find()
    if path is None:
        sys.exit("this benchmark needs Chromium: `make browser` finds or installs it")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()
