"""What all tests share: hypothesis profiles and where the real corpora are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from engine.threads import one_per_process

one_per_process()

# Kernels compile on first use, so no single example has a deadline. A change is judged by the same examples every time;
# `make explore` draws new ones.
settings.register_profile("same", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("explore", max_examples=500, deadline=None)
settings.load_profile("same")


KERNELS = {
    "disambiguation": ("disambiguation", "sgtb", "beam"),
    "coreference": ("coreference", "laso"),
    "distant": ("distant", "cccp", "fbeta", "hoffmann", "bag"),
    "linking": ("linking", "boosting", "nonoverlap", "trees", "path", "shapley", "s-mart", "online"),
}
"""System -> words in the names of files, and of cases, whose tests compile its kernels."""


def unit_of(nodeid: str) -> str:
    """What one worker takes as a whole: all tests of a system, so that its kernels are compiled once, or a file."""
    file, _, test = nodeid.partition("::")
    for place in (file, test.partition("[")[2]):
        for system, words in KERNELS.items():
            if any(word in place for word in words):
                return system
    return file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getvalue("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class BySystem(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return unit_of(nodeid)

    return BySystem(config, log)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Dask cluster of two workers on this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield local


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of real corpora; tests that need it skip where it is absent."""
    root = Path(os.environ.get("ESPALIER_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not root.is_dir():
        pytest.skip("the real corpora are not here; set ESPALIER_DATA to their folder")
    return root
