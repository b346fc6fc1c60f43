"""The tests of the core, the store and the pages on other Pythons, and on the lowest versions that we allow.

python -m tests.trials.versions [--python 3.12 ...] [--tests PATH ...]     # `make versions`

Every environment is made anew by uv (in requirements-dev.txt), in a temporary folder. A Python that is not on this
machine is named and left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13")
TESTS = ("tests/data", "tests/structures", "tests/store", "tests/corpora/test_roundtrip.py", "tests/ui/test_pages.py")
MARKS = "not browser and not postgres and not realdata and not slow and not long"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", default=PYTHONS, help="versions to try; default: %(default)s")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="what to run; default: %(default)s")
    args = parser.parse_args()
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if uv is None:
        print("uv is needed to make environments: pip install uv", file=sys.stderr)
        return 1
    failed = []
    for python in args.python:
        for resolution in ("lowest-direct", "highest") if python == args.python[0] else ("highest",):
            ending = tried(uv, python, resolution, args.tests)
            print(f"== Python {python}, {resolution} versions: {ending}", flush=True)
            failed += [ending] if ending == "failed" else []
    return 1 if failed else 0


def interpreter(python: str) -> str:
    """What uv is to look for: pyenv keeps its Pythons where uv does not look."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    kept = sorted((root / "versions").glob(f"{python}.*/bin/python"))
    return str(kept[-1]) if kept else python


def tried(uv: str, python: str, resolution: str, tests: list[str]) -> str:
    """Install into an environment of its own and run the tests there; how that ended."""
    with tempfile.TemporaryDirectory(prefix="espalier-versions-") as place:
        if _run(uv, "venv", "--quiet", "--no-python-downloads", "--python", interpreter(python), place):
            return "this Python is not here"
        binary = str(Path(place, "bin", "python"))
        wanted = ["--requirement", "requirements-test.txt", "--resolution", resolution, "--quiet"]
        if _run(uv, "pip", "install", "--python", binary, *wanted):
            return "failed"
        kernels = {"NUMBA_CACHE_DIR": str(Path(place, "kernels"))}
        return "failed" if _run(binary, "-m", "pytest", "-q", "-m", MARKS, *tests, **kernels) else "passed"


def _run(*command: str, **environment: str) -> int:
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
