"""What all tests share: hypothesis profiles and where the real corpora are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from engine.threads import one_per_process

one_per_process()

# Kernels compile on first use, so no single example has a deadline. A change is judged by the same examples every time;
# `make explore` draws new ones.
settings.register_profile("same", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("explore", max_examples=500, deadline=None)
settings.load_profile("same")


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of real corpora; tests that need it skip where it is absent."""
    root = Path(os.environ.get("ESPALIER_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not root.is_dir():
        pytest.skip("the real corpora are not here; set ESPALIER_DATA to their folder")
    return root
