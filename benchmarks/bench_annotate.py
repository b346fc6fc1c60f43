"""How soon an edit is seen in a document of 10 000 tokens: from the key or mouse event to the frame with the mark.

The page measures itself: the event's own time stamp, then the first task after the frame in which the mark is there.
Also how long until the server has written the edit down, and until the document is open. Once without suggestions, and
once with about 2 700 beside it, which a colleague's layer makes, so that no model is timed: how long until those in
sight are there, and all. Then with a linker that decides anew after each answer to a suggestion: how long until what
it suggests now is on the page. Needs Chromium.

python -m benchmarks.bench_annotate [--quick]
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from benchmarks.bench_document_view import TOKENS_A_SENTENCE, document
from benchmarks.bench_suggest import linker_and_text
from benchmarks.browsing import browser
from benchmarks.places import parser
from engine.data.edits import AddMention, Together
from engine.store.workspace import Workspace
from ui.shell import models

LIMIT = 150.0
"""Milliseconds in which an edit must be seen."""
FOLLOW = 1000.0
"""Milliseconds in which suggestions must follow an edit (median)."""
UNDO, ACCEPT, REJECT = "undo (Ctrl+Z)", "accept (Enter)", "reject (Delete)"
ANSWERED = (UNDO, ACCEPT, REJECT)
"""What the server's answer shows; everything else is shown before it has answered."""
REPEATS, SENTENCES = 20, 500
LETTERS_A_SENTENCE = 104
"""Of the linker's text: as many as give it tokens like the other document's."""

# `watch(test)` waits for the next key or mouse button, and then for the frame after which `test()` holds.
WATCH = """
window.deep = selector => document.querySelectorAll('*').values().map(n => n.shadowRoot).filter(Boolean)
  .flatMap(r => r.querySelectorAll(selector)).toArray();
window.watch = (type, test) => new Promise((done, fail) => {
  setTimeout(() => fail(new Error(`not seen after 20 s: ${test}`)), 20000);
  window.addEventListener(type, event => {
    const begun = event.timeStamp, frame = () => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => test() ? finish(performance.now() - begun) : frame();
      channel.port2.postMessage(0);
    });
    const finish = seen => {
      // Looked up once: walking the whole page again and again would be timed as well.
      const saved = deep('.saved')[0], desk = deep('.desk')[0];
      const isSaved = () => /^saved/.test(saved.textContent);
      const isDecided = () => desk.getAttribute('aria-busy') === 'false';
      const taken = () => performance.now() - begun;
      const follow = written => isDecided() ? done([seen, written, taken()]) : setTimeout(follow, 4, written);
      const poll = () => isSaved() ? follow(taken()) : setTimeout(poll, 4);
      poll();
    };
    frame();
  }, { capture: true, once: true });
});
"""

# What the panel says about suggestions: how many there are, and how many have come so far.
DECIDED = "deep('.desk')[0]?.getAttribute('aria-busy') === 'false'"
SUGGESTED = "deep('.why h3').map(n => n.textContent).filter(t => /suggestion/.test(t))"


class Taken(NamedTuple):
    """What one edit took, in milliseconds: until it was seen, until it was written down, until what is suggested after
    it was there, and what that cost the server and the page's own thread in CPU time, which other work on the machine
    does not change."""

    seen: float
    written: float
    followed: float
    server: float
    page: float


class Meter:
    """CPU time that the server and the page have had so far."""

    def __init__(self, page: Any, server: int) -> None:
        self._server = psutil.Process(server)
        self._page = page.context.new_cdp_session(page)
        self._page.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read(self) -> tuple[float, float]:
        times = self._server.cpu_times()
        metrics = {one["name"]: one["value"] for one in self._page.send("Performance.getMetrics")["metrics"]}
        return 1000 * (times.user + times.system), 1000 * metrics["TaskDuration"]


def measured(page: Any, meter: Meter, event: str, test: str, act: Any) -> Taken:
    page.evaluate(f"() => {{ window.result = watch({event!r}, () => {test}); }}")
    before = meter.read()
    act()
    seen, saved, followed = page.evaluate("window.result")
    server, own = (now - then for now, then in zip(meter.read(), before, strict=True))
    return Taken(float(seen), float(saved), float(followed), server, own)


