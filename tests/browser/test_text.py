"""What a reader sees of a document: the right characters marked, nothing run, nothing reversed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from engine.data.document import Document, Layer, Mention
from tests.browser.conftest import Server, Visit

EVIL = '<script>window.hacked=1</script><img src=x onerror="window.hacked=2"> [a](javascript:alert(1)) '
TONGUES = (
    ("emoji", "👩‍👩‍👧‍👦 and 🇫🇷 went to Paris 🎉 today", "Paris"),
    ("combining", "Cafe\u0301 de\u0301ja\u0300 vu in Zu\u0308rich now", "Zu\u0308rich"),
    ("hebrew", "הוא נסע אל ירושלים אתמול", "ירושלים"),
    ("arabic", "زار محمد القاهرة أمس", "القاهرة"),
    ("chinese", "他昨天去了北京大学看书", "北京大学"),
    ("mixed", "Der 𝔊𝔬𝔢𝔱𝔥𝔢 schrieb שלום 東京 an 𝒜da", "東京"),
)


@pytest.fixture(scope="module")
def corpus(server: Server) -> str:
    documents = [_marked(name, text, target) for name, text, target in TONGUES]
    hostile = EVIL + "\u202egnp.exe\u202c zero\u200bwidth " + "A" * 5000
    at = hostile.index("gnp")
    gold = Layer((Mention(at, at + 7, type="<img src=x onerror=window.hacked=3>"),))
    documents.append(Document("hostile", hostile, layers={"gold": gold}))
    documents.append(_nested())
    return server.open_workspace().add_corpus("Tongues", documents)


def _marked(name: str, text: str, target: str) -> Document:
    start = text.index(target)
    return Document(name, text, layers={"gold": Layer((Mention(start, start + len(target), type="X"),))})


def _nested() -> Document:
    text = "the New York University press of New York"
    spans = ((4, 23), (4, 12), (13, 29), (33, 41))
    return Document("nested", text, layers={"gold": Layer(tuple(Mention(a, b, type="T") for a, b in spans))})


def _segments(page: Page) -> Iterator[tuple[int, int, str]]:
    for segment in page.locator(".text .seg[data-start]").all():
        yield (
            int(segment.get_attribute("data-start") or -1),
            int(segment.get_attribute("data-end") or -1),
            str(segment.evaluate("node => node.textContent")),
        )


def test_marks_stand_on_the_right_characters_in_every_script(visit: Visit, corpus: str) -> None:
    page = visit(f"/document?corpus={corpus}&doc=emoji")
    for name, text, target in TONGUES:
        expect(page.locator(".text")).to_contain_text(text[:4])
        start = text.index(target)
        assert list(_segments(page)) == [(start, start + len(target), target)], name
        page.keyboard.press("]")
        if name != TONGUES[-1][0]:
            expect(page).not_to_have_url(re.compile(f"doc={name}"))


def test_a_hostile_document_is_shown_as_text_and_nothing_runs(visit: Visit, corpus: str) -> None:
    page = visit(f"/document?corpus={corpus}&doc=hostile")
    text = page.locator(".text")
    expect(text).to_contain_text("<script>window.hacked=1</script><img src=x onerror=")
    expect(text).to_contain_text("[a](javascript:alert(1))")
    assert page.evaluate("window.hacked") is None
    # What reorders or hides shows as a placeholder; a token of 5000 letters does not widen the page.
    expect(text.locator(".control-character")).to_have_text(["RLO", "PDF", "ZWSP"])
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for path in ("/", f"/corpora?corpus={corpus}", f"/corpora?corpus={corpus}&view=Statistics"):
        other = visit(path)
        assert other.evaluate("window.hacked") is None


def test_overlapping_spans_never_share_a_row_of_bars(visit: Visit, corpus: str) -> None:
    page = visit(f"/document?corpus={corpus}&doc=nested")
    expect(page.locator(".text")).to_contain_text("University")
    assert [words for _, _, words in _segments(page)] == ["New York", " ", "University", " press", "New York"]
    # "University" lies in two spans that cross: two outlines, at different heights.
    places = page.locator('.seg[data-start="13"]').first.evaluate("node => node.style.backgroundPosition")
    heights = {place.split("calc")[-1] for place in re.split(r",(?![^(]*\))", places)}
    assert len(heights) >= 4


def test_a_click_selects_the_innermost_span_and_the_link_keeps_it(visit: Visit, corpus: str, server: Server) -> None:
    page = visit(f"/document?corpus={corpus}&doc=nested")
    page.locator('.seg[data-start="4"]').first.click()
    expect(page).to_have_url(re.compile("sel=gold%3A1"))
    expect(page.get_by_text("Selected span")).to_be_visible()
    # Again: the span around it. Then the arrow keys go on, and Escape clears.
    page.locator('.seg[data-start="4"]').first.click()
    expect(page).to_have_url(re.compile("sel=gold%3A0"))
    again = visit(page.url.removeprefix(server.address))
    expect(again.locator('.seg.selected[data-start="13"]')).to_be_visible()
    page.locator(".text").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("sel=gold%3A1"))
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("sel="))
