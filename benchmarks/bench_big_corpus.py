"""The app with corpora of 100 000 documents: what people wait for once all is computed, and what the server holds.

    python -m benchmarks.bench_big_corpus [--quick] [--documents N] [--corpora N] [--sessions N] [--keep FOLDER]
                                          [--linking] [--pictures FOLDER]

Opening a corpus, Tune, a cell of the error table, a document and a search, each from the click until it is on screen;
the first opening with its computing apart. Then as many sessions at once as are asked for, each stepping through texts.
Memory is the largest that the server's process has had. The toy system scores words by a table, so computing is quick
and what is measured is the app. With --linking it is the linker of the sample, and the corpora repeat its dev texts
under ids of their own. With --keep the workspace stays in a folder with all that was computed, and the next time is
taken from there. Other work on the machine counts: the server's CPU time is given beside the wall time.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.bench_pages import documents
from benchmarks.browsing import browser
from benchmarks.places import SAMPLES, parser
from engine import corpora as files
from engine.store.workspace import Workspace
from engine.tasks.base import Model
from engine.tasks.saving import save_model
from tests.ui import harness
from tests.ui.toy import Toy, ToySettings

TRIES = 5
LARGE = "repeated texts"
"""The source of a corpus of these."""
COMPUTING = 3_600_000
"""Milliseconds that the first opening may take."""


class Prepared(NamedTuple):
    """The ids of runs and of large corpora; and of a document by its number: its id, where its text is on the page, and
    a search that finds only this one. `second` is the name of the second corpus."""

    runs: list[str]
    corpora: list[str]
    id: Callable[[int], str]
    text: Callable[[int], str]
    search: Callable[[int], str]
    second: str


def prepare(folder: Path, n: int, corpora: int) -> Prepared:
    """A workspace with some large corpora, whose texts differ, and two runs whose models score words by their number;
    the second knows fewer."""
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
    runs, known = [one.id for one in reversed(workspace.runs())], [one.id for one in workspace.corpora()]
    workspace.close()
    ids = [id for id in known if id != tiny][:corpora]
    return Prepared(runs, ids, lambda i: f"d{i}", lambda i: f".seg >> text=w{i}x0", lambda i: f"w{i}x1", "Large 2")


def prepare_linking(folder: Path, n: int, corpora: int) -> Prepared:
    """The same with the texts and the linker of the sample data."""
    texts = files.read(SAMPLES / "linking" / "dev.jsonl")
    workspace = Workspace.open(folder)
    while len(known := [one for one in workspace.corpora() if one.source == LARGE]) < corpora:
        number = len(known)
        coming = (replace(texts[i % len(texts)], id=f"t{i}") for i in (*range(number, n), *range(number)))
        workspace.add_corpus(f"Tweets {number + 1}", coming, source=LARGE)
    runs = [one.id for one in reversed(workspace.runs("linking"))]
    workspace.close()
    ids = [one.id for one in known][:corpora]

    def text(number: int) -> str:
        """Its words before the first mention, or the mention: labels stand between them."""
        document = texts[number % len(texts)]
        until = min((mention.start or mention.end for mention in document.gold.mentions), default=len(document.text))
        return f'[data-testid="stMainBlockContainer"] :text("{document.text[: min(until, 30)].strip()}")'

    return Prepared(runs, ids, lambda i: f"t{i}", text, lambda i: f"t{i}", "Tweets 2")


@contextmanager
def served(place: Path, n: int, corpora: int, *, linking: bool) -> Iterator[tuple[Any, Prepared]]:
    """The app on a prepared workspace."""
    from tests.browser.conftest import serving
    from tests.trials.load import prepared

    if linking:
        with serving(place, samples=True, toy=False) as server:
            prepared(server)
            yield server, prepare_linking(place, n, corpora)
        return
    found = prepare(place, n, corpora)
    with serving(place) as server:
        yield server, found


def memory(process: int) -> tuple[float, float]:
    """Bytes that the process holds now, and held at most."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    told = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith("Vm")}
    return 1024.0 * int(told["VmRSS"]), 1024.0 * int(told["VmHWM"])


def cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(
    name: str, visitor: Visitor, act: Callable[[int], None], first: Callable[[int], None] | None = None
) -> None:
    """Print how long it takes, at best and in the middle, and what the server and the page's own thread work for it;
    `first` is not counted."""
    walls, works, pages = [], [], []
    for number in range(TRIES):
        if first is not None:
            first(number)
        before, drawn, begun = cpu(visitor.process), visitor.worked(), time.perf_counter()
        act(number)
        walls.append(time.perf_counter() - begun)
        works.append(cpu(visitor.process) - before)
        # A page that is loaded anew counts from the beginning.
        now = visitor.worked()
        pages.append(now - drawn if now >= drawn else now)
    told = f"{1000 * min(walls):.0f} ms at best, median {1000 * statistics.median(walls):.0f} ms"
    worked = (
        f"the server works {1000 * statistics.median(works):.0f} ms, the page {1000 * statistics.median(pages):.0f} ms"
    )
    print(f"{name}: {told}; {worked}", flush=True)


class Visitor:
    """A browser on the served workspace, with a run chosen."""

    def __init__(self, server: Any, page: Any, runs: list[str]) -> None:
        self.address, self.process, self.page = server.address, server.process.pid, page
        self.run, self.other = runs[0], runs[-1]
        page.set_default_timeout(COMPUTING)
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable")

    def worked(self) -> float:
        """Seconds that the page's thread has worked."""
        told = self._session.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in told if one["name"] == "TaskDuration"))

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


