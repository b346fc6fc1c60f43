"""Ten million surfaces in a mapped lexicon, against a Python dict of the same content.

    python -m benchmarks.bench_lexicon [--surfaces 10000000] [--pieces 1] [--folder FOLDER] [--workers 2] [--no-dict]
        [--quick]

Prints build time, peak memory and file size; memory while querying and look-ups per second of several processes that
only open the folder and query it, all at once; and the same of a dict. Of the memory of a process, what is its own is
told beside what it shares with the others. Times are CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.places import ROOT, parser
from engine.lexicon.assembling import assemble
from engine.lexicon.lexicon import Lexicon
from engine.lexicon.pieces import assemble_in_pieces

SYLLABLES = [a + b for a in "bcdfghjklmnpqrstvwz" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "on")]
QUERIES = 200_000


def surfaces(n: int, seed: int = 0) -> Iterator[str]:
    """n names of one to three words; the number in base len(SYLLABLES) makes each different."""
    rng = np.random.default_rng(seed)
    base = len(SYLLABLES)
    for start in range(0, n, 1 << 16):
        spaces = rng.integers(0, 4, size=min(1 << 16, n - start))
        for i, split in enumerate(spaces, start):
            x, word = i * 2654435761 % (base**4), []
            for _ in range(4):
                word.append(SYLLABLES[x % base])
                x //= base
            cut = int(split)
            yield "".join(word[:cut]) + " " + "".join(word[cut:]) if cut else "".join(word)


def records(n: int) -> Iterator[tuple[str, list[tuple[str, int, tuple[str, ...]]]]]:
    """Each surface with one or two of a million entities."""
    rng = np.random.default_rng(1)
    tags = (("wikipedia",), ("alias",), ("title", "wikipedia"))
    block = 1 << 16
    for i, surface in enumerate(surfaces(n)):
        if i % block == 0:
            entity = rng.integers(0, max(1, n // 10), size=(block, 2))
            count = rng.integers(0, 1000, size=block)
        j = i % block
        pairs = [(f"Entity {entity[j, 0]}", int(count[j]), tags[i % 3])]
        if i % 4 == 0:
            pairs.append((f"Entity {entity[j, 1]}", 1, tags[0]))
        yield surface, pairs


def query_names(n: int, queries: int) -> list[str]:
    """Known and unknown names, half and half."""
    rng = np.random.default_rng(2)
    wanted = set(rng.integers(0, n, size=queries // 2).tolist())
    known = [name for i, name in enumerate(surfaces(n)) if i in wanted]
    unknown = [name + "x" for name in known]
    names = known + unknown
    rng.shuffle(names)
    return names


def peak_mb() -> float:
    """Most memory that this program has had; what getrusage tells a child includes the parent it was forked from."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))


def own_mb() -> float:
    """Memory that no other process has: all but pages of files, which the kernel may drop and processes share."""
    rollup = Path("/proc/self/smaps_rollup")
    if not rollup.is_file():
        return float("nan")
    return sum(int(line.split()[1]) for line in rollup.read_text().splitlines() if line.startswith("Anonymous")) / 1024


def measure_open(folder: Path, names_file: Path) -> None:
    """Runs in its own process: open, query, report memory."""
    names = json.loads(names_file.read_text())
    before = peak_mb()
    begin = time.process_time()
    lexicon = Lexicon.open(folder)
    opened = time.process_time() - begin
    begin = time.process_time()
    found = sum(name in lexicon for name in names)
    membership = len(names) / (time.process_time() - begin)
    begin = time.process_time()
    postings = sum(1 for name in names for _ in lexicon.postings(name))
    lookups = len(names) / (time.process_time() - begin)
    print(
        json.dumps(
            {"open": opened, "membership": membership, "lookups": lookups, "found": found, "postings": postings,
             "rss_mb": peak_mb(), "own_mb": own_mb(), "before_mb": before}
        )
    )  # fmt: skip


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--surfaces", type=int, default=10_000_000)
    options.add_argument("--folder", type=Path)
    options.add_argument("--pieces", type=int, default=1)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--no-dict", action="store_true")
    options.add_argument("--measure", nargs=2, type=Path, help=argparse.SUPPRESS)
    args = options.parse_args()
    if args.measure:
        measure_open(*args.measure)
        return
    n_surfaces, n_queries = (20_000, 2_000) if args.quick else (args.surfaces, QUERIES)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch) / "lexicon"
        begin = time.process_time()
        if args.pieces > 1:
            lexicon = assemble_in_pieces(lambda: records(n_surfaces), {}, args.pieces)
        else:
            lexicon = assemble(lambda: records(n_surfaces), {})
        lexicon.save(folder)
        built = time.process_time() - begin
        n = len(lexicon)
        del lexicon
        size = sum(file.stat().st_size for file in folder.iterdir())
        peak = peak_mb()
        print(f"{n:,} surfaces: built in {built:.0f} s CPU, {size / 1e6:.0f} MB on disk, {peak:.0f} MB while building")
        names = query_names(n_surfaces, n_queries)
        names_file = Path(scratch) / "names.json"
        names_file.write_text(json.dumps(names))
        command = [
            sys.executable,
            "-m",
            "benchmarks.bench_lexicon",
            "--measure",
            str(folder.resolve()),
            str(names_file),
        ]
        workers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(args.workers)]
        for worker in workers:
            told, _ = worker.communicate()
            assert worker.returncode == 0
            mapped = json.loads(told)
            print(
                f"mapped: opened in {mapped['open'] * 1000:.0f} ms, {mapped['rss_mb']:.0f} MB resident after"
                f" {len(names):,} queries, {mapped['own_mb']:.0f} MB of it its own"
                f" ({mapped['before_mb']:.0f} MB before opening)"
            )
            print(
                f"mapped: {mapped['membership']:,.0f} membership tests/s,"
                f" {mapped['lookups']:,.0f} look-ups with postings/s"
            )
        if args.no_dict:
            return
        table = {surface: tuple(readings) for surface, readings in records(n_surfaces)}
        begin = time.process_time()
        found = sum(name in table for name in names)
        membership = len(names) / (time.process_time() - begin)
        begin = time.process_time()
        for name in names:
            for _ in table.get(name, ()):
                pass
        lookups = len(names) / (time.process_time() - begin)
        peak = peak_mb()
        print(f"dict: {membership:,.0f} membership tests/s, {lookups:,.0f} look-ups/s, process peak {peak:.0f} MB")
        ratios = membership / mapped["membership"], lookups / mapped["lookups"]
        print(f"ratio dict / mapped: membership {ratios[0]:.1f}, look-ups {ratios[1]:.1f}")
        assert found == mapped["found"]


if __name__ == "__main__":
    main()
