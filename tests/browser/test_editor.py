"""The editor by mouse, in every script: what is marked is what is saved, exported and read again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine import corpora
from engine.data.document import GOLD, Document, Layer, Mention, Relation
from engine.store.workspace import Workspace
from tests.browser.conftest import Mount, answer_to, mounted
from tests.browser.test_text import EVIL, TONGUES
from ui.tab.messages import unheard
from ui.views.annotate.data import payload
from ui.views.annotate.desk import Desk, perform_all
from ui.views.annotate.vocabulary import Vocabulary

# Where a code point of the document is on the screen: its left and right edge, and the middle of its line.
PLACE = """offset => {
  const root = document.body.firstChild.shadowRoot;
  const seg = [...root.querySelectorAll('.page .seg')].find(s => +s.dataset.start <= offset && offset < +s.dataset.end);
  const node = seg.firstChild, before = Array.from(node.data).slice(0, offset - seg.dataset.start).join('').length;
  const range = document.createRange();
  range.setStart(node, before);
  range.setEnd(node, before + String.fromCodePoint(node.data.codePointAt(before)).length);
  const box = range.getBoundingClientRect();
  return [box.left, box.right, box.top + box.height / 2];
}"""


class Table:
    """A document under edit: what the editor sends is written down, and what it is told next is drawn."""

    def __init__(self, mount: Mount, folder: Path, document: Document, *, place: tuple[int, int] | None = None) -> None:
        self.workspace = Workspace.open(folder, f"sqlite:///{folder}/espalier.db")
        self.corpus = self.workspace.add_corpus("c", [document])
        self.desk = Desk(self.workspace.annotations(self.corpus), document, "anna")
        self.ack: dict[str, int] = {}
        self.place = place
        self.page = mount("editor", self.data())

    def data(self) -> dict[str, Any]:
        shown = payload(self.desk, Vocabulary.of([self.desk.document]), place=self.place)
        return {**shown, "messages": {"session": "test", "ack": self.ack}}

    def save(self) -> None:
        """Once an edit has been sent."""
        self.page.wait_for_function("window.sent.length > 0")
        told = perform_all(self.desk, unheard(self.page.evaluate("window.sent.at(-1)"), self.ack))
        assert told is not None and told.message == ""
        self.page.evaluate("data => { window.sent = []; window.update(data); }", self.data())

    def mentions(self) -> list[tuple[int, int]]:
        return [m.span for m in self.desk.state().layer().mentions]


def edge(page: Page, offset: int, *, end: bool = False) -> tuple[float, float]:
    """The edge of a character where reading enters it, or leaves it: on the right first where text runs leftwards."""
    left, right, y = page.evaluate(PLACE, offset)
    rtl = page.evaluate("offset => /[\\u0590-\\u06ff]/.test(offset)", page.evaluate(CHARACTER, offset))
    inside = 0.3
    return (left + inside if end == rtl else right - inside), y


CHARACTER = """offset => {
  const root = document.body.firstChild.shadowRoot;
  return Array.from([...root.querySelectorAll('.page .seg')].map(s => s.textContent).join(''))[offset];
}"""


def drag(page: Page, first: tuple[float, float], last: tuple[float, float]) -> None:
    page.mouse.move(*first)
    page.mouse.down()
    page.mouse.move((first[0] + last[0]) / 2, (first[1] + last[1]) / 2)
    page.mouse.move(*last)
    page.mouse.up()


@pytest.mark.parametrize(("name", "text", "target"), TONGUES, ids=[name for name, _, _ in TONGUES])
def test_characters_marked_with_the_mouse_survive_save_export_and_import(
    mount: Mount, tmp_path: Path, name: str, text: str, target: str
) -> None:
    table = Table(mount, tmp_path, Document(name, text))
    page, start = table.page, text.index(target)
    end = start + len(target)
    page.locator(".page").press("m")  # single characters
    drag(page, edge(page, start), edge(page, end - 1, end=True))
    expect(page.locator(".why .quote").first).to_have_text(target)
    page.keyboard.press("Enter")
    table.save()
    assert table.mentions() == [(start, end)]
    # One character less by key, and back by undo: graphemes are never cut in two.
    page.keyboard.press(",")
    table.save()
    ((_, shorter),) = table.mentions()
    assert start < shorter < end and not re.match(r"[\u0300-\u036f]", text[shorter])
    page.keyboard.press("Control+z")
    table.save()
    documents = table.workspace.gold_documents(table.corpus)
    names = {"jsonl": "out.jsonl", "brat": "out", "labelstudio": "out.json", "uimacas": "out.json", "nif": "out.ttl"}
    for format, file in names.items():
        path = tmp_path / format / file
        path.parent.mkdir()
        corpora.write(documents, path, format)
        (again,) = corpora.read(path, format)
        assert again.text == text, format
        assert [(m.span, again.surface(m)) for m in again.gold.mentions] == [((start, end), target)], format


def document() -> Document:
    words = ["the", "New", "York", "University", "press", "of", "Boston"]
    made = Document.from_words("d", [words])
    return made.with_layer(GOLD, Layer((Mention(*made.char_range(1, 3), "LOC"),)))


def test_an_edge_that_is_dragged_moves_by_whole_words_and_with_alt_by_characters(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, document())
    page, text = table.page, table.desk.document.text
    page.locator(".chip").click()
    handle = page.locator(".handle.end").bounding_box()
    assert handle is not None
    at = (handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    drag(page, at, edge(page, text.index("University") + 7, end=True))
    table.save()
    assert [text[a:b] for a, b in table.mentions()] == ["New York University"]
    handle = page.locator(".handle.start").bounding_box()
    assert handle is not None
    at = (handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    page.keyboard.down("Alt")
    drag(page, at, edge(page, text.index("ork")))
    page.keyboard.up("Alt")
    table.save()
    assert [text[a:b] for a, b in table.mentions()] == ["ork University"]
    expect(page.locator(".seg.selected").first).to_have_text("ork University")


def test_a_double_click_marks_the_word_and_a_drag_whole_words(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, document())
    page, text = table.page, table.desk.document.text
    page.mouse.dblclick(*edge(page, text.index("oston")))
    expect(page.locator(".why .quote").first).to_have_text("Boston")
    page.keyboard.press("1")
    table.save()
    # From the middle of one word to the middle of another, backwards: both count whole; crossing spans are fine.
    drag(page, edge(page, text.index("iversity")), edge(page, text.index("ork")))
    expect(page.locator(".why .quote").first).to_have_text("York University")
    page.keyboard.press("Enter")
    table.save()
    assert [text[a:b] for a, b in table.mentions()] == ["New York", "York University", "Boston"]
    # To the margin beyond the end of the line.
    box = page.locator(".page").bounding_box()
    assert box is not None
    first = edge(page, text.index("of"))
    drag(page, first, (box["x"] + box["width"] - 4, first[1]))
    expect(page.locator(".why .quote").first).to_have_text("of Boston")


def test_a_chip_dropped_on_another_offers_chains_and_licensed_relations(mount: Mount, tmp_path: Path) -> None:
    made = document()
    mentions = (*made.gold.mentions, Mention(*made.char_range(6, 7), "LOC"))
    table = Table(mount, tmp_path, made.with_layer(GOLD, Layer(mentions)))
    page = table.page
    page.locator(".chip[data-key=g0]").drag_to(page.locator(".chip[data-key=g1]"))
    expect(page.locator(".why h3").first).to_have_text("What holds between them?")
    page.locator(".why li").filter(has_text="same chain").click()
    table.save()
    assert table.desk.state().layer().clusters == ((0, 1),)
    page.locator(".chip[data-key=g1]").click()
    page.keyboard.press("s")  # split it again
    table.save()
    assert table.desk.state().layer().clusters == ((0,), (1,))


def test_relations_are_retyped_turned_round_commented_and_deleted_by_key(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, document())
    page = table.page
    page.locator(".page").press("End")
    page.mouse.dblclick(*edge(page, table.desk.document.text.index("oston")))
    page.keyboard.press("1")
    table.save()
    page.keyboard.press("r")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.get_by_label("name of the relation").fill("near")
    page.keyboard.press("Enter")
    table.save()

    def relations() -> list[tuple[int, int, str]]:
        return [(r.head, r.tail, r.type) for r in table.desk.state().layer().relations]

    assert relations() == [(1, 0, "near")]
    page.keyboard.press("k")
    page.keyboard.press("f")
    table.save()
    assert relations() == [(0, 1, "near")]
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.get_by_label("name of the relation").fill("part of")
    page.keyboard.press("Enter")
    table.save()
    assert relations() == [(0, 1, "part of")]
    page.keyboard.press("k")
    page.keyboard.press("t")
    page.get_by_label("comment").fill("sure?")
    page.keyboard.press("Enter")
    table.save()
    assert [one.text for thread in table.desk.state().comments.values() for one in thread] == ["sure?"]
    page.keyboard.press("k")
    page.keyboard.press("Delete")
    table.save()
    assert relations() == []


def test_the_names_of_arcs_over_the_first_line_stand_inside_the_page(mount: Mount, tmp_path: Path) -> None:
    words = ["Ann", *["walked"] * 12, "Oslo", ".", "Ben", "stayed", "."]
    text = Document.from_words("d", [words])
    mentions = tuple(Mention(*text.char_range(at, at + 1), "PER") for at in (0, 13, 15))
    arcs = (Relation(0, 1, "walked to"), Relation(0, 2, "knows"))
    page = Table(mount, tmp_path, text.with_layer(GOLD, Layer(mentions, relations=arcs))).page
    expect(page.locator(".arc-label")).to_have_count(2)
    frame = page.locator(".page").bounding_box()
    assert frame is not None
    for label in page.locator(".arc-label").all():
        box = label.bounding_box()
        assert box is not None and box["y"] >= frame["y"]
    # The arcs end at the chips, which have moved down with the text; selecting a mention moves nothing.
    ends = page.locator(".arcs .arc-end").first.bounding_box()
    chip = page.locator(".chip").nth(1)
    before = chip.bounding_box()
    assert ends is not None and before is not None and abs(ends["y"] + ends["height"] - before["y"]) < 2
    chip.click()
    assert chip.bounding_box() == before


@pytest.mark.parametrize(("place", "chosen"), [((4500, 4504), True), ((4505, 4509), False)])
def test_a_link_to_a_place_opens_with_it_selected_and_in_sight(
    mount: Mount, tmp_path: Path, place: tuple[int, int], chosen: bool
) -> None:
    text = Document.from_words("d", [["word"] * 10] * 200)
    table = Table(mount, tmp_path, text.with_layer(GOLD, Layer((Mention(4500, 4504, "PER"),))), place=place)
    marked = table.page.locator(".seg.selected" if chosen else ".seg.cursor")
    expect(marked).to_have_count(1)
    expect(marked).to_have_attribute("data-start", str(place[0]))
    expect(marked).to_be_in_viewport()
    expect(table.page.locator(".chip.selected")).to_have_count(int(chosen))
    # What is done afterwards is not undone by the place that the address still holds.
    table.page.locator(".page").press("ArrowRight")
    table.page.evaluate("data => window.update(data)", table.data())
    expect(table.page.locator(".seg.cursor")).to_have_attribute("data-start", str(place[0] + 5))


def test_what_the_server_has_not_acknowledged_is_sent_again_by_the_next_tab(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, document())
    data = {**table.data(), "unsaved": "espalier unsaved c anna"}
    page = table.page
    page.route("http://espalier.test/", lambda route: route.fulfill(body="<html></html>", content_type="text/html"))
    page.goto("http://espalier.test/")  # a page without an address has no storage
    mounted(page, "editor", data)
    page.locator(".chip").click()
    page.keyboard.press("n")
    page.wait_for_function("window.sent.length > 0")
    expect(page.locator(".saved")).to_have_text("saving 1 …")
    (first,) = page.evaluate("window.sent.at(-1)")
    mounted(page, "editor", data)  # another tab: nothing was written in between
    expect(page.locator(".chip")).to_contain_text("NIL")
    page.wait_for_function("window.sent.length > 0")
    (again,) = page.evaluate("window.sent.at(-1)")
    assert (again["client"], again["seq"]) == (first["client"], first["seq"])
    expect(page.locator(".saved")).to_contain_text("kept in this browser")
    page.evaluate("data => window.update(data)", {**data, **answer_to(first)})
    expect(page.locator(".saved")).to_have_text("nothing edited yet")
    assert page.evaluate("Object.keys(localStorage)") == []


def test_what_waits_for_others_is_left_to_them(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, document())
    data = {**table.data(), "unsaved": "espalier unsaved c anna"}
    page = table.page
    page.route("http://espalier.test/", lambda route: route.fulfill(body="<html></html>", content_type="text/html"))
    page.goto("http://espalier.test/")
    told = {"action": "edit", "edit": {"kind": "SetType", "id": "g0", "type": "X"}, "document": "d", "layer": GOLD}
    mine, later = {**told, "client": "n1-", "seq": 1}, {**told, "client": "n1-", "seq": 2}
    page.evaluate(
        "all => { for (const [key, value] of all) localStorage.setItem(key, value); }",
        [
            ["espalier unsaved c anna n1-", json.dumps([mine])],
            ["espalier unsaved c anna b n2-", json.dumps([{**mine, "client": "n2-"}])],  # somebody called "anna b"
            ["espalier unsaved c anna n3-", "written by something else"],
        ],
    )
    mounted(page, "editor", data)
    page.wait_for_function("window.sent.length > 0")
    assert page.evaluate("window.sent.at(-1)") == [mine]
    expect(page.locator(".chip")).to_contain_text("X")
    # The other tab was not gone: it has told more since, which is its own to keep.
    newer = json.dumps([later])
    page.evaluate("text => localStorage.setItem('espalier unsaved c anna n1-', text)", newer)
    page.evaluate("data => window.update(data)", {**data, **answer_to(mine)})
    expect(page.locator(".saved")).to_have_text("nothing edited yet")
    assert page.evaluate("localStorage.getItem('espalier unsaved c anna n1-')") == newer


def test_hostile_text_is_shown_as_text_and_hidden_characters_keep_their_places(mount: Mount, tmp_path: Path) -> None:
    text = EVIL + "\u202egnp.exe\u202c zero\u200bwidth here"
    at = text.index("gnp")
    mention = Mention(at, at + 7, type=EVIL, entity=EVIL)
    made = Document("<b>d", text, layers={GOLD: Layer((mention,), labels=(EVIL,))})
    table = Table(mount, tmp_path, made)
    page = table.page
    assert page.locator(".control-character").all_text_contents()[:3] == ["RLO", "PDF", "ZWSP"]
    start = text.index("here")
    # The placeholders are one character each: what stands behind them is marked where it is.
    page.mouse.dblclick(*page.evaluate(LAST_WORD))
    page.keyboard.press("Enter")
    table.save()
    assert (start, start + 4) in table.mentions()
    page.locator(".chip").first.click()
    expect(page.locator(".why")).to_contain_text("onerror")
    assert page.evaluate("window.hacked") is None and page.locator(".why img, .page img").count() == 0


LAST_WORD = """() => {
  const root = document.body.firstChild.shadowRoot, node = [...root.querySelectorAll('.page .seg')].at(-1).lastChild;
  const range = document.createRange();
  range.setStart(node, node.data.length - 3);
  range.setEnd(node, node.data.length - 1);
  const box = range.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""
