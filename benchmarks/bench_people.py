"""Twenty people annotate at once: how long until an edit of one of them is written down.

Each is a process of their own with a layer of their own, as a server worker would be; half of them also write to the
shared gold. Nobody begins before everybody is there, so that no start of a process is timed. On SQLite, and on
PostgreSQL where `ESPALIER_DATABASE_URL` names one.

python -m benchmarks.bench_people [--quick]
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from threading import Barrier

from benchmarks.bench_document_view import document
from benchmarks.places import parser
from engine.data.document import GOLD
from engine.data.edits import AddMention
from engine.store.workspace import Workspace

PEOPLE, EDITS, PAUSE = 20, 50, 0.5
"""PAUSE is what somebody thinks between two edits, in seconds."""


def work(folder: str, corpus: str, person: int, n: int, pause: float, all_here: Barrier) -> list[float]:
    """One person's edits; how long each took to be written, in seconds."""
    space = Workspace.open(Path(folder))
    documents, log = space.documents(corpus), space.annotations(corpus)
    log.version()
    all_here.wait()
    time.sleep(pause * person / PEOPLE)
    took = []
    for i in range(n):
        place = documents[(person + i) % len(documents)]
        start, end = place.tokens[i % len(place.tokens)]
        layer = GOLD if person % 2 and i % 2 else f"p{person}"
        begun = time.perf_counter()
        log.append(place, AddMention(f"{person}.{i}", start, end, "PER"), user=f"p{person}", layer=layer)
        took.append(time.perf_counter() - begun)
        time.sleep(pause)
    space.close()
    return took


def main() -> None:
    quick = parser(__doc__).parse_args().quick
    people, n, pause = (3, 3, 0.0) if quick else (PEOPLE, EDITS, PAUSE)
    with tempfile.TemporaryDirectory() as folder:
        space = Workspace.open(Path(folder))
        corpus = space.add_corpus("Shared", [document(f"d{i}", 25) for i in range(10)])
        space.close()
        with multiprocessing.Manager() as manager, ProcessPoolExecutor(people) as pool:
            all_here = manager.Barrier(people)
            asked = [pool.submit(work, folder, corpus, person, n, pause, all_here) for person in range(people)]
            took = sorted(one for done in asked for one in done.result())
    store = "PostgreSQL" if os.environ.get("ESPALIER_DATABASE_URL", "").startswith("postgres") else "SQLite"
    p95 = took[int(0.95 * (len(took) - 1))]
    print(f"{store}: {people} people, {len(took)} edits, {pause:g} s between two of one person")
    print(f"written down: median {1000 * statistics.median(took):.1f} ms, 95 % {1000 * p95:.1f} ms,", end=" ")
    print(f"worst {1000 * took[-1]:.1f} ms")


if __name__ == "__main__":
    main()
