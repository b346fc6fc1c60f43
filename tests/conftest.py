"""What all tests share: hypothesis profiles and where the real corpora are."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

from engine.threads import one_per_process

one_per_process()

# Kernels compile on first use, so no single example has a deadline. A change is judged by the same examples every time;
# `make explore` draws new ones.
settings.register_profile("same", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("explore", max_examples=500, deadline=None)
settings.load_profile("same")


KERNELS: Final = {
    "disambiguation": r"disambiguation|sgtb|bsg|shapley",
    "coreference": r"coreference|laso",
    "distant": r"distant|cccp|hoffmann|fbeta|bag|agreement\.py",
    "joint": r"joint|typed_pairs|winnow",
    "linking": r"linking|mart|boosting|trees|nonoverlap|test_path",
}
"""System -> names in the ids of tests that run its compiled kernels."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Tests of one system go to one worker, which compiles its kernels; others stay with their file (`loadgroup`)."""
    system = next((name for name, words in KERNELS.items() if re.search(words, item.nodeid)), None)
    item.add_marker(pytest.mark.xdist_group(system or item.nodeid.split("::")[0]))


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of real corpora; tests that need it skip where it is absent."""
    root = Path(os.environ.get("ESPALIER_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not root.is_dir():
        pytest.skip("the real corpora are not here; set ESPALIER_DATA to their folder")
    return root
