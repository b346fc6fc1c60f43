"""Writes docs/guide/licences.md: everything that `pip install espalier` brings along, with its version and licence.

python docs/list_licences.py

Read off the installed packages, starting from requirements.txt.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "guide" / "licences.md"
OPENING: Final = """# Licences of the packages
Espalier is under the MIT licence. It installs the packages below, none of which is under the GPL; the extras bring
their own. This page is made by `python docs/list_licences.py`.

| package | licence |
|---|---|
"""


def direct() -> list[Requirement]:
    """What requirements.txt names."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def everything() -> dict[str, str]:
    """Name of every package that is needed, directly or not -> its licence."""
    found: dict[str, str] = {}
    waiting = direct()
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        try:
            package = distribution(one.name)
        except PackageNotFoundError:
            continue  # only needed on another system
        found[name] = licence(dict(package.metadata.items()), package.metadata.get_all("Classifier") or [])
        waiting += [Requirement(line) for line in package.requires or []]
    return dict(sorted(found.items()))


def licence(metadata: dict[str, str], classifiers: list[str]) -> str:
    """What a package says of its licence, in a few words: packages say it in one of three places."""
    told = metadata.get("License-Expression") or ""
    if not told:
        classified = [line.rpartition(" :: ")[2] for line in classifiers if line.startswith("License :: ")]
        told = ", ".join(name for name in classified if name != "OSI Approved")
    if not told:
        told = (metadata.get("License") or "not said").strip().splitlines()[0]
    return re.sub(r"\s+", " ", told)[:80]


def page() -> str:
    return OPENING + "".join(f"| {name} | {told} |\n" for name, told in everything().items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
