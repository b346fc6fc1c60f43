"""Tune and Errors on a large corpus: 5 000 documents, 50 000 operating points, about 25 000 errors.

Frames a second while the knob is dragged over the whole curve (requestAnimationFrame, so what the browser really
shows), how long one move of the knob keeps the page's thread busy, and the wall time from a click on a cell of the
error table until its cases are listed. Needs Chromium; other work on the machine counts, so best and median are given.

python -m benchmarks.bench_pages [--quick]
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.browsing import browser
from benchmarks.places import parser
from engine.data.document import GOLD, Document, Layer, Mention
from engine.store.workspace import Workspace
from engine.tasks.base import Model
from engine.tasks.saving import save_model
from tests.ui import harness
from tests.ui.toy import Toy, ToySettings

DOCUMENTS, WORDS = 5_000, 10
DRAGS, CLICKS = 3, 7

_DRAG = """([steps]) => new Promise(done => {
  const knob = window.knob;
  const from = performance.now(), times = []; let i = 0, busy = 0;
  function frame(now) {
    times.push(now);
    if (i++ === steps) { done({ times, busy, seconds: (performance.now() - from) / 1000 }); return; }
    const begun = performance.now();
    knob.value = Math.round(i * knob.max / steps);
    knob.dispatchEvent(new Event('input', { bubbles: true }));
    busy += performance.now() - begun;
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);
})"""


def documents(n: int) -> list[Document]:
    """Words that occur once each; every other one is a mention, and some of them are two words long."""
    rng = np.random.default_rng(0)
    found = []
    for d in range(n):
        document = Document.from_words(f"d{d}", [[f"w{d}x{i}" for i in range(WORDS)]])
        starts = range(0, WORDS - 1, 2)
        mentions = tuple(
            Mention(*document.char_range(i, i + 1 + int(rng.random() < 0.3)), type=("PER", "LOC", "ORG")[i % 3])
            for i in starts
        )
        found.append(document.with_layer(GOLD, Layer(mentions)))
    return found


def prepare(folder: Path, n: int) -> str:
    """A workspace with the corpus and a run whose model scores every word differently."""
    workspace = Workspace.open(folder)
    corpus = documents(n)
    workspace.add_corpus("Large", corpus)
    tiny = workspace.add_corpus("Tiny", harness.sample_documents(2))
    run = harness.start(workspace, [tiny], epochs=1)
    harness.wait_for(workspace, run)
    rng = np.random.default_rng(1)
    state = {}
    for document in corpus:
        gold = {mention.span for mention in document.gold.mentions}
        for word, span in zip(document.words, document.tokens, strict=True):
            state[word] = float(rng.normal() + (1.0 if span in gold else -0.5))
    save_model(Toy(), Model("toy", "count", ToySettings(), state), workspace.model_path(run))
    return run


def _cpu(server: int, session: Any) -> tuple[float, float]:
    """CPU seconds so far of the server's process and of the page's thread."""
    fields = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), float(metrics["TaskDuration"])


def main() -> None:
    n, drags, clicks = (200, 1, 2) if parser(__doc__).parse_args().quick else (DOCUMENTS, DRAGS, CLICKS)
    from playwright.sync_api import expect

    from tests.browser.conftest import ROOT, serving, settle

    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests" / "ui" / "with_toy"), str(ROOT)])
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        workspace = Path(folder) / "workspace"
        run = prepare(workspace, n)
        with serving(workspace) as server:
            page = chromium.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(120_000)
            page.goto(f"{server.address}/tune?corpus=large&run={run}")
            settle(page)
            knob = page.locator(".tuner input[type=range]")
            expect(knob).to_be_visible(timeout=120_000)
            points = int(knob.get_attribute("max") or 0) + 1
            knob.evaluate("node => { window.knob = node }")
            page.wait_for_timeout(3000)
            rates, busy = [], []
            for _ in range(drags):
                result: Any = page.evaluate(_DRAG, [120])
                rates.append(120 / result["seconds"])
                busy.append(result["busy"] / 120)
            print(f"knob over {points} operating points: {max(rates):.0f} frames a second at best, median"
                  f" {statistics.median(rates):.0f}; one move keeps the page busy for {min(busy):.2f} ms")  # fmt: skip
            page.goto(f"{server.address}/errors?corpus=large&run={run}")
            settle(page)
            caption = page.get_by_text("most confident first")
            expect(caption).to_be_visible(timeout=120_000)
            page.wait_for_timeout(3000)
            numbers = [
                page.get_by_role("button", name=f"{stage}, all:") for stage in ("mention not proposed", "scored lower")
            ]
            times, cpu = [], []
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            for click in range(clicks):
                before = caption.text_content()
                spent, begun = _cpu(server.process.pid, session), time.perf_counter()
                numbers[click % 2].click()
                expect(caption).not_to_have_text(before or "", timeout=60_000)
                times.append(time.perf_counter() - begun)
                page.wait_for_timeout(1500)
                cpu.append([b - a for a, b in zip(spent, _cpu(server.process.pid, session), strict=True)])
            found = caption.text_content()
            server_ms, page_ms = (1000 * statistics.median(one[i] for one in cpu) for i in (0, 1))
            print(
                f"opening an error cell over {n} documents: {1000 * min(times):.0f} ms at best, median"
                f" {1000 * statistics.median(times):.0f} ms; CPU until all is quiet: server {server_ms:.0f} ms,"
                f" page {page_ms:.0f} ms ({found})"
            )


if __name__ == "__main__":
    main()
