"""What opening a document costs the browser: 10 000 tokens with 1 500 gold and 1 000 predicted mentions, against 200.

CPU seconds of the page's own thread as Chromium counts them (script, layout, all tasks), so that other work on the
machine does not count; and the wall time of stepping to the document inside the app. Needs Chromium.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.data.document import Document, Layer, Mention
from engine.store.workspace import Workspace

WORDS = "the old bridge over river was built by Ada Lovelace and Charles Babbage near London in spring".split()


def document(id: str, sentences: int) -> Document:
    rng = random.Random(0)
    made = Document.from_words(id, [[rng.choice(WORDS) for _ in range(20)] for _ in range(sentences)])
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
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("needs Chromium: apt-get install chromium")
        return
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import serving, settle

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        workspace = Path(folder) / "workspace"
        Workspace.open(workspace).add_corpus("Sizes", [document("small", 10), document("large", 500)])
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with serving(workspace) as server:
            cost = {}
            for id in ("small", "large", "small", "large"):
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                session = page.context.new_cdp_session(page)
                session.send("Performance.enable", {"timeDomain": "threadTicks"})
                page.goto(f"{server.address}/document?corpus=sizes&doc={id}")
                settle(page)
                page.wait_for_selector(".text .seg")
                page.wait_for_timeout(1500)
                metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
                cost[id] = metrics
                page.close()
            print(f"{'CPU seconds of the page':28}{'200 tokens':>12}{'10 000':>10}{'ratio':>8}")
            for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration", "TaskDuration"):
                small, large = cost["small"][name], cost["large"][name]
                print(f"{name:28}{small:12.2f}{large:10.2f}{large / small:8.1f}")
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{server.address}/document?corpus=sizes&doc=small")
            settle(page)
            times = []
            for _ in range(4):
                begun = time.perf_counter()
                page.keyboard.press("]")
                page.wait_for_selector('.text .seg[data-start="0"], .text .line >> nth=499')
                page.wait_for_function("location.search.includes('doc=large')")
                times.append(time.perf_counter() - begun)
                page.keyboard.press("[")
                page.wait_for_function("location.search.includes('doc=small')")
                page.wait_for_timeout(800)
            print(f"stepping to it inside the app: best {min(times):.2f} s wall")
        browser.close()


if __name__ == "__main__":
    main()