def first_line(page: Any) -> float:
    """The height of the first line of text that can be seen whole."""
    frame = page.locator(".page").bounding_box()
    boxes = page.evaluate("deep('.page .seg').map(n => n.getClientRects()[0]).map(b => b && [b.top, b.bottom])")
    inside = [(top + bottom) / 2 for top, bottom in filter(None, boxes) if frame["y"] < top < bottom < frame["y"] + 300]
    return float(inside[0])


def left(page: Any) -> float:
    return float(page.locator(".page").bounding_box()["x"]) + 14


def main() -> int:
    quick = parser(__doc__).parse_args().quick
    sentences, repeats = (25, 1) if quick else (SENTENCES, REPEATS)
    from tests.browser.conftest import serving, settle

    slow = 0
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        workspace = Path(folder) / "workspace"
        with serving(suggested(workspace, sentences)) as server:
            for title, layer in (("alone", "shared"), ("with suggestions", "seeing")):
                page = chromium.new_page(viewport={"width": 1440, "height": 900})
                page.add_init_script(WATCH)
                page.goto(f"{server.address}/annotate?corpus=long&doc=small&user=anna&layer={layer}")
                settle(page)
                page.wait_for_selector(".page .seg")
                begun = time.monotonic()
                page.get_by_role("button", name="next ›").click()
                page.wait_for_function("deep('.page .chip').length > 20")
                opened = time.monotonic() - begun
                told = f"{title}: open {opened:.1f} s after the click"
                if layer == "seeing":
                    page.wait_for_function(f"{SUGGESTED}.length > 0", timeout=90_000)
                    first = time.monotonic() - begun
                    page.wait_for_function(f"{SUGGESTED}.some(t => !/so far/.test(t))", timeout=90_000)
                    told += f", suggestions in sight after {first:.1f} s, all {suggestions_on(page)}"
                    told += f" after {time.monotonic() - begun:.1f} s"
                print(told)
                slow += report(edits(page, Meter(page, server.process.pid), repeats), sentences)
                page.close()
        workspace = Path(folder) / "with a linker"
        run = linked(workspace, LETTERS_A_SENTENCE * sentences)
        with serving(workspace, toy=False) as server:
            page = chromium.new_page(viewport={"width": 1440, "height": 900})
            page.add_init_script(WATCH)
            page.goto(f"{server.address}/annotate?corpus=long&user=anna&run={run}")
            settle(page)
            page.wait_for_selector(".page .seg")
            page.wait_for_function(f"{DECIDED} && {SUGGESTED}.length > 0", timeout=90_000)
            print(f"with a linker: {suggestions_on(page)} suggestions")
            found = answers(page, Meter(page, server.process.pid), repeats)
            slow += report(found, sentences)
            late = [name for name, taken in found.items() if statistics.median(one.followed for one in taken) > FOLLOW]
            print(f"limit {FOLLOW:.0f} ms until suggestions follow: {'kept' if not late else 'missed'}")
            slow += len(late)
    return 1 if slow and not quick else 0


def linked(workspace: Path, characters: int) -> str:
    """A workspace with a document of tweets and a linker as a run; returns the run's id."""
    task, model, long = linker_and_text(characters)
    space = Workspace.open(workspace)
    space.add_corpus("Long", [long])
    run = models.keep(space, task, model, (), train="", dev="", note="")
    space.close()
    return run


def answers(page: Any, meter: Meter, repeats: int) -> dict[str, list[Taken]]:
    """Answers to suggestions, each of which makes the linker decide anew, and taking one back."""
    times: dict[str, list[Taken]] = {}
    keys = page.keyboard
    selected = "deep('.page .chip.suggested.selected').length"

    def note(name: str, act: Any, test: str) -> None:
        times.setdefault(name, []).append(measured(page, meter, "keydown", test, act))

    def next_suggestion() -> None:
        keys.press("Tab")
        while not page.evaluate(selected):
            keys.press("Tab")

    page.locator(".page").focus()
    for _ in range(repeats):
        next_suggestion()
        note(ACCEPT, lambda: keys.press("Enter"), f"!{selected}")
        next_suggestion()
        note(REJECT, lambda: keys.press("Delete"), f"!{selected}")
        note(UNDO, lambda: keys.press("Control+z"), "true")
    return times


