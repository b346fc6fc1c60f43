"""A whole annotation job by keyboard only, and edits that survive the death of the server."""

from __future__ import annotations

import random
import re
import signal
from pathlib import Path

from playwright.sync_api import Page, expect

from engine import corpora
from engine.data.edits import AddMention, AddRelation, SetCluster, SetEntity, SetType, Together
from engine.store.workspace import Workspace
from tests.browser.conftest import Server, Visit, serving, settle
from tests.ui import harness


def saved(page: Page, edits: int) -> None:
    """Until the server has acknowledged so many edits of this document."""
    expect(page.locator(".saved")).to_have_text(f"saved, {edits} edit{'' if edits == 1 else 's'}")


def flat(edit: object) -> list[object]:
    return [one for part in edit.edits for one in flat(part)] if isinstance(edit, Together) else [edit]


def test_a_whole_job_by_keyboard_only(visit: Visit, server: Server, tmp_path: Path) -> None:
    workspace = server.open_workspace()
    corpus = workspace.add_corpus("Job", harness.sample_documents(3))
    page = visit(f"/annotate?corpus={corpus}&doc=d1&user=anna")
    desk = page.locator(".page")
    expect(desk).to_be_focused()
    keys = page.keyboard
    # Words of d1: Ada Lovelace met Charles Babbage in London . / She wrote to him .
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    for _ in range(3):
        keys.press("ArrowRight")  # him
    keys.press("Enter")
    saved(page, 1)
    keys.press("1")
    saved(page, 2)
    keys.press("e")
    entity = page.get_by_label("search for an entity")
    entity.fill("Charles")
    expect(page.locator(".why .list li").first).to_contain_text("Charles_Babbage")
    keys.press("Enter")
    saved(page, 3)
    keys.press("c")
    for _ in range(3):
        keys.press("Shift+Tab")  # She, London, Charles Babbage
    keys.press("Enter")
    saved(page, 4)
    keys.press("r")
    keys.press("Shift+Tab")
    keys.press("Enter")
    page.get_by_label("name of the relation").fill("writes_to")
    keys.press("Enter")
    saved(page, 5)

    log = workspace.annotations(corpus)
    document = workspace.documents(corpus)[1]
    him = document.text.index("him")
    done = log.state(document).layer()
    (mention,) = [m for m in done.mentions if m.start == him]
    assert (mention.type, mention.entity) == ("PER", "Charles_Babbage")
    assert any(
        {done.mentions[i].start for i in cluster} >= {him, document.text.index("Charles")} for cluster in done.clusters
    )
    assert [(r.type, done.mentions[r.head].start) for r in done.relations] == [("writes_to", him)]
    kinds = [type(one) for row in log.history("d1") for one in flat(row.edit)]
    assert {AddMention, SetType, SetEntity, SetCluster, AddRelation} <= set(kinds)

    for n in range(5):
        keys.press("Control+z")
        saved(page, 6 + n)
    assert log.state(document).layer().mentions == document.gold.mentions
    for n in range(5):
        keys.press("Control+y")
        saved(page, 11 + n)
    assert log.state(document).layer() == done

    exported = tmp_path / "job.jsonl"
    corpora.write(workspace.gold_documents(corpus), exported)
    assert corpora.read(exported)[1].gold.mentions == done.mentions
    assert corpora.read(exported)[1].gold.relations == done.relations
    page.reload()
    settle(page)
    saved(page, 15)


def test_two_people_see_each_others_conflict(visit: Visit, server: Server) -> None:
    workspace = server.open_workspace()
    corpus = workspace.add_corpus("Two", harness.sample_documents(2))
    anna = visit(f"/annotate?corpus={corpus}&doc=d1&user=anna")
    ben = visit(f"/annotate?corpus={corpus}&doc=d1&user=ben")
    for page, key in ((anna, "2"), (ben, "1")):
        page.locator(".page").focus()
        page.keyboard.press("Tab")
        page.keyboard.press(key)
        page.wait_for_timeout(300)
    expect(ben.locator("[role=alert]")).to_contain_text("anna")
    assert workspace.annotations(corpus).state(workspace.documents(corpus)[1]).layer().mentions[0].type == "LOC"


def test_every_acknowledged_edit_survives_a_killed_server(browser: object, tmp_path: Path) -> None:
    place = tmp_path / "workspace"
    workspace = Workspace.open(place)
    corpus = workspace.add_corpus("Kill", harness.sample_documents(2))
    rng = random.Random(0)
    acknowledged = 0
    for _ in range(2):
        with serving(place) as server:
            context = browser.new_context()  # type: ignore[attr-defined]
            page = context.new_page()
            page.goto(f"{server.address}/annotate?corpus={corpus}&doc=d1&user=anna")
            settle(page)
            page.locator(".page").focus()
            page.keyboard.press("Tab")
            page.keyboard.press("2")
            expect(page.locator(".saved")).to_have_text(re.compile(r"saved, \d+ edit"))
            told = page.locator(".saved").text_content() or ""
            for _ in range(3):
                page.keyboard.press(rng.choice("12"))
                page.wait_for_timeout(rng.randrange(0, 250))
            server.kill(signal.SIGKILL)
            context.close()
        count = re.search(r"saved, (\d+) edit", told)
        acknowledged = max(acknowledged, int(count[1]) if count else 0)
        assert len(Workspace.open(place).annotations(corpus).history("d1")) >= acknowledged
    assert acknowledged > 0
