"""A project from raw text to gold that is complete: two blind annotators and a lead, once by mouse, once by keyboard.

The files come in on Corpora, the label set is made on Labels, each annotator works in a browser of their own, the lead
takes over what is agreed and answers the rest, names a version, trains on what is done, and exports. Members are named
through the store: a grid that is drawn on a canvas cannot be asked what it shows.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from engine import corpora
from engine.cli.main import main
from engine.store.workspace import Workspace
from tests.browser.conftest import Server, Visit, settle
from tests.ui import harness
from tests.ui.toy import ToySettings
from ui.background import jobs

NAMES = ("Ann", "Bea", "Cem", "Dan", "Eva", "Fay", "Gil", "Hal", "Ida", "Jon")
CONF = "[entities]\nPER\nLOC\nORG\n[relations]\nlives_in\tArg1:PER, Arg2:LOC\n"


class ByMouse:
    """Marks and answers with the mouse only."""

    def mark(self, page: Page, word: str, type: str) -> None:
        page.locator(".page .seg", has_text=word).first.evaluate("node => node.scrollIntoView()")
        x, y = page.evaluate(MIDDLE, word)
        page.mouse.dblclick(x, y)
        page.locator(".why .typed", has_text=type).click()

    def done(self, page: Page) -> None:
        page.locator(".why button", has_text="Done, next of the queue").click()

    def leave(self, page: Page) -> None:
        page.mouse.click(*page.evaluate(EMPTY))

    def take_over(self, page: Page) -> None:
        page.get_by_role("button", name="Take over in all documents").click()

    def answer(self, page: Page) -> None:
        page.get_by_role("button", name="1 holds").click()


class ByKeys:
    """The same with the keyboard only; the annotator's cursor starts before the first word."""

    def mark(self, page: Page, word: str, type: str) -> None:
        for _ in range(12):
            page.keyboard.press("ArrowRight")
            if page.locator(".seg.cursor").inner_text().strip() == word:
                break
        page.keyboard.press({"PER": "1", "LOC": "2", "ORG": "3"}[type])

    def done(self, page: Page) -> None:
        page.keyboard.press("q")

    def leave(self, page: Page) -> None:
        page.keyboard.press("Escape")

    def take_over(self, page: Page) -> None:
        page.get_by_role("tab", name="People").focus()
        page.keyboard.press("Shift+A")

    def answer(self, page: Page) -> None:
        page.get_by_role("tab", name="People").focus()
        page.keyboard.press("1")


MIDDLE = """word => {
  const page = [...document.querySelectorAll('*')].map(n => n.shadowRoot?.querySelector('.page')).find(Boolean);
  const walk = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const at = walk.currentNode.data.indexOf(word);
    if (at < 0 || walk.currentNode.parentNode.closest('.chip')) continue;
    const range = document.createRange();
    range.setStart(walk.currentNode, at);
    range.setEnd(walk.currentNode, at + word.length);
    const box = range.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }
  throw new Error(`no ${word}`);
}"""
EMPTY = """() => {
  const page = [...document.querySelectorAll('*')].map(n => n.shadowRoot?.querySelector('.page')).find(Boolean);
  const box = page.getBoundingClientRect();
  return [box.x + box.width / 2, box.bottom - 10];
}"""


def saved(page: Page, edits: int) -> None:
    expect(page.locator(".saved")).to_contain_text(f"saved, {edits} edit")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{name.lower()}.txt" for name in NAMES]
    for name, path in zip(NAMES, paths, strict=True):
        path.write_text(f"{name} lives in Oslo.", encoding="utf-8")
    return paths


def added(page: Page, workspace: Workspace, files: list[Path]) -> str:
    """The files as a corpus, brought in on Corpora; its id."""
    before = {info.id for info in workspace.corpora()}
    page.locator('input[type="file"]').set_input_files(files)
    expect(page.get_by_text(f"Read without problems: {len(files)} documents.")).to_be_visible()
    page.locator(".st-key-corpora-add button").click()
    expect(page.get_by_text("Added. What next?")).to_be_visible()
    (corpus,) = {info.id for info in workspace.corpora()} - before
    return corpus


def annotate(page: Page, hand: ByMouse | ByKeys, names: list[str], towns: dict[str, str]) -> None:
    """One annotator works through the queue, blind."""
    for i, name in enumerate(names):
        expect(page.locator(".page")).to_contain_text(name)
        assert [tab.inner_text() for tab in page.get_by_role("tab").all()] == [
            "Queue",
            "History",
            "Labels",
            "My progress",
        ]
        expect(page.locator(".page .chip")).to_have_count(0)
        hand.mark(page, name, "PER")
        saved(page, 1)
        hand.leave(page)
        hand.mark(page, "Oslo", towns.get(name, "LOC"))
        saved(page, 2)
        hand.leave(page)
        hand.done(page)
        if i + 1 < len(names):
            expect(page).to_have_url(re.compile(f"doc={names[i + 1].lower()}"))
            settle(page)


