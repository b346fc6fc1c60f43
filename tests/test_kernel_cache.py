"""A change of any file that kernels are made of gives the cache another folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine import kernel_cache, kernels


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "learners").mkdir()
    (tmp_path / "cli").mkdir()
    (tmp_path / "learners" / "kernel.py").write_text("COLUMN = 1\n")
    return tmp_path


def place(sources: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    kernel_cache.keep_apart(sources)
    return os.environ["NUMBA_CACHE_DIR"]


def test_the_folder_changes_with_the_sources_and_only_with_them(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = place(sources, monkeypatch)
    (sources / "cli" / "words.py").write_text("HELP = 1\n")
    assert place(sources, monkeypatch) == first and Path(first).is_dir()
    (sources / "learners" / "kernel.py").write_text("COLUMN = 22\n")
    second = place(sources, monkeypatch)
    assert second != first
    (sources / "hashing.py").write_text("SHIFT = 29\n")
    assert place(sources, monkeypatch) not in (first, second)


def test_what_nobody_has_used_for_long_is_cleared_away(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Path(place(sources, monkeypatch))
    (sources / "learners" / "more.py").write_text("")
    second = Path(place(sources, monkeypatch))
    assert first.is_dir()
    os.utime(first, (0, 0))
    (sources / "learners" / "still_more.py").write_text("")
    place(sources, monkeypatch)
    assert not first.exists() and second.is_dir()


def test_a_folder_that_was_set_stays(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    kernel_cache.keep_apart(sources)
    assert os.environ["NUMBA_CACHE_DIR"] == "/elsewhere"


def test_every_kernel_is_cached_and_leaves_the_lock_to_others() -> None:
    engine = Path(kernel_cache.__file__).parent
    lines = [line for path in engine.rglob("*.py") for line in path.read_text().splitlines()]
    by_name = [line for line in lines if line in ("@kernel", "@inlined")]
    made = [line for line in lines if line.startswith("@njit")]
    assert len(by_name) + len(made) > 50
    assert {line for line in made if "cache=True" not in line or "nogil=True" not in line} == set()
    from numba.core.caching import FunctionCache

    for compiled in (kernels.kernel(_nothing), kernels.inlined(_nothing)):
        assert compiled.targetoptions["nogil"] and isinstance(compiled._cache, FunctionCache)


def _nothing() -> None:
    """Something to compile."""
