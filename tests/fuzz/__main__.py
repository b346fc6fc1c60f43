"""Mutated inputs of every kind: each must be refused with an InputError or work; nothing else may happen.

python -m tests.fuzz --number 100000 [--seed 0] [--subjects models files ...]     # `make fuzz`

The number is divided among the subjects. Ends with 1 where anything else came out, or where memory grew.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.running import SUBJECTS, Findings, Plan, child, run

GROWTH = 1.2
"""Memory may grow by so much from the first third on: allocators keep some of what they were given."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Try mutated inputs.")
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--subjects", nargs="+", default=list(SUBJECTS), choices=SUBJECTS)
    parser.add_argument("--kinds", nargs="+", default=[])
    parser.add_argument("--folder", type=Path, help="an existing one that keeps the sound models for the next time")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(Plan(args.subjects[0], args.child, args.number, args.seed, tuple(args.kinds)), args.first)
        return 0
    each = -(-args.number // len(args.subjects))
    failed = False
    for subject in args.subjects:
        with tempfile.TemporaryDirectory(prefix="espalier-fuzz-") as folder:
            found = run(Plan(subject, args.folder or Path(folder), each, args.seed, tuple(args.kinds)))
        failed |= bool(found.faults) or found.growth() > GROWTH
        _say(subject, each, found)
    return 1 if failed else 0


def _say(subject: str, number: int, found: Findings) -> None:
    for fault in found.faults[:50]:
        print(fault)
    endings = ", ".join(f"{n} {what}" for what, n in sorted(found.endings.items()))
    memory = f"; memory {found.memory[0]:.0f} to {found.memory[-1]:.0f} MB" if found.memory else ""
    print(f"{number} mutated {subject}: {endings}{memory}, {found.growth():.2f} x since the first third", flush=True)


if __name__ == "__main__":
    sys.exit(main())
