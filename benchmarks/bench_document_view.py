"""What opening a document costs the browser: 10 000 tokens with 1 500 gold and 1 000 predicted mentions, against 200.

CPU seconds of the page's own thread as Chromium counts them (script, layout, all tasks), so that other work on the
machine does not count; and the wall time of stepping to the document inside the app. Needs Chromium.

python -m benchmarks.bench_document_view [--quick]
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

from benchmarks.browsing import browser
from benchmarks.places import parser
from engine.data.document import Document, Layer, Mention
from engine.store.workspace import Workspace

TOKENS_A_SENTENCE = 20
WORDS = "the old bridge over river was built by Ada Lovelace and Charles Babbage near London in spring".split()


def document(id: str, sentences: int) -> Document:
    rng = random.Random(0)
    made = Document.from_words(id, [[rng.choice(WORDS) for _ in range(TOKENS_A_SENTENCE)] for _ in range(sentences)])
    gold, predicted = [], []
    for start, end in made.sentences:
        for _ in range(3):
            first = rng.randrange(start, end - 3)
            mention = Mention(
                *made.char_range(first, first + rng.randint(1, 3)), type=rng.choice(["PER", "LOC", "ORG"])
            )
            gold.append(mention)
            if rng.random() < 0.7:
                predicted.append(mention)
    return made.with_layer("gold", Layer(tuple(gold))).with_layer("other", Layer(tuple(predicted)))


def main() -> None:
    sentences, steps = (25, 1) if parser(__doc__).parse_args().quick else (500, 4)
    from tests.browser.conftest import serving, settle

    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        workspace = Path(folder) / "workspace"
        Workspace.open(workspace).add_corpus("Sizes", [document("small", 10), document("large", sentences)])
        with serving(workspace) as server:
            cost = {}
            for id in ("small", "large", "small", "large"):
                page = chromium.new_page(viewport={"width": 1440, "height": 900})
                session = page.context.new_cdp_session(page)
                session.send("Performance.enable", {"timeDomain": "threadTicks"})
                page.goto(f"{server.address}/document?corpus=sizes&doc={id}")
                settle(page)
                page.wait_for_selector(".text .seg")
                page.wait_for_timeout(1500)
                metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
                cost[id] = metrics
                page.close()
            large_size = f"{sentences * TOKENS_A_SENTENCE:,}"
            print(f"{'CPU seconds of the page':28}{'200 tokens':>12}{large_size:>10}{'ratio':>8}")
            for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration", "TaskDuration"):
                small, large = cost["small"][name], cost["large"][name]
                print(f"{name:28}{small:12.2f}{large:10.2f}{large / small:8.1f}")
            page = chromium.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{server.address}/document?corpus=sizes&doc=small")
            settle(page)
            times = []
            for _ in range(steps):
                begun = time.perf_counter()
                page.keyboard.press("]")
                page.wait_for_selector(f'.text .seg[data-start="0"], .text .line >> nth={sentences - 1}')
                page.wait_for_function("location.search.includes('doc=large')")
                times.append(time.perf_counter() - begun)
                page.keyboard.press("[")
                page.wait_for_function("location.search.includes('doc=small')")
                page.wait_for_timeout(800)
            print(f"stepping to it inside the app: best {min(times):.2f} s wall")


if __name__ == "__main__":
    main()
