"""The app with corpora of 100 000 documents: what people wait for once all is computed, and what the server holds.

    python -m benchmarks.bench_big_corpus [--quick] [--documents N] [--corpora N] [--sessions N]

Opening a corpus, Tune, a cell of the error table, a document and a search, each from the click until it is on screen;
the first opening with its computing apart. Then as many sessions at once as are asked for, each opening a document.
Memory is the largest that the server's process has had. The toy system scores words by a table, so computing is quick
and what is measured is the app. Other work on the machine counts: the server's CPU time is given beside the wall time.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.bench_pages import documents
from benchmarks.browsing import browser
from benchmarks.places import parser
from engine.store.workspace import Workspace
from engine.tasks.base import Model
from engine.tasks.saving import save_model
from tests.ui import harness
from tests.ui.toy import Toy, ToySettings

TRIES = 5
COMPUTING = 3_600_000
"""Milliseconds that the first opening may take."""


def prepare(folder: Path, n: int, corpora: int) -> tuple[str, list[str]]:
    """A workspace with some large corpora, whose texts differ, and a run whose model scores words by their number."""
    workspace = Workspace.open(folder)
    tiny = workspace.add_corpus("Tiny", harness.sample_documents(2))
    ids = []
    for number in range(corpora):
        coming = documents(n)
        ids.append(workspace.add_corpus(f"Large {number + 1}", coming[number:] + coming[:number]))
        del coming
    run = harness.start(workspace, [tiny], epochs=1)
    harness.wait_for(workspace, run)
    # A word of every tenth document is known: more would make the model, and not the app, large.
    state = {f"w{d}x{i}": float((7 * d + 13 * i) % 101 - 50) for d in range(0, n, 10) for i in range(10)}
    save_model(Toy(), Model("toy", "count", ToySettings(), state), workspace.model_path(run))
    workspace.close()
    return run, ids


def memory(process: int) -> tuple[float, float]:
    """Bytes that the process holds now, and held at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    told = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith("Vm")}
    return 1024.0 * int(told["VmRSS"]), 1024.0 * int(told["VmHWM"])


def cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(name: str, process: int, act: Callable[[int], None], tries: int = TRIES) -> None:
    """Print how long it takes, at best and in the middle, and what the server works for it."""
    walls, works = [], []
    for number in range(tries):
        before, begun = cpu(process), time.perf_counter()
        act(number)
        walls.append(time.perf_counter() - begun)
        works.append(cpu(process) - before)
    told = f"{1000 * min(walls):.0f} ms at best, median {1000 * statistics.median(walls):.0f} ms"
    print(f"{name}: {told}; the server works {1000 * statistics.median(works):.0f} ms", flush=True)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--corpora", type=int, default=3)
    options.add_argument("--sessions", type=int, default=20)
    asked = options.parse_args()
    n, corpora, sessions = (6_000, 1, 2) if asked.quick else (asked.documents, asked.corpora, asked.sessions)
    from playwright.sync_api import expect

    from tests.browser.conftest import ROOT, serving, settle

    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests" / "ui" / "with_toy"), str(ROOT)])
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        begun = time.perf_counter()
        run, ids = prepare(Path(folder) / "workspace", n, corpora)
        print(f"{corpora} corpora of {n} documents added in {time.perf_counter() - begun:.0f} s", flush=True)
        with serving(Path(folder) / "workspace") as server:
            pid = server.process.pid
            page = chromium.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(COMPUTING)

            def shown(path: str, locator: str, **query: Any) -> None:
                asks = "&".join(f"{name}={value}" for name, value in {"run": run, **query}.items())
                page.goto(f"{server.address}/{path}?{asks}")
                expect(page.locator(locator).first).to_be_visible(timeout=COMPUTING)

            chart, table = "text=every operating point", "text=most confident first"
            for id in ids:
                begun, before = time.perf_counter(), cpu(pid)
                shown("document", "text=Differences only", corpus=id)
                shown("tune", chart, corpus=id)
                shown("errors", table, corpus=id)
                wall = time.perf_counter() - begun
                print(f"computed for {id}: {wall:.0f} s, the server works {cpu(pid) - before:.0f} s", flush=True)
            first = ids[0]
            measured(
                "opening the corpus",
                pid,
                lambda i: shown("corpora", "[data-testid=stDataFrame]", corpus=ids[i % len(ids)], view="Documents"),
            )
            measured("opening Tune", pid, lambda i: shown("tune", chart, corpus=ids[i % len(ids)]))
            measured("opening Errors", pid, lambda i: shown("errors", table, corpus=ids[i % len(ids)]))
            caption = page.get_by_text("most confident first")

            def cell(number: int) -> None:
                before = caption.text_content() or ""
                stage = ("mention not proposed", "scored lower")[number % 2]
                page.get_by_role("button", name=f"{stage}, all:").click()
                expect(caption).not_to_have_text(before, timeout=60_000)

            settle(page)
            measured("an error cell", pid, cell)
            measured(
                "a document",
                pid,
                lambda i: shown("document", f"text=d{n // 2 + i}", corpus=first, doc=f"d{n // 2 + i}"),
            )

            def search(number: int) -> None:
                box = page.get_by_label("Find a document")
                box.fill(f"w{n // 3 + number}x1")
                box.press("Enter")
                expect(page.get_by_text("1 of 1", exact=False).first).to_be_visible(timeout=60_000)

            measured("a search", pid, search)
            others = [chromium.new_page() for _ in range(sessions)]
            begun = time.perf_counter()
            for number, other in enumerate(others):
                where = f"corpus={ids[number % len(ids)]}&run={run}&doc=d{number}"
                other.goto(f"{server.address}/document?{where}", wait_until="commit")
            for number, other in enumerate(others):
                expect(other.locator(f"text=d{number}").first).to_be_visible(timeout=COMPUTING)
            now, most = memory(pid)
            print(f"{sessions} sessions opened a document within {time.perf_counter() - begun:.1f} s", flush=True)
            print(f"the server holds {now / 1e6:.0f} MB, at most {most / 1e6:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
