"""Fields of the editor: what is typed goes where the eye is, and nothing else happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from engine.data.document import GOLD, Document, Layer, Mention, Relation
from tests.browser.conftest import Mount
from tests.browser.test_editor import Table, drag, edge


def pair() -> Document:
    made = Document.from_words("d", [["Ann", "lives", "in", "Oslo", "with", "Ben"]])
    spans = [(0, 1, "PER"), (3, 4, "LOC"), (5, 6, "PER")]
    mentions = tuple(Mention(*made.char_range(a, b), kind) for a, b, kind in spans)
    return made.with_layer(GOLD, Layer(mentions, relations=(Relation(0, 1, "Live_In"), Relation(0, 2, "knows"))))


def test_a_comment_opened_by_mouse_takes_the_keys_and_survives_a_colleague(mount: Mount, tmp_path: Path) -> None:
    """The review: "not sure" typed after a click on Comment made the link NIL; a colleague's edit wiped the draft."""
    table = Table(mount, tmp_path, pair())
    page = table.page
    page.locator(".chip[data-key=g0]").click()
    page.get_by_role("button", name="Comment t", exact=True).click()
    expect(page.get_by_label("comment")).to_be_focused()
    page.keyboard.type("not ")
    page.evaluate("data => window.update(data)", table.data())  # somebody else's edit draws the page anew
    expect(page.get_by_label("comment")).to_have_value("not ")
    expect(page.get_by_label("comment")).to_be_focused()
    page.locator(".page").focus()  # a key still belongs to the field that is open
    page.keyboard.type("sure")
    assert page.evaluate("window.sent") == []
    page.keyboard.press("Enter")
    table.save()
    state = table.desk.state()
    assert [(one.text, one.author) for one in state.comments["g0"]] == [("not sure", "anna")]
    assert state.mentions["g0"].entity is None
    expect(page.locator(".remark")).to_contain_text("anna")
    page.get_by_role("button", name="Resolved").click()
    table.save()
    assert table.desk.state().resolved == {"g0"}


def test_another_type_by_mouse_is_searched_and_keeps_what_is_half_typed(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, pair())
    page = table.page
    page.locator(".chip[data-key=g0]").click()
    page.get_by_role("button", name="another type").click()
    field = page.get_by_label("name of the type")
    expect(field).to_be_focused()
    page.keyboard.type("lo")
    page.evaluate("data => window.update(data)", table.data())
    expect(field).to_have_value("lo")
    expect(page.locator(".why li.at")).to_contain_text("LOC")
    page.keyboard.type("cus")
    page.keyboard.press("Enter")
    table.save()
    assert table.desk.state().mentions["g0"].type == "locus"


def found(table: Table, text: str, *entities: str) -> dict[str, Any]:
    items = [{"entity": name, "note": ""} for name in entities]
    return {**table.data(), "candidates": {"id": "g0", "text": text, "items": items}}


def test_enter_takes_the_entity_that_fits_what_was_typed(mount: Mount, tmp_path: Path) -> None:
    """The review: "Venus" + Enter wrote Freddie Mercury, since the model's first candidate stayed on top."""
    table = Table(mount, tmp_path, pair())
    page = table.page
    page.locator(".chip[data-key=g0]").click()
    page.keyboard.press("e")
    update = "data => window.update(data)"
    page.evaluate(update, found(table, "Ann", "Freddie_Mercury", "Mercury_(planet)"))
    expect(page.locator(".why li.at")).to_contain_text("Freddie_Mercury")  # nothing typed: as the model ranks
    page.get_by_label("search for an entity").fill("mercury (pl")
    expect(page.locator(".why li.at")).to_contain_text("Mercury_(planet)")
    page.get_by_label("search for an entity").fill("Venus")
    expect(page.locator(".why .list").first).not_to_contain_text("Mercury")
    # Before the server has looked, Enter waits for what it finds.
    page.keyboard.press("Enter")
    page.evaluate(update, found(table, "Venus", "Freddie_Mercury", "Aphrodite", "Venus_Williams", "Venus"))
    page.wait_for_function("window.sent.at(-1)?.some(one => one.action === 'edit')")
    (edit,) = [one["edit"] for one in page.evaluate("window.sent.at(-1)") if one["action"] == "edit"]
    assert edit == {"kind": "SetEntity", "id": "g0", "entity": "Venus"}


def test_relations_that_are_not_licensed_or_there_already_are_refused_with_the_reason(
    mount: Mount, tmp_path: Path
) -> None:
    table = Table(mount, tmp_path, pair())
    page = table.page
    page.locator(".chip[data-key=g0]").click()
    page.keyboard.press("k")
    page.keyboard.press("f")  # Live_In from LOC to PER
    expect(page.get_by_role("alert")).to_contain_text("Live_In holds from PER to LOC, not from LOC to PER")
    page.keyboard.press("r")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    expect(page.get_by_role("alert")).to_contain_text("Live_In is there already")
    assert page.evaluate("window.sent") == []
    # The arrow of an arc is at the chip of its tail.
    tail, arrow = page.locator(".chip[data-key=g1]").bounding_box(), page.locator(".arcs polygon").first.bounding_box()
    assert tail is not None and arrow is not None
    assert tail["x"] <= arrow["x"] + arrow["width"] / 2 <= tail["x"] + tail["width"]


def test_escape_keeps_the_place(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, Document.from_words("d", [["word"] * 10] * 30))
    page = table.page
    page.locator(".page").focus()
    for _ in range(10):
        page.keyboard.press("ArrowDown")
    before = page.locator(".seg.cursor").get_attribute("data-start")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    after = page.locator(".seg.cursor").get_attribute("data-start")
    assert before is not None and after is not None and int(after) == int(before) + 5