@pytest.mark.parametrize(
    ("n", "hand"),
    [
        pytest.param(2, ByKeys(), id="2-keys"),
        pytest.param(2, ByMouse(), id="2-mouse", marks=pytest.mark.slow),
        pytest.param(10, ByKeys(), id="10-keys", marks=pytest.mark.long),
        pytest.param(10, ByMouse(), id="10-mouse", marks=pytest.mark.long),
    ],
)
def test_two_blind_annotators_and_a_lead_make_complete_gold_of_raw_text(
    visit: Visit,
    browser: Browser,
    server: Server,
    files: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hand: ByMouse | ByKeys,
    n: int,
) -> None:
    workspace, names = server.open_workspace(), list(NAMES[:n])
    corpus = added(visit("/corpora?view=Add"), workspace, files[:n])
    lead = visit(f"/annotate?corpus={corpus}&user=lea")
    lead.get_by_role("tab", name="Labels").click()
    lead.locator('input[type="file"]').set_input_files(
        {"name": "a.conf", "mimeType": "text/plain", "buffer": CONF.encode()}
    )
    lead.get_by_role("button", name="Add what the file names").click()
    expect(lead.get_by_text("3 types, 1 relation")).to_be_visible()
    members = {"lea": "lead", "anna": "annotator", "bob": "annotator"}
    workspace.set_up_project(corpus, members=members, blind=True)
    workspace.assign(corpus, {name.lower(): ("anna", "bob") for name in names})

    # Bob takes one town for an organisation; on everything else they agree.
    for who, towns in (("anna", {}), ("bob", {names[-1]: "ORG"})):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(90_000)
        page = context.new_page()
        page.goto(f"{server.address}/annotate?corpus={corpus}&user={who}&doc={names[0].lower()}")
        settle(page)
        annotate(page, hand, names, towns)
        expect(page.get_by_text("Nothing is left in this queue.")).to_be_visible()
        context.close()
    log = workspace.annotations(corpus)
    assert not log.history(layer="gold"), "nobody blind can write gold"

    lead = visit(f"/annotate?corpus={corpus}&user=lea&doc={names[-1].lower()}")
    lead.get_by_role("tab", name="People").click()
    expect(
        lead.get_by_text(re.compile(f"{2 * n - 1} agreed annotations not in gold yet, 1 open question"))
    ).to_be_visible()
    hand.take_over(lead)
    expect(lead.get_by_text(re.compile("0 agreed annotations not in gold yet, 1 open question"))).to_be_visible()
    hand.answer(lead)
    expect(lead.get_by_text("Gold is complete")).to_be_visible()
    lead.get_by_role("tab", name="Versions and scores").click()
    lead.get_by_label("Name of the version").fill("v1")
    lead.get_by_label("Name of the version").press("Enter")
    expect(lead.get_by_role("button", name="Freeze")).to_be_enabled()
    settle(lead)
    lead.get_by_role("button", name="Freeze").click()
    for _ in range(100):
        if workspace.versions(corpus):
            break
        lead.wait_for_timeout(200)
    settle(lead)

    gold = workspace.gold_documents(corpus, "v1", only_done=True)
    said = {d.id: [(d.text[m.start : m.end], m.type) for m in d.gold.mentions] for d in gold}
    assert said == {name.lower(): [(name, "PER"), ("Oslo", "LOC")] for name in names}, "complete, and nothing else"
    assert all(m.extra["agreed"] for d in gold for m in d.gold.mentions)
    monkeypatch.setenv("PYTHONPATH", f"{harness.ROOT / 'tests' / 'ui' / 'with_toy'}:{harness.ROOT}")
    run = jobs.start(workspace, "toy", "count", asdict(ToySettings()), train=[corpus], dev=[], asked=["only done"])
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"
    for format, name in (("brat", "out"), ("uimacas", "out.cas")):
        target = ["--out", str(tmp_path / name), "--to", format, "--only-done", "--version", "v1"]
        assert main(["gold", "export", "--corpus", corpus, "--workspace", str(server.workspace), *target]) == 0
        again = {d.id: d for d in corpora.read(tmp_path / name, format)}
        assert {id: [(m.span, m.type) for m in d.gold.mentions] for id, d in again.items()} == {
            d.id: [(m.span, m.type) for m in d.gold.mentions] for d in gold
        }, format
