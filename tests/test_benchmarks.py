"""Every benchmark runs to its end; what it prints at a reduced size means little and is not judged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_every_benchmark_runs_to_its_end() -> None:
    command = [sys.executable, "-m", "benchmarks", "--quick"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2_000:] + ended.stderr[-8_000:]
    begun = {line.split()[1] for line in ended.stdout.splitlines() if line.startswith("== bench_") and ":" not in line}
    assert begun == {path.stem for path in (ROOT / "benchmarks").glob("bench_*.py")}
