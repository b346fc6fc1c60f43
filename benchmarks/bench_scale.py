"""Work over many documents: memory that does not grow with them, several processes, a Dask cluster, the same bytes.

    python -m benchmarks.bench_scale [--quick] [--million] [--only memory|jobs|cluster|million] [--texts N]
        [--command predict|curve|errors|report]

A linker is trained on the sample data; the corpora are its texts over and over, under ids of their own. Peak memory is
that of the largest process, as the system tells it. --million also decides a million texts (an hour or so of one core).
--only measures one thing, and --texts says with how many texts (memory: with so many, and with a tenth of them);
--command measures the memory of this command alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.places import ROOT, SAMPLES, parser

COMMANDS = ("predict", "curve", "errors", "report")
GROWTH = 1.2
"""Times the memory that ten times the documents may take."""
MILLION_BYTES = 1.5e9


@dataclass(frozen=True)
class Spent:
    """What a command took: seconds on the clock, seconds of all its processes, bytes of the largest."""

    wall: float
    cpu: float
    peak: float


def run(*arguments: object) -> Spent:
    """A command of the command line, which must succeed; what it prints goes to the file of --out or of `>`."""
    words = [str(one) for one in arguments]
    target = words.index(">") if ">" in words else len(words)
    begun = time.perf_counter()
    with open(words[target + 1] if target < len(words) else os.devnull, "wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "engine", *words[:target]], cwd=ROOT, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return Spent(time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024.0)


def corpus(path: Path, n: int) -> Path:
    """So many texts."""
    lines = (SAMPLES / "linking" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    with path.open("w", encoding="utf-8") as file:
        for number in range(n):
            file.write(json.dumps({**records[number % len(records)], "id": f"t{number}"}) + "\n")
    return path


def asked(command: str, model: Path, data: Path, out: Path) -> list[object]:
    """A command and where its result goes."""
    common: list[object] = [command, "linking", "--model", model, "--data", data]
    return [*common, "--out", out] if command in ("predict", "report") else [*common, "--json", ">", out]


def with_options(command: list[object], *options: object) -> list[object]:
    at = command.index(">") if ">" in command else len(command)
    return [*command[:at], *options, *command[at:]]


def verdict(name: str, good: bool, told: str) -> bool:
    print(f"{'PASS' if good else 'FAIL'}  {name}: {told}", flush=True)
    return good


def memory(folder: Path, model: Path, sizes: tuple[int, int], commands: Sequence[str]) -> Iterator[bool]:
    """Peak memory of each command at both sizes."""
    files = [corpus(folder / f"{n}.jsonl", n) for n in sizes]
    for command in commands:
        spent = [run(*asked(command, model, data, folder / f"{command}.{data.stem}.jsonl")) for data in files]
        small, large = (one.peak for one in spent)
        each = 1000 * spent[1].cpu / sizes[1]
        told = f"{small / 1e6:.0f} MB at {sizes[0]:,}, {large / 1e6:.0f} MB at {sizes[1]:,}; {each:.2f} CPU ms a text"
        yield verdict(f"{command}, memory", large <= GROWTH * small, f"{told} (at most {GROWTH:g} times as much)")


def processes(folder: Path, model: Path, n: int) -> Iterator[bool]:
    """--jobs 2: how much sooner, and whether the bytes are the same."""
    data, out = corpus(folder / "jobs.in.jsonl", n), folder / "jobs.jsonl"
    one = run(*asked("predict", model, data, folder / "one.jsonl"))
    two = run(*with_options(asked("predict", model, data, out), "--jobs", 2))
    yield verdict("predict --jobs 2, same bytes", same(out, folder / "one.jsonl"), "compared whole")
    yield verdict(
        "predict --jobs 2, sooner",
        one.wall >= 1.7 * two.wall,
        f"{one.wall / two.wall:.2f} times, {one.wall:.1f} and {two.wall:.1f} s for {n:,} texts (at least 1.7)",
    )


def cluster(folder: Path, model: Path, n: int) -> Iterator[bool]:
    """A Dask cluster of two workers: whether the bytes are the same."""
    from distributed import LocalCluster

    data = corpus(folder / "cluster.jsonl", n)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        for command in COMMANDS:
            results = [folder / f"{command}.{how}.jsonl" for how in ("here", "there")]
            run(*asked(command, model, data, results[0]))
            run(*with_options(asked(command, model, data, results[1]), "--cluster", local.scheduler_address))
            yield verdict(f"{command} --cluster, same bytes", same(*results), f"{n:,} texts, two workers")


def million(folder: Path, model: Path) -> Iterator[bool]:
    data = corpus(folder / "million.jsonl", 1_000_000)
    spent = run(*asked("predict", model, data, folder / "million.out.jsonl"))
    told = f"{spent.peak / 1e9:.2f} GB, {spent.wall / 60:.0f} min (at most 1.5 GB)"
    yield verdict("predict, a million texts", spent.peak <= MILLION_BYTES, told)


def same(one: Path, other: Path) -> bool:
    return one.read_bytes() == other.read_bytes()


def main() -> int:
    arguments: argparse.ArgumentParser = parser(__doc__)
    arguments.add_argument("--million", action="store_true", help="also a million texts")
    arguments.add_argument("--only", choices=("memory", "jobs", "cluster", "million"), help="measure this alone")
    arguments.add_argument("--command", choices=COMMANDS, help="measure the memory of this command alone")
    arguments.add_argument("--texts", type=int, help="how many texts, instead of 100 000 and 10 000")
    asked_for = arguments.parse_args()
    large = asked_for.texts or (1_000 if asked_for.quick else 100_000)
    # What memory is compared with, and what the workers are given.
    small = asked_for.texts if asked_for.texts and asked_for.only != "memory" else large // 10
    with TemporaryDirectory(prefix="espalier-scale-") as name:
        folder = Path(name)
        model = folder / "linking.zip"
        samples = SAMPLES / "linking"
        train = ["train", "linking", "--train", samples / "train.jsonl", "--dev", samples / "dev.jsonl"]
        run(*train, "--lexicon", samples / "lexicon", "--preset", "quick", "--model", model, "--quiet")
        parts = {
            "memory": lambda: memory(
                folder, model, (small, large), [asked_for.command] if asked_for.command else COMMANDS
            ),
            "jobs": lambda: processes(folder, model, small),
            "cluster": lambda: cluster(folder, model, small),
            "million": lambda: million(folder, model),
        }
        wanted = [asked_for.only] if asked_for.only else [one for one in parts if one != "million" or asked_for.million]
        good = [one for part in wanted for one in parts[part]()]
    # A small run is over before its processes have begun, so it says nothing about time.
    return 0 if all(good) or asked_for.quick else 1


if __name__ == "__main__":
    sys.exit(main())
