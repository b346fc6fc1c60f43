"""Opening a long document in the tree view of coreference: 10 000 tokens, made by joining documents of a corpus.

    python -m benchmarks.bench_tree_view [--data dev.conll.gz] [--model m.zip] [--visits 3] [--quick]

What the engine computes, step by step; then in Chromium the wall time from the key that steps to the
document until its text and its trees are drawn: the first time, while the curve of the root bias is computed beside the
page, and again; and frames a second while its trees are scrolled. Without a model one is trained on the same documents
for two passes. Other work on the machine counts in wall times, so each visit has a server of its own and all are given.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from benchmarks.browsing import browser
from benchmarks.places import DATA, SAMPLES, parser
from engine.corpora import read
from engine.data.document import GOLD, Document, Layer, Mention
from engine.settings import with_values
from engine.store.workspace import Workspace
from engine.tasks.base import Resources
from engine.tasks.coreference.deciding import best_tree
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.scoring import CoreferenceModel, score
from engine.tasks.coreference.task import Coreference
from engine.tasks.saving import load_model, save_model

TOKENS = 10_000
Result = TypeVar("Result")


class Timed(Protocol):
    def __call__(self, name: str, act: Callable[[], Result]) -> Result: ...


_TREES = """() => {
  const at = [...document.querySelectorAll('*')].map(one => one.shadowRoot?.querySelector('.board')).find(Boolean);
  return at ? at.style.height : '';
}"""
_SCROLL = """async () => {
  const at = [...document.querySelectorAll('*')].map(one => one.shadowRoot?.querySelector('.scroller')).find(Boolean);
  const begun = performance.now(); let frames = 0;
  while (frames < 90) { at.scrollTop += 150; await new Promise(requestAnimationFrame); frames++; }
  return 1000 * frames / (performance.now() - begun);
}"""


def joined(documents: Sequence[Document], tokens: int) -> Document:
    """The first documents as one, until it has so many tokens."""
    texts: list[str] = []
    words: list[tuple[int, int]] = []
    sentences: list[tuple[int, int]] = []
    mentions: list[Mention] = []
    clusters: list[tuple[int, ...]] = []
    columns: dict[str, list[Any]] = {name: [] for name in documents[0].columns}
    at = 0
    for one in documents:
        if len(words) >= tokens:
            break
        sentences += [(first + len(words), last + len(words)) for first, last in one.sentences]
        words += [(start + at, end + at) for start, end in one.tokens]
        clusters += [tuple(i + len(mentions) for i in cluster) for cluster in one.gold.clusters]
        mentions += [Mention(mention.start + at, mention.end + at) for mention in one.gold.mentions]
        for name, values in columns.items():
            values += one.columns[name]
        texts.append(one.text)
        at += len(one.text) + 1
    return Document(
        "long",
        "\n".join(texts),
        tuple(words),
        tuple(sentences),
        {name: tuple(values) for name, values in columns.items()},
        {GOLD: Layer(tuple(mentions), tuple(clusters))},
    )


def trained(documents: Sequence[Document]) -> CoreferenceModel:
    task = Coreference()
    settings = with_values(task.learner(None).settings, {"n_rounds": "2"})
    return list(task.rounds(documents, [], "delayed-laso", settings, Resources()))[-1].build()


def measure_engine(short: Document, long: Document, model: CoreferenceModel) -> None:
    steps: dict[str, list[float]] = {}

    def timed(name: str, act: Callable[[], Result]) -> Result:
        begun = time.perf_counter()
        result = act()
        steps.setdefault(name, []).append(time.perf_counter() - begun)
        return result

    task = Coreference()
    scored = task.score([short], model)
    task.explain(scored, model, 0, trace=task.trace(scored))
    best_tree(replace(scored, steps=None))
    for _ in range(3):
        scored = timed("mentions, arcs, scores", lambda: score([long], model))
        _measure_decisions(timed, scored, model)
    print(f"{len(long.words)} tokens, {scored.n} mentions, {len(scored.head)} arcs; wall seconds:")
    for name, seconds in steps.items():
        print(f"  {name:28}{min(seconds):.3f} at best, median {statistics.median(seconds):.3f}")


def _measure_decisions(timed: Timed, scored: CoreferenceScored, model: CoreferenceModel) -> None:
    task, local = Coreference(), replace(scored, steps=None)
    timed("best tree of local scores", lambda: best_tree(local))
    timed("beam search", lambda: best_tree(scored))
    trace = timed("trace: search, latent, rivals", lambda: task.trace(scored))
    arc = scored.arc(trace.predicted[-1].head, scored.n)
    timed("why, the first time", lambda: task.explain(scored, model, arc, trace=trace))
    timed("why, again", lambda: task.explain(scored, model, arc, trace=trace))


def measure_page(short: Document, long: Document, model: CoreferenceModel, visits: int) -> None:
    from playwright.sync_api import Page

    from tests.browser.conftest import serving, settle
    from ui.shell import models

    idle = '[data-testid="stApp"][data-test-script-state="notRunning"]'

    def step(page: Page, key: str, to: Document) -> float:
        """Seconds until text and trees of the document are drawn."""
        before = page.evaluate(_TREES)
        begun = time.perf_counter()
        page.keyboard.press(key)
        page.wait_for_selector(f".text .line >> nth={len(to.sentences) - 1}", state="attached")
        page.wait_for_function(f"before => ({_TREES})() !== before", arg=before, polling="raf")
        drawn = time.perf_counter() - begun
        page.wait_for_selector(idle)
        return drawn

    def click(page: Page, place: int) -> float:
        """Seconds until the choice of a mention is explained."""
        mention = page.locator(".board .mention").nth(place)
        name = mention.get_attribute("data-key")
        begun = time.perf_counter()
        mention.click()
        page.wait_for_function(f"location.search.includes('sel={name}')", polling="raf")
        page.wait_for_selector(idle)
        return time.perf_counter() - begun

    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        path = Path(folder) / "model.zip"
        save_model(Coreference(), model, path)
        for visit in range(visits):
            directory = Path(folder) / f"workspace{visit}"
            workspace = Workspace.open(directory)
            corpus = workspace.add_corpus("Sizes", [short, long])
            run = models.adopt(workspace, path)
            workspace.close()
            with serving(directory, toy=False) as server:
                page = chromium.new_page(viewport={"width": 1440, "height": 900})
                page.goto(f"{server.address}/coreference?corpus={corpus}&run={run}&doc={short.id}")
                settle(page)
                page.locator(".board .mention").first.wait_for()
                page.wait_for_timeout(1000)
                first = step(page, "]", long)
                early = [click(page, place) for place in (3, 6, 9)]
                step(page, "[", short)
                page.get_by_role("slider").first.wait_for(timeout=300_000)
                page.wait_for_timeout(1000)
                again = step(page, "]", long)
                page.wait_for_timeout(1000)
                rate = page.evaluate(_SCROLL)
                page.wait_for_timeout(1000)
                late = [click(page, place) for place in (3, 6, 9)]
                page.close()
                page = chromium.new_page(viewport={"width": 1440, "height": 900})
                begun = time.perf_counter()
                page.goto(f"{server.address}/coreference?corpus={corpus}&run={run}&doc={long.id}")
                page.locator(".board .mention").first.wait_for()
                by_address = time.perf_counter() - begun
                page.close()
            print(
                f"stepping to it: {first:.2f} s while its curve is computed beside, {again:.2f} s later;"
                f" a click: {statistics.median(early):.2f} s, {statistics.median(late):.2f} s later;"
                f" by its address in a new tab: {by_address:.2f} s; {rate:.0f} frames a second while scrolling"
            )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=DATA / "ontogum" / "dev.conll.gz", help="CoNLL-2012 corpus")
    options.add_argument("--model", type=Path, help="a coreference model; without one, one is trained")
    options.add_argument("--visits", type=int, default=3, help="how often the page is opened, each on a new server")
    args = options.parse_args()
    data, tokens, visits = args.data, TOKENS, args.visits
    if args.quick:
        data, tokens, visits = SAMPLES / "coreference" / "dev.conll", 500, 1
    if not data.is_file():
        sys.exit(
            f"this benchmark needs a corpus: --data FILE, or ESPALIER_DATA with ontogum in it (there is no {data})"
        )
    documents = read(data)
    long = joined(documents, tokens)
    model = load_model(Coreference(), args.model) if args.model else trained(documents)
    measure_engine(documents[0], long, model)
    measure_page(documents[0], long, model, visits)


if __name__ == "__main__":
    main()
