"""The browser of the browser tests: where it is, and how a machine without one gets it.

    python -m tests.browser.chromium

`make test` runs this once, before its workers start, so that no two of them install at the same time. A browser that is
there is used; else root installs Debian's; else Playwright downloads its own into the user's cache; else one sentence
says what is missing, and the browser tests fail with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FROM_DEBIAN: Final = (("apt-get", "update", "-qq"), ("apt-get", "install", "-y", "-qq", "chromium"))
FROM_PLAYWRIGHT: Final = ((sys.executable, "-m", "playwright", "install", "--no-shell", "chromium"),)
ABSENT: Final = (
    "the browser tests need Chromium, and there is none that starts: install it (as root: apt-get install chromium;"
    " else: .venv/bin/python -m playwright install chromium), then run again"
)


def find() -> str | None:
    """A Chromium that starts, without installing anything."""
    return next((path for path in _candidates() if starts(path)), None)


def provide() -> str | None:
    """A Chromium that starts, installed now where there was none; None if no way led to one."""
    found = find()
    for commands in _ways():
        if found is not None:
            return found
        print(f"fetching Chromium for the browser tests (once): {' '.join(commands[-1])}", file=sys.stderr, flush=True)
        fault = next(filter(None, map(_fault, commands)), None)
        if fault:
            print(f"that failed: {fault}", file=sys.stderr)
        found = find()
    return found


def starts(path: str) -> bool:
    """Whether it does anything: Ubuntu's chromium-browser may be a note that the snap is missing, and what Playwright
    downloads may lack libraries of the system."""
    return _fault((path, "--version")) is None


def _candidates() -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    path = playwrights_own()
    if path.is_file():
        yield str(path)


def playwrights_own() -> Path:
    """Where Playwright's download would be."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)


def _ways() -> Iterator[tuple[tuple[str, ...], ...]]:
    """Commands that lead to a browser, way by way, in the order in which they are tried."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        yield FROM_DEBIAN
    yield FROM_PLAYWRIGHT


def _fault(command: Sequence[str]) -> str | None:
    """None where the command ends well, else the last line in which it speaks of an error."""
    try:
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return None
    said = (done.stderr or done.stdout).strip().splitlines() or [f"exit code {done.returncode}"]
    return next((line for line in reversed(said) if line.startswith(("E:", "Error", "error"))), said[-1]).strip()


def main() -> int:
    if provide() is None:
        print(ABSENT, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
