"""A change of any file that a kernel is made of gives its cache another folder, and no other change does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import kernel_cache, kernels

ROOT = Path(__file__).parents[1]


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "learners").mkdir()
    (tmp_path / "learners" / "kernel.py").write_text("from engine.learners import (\n    columns,\n)\n")
    (tmp_path / "learners" / "columns.py").write_text("from engine.hashing import SHIFT\nCOLUMN = 1\n")
    (tmp_path / "hashing.py").write_text("SHIFT = 28\n")
    (tmp_path / "words.py").write_text("HELP = 1\n")
    return tmp_path


def place(sources: Path) -> str:
    kernel_cache.folder.cache_clear()
    kernel_cache._state.cache_clear()
    return kernel_cache.folder(sources / "learners" / "kernel.py", sources)


def test_the_folder_changes_with_what_the_file_is_made_of_and_only_with_that(sources: Path) -> None:
    seen = [place(sources)]
    (sources / "words.py").write_text("HELP = 2\n")
    assert place(sources) == seen[0] and Path(seen[0]).is_dir()
    for name in ("learners/kernel.py", "learners/columns.py", "hashing.py"):
        file = sources / name
        file.write_text(file.read_text() + "MORE = 1\n")
        assert place(sources) not in seen
        seen.append(place(sources))


def test_what_nobody_has_used_for_long_is_cleared_away(sources: Path) -> None:
    first = Path(place(sources))
    (sources / "hashing.py").write_text("SHIFT = 29\n")
    second = Path(place(sources))
    assert first.is_dir()
    os.utime(first, (0, 0))
    (sources / "hashing.py").write_text("SHIFT = 30\n")
    place(sources)
    assert not first.exists() and second.is_dir()


def test_a_folder_that_was_set_stays(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    assert place(sources) == "/elsewhere"


def test_a_kernel_outside_the_package_is_left_to_numba(sources: Path, tmp_path: Path) -> None:
    assert kernel_cache.folder(tmp_path.parent / "script.py", sources) == ""


def test_every_kernel_is_cached_and_leaves_the_lock_to_others() -> None:
    engine = Path(kernel_cache.__file__).parent
    lines = [line for path in engine.rglob("*.py") for line in path.read_text().splitlines()]
    by_name = [line for line in lines if line in ("@kernel", "@inlined")]
    assert len(by_name) > 50
    assert [line for line in lines if line.startswith(("@njit", "@jit", "@vectorize"))] == []
    from numba.core.caching import FunctionCache

    for compiled in (kernels.kernel(_nothing), kernels.inlined(_nothing)):
        assert compiled.targetoptions["nogil"] and isinstance(compiled._cache, FunctionCache)


def _nothing() -> None:
    """Something to compile."""


def test_a_command_that_loads_kernels_does_not_load_what_only_matrices_need() -> None:
    program = """
import sys
import numpy as np
from engine.kernels import without_matrices
without_matrices()
from engine.learners.linear.scaled import dot_rows
print(dot_rows(np.ones((1, 2), dtype=np.float32), np.ones(2)).tolist(), "scipy.linalg" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.split() == ["[2.0]", "False"]
