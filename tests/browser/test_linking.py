"""The lattice by mouse and keyboard: move, pin and forbid, drag the knob; and alone, where messages can be slow."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from engine.corpora import read
from engine.store.workspace import Workspace
from engine.tasks.linking.task import Linking
from engine.tasks.linking.trace import LinkingTrace
from tests.browser.conftest import Mount, Visit, answer_to, serving, settle
from tests.ui import tiny

TASK = Linking()


@dataclasses.dataclass(frozen=True)
class Case:
    server: str
    path: str
    trace: LinkingTrace


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    """A tweet with names that overlap, and a model that links some of them."""
    model, documents = tiny.linking("s-mart"), read(tiny.SAMPLES / "dev.jsonl")
    workspace = Workspace.open(tmp_path_factory.mktemp("linking") / "workspace")
    corpus = workspace.add_corpus("Sample linking", documents, split="dev")
    run = tiny.add_run(workspace, TASK, model, corpus)
    trace = TASK.trace(TASK.score([d for d in documents if d.id == "dev-020"], model))
    with serving(workspace.directory, toy=False) as server:
        yield Case(server.address, f"/linking?corpus={corpus}&run={run}&doc=dev-020", trace)


def ids(page: Page, css: str) -> set[int]:
    found = page.locator(css).evaluate_all("all => all.map(one => Number(one.dataset.id))")
    return {int(one) for one in found}


def chosen_at(trace: LinkingTrace, bias: float) -> set[int]:
    def holds(low: float | None, high: float | None) -> bool:
        return (low is None or bias >= low) and (high is None or bias < high)

    return {one.id for one in trace.candidates if any(holds(*stretch) for stretch in one.on)}


def test_arrow_keys_move_p_pins_f_forbids_and_the_cursor_stays_where_it_was(visit: Visit, case: Case) -> None:
    page = visit(case.path, case.server)
    first = case.trace.candidates[case.trace.chosen[0]]
    page.locator(f'.candidate[data-id="{first.id}"]').click()
    expect(page).to_have_url(re.compile(rf"sel={first.id}\b"))
    settle(page)
    shown = ids(page, ".candidate")
    assert ids(page, ".candidate.excluded") == set(first.blocks) & shown != set()

    page.keyboard.press("ArrowDown")
    below = page.locator(".candidate.selected")
    expect(below).not_to_have_attribute("data-id", str(first.id))
    second = case.trace.candidates[int(below.get_attribute("data-id") or -1)]
    expect(page).to_have_url(re.compile(rf"sel={second.id}\b"))
    settle(page)
    expect(page.get_by_text(f"{second.surface} → {second.entity}", exact=True)).to_be_visible()

    assert not second.chosen
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile(r"pins="))
    expect(page.locator(f'.candidate.chosen[data-id="{second.id}"] .icon')).to_be_visible()
    settle(page)
    assert not ids(page, ".candidate.chosen") & set(second.blocks)
    # The nodes are new, but the keys still go to the same candidate.
    page.keyboard.press("f")
    expect(page.locator(f'.candidate.chosen[data-id="{second.id}"]')).to_have_count(0)
    expect(page.locator(f'.candidate[data-id="{second.id}"] .icon')).to_be_visible()
    settle(page)
    page.keyboard.press("u")
    expect(page).not_to_have_url(re.compile(r"pins="))
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile(r"sel="))
    expect(page.locator(".candidate.excluded")).to_have_count(0)


def test_dragging_the_knob_flips_links_at_once_and_sends_nothing_until_release(visit: Visit, case: Case) -> None:
    page = visit(case.path, case.server)
    expect(page.locator(".candidate.chosen")).to_have_count(len(case.trace.chosen))
    page.evaluate("""() => {
      window.heard = []; addEventListener('espalier-bias', event => window.heard.push(event.detail.bias));
      window.messages = 0; const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (...all) { window.messages += 1; return send.apply(this, all); };
    }""")
    knob = page.locator(".strip input[type=range]")
    box = knob.bounding_box()
    assert box is not None
    at, last = int(knob.input_value()), int(knob.get_attribute("max") or 0)
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * at / last, y)
    page.mouse.down()
    seen = set()
    for part in (0.02, 0.3, 0.6, 0.8, 0.9, 0.999):
        page.mouse.move(box["x"] + box["width"] * part, y)
        on = ids(page, ".candidate.chosen")
        assert on == chosen_at(case.trace, page.evaluate("window.heard.at(-1)"))
        seen.add(frozenset(on))
    assert len(seen) > 1 and frozenset() in seen
    assert page.evaluate("window.messages") == 0 and "bias=" not in page.url
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"bias="))
    settle(page)
    expect(page.locator(".candidate.chosen")).to_have_count(0)
    assert page.evaluate("window.messages") > 0


def candidate(id: int, entity: str, **more: Any) -> dict[str, Any]:
    given = {"known": True, "score": 1.0, "marginal": 0.5, "chosen": False, "golds": [], "pinned": "", "on": []}
    return {"id": id, "entity": entity, **given, "exact": more.get("golds", []), **more}


def lattice(n_tokens: int, blocks: list[tuple[int, int, list[dict[str, Any]]]], **more: Any) -> dict[str, Any]:
    return {
        "tokens": [f"word{i}" for i in range(n_tokens)],
        "blocks": [
            {"key": f"{first}-{last}", "first": first, "last": last, "surface": "name", "candidates": found}
            for first, last, found in blocks
        ],
        "gold": [],
        "judged": True,
        "doc": "d",
        "version": "v",
        "selected": None,
        "bias": 0.0,
        "run": "r",
        **more,
    }


def update(page: Page, data: dict[str, Any]) -> None:
    page.evaluate("([data]) => window.update(data)", [data])


def test_a_long_text_is_broken_into_lines_that_fit_and_unlikely_spans_are_folded_away(mount: Mount) -> None:
    blocks = [(i, i + 2, [candidate(i, f"E{i}")]) for i in range(0, 58, 4)]
    unlikely = [(i, i + 1, [candidate(100 + i, "rare", marginal=0.0001)]) for i in range(1, 58, 4)]
    page = mount("lattice", lattice(60, [*blocks, *unlikely]))
    page.locator(".root").evaluate("node => { node.style.width = '700px'; }")
    expect(page.locator(".grid").nth(1)).to_be_visible()
    assert page.locator(".scroll").evaluate("node => node.scrollWidth <= node.clientWidth")
    assert page.locator(".token").all_text_contents() == [f"word{i}" for i in range(60)], "every word, in order"
    expect(page.locator(".candidate")).to_have_count(len(blocks))
    expect(page.get_by_text(f"{len(unlikely)} less likely ones are folded away")).to_be_visible()
    page.get_by_label("spans that are drawn", exact=False).select_option("all")
    expect(page.locator(".candidate")).to_have_count(len(blocks) + len(unlikely))


def test_guesses_are_marked_and_only_what_gold_can_judge_is_judged(mount: Mount) -> None:
    found = candidate(0, "right", chosen=True, golds=[0], on=[[None, None]])
    wrong = candidate(1, "<b>wrong</b>", chosen=True, known=False, on=[[None, None]])
    blocks = [
        (0, 2, [found]),
        (2, 3, [wrong]),
        (0, 1, [candidate(2, "same", golds=[0])]),
        (3, 4, [candidate(3, "lost", golds=[1])]),
    ]
    page = mount("lattice", lattice(4, blocks))
    signs = {id: page.locator(f'.candidate[data-id="{id}"] .sign') for id in range(4)}
    expect(signs[0]).to_have_text("✓")
    expect(signs[1]).to_have_text("✗")
    expect(signs[2]).to_have_text("")  # its gold mention is found through the other one
    expect(signs[3]).to_have_text("∅")
    expect(page.locator(".guess")).to_have_count(1)
    guess = page.get_by_role("button", name="<b>wrong</b>")
    assert "guessed title, not in the knowledge base" in (guess.get_attribute("aria-label") or "")
    expect(page.locator(".hint")).to_contain_text("?: guessed title")
    update(page, lattice(4, blocks, judged=False, version="v2"))
    for sign in signs.values():
        expect(sign).to_have_text("")


def test_a_span_that_only_overlaps_gold_is_not_what_was_missed(mount: Mount) -> None:
    near, far = candidate(0, "near", golds=[0], exact=[]), candidate(2, "far", golds=[1], exact=[])
    blocks = [(0, 2, [near]), (1, 2, [candidate(1, "very", golds=[0])]), (3, 5, [far])]
    gold = [{"entity": name, "reachable": True, "first": at, "last": at + 1} for name, at in (("very", 1), ("far", 3))]
    page = mount("lattice", lattice(5, blocks, gold=gold))
    signs = {id: page.locator(f'.candidate[data-id="{id}"] .sign') for id in range(3)}
    expect(signs[0]).to_have_text("")
    expect(signs[1]).to_have_text("∅")
    expect(signs[2]).to_have_text("")
    expect(page.locator(".candidate.counts")).to_have_count(2)
    # Where no candidate has gold's own span, gold itself says that it was missed.
    expect(page.locator(".gold-row .sign")).to_have_text(["", " ∅"])
    expect(page.locator(".hint")).to_contain_text("thin green: would count, overlaps gold")
    far.update(chosen=True)
    update(page, lattice(5, blocks, gold=gold, version="v2"))
    expect(signs[2]).to_have_text("✓")
    expect(page.locator(".gold-row .sign")).to_have_text(["", ""])


def test_an_answer_to_an_earlier_move_does_not_pull_the_selection_back(mount: Mount) -> None:
    data = lattice(3, [(i, i + 1, [candidate(i, "ABC"[i])]) for i in range(3)])
    page = mount("lattice", data)
    page.locator('.candidate[data-id="0"]').click()
    page.wait_for_function("window.sent.length === 1")
    [first] = page.evaluate("window.sent[0]")
    page.keyboard.press("ArrowRight")
    update(page, {**data, "selected": "0", **answer_to(first)})
    expect(page.locator(".candidate.selected")).to_have_attribute("data-id", "1")
    page.wait_for_function("window.sent.length === 2")
    [second] = page.evaluate("window.sent[1]")
    assert second["action"] == "select" and second["id"] == "1"
    # Once all is answered, the server's word counts again.
    update(page, {**data, "selected": "2", **answer_to(second)})
    expect(page.locator(".candidate.selected")).to_have_attribute("data-id", "2")


def test_a_selected_candidate_is_shown_although_its_span_is_folded(mount: Mount) -> None:
    data = lattice(1, [(0, 1, [candidate(i, f"E{i}") for i in range(8)])])
    page = mount("lattice", data)
    expect(page.locator(".candidate")).to_have_count(3)
    update(page, {**data, "selected": "6"})
    expect(page.locator(".candidate.selected")).to_have_attribute("data-id", "6")
    expect(page.locator(".candidate.excluded")).to_have_count(3)
    page.get_by_role("button", name="+ 4 more").click()
    expect(page.locator(".candidate")).to_have_count(8)


def test_quick_pins_are_all_told_in_order_with_where_the_cursor_stands_at_last(mount: Mount) -> None:
    data = lattice(3, [(i, i + 1, [candidate(i, "ABC"[i])]) for i in range(3)])
    page = mount("lattice", data)
    page.locator('.candidate[data-id="0"]').click()
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("f")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("window.sent.at(-1).length === 3 && window.sent.at(-1).at(-1).action === 'select'")
    told = page.evaluate("window.sent.at(-1)")
    assert [(one["action"], str(one["id"])) for one in told] == [("pin", "0"), ("forbid", "1"), ("select", "2")]
    update(page, {**data, **answer_to(told[0])})
    page.keyboard.press("u")
    assert [one["action"] for one in page.evaluate("window.sent.at(-1)")] == ["forbid", "select", "free"]


WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def long_lattice() -> dict[str, Any]:
    """10,000 tokens, 40 mentions of which every fourth is wrong, one with 120 candidates."""
    always = [[None, None]]
    found = []
    for n in range(40):
        first = candidate(1000 * n, f"Entity {n}", marginal=0.9, chosen=True, on=always, golds=[] if n % 4 else [n])
        rest = [candidate(1000 * n + k, f"Other {n} {k}", marginal=0.02) for k in range(1, 120 if n == 20 else 3)]
        found.append((250 * n, 250 * n + 2, [first, *rest]))
    data = lattice(10_000, found)
    for n, block in enumerate(data["blocks"]):
        block["surface"] = f"name {n}"
    return data


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_a_lattice_of_10_000_tokens_fits_the_width_and_its_map_and_search_lead_anywhere(
    mount: Mount, width: int
) -> None:
    page = mount("lattice", long_lattice())
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function(f"({WIDER})() <= 0")
    box = page.locator(".scroll")
    assert box.evaluate("node => node.scrollWidth <= node.clientWidth && node.clientHeight < 900")
    ticks = page.locator(".all-line .ticks rect")
    expect(ticks).to_have_count(40)
    expect(page.locator(".all-line .ticks rect.right")).to_have_count(10)
    expect(page.locator(".all-line .ticks rect.wrong")).to_have_count(30)
    page.get_by_label("Find a mention", exact=False).fill("NAME 37")
    page.keyboard.press("Enter")
    expect(page.locator(".candidate.selected")).to_have_attribute("data-id", "37000")
    expect(page.locator(".candidate.selected")).to_be_in_viewport()
    page.locator(".all-line .slider").press("Home")
    expect(page.locator(".candidate.selected")).to_have_attribute("data-id", "0")
    assert box.evaluate("node => node.scrollTop") < 200, "the map has led back to the beginning"
    # A long list of candidates keeps its words in sight.
    page.get_by_label("Find a mention", exact=False).fill("name 20")
    page.keyboard.press("Enter")
    block = page.locator(".block", has=page.locator('.candidate[data-id="20000"]'))
    block.get_by_role("button", name="+ 117 more").click()
    expect(block.locator(".candidate")).to_have_count(120)
    block.locator(".candidate").nth(110).scroll_into_view_if_needed()
    expect(block.locator(".surface")).to_be_in_viewport()


def test_the_lattice_is_saved_as_svg_with_its_words_and_as_png(mount: Mount) -> None:
    page = mount("lattice", lattice(2, [(0, 1, [candidate(0, "A <b> name")])]))
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "lattice.svg"
    drawn = ElementTree.parse(saved.value.path()).getroot()
    told = [node.text for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "A <b> name" in told and "word0" in told and "word1" in told
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