def suggested(workspace: Path, sentences: int) -> Path:
    """A workspace with a long document behind a short one, and a colleague who has marked much in the long one."""
    space = Workspace.open(workspace)
    long = document("large", sentences)
    corpus = space.add_corpus("Long", [document("small", 2), long])
    seen = {mention.span for mention in long.gold.mentions}
    rng = random.Random(1)
    spans = {(first[0], second[1]) for first, second in pairwise(long.tokens) if rng.random() < 0.27} - seen
    marked = [AddMention(f"b{i}", *span, type="PER") for i, span in enumerate(sorted(spans))]
    space.annotations(corpus).append(long, Together(tuple(marked)), user="bob", layer="bob")
    return workspace


def suggestions_on(page: Any) -> int:
    return int(str(page.evaluate(f"{SUGGESTED}[0]")).split()[0])


def edits(page: Any, meter: Meter, repeats: int) -> dict[str, list[Taken]]:
    """Every kind of edit, so often, at places of its own."""
    rng = random.Random(0)
    times: dict[str, list[Taken]] = {}
    keys = page.keyboard

    def note(name: str, event: str, test: str, act: Any) -> None:
        times.setdefault(name, []).append(measured(page, meter, event, test, act))

    chips = "deep('.page .chip:not(.suggested)').length"  # suggestions come and go by themselves
    for _ in range(repeats):
        for _ in range(rng.randrange(1, 6)):
            keys.press("ArrowDown")
        for _ in range(rng.randrange(1, 8)):
            keys.press("ArrowRight")
        keys.press("Shift+ArrowRight")
        before = page.evaluate(chips)
        note("add a mention (Enter)", "keydown", f"{chips} === {before + 1}", lambda: keys.press("Enter"))
        chip = "deep('.page .chip.selected')[0]?.textContent"
        kind = page.evaluate("deep('.why [aria-pressed=true]')[0]?.textContent.trim() ?? ''")
        number = next(n for n, t in (("1", "LOC"), ("2", "ORG"), ("3", "PER")) if t not in kind)
        shown = page.evaluate("n => deep('.why [aria-pressed]')[n - 1].childNodes[0].data.trim()", int(number))
        note("give a type (1 … 9)", "keydown", f"{chip}?.includes({shown!r})", lambda n=number: keys.press(n))
        text = "deep('.seg.selected').map(n => n.textContent).join('')"
        old = page.evaluate(text)
        note("move its end (.)", "keydown", f"{text} !== {old!r}", lambda: keys.press("."))
        before = page.evaluate(chips)
        note("delete (Delete)", "keydown", f"{chips} === {before - 1}", lambda: keys.press("Delete"))
        note(UNDO, "keydown", f"{chips} === {before}", lambda: keys.press("Control+z"))
        keys.press("Escape")
        keys.press("Escape")
        y = first_line(page)
        page.mouse.move(left(page) + rng.randrange(5, 40), y)
        page.mouse.down()
        page.mouse.move(left(page) + rng.randrange(90, 200), y, steps=3)
        note("mark with the mouse", "mouseup", "deep('.seg.cursor').length", page.mouse.up)
        keys.press("Escape")
    return times


def report(times: dict[str, list[Taken]], sentences: int) -> int:
    """The table; how many kinds of edits are seen too late."""
    size = f"{sentences * TOKENS_A_SENTENCE:,} tokens, ms"
    heads = ("seen", "95 %", "worst", "written", "95 %", "followed", "95 %", "CPU server", "CPU page")
    print(f"{size:24}" + "".join(f"{head:>12}" for head in heads))
    slow = 0
    for name, found in times.items():
        seen, written, followed = (
            sorted(getattr(one, what) for one in found) for what in ("seen", "written", "followed")
        )
        high = seen[int(0.95 * (len(seen) - 1))]
        row = (
            statistics.median(seen),
            high,
            seen[-1],
            statistics.median(written),
            written[int(0.95 * (len(written) - 1))],
            statistics.median(followed),
            followed[int(0.95 * (len(followed) - 1))],
            statistics.median(one.server for one in found),
            statistics.median(one.page for one in found),
        )
        print(f"{name:24}" + "".join(f"{value:12.0f}" for value in row))
        slow += name not in ANSWERED and high > LIMIT
    print(f"limit {LIMIT:.0f} ms for what is shown at once: {'kept' if not slow else f'{slow} over it'}")
    return slow


if __name__ == "__main__":
    sys.exit(main())