def test_arrows_go_on_from_where_somebody_clicked(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, Document.from_words("d", [["word"] * 10] * 30))
    page = table.page
    page.locator(".page").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".seg.cursor").get_attribute("data-start") == "0"
    x, y = edge(page, 4 * 50 + 12)  # inside the third word of the fifth sentence
    page.mouse.click(x, y)
    expect(page.locator(".seg.cursor")).to_have_count(0)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert page.locator(".seg.cursor").get_attribute("data-start") == str(4 * 50 + 10)
    page.mouse.click(x, y)
    page.keyboard.press("ArrowLeft")
    assert page.locator(".seg.cursor").get_attribute("data-start") == str(4 * 50 + 5)


def test_chinese_is_marked_by_character_and_a_mention_may_have_gaps(mount: Mount, tmp_path: Path) -> None:
    text = "昨天习近平访问了德国。"
    table = Table(mount, tmp_path, Document("d", text, tokens=((0, len(text)),)))
    page, start = table.page, text.index("习")
    drag(page, edge(page, start), edge(page, start + 2, end=True))
    expect(page.locator(".why .quote").first).to_have_text("习近平")
    page.keyboard.press("Enter")
    table.save()
    assert table.mentions() == [(start, start + 3)]
    far = text.index("德")
    drag(page, edge(page, far), edge(page, far + 1, end=True))
    page.keyboard.press("+")
    table.save()
    page.keyboard.press("Control+z")
    table.save()
    assert table.mentions() == [(start, start + 3)]
    drag(page, edge(page, far), edge(page, far + 1, end=True))
    page.get_by_role("button", name="Add this as a piece").click()
    table.save()
    (mention,) = table.desk.state().layer().mentions
    assert mention.span == (start, far + 2) and mention.extra["fragments"] == [[start, start + 3], [far, far + 2]]
    page.keyboard.press(".")  # a new edge makes it whole again
    table.save()
    assert "fragments" not in table.desk.state().layer().mentions[0].extra


def test_types_beyond_nine_have_two_keys(mount: Mount, tmp_path: Path) -> None:
    made = Document.from_words("d", [[f"w{i}" for i in range(12)]])
    mentions = tuple(Mention(*made.char_range(i, i + 1), f"T{i:02}") for i in range(11))
    table = Table(mount, tmp_path, made.with_layer(GOLD, Layer(mentions)))
    page = table.page
    page.locator(".chip[data-key=g0]").click()
    page.keyboard.press("f")
    page.keyboard.press("2")
    table.save()
    assert table.desk.state().mentions["g0"].type == "T10"
    # A second key that no type has ends the sequence, and the panel says so: the next digit is a key of its own.
    asks = page.locator(".why").get_by_text("the second key of the type")
    page.keyboard.press("f")
    expect(asks).to_be_visible()
    page.keyboard.press("9")
    expect(asks).to_be_hidden()
    page.keyboard.press("2")
    table.save()
    assert table.desk.state().mentions["g0"].type == "T01"


def test_all_like_this_tells_the_words_and_what_they_are(mount: Mount, tmp_path: Path) -> None:
    table = Table(mount, tmp_path, pair())
    table.page.locator(".chip[data-key=g0]").click()
    table.page.keyboard.press("a")
    told = table.page.evaluate("window.sent.at(-1).at(-1)")
    assert (told["action"], told["text"], told["type"], told["entity"]) == ("alike", "Ann", "PER", None)


def test_thai_without_tokens_is_marked_by_character_with_its_vowels(mount: Mount, tmp_path: Path) -> None:
    text = "ที่นี่ไทย"  # the first letter bears a vowel and a tone mark
    table = Table(mount, tmp_path, Document("d", text))
    table.page.locator(".page").focus()
    table.page.keyboard.press("ArrowRight")
    table.page.keyboard.press("Enter")
    table.save()
    assert table.mentions() == [(0, 3)]


def test_text_from_right_to_left_is_walked_and_marked_in_reading_order(mount: Mount, tmp_path: Path) -> None:
    text = "דוד גר בחיפה"
    table = Table(mount, tmp_path, Document("d", text))
    page = table.page
    assert page.locator(".paragraph").first.evaluate("node => getComputedStyle(node).direction") == "rtl"
    page.locator(".page").focus()
    page.keyboard.press("ArrowRight")  # the first word in reading order, which stands rightmost
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    table.save()
    assert table.mentions() == [(0, 3), (7, 12)]
    first, last = (page.locator(".chip").nth(i).bounding_box() for i in (0, 1))
    assert first is not None and last is not None and first["x"] > last["x"]


def test_the_guideline_is_shown_with_the_examples_of_each_type_and_never_as_markup(
    mount: Mount, tmp_path: Path
) -> None:
    table = Table(mount, tmp_path, pair())
    data = table.data()
    types = [{**one, "about": f"about {one['name']}", "examples": ["<i>x</i>"]} for one in data["types"]]
    guideline = "# Rules\n- **people** only <img src=x onerror=alert(1)>"
    page = table.page
    page.evaluate("data => window.update(data)", {**data, "types": types, "guideline": guideline})
    page.locator(".page").focus()
    page.keyboard.press("h")
    expect(page.locator(".guideline").first).to_contain_text("people only <img src=x onerror=alert(1)>")
    expect(page.locator(".guideline b").first).to_have_text("people")
    expect(page.locator(".guideline").last).to_contain_text("PER about PER: “<i>x</i>”")
    assert page.locator(".guideline img, .guideline i").count() == 0
    page.keyboard.press("h")
    expect(page.locator(".guideline")).to_have_count(0)
