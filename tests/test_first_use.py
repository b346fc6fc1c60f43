"""Who asks is told once that kernels are compiled, and not at all where compiled ones are found on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import first_use
from engine.cli import main as command_line

ROOT = Path(__file__).parents[1]
PROGRAM = """
from engine.first_use import when_compiling
when_compiling(lambda: print("compiling"))
from engine.kernels import kernel

@kernel
def doubled(x):
    return 2 * x

print(doubled(3), doubled(2.5))
"""


@pytest.mark.thorough
def test_it_is_told_once_and_the_next_program_compiles_nothing(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "PYTHONPATH": str(ROOT)}
    told = [subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True) for _ in range(2)]
    assert [one.stdout for one in told] == ["compiling\n6 5.0\n", "6 5.0\n"], told


@pytest.mark.parametrize("terminal", [True, False])
def test_a_command_says_so_on_a_terminal_only(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(first_use, "_asked", [])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert command_line.main(["describe", "linking"]) == 0
    first_use.compiling()
    first_use.compiling()
    assert capsys.readouterr().err.count("compiling code for its first use") == terminal
