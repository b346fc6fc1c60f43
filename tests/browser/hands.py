"""Two ways to work on the pages: with the mouse only, and with the keyboard only. Text is typed in both.

The keyboard never gets help: what is to be pressed is reached with Tab, tabs of a page with the arrow keys.
"""

from __future__ import annotations

from typing import Protocol

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import settle

KEYS = {"PER": "1", "LOC": "2", "ORG": "3"}
FOCUSED = """node => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return node === at || node.contains(at);
}"""
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


class Hand(Protocol):
    def press(self, page: Page, target: Locator) -> None:
        """A button, or a box to tick."""

    def write(self, page: Page, field: Locator, text: str) -> None: ...

    def choose(self, page: Page, field: Locator, option: str) -> None:
        """An option of a list that opens."""

    def tab(self, page: Page, name: str) -> None:
        """A tab of the page."""

    def mark(self, page: Page, word: str, type: str) -> None:
        """A word of the text becomes a mention."""

    def leave(self, page: Page) -> None:
        """Nothing is selected any more."""

    def done(self, page: Page) -> None: ...

    def take_over(self, page: Page) -> None: ...

    def answer(self, page: Page) -> None: ...


class ByMouse:
    def press(self, page: Page, target: Locator) -> None:
        settle(page)
        # What one sees of a box to tick is its label.
        label = target.locator("xpath=ancestor::label")
        (label if label.count() else target).click()

    def write(self, page: Page, field: Locator, text: str) -> None:
        settle(page)
        field.click()
        page.keyboard.type(text)

    def choose(self, page: Page, field: Locator, option: str) -> None:
        settle(page)
        field.click()
        page.get_by_role("option", name=option, exact=True).click()
        if page.get_by_role("listbox").count():  # a list of which several can be chosen stays open
            page.get_by_test_id("stHeading").first.click()

    def tab(self, page: Page, name: str) -> None:
        page.get_by_role("tab", name=name).click()

    def mark(self, page: Page, word: str, type: str) -> None:
        page.locator(".page .seg", has_text=word).first.evaluate("node => node.scrollIntoView()")
        x, y = page.evaluate(MIDDLE, word)
        page.mouse.dblclick(x, y)
        page.locator(".why .typed", has_text=type).click()

    def leave(self, page: Page) -> None:
        page.mouse.click(*page.evaluate(EMPTY))

    def done(self, page: Page) -> None:
        page.locator(".why button", has_text="Done, next of the queue").click()

    def take_over(self, page: Page) -> None:
        page.get_by_role("button", name="Take over in all documents").click()

    def answer(self, page: Page) -> None:
        page.get_by_role("button", name="1 holds").click()


class ByKeys:
    def press(self, page: Page, target: Locator) -> None:
        settle(page)
        _reach(page, target)
        page.keyboard.press("Space")

    def write(self, page: Page, field: Locator, text: str) -> None:
        settle(page)
        _reach(page, field)
        page.keyboard.type(text)

    def choose(self, page: Page, field: Locator, option: str) -> None:
        self.write(page, field, option)
        expect(page.get_by_role("option", name=option, exact=True)).to_be_visible()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")  # a list of which several can be chosen stays open until the focus leaves it

    def tab(self, page: Page, name: str) -> None:
        settle(page)
        expect(page.locator(".page")).to_be_visible()  # the editor takes the focus when it opens
        wanted = page.get_by_role("tab", name=name)
        for _ in range(12):
            _reach(page, page.get_by_role("tablist").first)
            if wanted.evaluate(FOCUSED):
                break
            # Streamlit opens each tab that an arrow key passes, and may return to it, or lose the focus, if the next
            # key comes before the page is drawn.
            page.keyboard.press("ArrowRight")
            settle(page)
        page.keyboard.press("Enter")
        expect(wanted).to_have_attribute("aria-selected", "true")

    def mark(self, page: Page, word: str, type: str) -> None:
        _reach(page, page.locator(".page"))
        for _ in range(12):
            page.keyboard.press("ArrowRight")
            if page.locator(".seg.cursor").inner_text().strip() == word:
                break
        page.keyboard.press(KEYS[type])

    def leave(self, page: Page) -> None:
        page.keyboard.press("Escape")

    def done(self, page: Page) -> None:
        page.keyboard.press("q")

    def take_over(self, page: Page) -> None:
        settle(page)
        _reach(page, page.get_by_role("tab", name="People"))
        page.keyboard.press("Shift+A")

    def answer(self, page: Page) -> None:
        settle(page)
        _reach(page, page.get_by_role("tab", name="People"))
        page.keyboard.press("1")


def _reach(page: Page, target: Locator) -> None:
    """Press Tab until the focus is there; nothing may be out of the keyboard's reach."""
    expect(target).to_be_attached()
    for _ in range(200):
        if target.evaluate(FOCUSED):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {target}")
