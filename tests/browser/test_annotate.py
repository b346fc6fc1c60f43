"""A whole annotation job by keyboard only, and two people at one document."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from engine.data.document import NIL, Document, Layer, Mention
from engine.data.edits import AddMention, AddRelation, SetCluster, SetEntity, SetType, Together
from tests.browser.conftest import Server, Visit, settle
from tests.ui import harness


def saved(page: Page, edits: int) -> None:
    """Until the server has acknowledged so many edits of this document."""
    expect(page.locator(".saved")).to_have_text(f"saved, {edits} edit{'' if edits == 1 else 's'}")


def flat(edit: object) -> list[object]:
    return [one for part in edit.edits for one in flat(part)] if isinstance(edit, Together) else [edit]


FOCUSED = """() => {
  let at = document.activeElement;
  while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
  return at ? (at.innerText || '').trim() || at.getAttribute('aria-label') || '' : '';
}"""


def go_to(page: Page, name: str) -> None:
    """Press Tab until the focus is on what bears this name; nothing may be out of the keyboard's reach."""
    for _ in range(150):
        if str(page.evaluate(FOCUSED)).startswith(name):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {name!r}")


@pytest.mark.slow
def test_a_whole_job_by_keyboard_only(
    visit: Visit, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = server.open_workspace()
    first = Document.from_words("d0", [["Grace", "Hopper", "wrote", "code", "."]])
    first = first.with_layer("gold", Layer((Mention(0, 12, "PER", "Grace_Hopper"),)))
    corpus = workspace.add_corpus("Job", [first, harness.sample_documents(2)[1]], split="train")
    dev = next(info.id for info in workspace.corpora() if info.split == "dev")
    monkeypatch.setenv("PYTHONPATH", f"{harness.ROOT / 'tests' / 'ui' / 'with_toy'}:{harness.ROOT}")
    run = harness.start(workspace, [corpus], dev=[dev])
    harness.wait_for(workspace, run)

    # The first document is fine: it is done, and the queue has the next.
    page = visit(f"/annotate?corpus={corpus}&doc=d0&user=anna&run={run}")
    keys = page.keyboard
    expect(page.locator(".page")).to_be_focused()
    keys.press("q")
    expect(page).to_have_url(re.compile("doc=d1"))
    expect(page.locator(".page")).to_contain_text("Babbage")
    expect(page.locator(".page")).to_be_focused()
    log = workspace.annotations(corpus)
    assert log.state(first).done

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
    page.get_by_label("search for an entity").fill("Charles")
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
    page.reload()
    settle(page)
    saved(page, 15)

    # Train again from the corrections: "him" is a mention now, which the gold of the dev corpus does not say.
    settle(page)
    go_to(page, "Queue")
    for tab in ("Bulk", "History", "People", "Versions and scores"):
        keys.press("ArrowRight")
        expect(page.get_by_role("tab", name=tab)).to_be_focused()
    settle(page)
    keys.press("Enter")
    expect(page.get_by_role("tab", name="Versions and scores")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("button", name="Retrain with the corrections")).to_be_visible()
    go_to(page, "Retrain with the corrections")
    keys.press("Enter")
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("57.1")
    expect(page.get_by_test_id("stMetricDelta").first).to_contain_text("−9.5 points")

    # Out and in again through the app: nothing is lost.
    go_to(page, "Export a version")
    keys.press("Enter")
    expect(page.get_by_text("Nothing is lost in this format.")).to_be_visible()
    go_to(page, "Prepare the file")
    keys.press("Enter")
    expect(page.get_by_role("button", name=re.compile("Download job-train"))).to_be_visible()
    go_to(page, "Download job-train")
    with page.expect_download() as download:
        keys.press("Enter")
    exported = tmp_path / download.value.suggested_filename
    download.value.save_as(exported)
    page = visit("/corpora?view=Add")
    page.locator('input[type="file"]').set_input_files(exported)
    expect(page.get_by_text("Read without problems: 2 documents.")).to_be_visible()
    before = {info.id for info in workspace.corpora()}
    page.locator(".st-key-corpora-add button").press("Enter")
    expect(page.get_by_text("Added. What next?")).to_be_visible()
    (again,) = [info.id for info in workspace.corpora() if info.id not in before]
    assert workspace.documents(again) == workspace.gold_documents(corpus)
    assert workspace.documents(again)[1].gold == done


def test_two_people_on_one_document_merge_or_choose(browser: Browser, visit: Visit, server: Server) -> None:
    workspace = server.open_workspace()
    corpus = workspace.add_corpus("Two", harness.sample_documents(2))
    document = workspace.documents(corpus)[1]
    log = workspace.annotations(corpus)
    anna = visit(f"/annotate?corpus={corpus}&doc=d1&user=anna")
    context = browser.new_context()
    waiting: list[Callable[[], None]] = []
    late = [False]

    def through(page: WebSocketRoute) -> None:
        """What the server says to Ben can be held back, as by a slow line."""
        far = page.connect_to_server()
        page.on_message(far.send)

        def deliver(message: str | bytes) -> None:
            waiting.append(lambda: page.send(message)) if late[0] else page.send(message)

        far.on_message(deliver)

    context.route_web_socket("**/*", through)
    ben = context.new_page()
    ben.goto(f"{server.address}/annotate?corpus={corpus}&doc=d1&user=ben")
    settle(ben)
    chips = [".chip[data-key=g0]", ".chip[data-key=g2]"]

    # Anna changes one mention, Ben another: both are kept, and each sees the other's without doing anything.
    anna.locator(chips[0]).click()
    anna.keyboard.press("2")
    saved(anna, 1)
    ben.locator(chips[1]).click()
    ben.keyboard.press("1")
    for page in (anna, ben):
        saved(page, 2)
        expect(page.locator(chips[0])).to_contain_text("LOC")
        expect(page.locator(chips[1])).to_contain_text("PER")
    assert [m.type for m in log.state(document).layer().mentions][:3] == ["LOC", "PER", "PER"]

    # Both change the same one, Ben before he has heard of Anna's edit: he is told, and chooses.
    ben.locator(chips[0]).click()
    late[0] = True
    anna.locator(chips[0]).click()
    anna.keyboard.press("n")
    saved(anna, 3)
    ben.keyboard.press("u")
    late[0] = False
    for one in waiting:
        one()
    alert = ben.locator("[role=alert]:not([data-testid])")  # the editor's own
    expect(alert).to_contain_text("anna changed the same annotation meanwhile")
    expect(alert).to_contain_text("NIL")
    assert log.state(document).mentions["g0"].entity == NIL
    ben.locator(".page").press("Enter")  # write mine over it
    saved(ben, 4)
    saved(anna, 4)
    assert log.state(document).mentions["g0"].entity is None
    context.close()


@pytest.mark.thorough
def test_types_have_their_keys_as_soon_as_they_are_given_and_keep_them(visit: Visit, server: Server) -> None:
    """Types were numbered by name until the page was drawn again, and then by who came first: keys moved under the
    fingers of whoever had just learnt them."""
    words = Document.from_words("d", [["Ann", "lives", "in", "Oslo"]])
    corpus = server.open_workspace().add_corpus("Keys", [words])
    page = visit(f"/annotate?corpus={corpus}&doc=d&user=anna")
    page.locator(".page").focus()
    for edits, name in enumerate(("Zebra", "Human", "Ape"), 1):
        page.keyboard.press("ArrowRight")
        page.keyboard.press("0")
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        saved(page, edits)
        page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    given = page.locator(".why .typed")
    expect(given).to_have_text(["Zebra 1", "Human 2", "Ape 3"])
    colours = given.evaluate_all("nodes => nodes.map(node => node.getAttribute('style'))")
    page.reload()
    settle(page)
    page.locator(".page").focus()
    page.keyboard.press("ArrowRight")
    expect(given).to_have_text(["Zebra 1", "Human 2", "Ape 3"])
    assert given.evaluate_all("nodes => nodes.map(node => node.getAttribute('style'))") == colours
