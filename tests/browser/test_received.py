"""The editor's page puts together what the server sends piece by piece, and asks for all where it lacks a piece."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.edits import AddMention, RemoveMention, SetType
from engine.data.plain_text import tokenised
from tests.browser.conftest import Mount
from tests.browser.test_editor import Table
from ui.components.editor.sent import Sent

SHOWN = "() => [...document.body.firstChild.shadowRoot.querySelectorAll('.page .chip')].map(n => n.dataset.key)"
TYPED = "() => [...document.body.firstChild.shadowRoot.querySelectorAll('.page .chip')].map(n => n.textContent)"


def words(n: int) -> Document:
    text = "\n".join(f"word{i} and more" for i in range(n))
    mentions = tuple(Mention(*span, "PER") for span in tokenised(Document("d", text)).tokens[::6])
    return tokenised(Document("d", text, layers={GOLD: Layer(mentions)}))


def told(sent: Sent, table: Table, holds: str | None) -> dict[str, Any]:
    data = table.data()
    messages = data.pop("messages")
    return {**sent.next(data, holds), "messages": messages}


def test_random_edits_sent_as_differences_are_all_on_screen(mount: Mount, tmp_path: Path) -> None:
    table, sent, rng = Table(mount, tmp_path, words(40)), Sent("s"), random.Random(3)
    log, document = table.desk.log, table.desk.document
    whole = told(sent, table, None)
    table.page.evaluate("data => window.update(data)", whole)
    held = [whole["stamp"]]
    for i in range(25):
        there = sorted(table.desk.state().mentions)
        start, end = rng.choice(document.tokens)
        edit = rng.choice(
            [
                AddMention(f"n{i}", start, end, "LOC"),
                RemoveMention(rng.choice(there)),
                SetType(rng.choice(there), "ORG"),
            ]
        )
        log.append(document, edit, user="bob")
        answer = told(sent, table, rng.choice(held[-3:]))
        table.page.evaluate("data => window.update(data)", answer)
        held.append(answer["stamp"])
        state = table.desk.state().mentions
        assert sorted(table.page.evaluate(SHOWN)) == sorted(state)
        types = sorted(str(one.type) for one in state.values())
        assert sorted(one.split(" · ")[0] for one in table.page.evaluate(TYPED)) == types
    assert answer["over"] is not None


def test_a_new_node_asks_for_all_instead_of_showing_half(mount: Mount, tmp_path: Path) -> None:
    table, sent = Table(mount, tmp_path, words(4)), Sent("s")
    whole = told(sent, table, None)
    table.page.evaluate("data => window.update(data)", whole)
    table.desk.log.append(table.desk.document, AddMention("new", 0, 3, "LOC"), user="bob")
    table.page.evaluate("data => { window.sent = []; window.remount(data); }", told(sent, table, whole["stamp"]))
    table.page.wait_for_function("window.sent.some(queue => queue.some(one => one.action === 'whole'))")
    table.page.evaluate("data => window.update(data)", told(sent, table, None))
    expect(table.page.locator(".page .chip", has_text="LOC")).to_have_count(1)


RESTS = "window.sent.flat().filter(one => one.action === 'rest')"
REST = f"{RESTS}.at(-1)"


def test_while_suggestions_are_held_back_the_page_says_what_it_shows(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, Document.from_words("d", [["some", "words"]] * 200))
    page, end = table.page, len(table.desk.document.text)
    offer = {"key": "span:0:5:0:0:", "kind": "span", "start": 0, "end": 5, "value": "", "other": [0, 0]}
    held = {**table.data(), "suggestions": [{**offer, "score": 0.5, "by": ""}], "held": 7}
    page.evaluate("data => window.update(data)", held)
    page.wait_for_function(f"{REST}?.start === 0")
    seen = page.evaluate(REST)
    assert seen["doc"] == held["doc"] and 0 < seen["end"] < end / 2
    expect(page.locator(".why")).to_contain_text("8 suggestions, 1 here so far")
    page.locator(".page").press("A")  # accepting all must not mean some
    expect(page.get_by_role("alert")).to_contain_text("suggestions are still on their way")
    assert not page.evaluate("window.sent.flat().some(one => one.action === 'accept')")
    page.evaluate("() => { const p = document.body.firstChild.shadowRoot.querySelector('.page'); p.scrollTop = 1e6; }")
    page.wait_for_timeout(200)
    page.evaluate("data => window.update(data)", {**held, "version": 1})
    page.wait_for_function(f"{REST}.end === {end}")
    assert page.evaluate(REST)["start"] > end / 2
    page.evaluate("data => { window.sent = []; window.update(data); }", {**held, "held": 0})
    page.locator(".page").press("A")
    page.wait_for_function("window.sent.flat().some(one => one.action === 'accept')")


def test_while_a_model_decides_the_page_asks_again_until_it_has(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, words(4))
    page, asked = (
        table.page,
        "new Set(window.sent.flat().filter(one => one.action === 'rest').map(one => one.seq)).size",
    )
    for n in (1, 2, 3):
        page.evaluate("data => window.update(data)", {**table.data(), "deciding": True})
        page.wait_for_function(f"{asked} === {n}")
        expect(page.locator(".desk")).to_have_attribute("aria-busy", "true")
    page.evaluate("data => window.update(data)", {**table.data(), "deciding": False})
    expect(page.locator(".desk")).to_have_attribute("aria-busy", "false")
    page.wait_for_timeout(1500)
    assert page.evaluate(asked) == 3


def test_an_edit_asks_as_well_so_nothing_is_asked_beside_it(mount: Mount, tmp_path: Path) -> None:
    """Else the next edit of somebody who types fast waits until a question was answered of which nothing is left."""
    table = Table(mount, tmp_path, words(4))
    page = table.page
    page.evaluate(
        """async data => {
          window.update(data);
          for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
          const page = document.body.firstChild.shadowRoot.querySelector('.page');
          page.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true }));
        }""",
        {**table.data(), "deciding": True},
    )
    page.wait_for_timeout(1000)
    actions = "window.sent.flat().map(one => one.action)"
    assert set(page.evaluate(actions)) == {"edit"}
    page.evaluate("data => window.update(data)", {**table.data(), "deciding": True})
    page.wait_for_function(f"{actions}.includes('rest')")