def look(visitor: Visitor, prepared: Prepared, n: int, pictures: Path | None) -> None:
    """What people wait for once all is computed."""
    from playwright.sync_api import expect

    from tests.browser.conftest import settle

    page, ids = visitor.page, prepared.corpora

    def picture(name: str) -> None:
        if pictures is not None:
            settle(page)
            page.screenshot(path=pictures / f"{name}.png")

    def corpus(number: int) -> None:
        visitor.sees("corpora", "[data-testid=stDataFrame]", corpus=ids[number % len(ids)], view="Documents")

    measured("opening the corpus", visitor, corpus)
    picture("corpus")
    measured("opening Tune", visitor, lambda i: visitor.sees("tune", CHART, corpus=ids[i % len(ids)]))
    picture("tune")
    measured("opening Errors", visitor, lambda i: visitor.sees("errors", TABLE, corpus=ids[i % len(ids)]))
    picture("errors")
    caption = page.get_by_text("most confident first")

    def cell(number: int) -> None:
        before = caption.text_content() or ""
        page.get_by_role("button", name=re.compile(", all: ")).nth(number % 2).click()
        expect(caption).not_to_have_text(before, timeout=60_000)

    settle(page)
    measured("an error cell", visitor, cell)
    picture("cell")

    def document(number: int) -> None:
        where = n // 2 + number
        visitor.sees("document", prepared.text(where), corpus=ids[0], doc=prepared.id(where))

    measured("a document", visitor, document)
    picture("document")

    def search(number: int) -> None:
        box = page.get_by_label("Find a document")
        box.fill(prepared.search(n // 3 + number))
        box.press("Enter")
        expect(page.get_by_text("1 of 1", exact=False).first).to_be_visible(timeout=60_000)

    measured("a search", visitor, search)
    picture("search")
    click(visitor, prepared)


def click(visitor: Visitor, prepared: Prepared) -> None:
    """The same in a tab that is open, where the app itself need not be loaded again."""
    from playwright.sync_api import expect

    from tests.browser.conftest import settle

    page, ids = visitor.page, prepared.corpora

    def goes(name: str, locator: str) -> None:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator(locator).first).to_be_visible(timeout=COMPUTING)

    def is_on(path: str, locator: str) -> Callable[[int], None]:
        def first(number: int) -> None:
            visitor.sees(path, locator, corpus=ids[0])
            settle(page)

        return first

    def reads(number: int) -> None:
        expect(page.locator(prepared.text(number)).first).to_be_visible(timeout=COMPUTING)

    def other(number: int) -> None:
        """The first document of the corpus whose documents begin with the second."""
        page.get_by_role("combobox", name="Corpus").first.press("ArrowDown")
        page.get_by_role("option").filter(has_text=prepared.second).click()
        reads(1)

    def step(number: int) -> None:
        page.keyboard.press("]")
        reads(1)

    text, table = ".seg", "[data-testid=stDataFrame]"
    if len(ids) > 1:
        measured("another corpus, in an open tab", visitor, other, is_on("document", text))
    measured("the next document, in an open tab", visitor, step, is_on("document", text))
    measured("Corpora, in an open tab", visitor, lambda _: goes("Corpora", table), is_on("tune", CHART))
    measured("Tune, in an open tab", visitor, lambda _: goes("Tune", CHART), is_on("corpora", table))
    measured("Errors, in an open tab", visitor, lambda _: goes("Errors", TABLE), is_on("corpora", table))


def compare(visitor: Visitor, corpus: str) -> None:
    """Two runs compared: the first time the errors of the second are found and the difference is tested."""
    begun, before = time.perf_counter(), cpu(visitor.process)
    visitor.compares(corpus)
    wall, work = time.perf_counter() - begun, cpu(visitor.process) - before
    print(f"compared on {corpus}: {wall:.0f} s, the server works {work:.0f} s", flush=True)
    measured("opening Compare", visitor, lambda _: visitor.compares(corpus))


def crowd(visitor: Visitor, prepared: Prepared, sessions: int) -> None:
    """Many sessions at once, each on documents of its own; then nobody moves, and the server's memory is read. They
    have no window, but speak to the server as its page does: twenty windows would measure Chromium, not the server."""
    from concurrent.futures import ThreadPoolExecutor

    before = memory(visitor.process)[0]
    # In a thread of its own, as the browser has the event loop of this one.
    with ThreadPoolExecutor(1) as thread:
        times = thread.submit(asyncio.run, _crowd(visitor, prepared, sessions)).result()
    for kind, found in times.items():
        p95 = sorted(found)[int(0.95 * (len(found) - 1))]
        told = f"median {1000 * statistics.median(found):.0f} ms, 95 % {1000 * p95:.0f} ms"
        print(f"{sessions} sessions at once, {kind}: {told}, worst {1000 * max(found):.0f} ms", flush=True)
    now, most = memory(visitor.process)
    each = (now - before) / max(sessions, 1)
    print(
        f"the server holds {now / 1e6:.0f} MB, at most {most / 1e6:.0f} MB; a session {each / 1e6:.1f} MB", flush=True
    )


async def _crowd(visitor: Visitor, prepared: Prepared, sessions: int) -> dict[str, list[float]]:
    """Seconds by kind of action. All begin at the same moment, and nobody pauses."""
    from tests.trials.people import NEXT, OPEN, offers
    from tests.trials.visitor import Visitor as Person

    times: dict[str, list[float]] = {OPEN: [], NEXT: []}

    async def work(number: int) -> None:
        person, chance, ids = Person(f"person{number}"), random.Random(number), prepared.corpora
        where = f"corpus={ids[number % len(ids)]}&run={visitor.run}&doc={prepared.id(1000 * number)}"
        for kind, act in (
            (OPEN, lambda: person.opened(visitor.address, "document", where)),
            *((NEXT, lambda: offers(person, chance)[NEXT]()) for _ in range(TRIES)),
        ):
            begun = time.perf_counter()
            await act()
            times[kind].append(time.perf_counter() - begun)
        await person.close()

    await asyncio.gather(*(work(number) for number in range(sessions)))
    return times


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--documents", type=int, default=100_000)
    options.add_argument("--corpora", type=int, default=3)
    options.add_argument("--sessions", type=int, default=20)
    options.add_argument("--linking", action="store_true", help="the sample's linker and texts, not the toy system")
    options.add_argument("--pictures", type=Path, help="a folder for pictures of what was opened")
    options.add_argument("--keep", type=Path, help="the workspace, kept for the next time")
    asked = options.parse_args()
    n, corpora, sessions = (6_000, 1, 2) if asked.quick else (asked.documents, asked.corpora, asked.sessions)

    from tests.browser.conftest import ROOT

    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests" / "ui" / "with_toy"), str(ROOT)])
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        place = asked.keep or Path(folder) / "workspace"
        begun = time.perf_counter()
        with served(place, n, corpora, linking=asked.linking) as (server, found):
            took = time.perf_counter() - begun
            print(f"{len(found.corpora)} corpora of {n} documents there after {took:.0f} s", flush=True)
            visitor = Visitor(server, chromium.new_page(viewport={"width": 1440, "height": 900}), found.runs)
            compute(visitor, found.corpora)
            look(visitor, found, n, asked.pictures)
            crowd(visitor, found, sessions)
            if len(found.runs) > 1:
                compare(visitor, found.corpora[0])


if __name__ == "__main__":
    main()
