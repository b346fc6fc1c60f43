"""The same benchmarks in two checkouts, by turns, so that both meet the same machine.

    python -m benchmarks.beside OTHER [--python OTHERS-INTERPRETER] [--turns 3] [NAME ...]

Every line that both print with a time or a rate is compared by the best of its turns. The exit code is 1 if a line of
this checkout is slower than 1.05 times the other one. Lines of peers (a library, a naive version) are shown, as they
tell how quiet the machine was, but they are nobody's fault.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.places import ROOT

NAMES: Final = ("bench_linking", "bench_disambiguation", "bench_coreference", "bench_distant", "bench_joint")
MOST: Final = 1.05
_NUMBER: Final = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_TIME: Final = re.compile(r"\s*(ms|us|s)\b")
_RATE: Final = re.compile(r"\s*(M pairs/s|[a-z]+/s)")
_COUNTS_PER_SECOND: Final = ("bench_joint",)
"""Whose numbers without a unit are sentences a second. In a line of a rival of PuLP the second is a ratio to PuLP."""
_PEER: Final = re.compile(r"PuLP|naive|official|HiGHS, model built each time|exhaustive")
_AGAINST_PULP: Final = re.compile(r"LP|HiGHS|exact search #")


def measured(name: str, printed: str) -> Iterator[tuple[str, float]]:
    """What a benchmark printed: a label for each number of a line, and the number such that less is better."""
    for line in printed.splitlines():
        label = " ".join(_NUMBER.sub("#", line).split())
        for position, found in enumerate(_NUMBER.finditer(line)):
            value = float(found.group().replace(",", ""))
            rest = line[found.end() :]
            if name in _COUNTS_PER_SECOND and position and _AGAINST_PULP.search(label):
                continue
            if _RATE.match(rest) or (name in _COUNTS_PER_SECOND and not _TIME.match(rest)):
                yield f"{label} [{position}]", 1 / value if value else float("inf")
            elif _TIME.match(rest):
                yield f"{label} [{position}]", value


def best(folder: Path, python: str, name: str, known: dict[str, float]) -> None:
    """One turn: lowers what is known of each line. A line that occurs twice keeps its order."""
    command = [python, "-m", f"benchmarks.{name}"]
    outcome = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not outcome.stdout:
        raise SystemExit(f"{name} printed nothing in {folder.name}: {outcome.stderr[-500:]}")
    seen: dict[str, int] = {}
    for label, value in measured(name, outcome.stdout):
        seen[label] = seen.get(label, 0) + 1
        key = f"{label} ({seen[label]})" if seen[label] > 1 else label
        known[key] = min(value, known.get(key, float("inf")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"default: {', '.join(NAMES)}")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the other checkout")
    parser.add_argument("--turns", type=int, default=3, help="how often each is run")
    args = parser.parse_intermixed_args()
    slower = []
    for name in args.names or NAMES:
        mine: dict[str, float] = {}
        others: dict[str, float] = {}
        for _ in range(args.turns):
            best(args.other, args.python, name, others)
            best(ROOT, sys.executable, name, mine)
        print(f"== {name}: best of {args.turns}, this / other")
        for label in (label for label in mine if label in others):
            ratio = mine[label] / others[label] if others[label] else 1.0
            print(f"{ratio:6.2f}  {label}", flush=True)
            if ratio > MOST and not _PEER.search(label):
                slower.append(f"{name}: {label}")
    print(f"{len(slower)} lines over {MOST}" + "".join(f"\n  {line}" for line in slower))
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
