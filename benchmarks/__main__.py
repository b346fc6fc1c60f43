"""Benchmarks one after the other, each in a process of its own, all of them to the end.

    python -m benchmarks [--quick] [NAME ...]

Without names: every bench_*.py. --quick: every script, those that make tables for the docs too, at a reduced size, in
about two minutes; it shows that they run, and its numbers mean little. The exit code is 1 if one of them failed or
missed its target, and the last line names it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from benchmarks.places import ROOT

TABLES = ("partition", "table_domains", "table_linking")
"""Scripts that make a table for the docs, which takes hours: at full size only by name."""


def main() -> int:
    speed = sorted(path.stem for path in (ROOT / "benchmarks").glob("bench_*.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*speed, *TABLES])}")
    parser.add_argument("--quick", action="store_true", help="a reduced size, to see that everything runs")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in (*speed, *TABLES)]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}")
    failed = []
    begun = time.perf_counter()
    for name in args.names or [*speed, *(TABLES if args.quick else ())]:
        print(f"== {name}", flush=True)
        start = time.perf_counter()
        command = [sys.executable, "-m", f"benchmarks.{name}", *(["--quick"] if args.quick else [])]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
        print(f"== {name}: {time.perf_counter() - start:.0f} s", flush=True)
    print(f"== all: {time.perf_counter() - begun:.0f} s; {'failed: ' + ', '.join(failed) if failed else 'none failed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
