"""The app with corpora of 100 000 documents: what people wait for once all is computed, and what the server holds.

    python -m benchmarks.bench_big_corpus [--quick] [--documents N] [--corpora N] [--sessions N] [--keep FOLDER]

Opening a corpus, Tune, a cell of the error table, a document and a search, each from the click until it is on screen;
the first opening with its computing apart. Then as many sessions at once as are asked for, each opening a document.
Memory is the largest that the server's process has had. The toy system scores words by a table, so computing is quick
and what is measured is the app. With --keep the workspace stays in a folder with all that was computed, and the next
time is taken from there. Other work on the machine counts: the server's CPU time is given beside the wall time.
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


def prepare(folder: Path, n: int, corpora: int) -> tuple[list[str], list[str]]:
    """A workspace with some large corpora, whose texts differ, and two runs whose models score words by their number;
    the second knows fewer. Their ids, and those of the corpora."""
    workspace = Workspace.open(folder)
    tiny = next((one.id for one in workspace.corpora() if one.name == "Tiny"), None)
    if tiny is None:
        tiny = workspace.add_corpus("Tiny", harness.sample_documents(2))
        for number in range(corpora):
            coming = documents(n)
            workspace.add_corpus(f"Large {number + 1}", coming[number:] + coming[:number])
            del coming
    while len(workspace.runs()) < 2:
        run = harness.start(workspace, [tiny], epochs=1)
        harness.wait_for(workspace, run)
        # A word of every tenth document is known: more would make the model, and not the app, large.
        step = 10 * len(workspace.runs())
        state = {f"w{d}x{i}": float((7 * d + 13 * i) % 101 - 50) for d in range(0, n, step) for i in range(10)}
        save_model(Toy(), Model("toy", "count", ToySettings(), state), workspace.model_path(run))
    found = [one.id for one in reversed(workspace.runs())], [one.id for one in workspace.corpora() if one.id != tiny]
    workspace.close()
    return found


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


class Visitor:
    """A browser on the served workspace, with a run chosen."""

    def __init__(self, server: Any, page: Any, runs: list[str]) -> None:
        self.address, self.process, self.page = server.address, server.process.pid, page
        self.run, self.other = runs
        page.set_default_timeout(COMPUTING)

    def sees(self, path: str, locator: str, **query: Any) -> None:
        from playwright.sync_api import expect

        asks = "&".join(f"{name}={value}" for name, value in {"run": self.run, **query}.items())
        self.page.goto(f"{self.address}/{path}?{asks}")
        expect(self.page.locator(locator).first).to_be_visible(timeout=COMPUTING)

    def compares(self, corpus: str) -> None:
        self.sees("compare", COMPARED, corpus=corpus, other=self.other)


CHART, TABLE, COMPARED = "text=every operating point", "text=most confident first", "text=Paired bootstrap"


def compute(visitor: Visitor, ids: list[str]) -> None:
    """Have everything computed that is not known yet."""
    for id in ids:
        begun, before = time.perf_counter(), cpu(visitor.process)
        visitor.sees("document", "text=Differences only", corpus=id)
        visitor.sees("tune", CHART, corpus=id)
        visitor.sees("errors", TABLE, corpus=id)
        wall, work = time.perf_counter() - begun, cpu(visitor.process) - before
        print(f"computed for {id}: {wall:.0f} s, the server works {work:.0f} s", flush=True)


def look(visitor: Visitor, ids: list[str], n: int) -> None:
    """What people wait for once all is computed."""
    from playwright.sync_api import expect

    from tests.browser.conftest import settle

    page, pid = visitor.page, visitor.process

    def corpus(number: int) -> None:
        visitor.sees("corpora", "[data-testid=stDataFrame]", corpus=ids[number % len(ids)], view="Documents")

    measured("opening the corpus", pid, corpus)
    measured("opening Tune", pid, lambda i: visitor.sees("tune", CHART, corpus=ids[i % len(ids)]))
    measured("opening Errors", pid, lambda i: visitor.sees("errors", TABLE, corpus=ids[i % len(ids)]))
    caption = page.get_by_text("most confident first")

    def cell(number: int) -> None:
        before = caption.text_content() or ""
        stage = ("mention not proposed", "scored lower")[number % 2]
        page.get_by_role("button", name=f"{stage}, all:").click()
        expect(caption).not_to_have_text(before, timeout=60_000)

    settle(page)
    measured("an error cell", pid, cell)

    def document(number: int) -> None:
        where = n // 2 + number
        visitor.sees("document", f".seg >> text=w{where}x0", corpus=ids[0], doc=f"d{where}")

    measured("a document", pid, document)

    def search(number: int) -> None:
        box = page.get_by_label("Find a document")
        box.fill(f"w{n // 3 + number}x1")
        box.press("Enter")
        expect(page.get_by_text("1 of 1", exact=False).first).to_be_visible(timeout=60_000)

    measured("a search", pid, search)


def compare(visitor: Visitor, corpus: str) -> None:
    """Two runs compared: the first time the errors of the second are found and the difference is tested."""
    begun, before = time.perf_counter(), cpu(visitor.process)
    visitor.compares(corpus)
    wall, work = time.perf_counter() - begun, cpu(visitor.process) - before
    print(f"compared on {corpus}: {wall:.0f} s, the server works {work:.0f} s", flush=True)
    measured("opening Compare", visitor.process, lambda _: visitor.compares(corpus))


def crowd(visitor: Visitor, chromium: Any, ids: list[str], sessions: int) -> None:
    """Many sessions at once, each on a document; then nobody moves, and the server's memory is read."""
    from playwright.sync_api import expect

    others = [chromium.new_page() for _ in range(sessions)]
    before, begun = memory(visitor.process)[0], time.perf_counter()
    for number, other in enumerate(others):
        where = f"corpus={ids[number % len(ids)]}&run={visitor.run}&doc=d{number}"
        other.goto(f"{visitor.address}/document?{where}", wait_until="commit")
    for number, other in enumerate(others):
        expect(other.locator(f".seg >> text=w{number}x0").first).to_be_visible(timeout=COMPUTING)
    print(f"{sessions} sessions opened a document within {time.perf_counter() - begun:.1f} s", flush=True)
    now, most = memory(visitor.process)
    each = (now - before) / max(sessions, 1)
    print(
        f"the server holds {now / 1e6:.0f} MB, at most {most / 1e6:.0f} MB; a session {each / 1e6:.1f} MB", flush=True
    )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--corpora", type=int, default=3)
    options.add_argument("--sessions", type=int, default=20)
    options.add_argument("--keep", type=Path, help="the workspace, kept for the next time")
    asked = options.parse_args()
    n, corpora, sessions = (6_000, 1, 2) if asked.quick else (asked.documents, asked.corpora, asked.sessions)

    from tests.browser.conftest import ROOT, serving

    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests" / "ui" / "with_toy"), str(ROOT)])
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        place = asked.keep or Path(folder) / "workspace"
        begun = time.perf_counter()
        runs, known = prepare(place, n, corpora)
        ids = known[:corpora]
        print(f"{len(ids)} corpora of {n} documents there after {time.perf_counter() - begun:.0f} s", flush=True)
        with serving(place) as server:
            visitor = Visitor(server, chromium.new_page(viewport={"width": 1440, "height": 900}), runs)
            compute(visitor, ids)
            look(visitor, ids, n)
            crowd(visitor, chromium, ids, sessions)
            compare(visitor, ids[0])


if __name__ == "__main__":
    main()
