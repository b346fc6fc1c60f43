"""Tests the tests: plants one known bug at a time in a copy of the code and shows that the suite catches it.

    python tests/mutants.py [NAME...]

They are listed in tests/mutants.toml. Each names the text it replaces, so a mutant that no longer fits the code is
reported, not skipped.
Exit code 0 means every bug was caught.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("engine", "ui", "tests", "benchmarks", "sample_data", "pages", "app.py", "pyproject.toml")


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    before: str
    after: str
    tests: str


MUTANTS = tuple(Mutant(**one) for one in tomllib.loads((ROOT / "tests" / "mutants.toml").read_text("utf-8"))["mutant"])


def main(wanted: list[str]) -> int:
    chosen = [mutant for mutant in MUTANTS if not wanted or mutant.name in wanted]
    survivors = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = copied(Path(scratch) / "copy")
        for mutant in chosen:
            verdict = plant(mutant, copy)
            print(f"{verdict:<10} {mutant.name}", flush=True)
            if verdict != "caught":
                survivors.append(mutant.name)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} planted bugs were caught")
    return 1 if survivors or not chosen else 0


def copied(copy: Path) -> Path:
    """The code in a place of its own. All mutants share it, so that kernels which no mutant touches compile once."""
    copy.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy2(source, copy / name)
    return copy


def plant(mutant: Mutant, copy: Path) -> str:
    """caught, SURVIVED, STALE where the code no longer has the text, or BROKEN where the tests could not be run."""
    target = copy / mutant.file
    text = target.read_text(encoding="utf-8")
    if text.count(mutant.before) != 1:
        return "STALE"
    target.write_text(text.replace(mutant.before, mutant.after), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *mutant.tests.split()]
    command += ["-m", "not browser and not postgres"]
    try:
        outcome = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    finally:
        shutil.copy2(ROOT / mutant.file, target)
    # 1: a test failed, 0: all passed. Anything else (2 not collected, 5 nothing ran) says nothing about the bug.
    return {1: "caught", 0: "SURVIVED"}.get(outcome.returncode, "BROKEN")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
