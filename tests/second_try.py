"""Runs pytest, and once more, one at a time, what failed; then says which tests needed the second try.

    python -m tests.second_try [--kind KIND] [--note FILE] PYTEST-ARGUMENT ...

Browsers, servers and clusters share the machine with everything else on it, so a test may fail because nothing came in
time. Such a test is not hidden: the last line counts and names them, and --note adds that line to a file for a script
that ends later.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="browser", help="what the last line calls these tests")
    parser.add_argument("--note", type=Path, metavar="FILE", help="add the last line to this file as well")
    args, for_pytest = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory() as cache:
        # An empty cache of its own: what is in it afterwards failed just now, and not in some earlier run.
        code = _pytest(cache, for_pytest)
        first = _failures(cache)
        if code == pytest.ExitCode.TESTS_FAILED:
            print(f"{len(first)} failed; once more, one at a time", flush=True)
            code = _pytest(cache, [*_without_workers(for_pytest), "--last-failed"])
        line = summary(args.kind, code, first, _failures(cache))
    print(line, flush=True)
    if args.note is not None:
        args.note.parent.mkdir(parents=True, exist_ok=True)
        with args.note.open("a", encoding="utf-8") as notes:
            notes.write(f"{line}\n")
    return code


def summary(kind: str, code: int, first: Sequence[str], last: Sequence[str]) -> str:
    """How it ended, in a line: pytest's exit code, what failed in the first run, and what failed in the last."""
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return f"the {kind} tests were not run to their end (pytest's exit code {code})"
    passed = [test for test in first if test not in last]
    said = [_counted(kind, passed, "needed a second try")] if passed else []
    said += [_counted(kind, last, "failed twice")] if last else []
    return "; ".join(said) or f"no {kind} test needed a second try"


def _counted(kind: str, tests: Sequence[str], what: str) -> str:
    return f"{len(tests)} {kind} test{'' if len(tests) == 1 else 's'} {what}: {', '.join(tests)}"


def _pytest(cache: str, arguments: Sequence[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}", *arguments]
    return subprocess.run(command, check=False).returncode


def _failures(cache: str) -> list[str]:
    """Tests that failed in the last run with this cache."""
    path = Path(cache, "v", "cache", "lastfailed")
    return sorted(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else []


def _without_workers(arguments: Sequence[str]) -> list[str]:
    """The same arguments without those of pytest-xdist."""
    kept: list[str] = []
    for before, one in zip(["", *arguments], arguments, strict=False):
        if one not in ("-n", "--dist") and before not in ("-n", "--dist"):
            kept.append(one)
    return kept


if __name__ == "__main__":
    sys.exit(main())
