"""A project from raw text to gold that is complete: two blind annotators and a lead, once by mouse, once by keyboard.

Everything is done on the pages: the files come in, the label set is made from nothing, members are named and documents
dealt out; each annotator works in a browser of their own; the lead takes over what is agreed and answers the rest,
names a version, trains on what is done, exports it, and reads the exports in again. One document stays unfinished: it
must be nowhere in the results.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.corpora import FORMATS
from engine.data.document import Document
from engine.store.workspace import Workspace
from engine.tasks.saving import load_model
from engine.workbench.team import labelling
from tests.browser.conftest import Server, Visit, settle
from tests.browser.hands import ByKeys, ByMouse, Hand
from tests.ui import harness
from tests.ui.toy import Toy

NAMES = ("Ann", "Bea", "Cem", "Dan", "Eva", "Fay", "Gil", "Hal", "Ida", "Jon", "Kim")
Said = dict[str, list[tuple[str, str | None]]]


def saved(page: Page, edits: int) -> None:
    expect(page.locator(".saved")).to_contain_text(f"saved, {edits} edit")


def said(documents: list[Document]) -> Said:
    return {d.id: [(d.text[m.start : m.end], m.type) for m in d.gold.mentions] for d in documents}


def raw_files(folder: Path, names: list[str]) -> list[Path]:
    paths = [folder / f"{name.lower()}.txt" for name in names]
    for name, path in zip(names, paths, strict=True):
        path.write_text(f"{name} lives in Oslo.", encoding="utf-8")
    return paths


def added(page: Page, hand: Hand, workspace: Workspace, files: list[Path], documents: int) -> str:
    """The files as a corpus, brought in on Corpora; its id. Choosing files is the browser's own window."""
    before = {info.id for info in workspace.corpora()}
    page.locator('input[type="file"]').set_input_files(files)
    expect(page.get_by_text(f"Read without problems: {documents} documents.")).to_be_visible()
    hand.press(page, page.locator(".st-key-corpora-add button"))
    expect(page.get_by_text("Added. What next?")).to_be_visible()
    (corpus,) = {info.id for info in workspace.corpora()} - before
    return corpus


def set_up(lead: Page, hand: Hand, n: int) -> None:
    """Labels, members and assignments, from nothing."""
    hand.tab(lead, "Labels")
    hand.write(lead, lead.locator(".st-key-labels-add-types input"), "PER, LOC, ORG")
    hand.press(lead, lead.get_by_role("button", name="Add types"))
    expect(lead.get_by_text("3 types, 0 relations")).to_be_visible()
    hand.write(lead, lead.locator(".st-key-labels-add-relation input"), "lives_in")
    hand.choose(lead, lead.locator(".st-key-labels-add-heads input"), "PER")
    hand.choose(lead, lead.locator(".st-key-labels-add-tails input"), "LOC")
    hand.press(lead, lead.get_by_role("button", name="Add the relation"))
    expect(lead.get_by_text("3 types, 1 relation")).to_be_visible()
    hand.tab(lead, "People")
    hand.write(lead, lead.locator(".st-key-project-names input"), "anna, bob")
    hand.press(lead, lead.get_by_role("button", name="Add", exact=True))
    expect(lead.get_by_text("3 members, not blind")).to_be_visible()
    hand.press(lead, lead.locator(".st-key-project-blind input"))
    hand.press(lead, lead.get_by_role("button", name="Save the project"))
    expect(lead.get_by_text("3 members, annotated blind")).to_be_visible()
    hand.press(lead, lead.get_by_role("button", name="Deal out at random"))
    expect(lead.get_by_text(f"Assigned: {n} documents.")).to_be_visible()


def annotate(page: Page, hand: Hand, names: list[str], towns: dict[str, str]) -> None:
    """One annotator works through the queue, blind, up to the last document."""
    for name, following in pairwise(names):
        expect(page.locator(".page")).to_contain_text(name)
        tabs = [tab.inner_text() for tab in page.get_by_role("tab").all()]
        assert tabs == ["Queue", "History", "Labels", "My progress"]
        expect(page.locator(".page .chip")).to_have_count(0)
        hand.mark(page, name, "PER")
        saved(page, 1)
        hand.leave(page)
        hand.mark(page, "Oslo", towns.get(name, "LOC"))
        saved(page, 2)
        hand.leave(page)
        hand.done(page)
        expect(page).to_have_url(re.compile(f"doc={following.lower()}"))
        settle(page)


def adjudicate(lead: Page, hand: Hand, n: int) -> None:
    """Two mentions in each of n documents; on one of them the annotators differ."""
    hand.tab(lead, "People")
    left = "{agreed} agreed annotations not in gold yet, 1 open question"
    expect(lead.get_by_text(re.compile(left.format(agreed=2 * n - 1)))).to_be_visible()
    hand.take_over(lead)
    expect(lead.get_by_text(re.compile(left.format(agreed=0)))).to_be_visible()
    hand.answer(lead)
    expect(lead.get_by_text("Gold is complete")).to_be_visible()


def freeze(lead: Page, hand: Hand, workspace: Workspace, corpus: str) -> None:
    hand.tab(lead, "Versions and scores")
    hand.write(lead, lead.get_by_label("Name of the version"), "v1")
    lead.keyboard.press("Tab")
    expect(lead.get_by_role("button", name="Freeze")).to_be_enabled()
    hand.press(lead, lead.get_by_role("button", name="Freeze"))
    for _ in range(100):
        if workspace.versions(corpus):
            break
        lead.wait_for_timeout(200)
    settle(lead)


def train(page: Page, hand: Hand, workspace: Workspace) -> dict[str, int]:
    """What a system learns on the Train page of the corpus in the sidebar: how often a word was a mention."""
    before = {run.id for run in workspace.runs()}
    expect(page.get_by_role("switch", name="Only documents that are done")).to_be_checked()
    hand.press(page, page.get_by_role("button", name="Start training"))
    for _ in range(100):
        if new := {run.id for run in workspace.runs()} - before:
            break
        page.wait_for_timeout(200)
    (run,) = new
    harness.wait_for(workspace, run)
    assert workspace.run(run).status == "done"
    counts: dict[str, int] = load_model(Toy(), workspace.model_path(run)).state
    return counts


def exported(page: Page, hand: Hand, format: str, folder: Path) -> Path:
    hand.choose(page, page.locator(".st-key-corpora-export-format input"), FORMATS[format].title)
    hand.choose(page, page.locator(".st-key-corpora-export-source input"), "gold version v1")
    hand.press(page, page.locator(".st-key-corpora-export-done input"))
    hand.press(page, page.get_by_role("button", name="Prepare the file"))
    ready = page.locator(".st-key-corpora-download button")
    expect(ready).to_be_visible()
    with page.expect_download() as download:
        hand.press(page, ready)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.parametrize(
    ("n", "hand"),
    [
        pytest.param(2, ByKeys(), id="2-keys", marks=pytest.mark.slow),
        pytest.param(2, ByMouse(), id="2-mouse", marks=pytest.mark.slow),
        pytest.param(10, ByKeys(), id="10-keys", marks=pytest.mark.long),
        pytest.param(10, ByMouse(), id="10-mouse", marks=pytest.mark.long),
    ],
)
def test_two_blind_annotators_and_a_lead_make_complete_gold_of_raw_text(
    visit: Visit, browser: Browser, server: Server, tmp_path: Path, hand: Hand, n: int
) -> None:
    workspace, names, unfinished = server.open_workspace(), list(NAMES[:n]), NAMES[n]
    files = raw_files(tmp_path, [*names, unfinished])
    corpus = added(visit("/corpora?view=Add"), hand, workspace, files, n + 1)
    log = workspace.annotations(corpus)
    set_up(visit(f"/annotate?corpus={corpus}&user=lea"), hand, n + 1)
    labels = labelling.defined(log)
    assert labels is not None and [(one.name, one.key) for one in labels.types] == [
        ("PER", "1"),
        ("LOC", "2"),
        ("ORG", "3"),
    ]

    # Bob takes one town for an organisation; on everything else they agree. The last document nobody finishes.
    for who, towns in (("anna", {}), ("bob", {names[-1]: "ORG"})):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(90_000)
        page = context.new_page()
        page.goto(f"{server.address}/annotate?corpus={corpus}&user={who}&doc={names[0].lower()}")
        settle(page)
        annotate(page, hand, [*names, unfinished], towns)
        expect(page.get_by_text(f"1 of {n + 1} documents are still to be done")).to_be_visible()
        context.close()
    assert not log.history(layer="gold"), "nobody blind can write gold"

    lead = visit(f"/annotate?corpus={corpus}&user=lea&doc={names[-1].lower()}")
    adjudicate(lead, hand, n)
    freeze(lead, hand, workspace, corpus)
    gold = workspace.gold_documents(corpus, "v1", only_done=True)
    assert said(gold) == {name.lower(): [(name, "PER"), ("Oslo", "LOC")] for name in names}, "complete, nothing else"
    assert all(m.extra["agreed"] for d in gold for m in d.gold.mentions)

    lead = visit(f"/annotate?corpus={corpus}&user=lea&doc={unfinished.lower()}")
    hand.mark(lead, unfinished, "PER")
    saved(lead, 1)
    counts = train(visit(f"/train?task=toy&corpus={corpus}"), hand, workspace)
    assert counts[names[0]] > 0 and unfinished not in counts, "only what is done is learnt from"
    for format in ("brat", "uimacas"):
        file = exported(visit(f"/corpora?view=Export&corpus={corpus}"), hand, format, tmp_path)
        again = added(visit("/corpora?view=Add"), hand, workspace, [file], n)
        assert said(workspace.documents(again)) == said(gold), format
        spans = {d.id: [m.span for m in d.gold.mentions] for d in workspace.documents(again)}
        assert spans == {d.id: [m.span for m in d.gold.mentions] for d in gold}, format
