"""Components on an empty page, without a server: what they do when messages are slow can be played step by step."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from engine.data.document import Document
from engine.store.runs import RoundInfo
from engine.tuning.band import bootstrap_band
from engine.tuning.curve import Curve, merge_paths
from engine.tuning.window import useful_window, whole
from engine.workbench.along import Along
from tests.browser.conftest import Mount, answer_to
from ui.components import beam as beams
from ui.components import graph, modules, strip, tuner
from ui.components import rounds as learning
from ui.components import text as texts
from ui.components import tree as trees

N = 50_000


def long_curve() -> Curve:
    rng = np.random.default_rng(0)
    bias = np.concatenate([[-np.inf], np.sort(rng.normal(size=N - 1))])
    predicted = np.arange(N, 0, -1)
    right = np.minimum(predicted, 20_000 + predicted // 4)
    return Curve(bias, right, right, predicted, gold=40_000)


def shown(page: Page) -> list[str]:
    return page.locator(".strip .value").all_text_contents()


def test_dragging_over_50_000_points_shows_exact_numbers_and_sends_nothing_until_release(mount: Mount) -> None:
    curve = long_curve()
    page = mount("strip", strip.payload(curve, strip.Knob(bias=0.0, name="Nil", run="r")))
    page.evaluate("window.heard = []; addEventListener('espalier-bias', e => window.heard.push(e.detail.index))")
    knob = page.locator(".strip input[type=range]")
    box = knob.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    places, f = [], curve.f()
    for part in np.linspace(0.1, 0.9, 25):
        page.mouse.move(box["x"] + box["width"] * float(part), y)
        at = int(knob.input_value())
        numbers = [curve.precision[at], curve.recall[at], f[at]]
        assert [float(text) for text in shown(page)] == pytest.approx([100 * x for x in numbers], abs=0.0501)
        places.append(at)
    assert np.all(np.diff(places) > 0), "the cursor moved with every step"
    assert page.evaluate("window.heard.at(-1)") == places[-1]
    assert page.evaluate("window.sent") == []
    page.mouse.up()
    page.wait_for_function("window.sent.length > 0")
    [[message]] = page.evaluate("window.sent")
    assert message["action"] == "release" and curve.index_at(message["bias"]) == places[-1]


def test_what_the_knob_says_while_it_moves_stays_in_its_frame(mount: Mount) -> None:
    decisions = [[[None, float(bias)]] for bias in range(-2, 3)]
    data = strip.payload(
        long_curve(), strip.Knob(bias=0.0, name="no relation", unit="relations", run="r", decisions=decisions)
    )
    page = mount("strip", data)
    # As wide as the page leaves it beside the sidebar in a window of 1024 pixels.
    page.locator(".root").evaluate("node => { node.style.width = '683px'; }")
    knob = page.locator(".strip input[type=range]")
    height = page.locator(".strip").bounding_box()
    knob.press("End")
    expect(page.locator(".strip .note")).to_contain_text("here +0 −")
    frame, controls = page.locator(".strip").bounding_box(), page.locator(".strip .controls").bounding_box()
    assert frame is not None and controls is not None and height is not None
    assert controls["x"] + controls["width"] <= frame["x"] + frame["width"]
    assert frame["height"] == height["height"], "nothing below it jumps"


@pytest.mark.parametrize(("width", "window"), [(300, 332), (358, 390), (682, 1024)])
def test_the_knob_with_a_fourth_score_fits_a_phone_and_a_small_window(mount: Mount, width: int, window: int) -> None:
    curve = long_curve()
    score = Along("CoNLL average", np.array([curve.bias[1], curve.bias[-1]]), np.array([0.5, 0.6]))
    knob = strip.Knob(bias=0.0, names=("MUC P", "MUC R", "MUC F"), unit="links to antecedents", score=score, run="r")
    page = mount("strip", strip.payload(curve, knob))
    page.set_viewport_size({"width": window, "height": 844})
    page.locator(".root").evaluate("(node, width) => { node.style.width = width + 'px'; }", width)
    beyond = "(all, width) => all.filter(node => node.getBoundingClientRect().right > width + 1).length"
    left = page.locator(".root").bounding_box()
    assert left is not None
    assert page.locator(".strip, .strip *").evaluate_all(beyond, left["x"] + width) == 0


def test_tune_moves_over_50_000_points_by_mouse_wheel_and_keys_and_sends_nothing_until_release(mount: Mount) -> None:
    curve = long_curve()
    page = mount("tuner", tuner.payload(curve, strip.Knob(bias=0.0, name="Nil", run="r"), band=None))
    chart, knob = page.locator(".chart-box"), page.locator(".tuner input[type=range]")
    box = chart.bounding_box()
    assert box is not None
    # The window as the chart takes it: within the whole.
    (low, high), (first, last) = useful_window(curve, [0.0]), whole(curve)
    width = min(last - first, high - low)
    low = max(first, min(last - width, low))
    high = low + width
    y, f = box["y"] + box["height"] / 2, curve.f()
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for part in np.linspace(0.1, 0.9, 15):
        page.mouse.move(box["x"] + box["width"] * float(part), y)
        at = int(knob.input_value())
        wanted, hair = low + float(part) * (high - low), 0.01 * (high - low)
        assert curve.index_at(wanted - hair) <= at <= curve.index_at(wanted + hair)
        numbers = [curve.precision[at], curve.recall[at], f[at]]
        told = page.locator(".tuner .value").all_text_contents()[:3]
        assert [float(text) for text in told] == pytest.approx([100 * x for x in numbers], abs=0.0501)
    assert page.evaluate("window.sent") == []
    page.mouse.up()
    page.wait_for_function("window.sent.length > 0")
    before = int(knob.input_value())
    page.keyboard.press("ArrowRight")
    expect(knob).to_have_value(str(before + 1))
    page.keyboard.press("Shift+ArrowLeft")
    expect(knob).to_have_value(str(before - 9))
    page.mouse.wheel(0, 100)
    expect(knob).to_have_value(str(before - 8))
    page.get_by_label("what to go for").select_option("precision of at least")
    page.get_by_label("how much of it").fill("60")
    page.get_by_role("button", name="Go there").click()
    expect(knob).to_have_value(str(curve.for_precision(0.6)))
    page.get_by_label("what the axis shows").select_option("answers given")
    cursor = page.locator(".chart-box .curve-cursor")
    assert not cursor.evaluate("node => node.hidden"), "the cursor is in the window of the other axis too"
    expect(knob).to_have_value(str(curve.for_precision(0.6)))


def test_the_window_of_tune_zooms_and_its_band_is_drawn_all_over_it(mount: Mount) -> None:
    curve = merge_paths(
        np.repeat(np.arange(30), 2),
        np.stack([np.full(30, -np.inf), np.linspace(-3, 3, 30)], axis=1).ravel(),
        np.tile(np.array([[1, 1, 2], [1, 1, 1]]), (30, 1)),
        np.full(30, 2),
    )
    band = bootstrap_band(curve, window=useful_window(curve))
    page = mount("tuner", tuner.payload(curve, strip.Knob(bias=0.0, name="Nil", run="r"), band=band))
    ticks = page.locator(".tick-x")
    before = ticks.all_text_contents()
    page.locator(".tuner input[type=range]").focus()
    page.keyboard.press("+")
    expect(ticks.first).not_to_have_text(before[0])
    across = "path => { const box = path.getBBox(); return [box.x, box.x + box.width]; }"
    left, right = page.locator("path.band.f").evaluate(across)
    assert left <= 0 and right >= 1000
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "curve.svg"


def test_arrows_have_the_pin_of_mentions_and_signs_of_their_own_for_what_is_broken(mount: Mount) -> None:
    nodes = [graph.Node(f"n{i}", "x", "Peop", ((None, None, "Peop"),), pinned=not i) for i in range(3)]
    always = ((None, None),)
    broken = graph.Arrow("p0", 0, 1, "Kill", always, gold=True, violations=("people kill people",))
    pinned = graph.Arrow("p1", 1, 2, "Live_In", always, gold=False, pinned=True)
    data = graph.payload(nodes, [broken], [pinned], bias=0.0, run="r", selected="p9", ends=(0, 2))
    page = mount("graph", data)
    expect(page.locator(".arrow.broken .label")).to_have_text("! ✓ Kill")
    expect(page.locator(".arrow.pinned .label")).to_have_text("keep ✗ Live_In")
    font = "node => getComputedStyle(node).fontFamily"
    icons = [page.locator(f"{where} .icon").evaluate(font) for where in (".arrow.pinned", ".node.pinned")]
    assert icons[0] == icons[1] and "Material Symbols" in icons[0]
    # The pair that is explained has no arrow: its mentions are marked instead.
    assert [node.get_attribute("data-key") for node in page.locator(".node.end").all()] == ["n0", "n2"]
    page.evaluate(
        "([data]) => window.update(data)", [json.loads(json.dumps({**data, "selected": "p1", "ends": [1, 2]}))]
    )
    expect(page.locator(".node.end")).to_have_count(0)


def test_names_that_do_not_fit_side_by_side_are_wrapped_and_none_is_out_of_sight(mount: Mount) -> None:
    names = ["Guillaume Faury", "FIFA", "Guernsey", "Jose Mourinho", "Chelsea", "William Shakespeare", "Stratford"]
    nodes = [graph.Node(f"n{i}", name, "Peop", ((None, None, "Peop"),)) for i, name in enumerate(names)]
    page = mount("graph", graph.payload(nodes, [], [], bias=0.0, run="r"))
    assert page.locator(".close").count() == 0, "there is room"
    page.locator(".root").evaluate("node => { node.style.width = '600px'; }")
    expect(page.locator(".close .node")).to_have_count(len(names))
    assert page.locator(".scroller").evaluate("node => node.scrollWidth <= node.clientWidth")
    cut = (
        "all => all.filter(node => node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight).length"
    )
    assert page.locator(".node").evaluate_all(cut) == 0
    page.locator(".root").evaluate("node => { node.style.width = '1190px'; }")
    expect(page.locator(".close")).to_have_count(0)


def test_nine_names_fit_beside_the_sidebar_of_a_small_window(mount: Mount) -> None:
    names = ["Guillaume Faury", "FIFA", "Guernsey", "Jose Mourinho", "Chelsea", "William Shakespeare", "Stratford"]
    nodes = [
        graph.Node(f"n{i}", name, "Peop", ((None, None, "Other"),), gold="Other")
        for i, name in enumerate([*names, "Massachusetts", "UNESCO"])
    ]
    page = mount("graph", graph.payload(nodes, [], [], bias=0.0, run="r"))
    # As wide as the page leaves it beside the sidebar in a window of 1024 pixels.
    before = page.locator(".board").get_attribute("style")
    page.locator(".root").evaluate("node => { node.style.width = '683px'; }")
    expect(page.locator(".board")).not_to_have_attribute("style", before or "")
    expect(page.locator(".close .node")).to_have_count(len(nodes))
    assert page.locator(".scroller").evaluate("node => node.scrollWidth <= node.clientWidth")
    cut = (
        "all => all.filter(node => node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight)"
        ".map(node => node.textContent)"
    )
    assert page.locator(".node").evaluate_all(cut) == []


def test_reasons_of_neighbouring_arrows_do_not_overlap(mount: Mount) -> None:
    nodes = [graph.Node(f"n{i}", "Dyson", "Org", ((None, None, "Org"),)) for i in range(3)]
    long = ("people work for organisations",)
    arrows = [graph.Arrow(f"p{i}", i, i + 1, "Work_For", ((None, None),), violations=long) for i in range(2)]
    page = mount("graph", graph.payload(nodes, arrows, [], bias=0.0, run="r"))
    first, second = (one.bounding_box() for one in page.locator(".reason").all())
    assert first is not None and second is not None
    apart = abs(first["y"] - second["y"]) >= first["height"] or first["x"] + first["width"] <= second["x"]
    assert apart, (first, second)


def test_the_graph_and_the_learning_curves_are_saved_as_pictures(mount: Mount, tmp_path: Path) -> None:
    nodes = [graph.Node(f"n{i}", "Ada", "Peop", ((None, None, "Peop"),)) for i in range(2)]
    arrow = graph.Arrow("p0", 0, 1, "Kill", ((None, None),))
    told = [RoundInfo(i, 1 / i, {"f1": i / 4}, {}) for i in (1, 2, 3)]
    shown = {
        "graph": graph.payload(nodes, [arrow], [], bias=0.0, run="r"),
        "rounds": learning.payload(told, 3, training=False),
    }
    for name, data in shown.items():
        page = mount(name, data)
        page.set_viewport_size({"width": 700, "height": 500})
        with page.expect_download() as saved:
            page.get_by_role("button", name="PNG").click()
        saved.value.save_as(tmp_path / f"{name}.png")
        picture = Image.open(tmp_path / f"{name}.png").convert("RGB")
        assert picture.width > 300 and len(picture.getcolors(1 << 24) or ()) > 20, name


def test_the_kept_bias_is_marked_where_it_is_and_not_where_its_step_begins(mount: Mount) -> None:
    curve = merge_paths(
        np.repeat(np.arange(2), 2),
        np.array([-np.inf, -4.0, -np.inf, 4.0]),
        np.array([[0, 0, 1], [1, 1, 1], [1, 1, 1], [0, 0, 0]]),
        np.ones(2),
    )
    page = mount("tuner", tuner.payload(curve, strip.Knob(bias=0.0, chosen=0.0, name="Nil", run="r"), band=None))
    places = [
        page.locator(one).evaluate("node => parseFloat(node.style.left)")
        for one in (".chart-box .curve-home", ".chart-box .curve-cursor")
    ]
    assert places[0] == places[1]


def test_names_of_constraints_wrap(mount: Mount) -> None:
    name = "a long name of a constraint that does not fit in one line"
    row = {"name": name, "on": True, "weight": None, "alone": 1, "together": 0, "binds": True}
    page = mount("switches", {"rows": [row]})
    page.locator(".root").evaluate("node => { node.style.width = '440px'; }")
    cell = page.locator(".switches td.name")
    assert cell.evaluate("node => node.scrollWidth <= node.clientWidth && node.clientHeight > 30")
    expect(page.locator(".switches th")).to_have_text(["on", "constraint", "weight", "! alone", "! together", "binds"])


def test_where_nothing_is_predicted_no_precision_is_shown_or_drawn(mount: Mount) -> None:
    curve = Curve(np.array([-np.inf, 0.0, 1.0]), *(np.array([2, 1, 0]) for _ in range(3)), gold=2)
    page = mount("strip", strip.payload(curve, strip.Knob(bias=0.5, run="r")))
    page.locator(".strip input[type=range]").press("End")
    assert shown(page)[:2] == ["–", "0.0"]
    assert page.locator("path.precision").get_attribute("d") == "M0.0 0.00L500.0 0.00"


def test_an_answer_to_an_earlier_move_does_not_pull_the_knob_back(mount: Mount) -> None:
    curve = long_curve()
    data = strip.payload(curve, strip.Knob(bias=0.5, run="r"))
    home = str(curve.index_at(0.5))
    page = mount("strip", data)
    knob = page.locator(".strip input[type=range]")
    expect(knob).to_have_value(home)
    knob.focus()
    page.keyboard.press("End")
    page.wait_for_function("window.sent.length === 1")
    page.keyboard.press("Escape")  # back to where it was, before the server has answered
    [end] = page.evaluate("window.sent[0]")
    page.evaluate("([data]) => window.update(data)", [{**data, "value": end["bias"], **answer_to(end)}])
    expect(knob).to_have_value(home)
    page.wait_for_function("window.sent.length === 2")
    [back] = page.evaluate("window.sent[1]")
    told = {"bias": 0.5, "index": int(home), "beta": 1, "run": "r", "action": "release"}
    assert back == {**told, "client": end["client"], "seq": end["seq"] + 1}
    # Once all is answered, the server's word counts again: somebody pressed a button elsewhere on the page.
    page.evaluate("([data]) => window.update(data)", [{**data, "value": -1.0, **answer_to(back)}])
    expect(knob).to_have_value(str(curve.index_at(-1.0)))


def test_a_thinned_curve_is_exact_at_the_cursor_and_at_the_optimum(
    mount: Mount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strip, "POINTS", 100)
    curve = long_curve()
    page = mount("strip", strip.payload(curve, strip.Knob(bias=0.123, run="r")))
    at, best = curve.index_at(0.123), curve.best_index()
    assert float(shown(page)[0]) == pytest.approx(100 * curve.precision[at], abs=0.0501)
    expect(page.locator(".strip .note")).to_contain_text(f"{curve.predicted[at]:,}".replace(",", "\u2009"))
    page.locator(".strip input[type=range]").focus()
    page.keyboard.press("Enter")
    assert float(shown(page)[2]) == pytest.approx(100 * curve.f()[best], abs=0.0501)
    page.wait_for_function("window.sent.length === 1")
    assert curve.f()[curve.index_at(page.evaluate("window.sent[0][0].bias"))] == curve.f()[best]


def test_an_answer_to_an_earlier_case_does_not_pull_the_cursor_back(mount: Mount) -> None:
    rows = [{"key": f"k{i}", "sign": "✗", "title": f"case {i}", "note": ""} for i in range(30)]
    data = {"rows": rows, "version": "v", "selected": None, "height": 200}
    page = mount("cases", data)
    page.locator(".cases").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("window.sent.length > 0")
    [first] = page.evaluate("window.sent.at(-1)")
    page.keyboard.press("ArrowDown")
    page.evaluate("([data]) => window.update(data)", [{**data, "selected": first["id"], **answer_to(first)}])
    expect(page.locator(".case.at")).to_have_attribute("id", "case2")


def test_a_case_that_was_clicked_is_told_before_anything_else_is_pressed(mount: Mount) -> None:
    rows = [{"key": f"k{i}", "sign": "✗", "title": f"case {i}", "note": ""} for i in range(3)]
    page = mount("cases", {"rows": rows, "version": "v", "selected": None, "height": 200})
    # In one go, so that no timer comes between: the link that is pressed next leads to another page.
    before, after = (
        page.locator(".case")
        .nth(2)
        .evaluate(
            """row => {
          row.click();
          const before = window.sent.length;
          document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
          return [before, window.sent.map(([message]) => message.id)];
        }"""
        )
    )
    assert before == 0 and after == ["k2"]


def test_of_two_quick_switches_neither_is_lost_and_an_old_answer_does_not_undo_them(mount: Mount) -> None:
    row = {"on": True, "weight": None, "alone": 1, "together": 0, "binds": True}
    data = {"rows": [{"name": "<b>one</b>", **row}, {"name": "two", **row}]}
    page = mount("switches", data)
    one, two = page.get_by_role("checkbox").all()
    expect(page.locator("td.name").first).to_have_text("<b>one</b>")
    one.click()
    price = page.get_by_role("spinbutton", name="weight of two")
    price.fill("0.5")
    price.press("Enter")
    [[first], [second]] = page.evaluate("window.sent")
    assert second["rows"] == [{"on": False, "weight": None}, {"on": True, "weight": 0.5}]
    page.evaluate("([data]) => window.update(data)", [{**data, **answer_to(first)}])
    expect(one).not_to_be_checked()
    expect(price).to_have_value("0.5")
    # Once all is answered, the server's word counts: here it refused both.
    two.focus()
    page.evaluate("([data]) => window.update(data)", [{**data, **answer_to(second)}])
    expect(one).to_be_checked()
    expect(price).to_have_value("")


def test_columns_that_are_held_do_not_cover_each_other_when_the_page_gets_narrower(mount: Mount) -> None:
    rows = [{"name": "mention not proposed", "counts": [1200, 7, 8], "facts": ["81.0", "+2.0"]}]
    heads = ["stage", "all", "CoNLL average if fixed, %", "gain", "OrgBased_In", "Located_In"]
    page = mount("stages", {"heads": heads, "rows": rows, "chosen": None})
    across = "all => all.map(node => [node.getBoundingClientRect().left, node.getBoundingClientRect().right])"
    for width in (1100, 700, 1000):
        page.locator(".root").evaluate("(node, width) => { node.style.width = width + 'px'; }", width)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        places = page.locator("th[scope=col]").evaluate_all(across)
        assert all(right <= left + 1 for (_, right), (left, _) in pairwise(places)), (width, places)


def test_a_count_is_chosen_and_freed_and_types_are_text(mount: Mount) -> None:
    rows = [
        {"name": "scored lower", "counts": [1200, 0], "facts": ["81.0", "+2.0"]},
        {"name": "pruned", "counts": [3, 3], "facts": ["", ""]},
    ]
    data = {"heads": ["stage", "all", "F1", "gain", "<b>PER</b>"], "rows": rows, "chosen": None}
    page = mount("stages", data)
    assert page.locator("th").nth(4).text_content() == "<b>PER</b>"
    number = page.get_by_role("button", name="scored lower, all: 1200")
    expect(number).to_have_text("1\u2009200")
    expect(page.get_by_role("button", name="scored lower, <b>PER</b>: 0")).to_be_disabled()
    number.click()
    expect(number).to_have_attribute("aria-pressed", "true")
    number.click()
    expect(number).to_have_attribute("aria-pressed", "false")
    told = page.evaluate("window.sent.map(([message]) => [message.action, message.cell])")
    assert told == [["choose", [0, 0]], ["choose", None]]


def tree_of(words: str) -> list[trees.TreeRow]:
    return [
        trees.TreeRow(f"m{i}", word, "N", 0, 1, 1, 0, i - 2, i - 2, 1.0, 0.5, True)
        for i, word in enumerate(words.split(), 1)
    ]


def test_a_slow_answer_does_not_pull_the_trees_back_nor_swallow_a_click(mount: Mount) -> None:
    data = trees.payload(tree_of("Ada she her"))
    page = mount("tree", data)
    mentions = page.locator(".mention")
    mentions.nth(0).click()
    mentions.nth(2).click()
    [[first], [second]] = page.evaluate("window.sent")
    assert [(one["action"], one["id"]) for one in (first, second)] == [("select", "m1"), ("select", "m3")]
    # The answer to the first click comes between pressing and letting go of the third.
    box = mentions.nth(1).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 8)
    page.mouse.down()
    page.evaluate("data => window.update(data)", {**data, "selected": "m1", **answer_to(first)})
    assert page.locator(".mention.selected").get_attribute("data-key") == "m3"
    page.mouse.up()
    [third] = page.evaluate("window.sent.at(-1)")
    assert third["id"] == "m2"
    page.evaluate("data => window.update(data)", {**data, "selected": "m2", **answer_to(third)})
    assert page.locator(".mention.selected").get_attribute("data-key") == "m2"


def test_the_same_place_in_another_document_is_another_message(mount: Mount) -> None:
    page = mount("tree", trees.payload(tree_of("Ada she her")))
    page.locator(".mention").nth(1).click()
    [first] = page.evaluate("window.sent[0]")
    page.evaluate("data => window.update(data)", {**trees.payload(tree_of("Bob he him")), **answer_to(first)})
    page.locator(".mention").nth(1).click()
    [again] = page.evaluate("window.sent[1]")
    assert first["id"] == again["id"] == "m2" and first["seq"] < again["seq"]
    # What the server has heard from this place before, under another name, is no answer to what is told now.
    spans = [texts.DrawnSpan(key, start, start + 3, gold=True) for key, start in (("m1", 0), ("m2", 8))]
    made = texts.payload(Document("d", "Ada met Bob."), spans)
    page = mount("text", {**made, **answer_to({**first, "seq": 7})})
    page.locator(".seg").first.click()
    page.wait_for_function("window.sent.length > 0")
    page.evaluate("data => window.update(data)", {**made, "selected": "m2", **answer_to({**first, "seq": 7})})
    expect(page.locator(".seg.selected")).to_have_text("Ada")
    [[told]] = page.evaluate("window.sent")
    assert told["id"] == "m1" and told["client"] != first["client"]


def test_modules_keep_their_scopes_and_a_shared_one_its_state(mount: Mount, tmp_path: Path) -> None:
    """The same private names, a default beside named exports, a name taken under another one, a module used twice."""
    side = "import { next } from './count.js';\nconst name = 'NAME';\nexport const say = () => name + next();\n"
    sources = {
        "count.js": "let n = 0;\nexport const next = () => ++n;\n",
        "left.js": side.replace("NAME", "left"),
        "right.js": side.replace("NAME", "right"),
        "main.js": "import { say } from './left.js';\nimport {\n  say as other,\n} from './right.js';\n"
        "const name = 'main';\nexport default function both() {\n  return [name, say(), other(), say()];\n}\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    page = mount("link", {"label": "copy"})
    run = "js => import(URL.createObjectURL(new Blob([js], { type: 'text/javascript' }))).then(m => m.default())"
    assert page.evaluate(run, modules.bundle(tmp_path / "main.js", tmp_path)) == ["main", "left1", "right2", "left3"]


KEYS = {"keys": [], "steps": {"at": 4}}


def steps(queue: list[dict[str, object]]) -> list[object]:
    return [one["to"] for one in queue]


def test_fast_presses_wait_together_until_each_is_acknowledged(mount: Mount) -> None:
    page = mount("keys", KEYS)
    for key in "]]]":
        page.keyboard.press(key)
    page.keyboard.press("[")
    sent = page.evaluate("window.sent")
    assert [steps(queue) for queue in sent] == [[5], [5, 6], [5, 6, 7], [5, 6, 7, 6]]
    page.evaluate("data => window.update(data)", {**KEYS, **answer_to(sent[1][1])})
    assert page.evaluate("window.sent.length") == 4, "what is on its way is not told again"
    page.keyboard.press("]")
    assert steps(page.evaluate("window.sent.at(-1)")) == [7, 6, 7]
    # Once all is acknowledged, a press leads on from what is on screen; what is not among the documents, to the first.
    for at, rank in ((7, 8), (None, 0)):
        [*_, last] = page.evaluate("window.sent.at(-1)")
        page.evaluate("data => window.update(data)", {**KEYS, "steps": {"at": at}, **answer_to(last)})
        page.keyboard.press("]")
        assert steps(page.evaluate("window.sent.at(-1)")) == [rank]


def test_a_new_node_and_a_new_server_are_told_what_still_waits_once(mount: Mount) -> None:
    page = mount("keys", KEYS)
    page.keyboard.press("]")
    page.keyboard.press("[")
    (first, second) = page.evaluate("window.sent.at(-1)")
    # The page of the app was switched: messages of the old node may never have left.
    page.evaluate("data => { window.sent = []; window.remount(data); }", {**KEYS, **answer_to(first)})
    page.evaluate("data => window.update(data)", {**KEYS, **answer_to(first)})
    assert page.evaluate("window.sent") == [[second]]
    # The server was started anew and remembers nothing.
    page.evaluate("data => { window.sent = []; window.update(data); }", {**KEYS, **answer_to(first, "another")})
    assert page.evaluate("window.sent") == [[second]]
    page.evaluate("data => { window.sent = []; window.update(data); }", {**KEYS, **answer_to(second, "another")})
    page.evaluate("data => window.remount(data)", {**KEYS, **answer_to(second, "third")})
    assert page.evaluate("window.sent") == []


def test_what_only_points_is_not_told_to_a_new_server_whose_word_counts(mount: Mount) -> None:
    data = trees.payload(tree_of("Ada she her"))
    page = mount("tree", data)
    page.locator(".mention").nth(2).click()
    answer = {"messages": {"session": "another", "ack": {}}}
    page.evaluate("data => { window.sent = []; window.update(data); }", {**data, "selected": "m1", **answer})
    assert page.evaluate("window.sent") == []
    assert page.locator(".mention.selected").get_attribute("data-key") == "m1"


def long_beam(n: int) -> list[beams.Column]:
    def cell(t: int, k: int) -> beams.Cell:
        return beams.Cell(f"m{t}.{k}", f"Entity {t} {k}", k, -1.0 * k, -0.5, 0.5, True, k == t % 2, k == 0)

    return [beams.Column(f"m{t}", f"mention {t}", [cell(t, 0), cell(t, 1)], 8, 1, fell=t == 40) for t in range(n)]


@pytest.mark.parametrize("width", [1280, 400])
def test_a_beam_of_283_mentions_fits_the_width_and_any_of_them_can_be_reached(mount: Mount, width: int) -> None:
    page = mount("beam", beams.payload(long_beam(283), selected="m0"))
    page.set_viewport_size({"width": width, "height": 900})
    first = page.locator(".column .surface").first
    expect(first).to_contain_text("mention 0")
    wider = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    page.wait_for_function(f"({wider})() <= 0")
    boxes = [box.bounding_box() for box in page.locator(".column").all()]
    assert all(box is not None and box["x"] + box["width"] <= width for box in boxes)
    assert page.locator(".ticks rect").count() == 283
    page.locator(".find").fill("mention 257")
    page.locator(".find").press("Enter")
    expect(page.locator(".column.selected .surface")).to_contain_text("mention 257")
    page.locator(".slider").focus()
    page.keyboard.press("Home")
    expect(page.locator(".column.selected .surface")).to_contain_text("mention 0")
    page.locator(".column.selected .head").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".column.selected")).to_have_count(1)


def chain_of(number: int, size: int, *, shown: bool = False) -> trees.Chain:
    ticks = [trees.Tick(f"m{100 * number + k}", k / size, f"mention {number} {k}", right=k != 2) for k in range(size)]
    return trees.Chain(number, number - 1, f"Entity {number}", ticks, shown)


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_the_map_of_chains_fits_and_leads_to_a_chain_a_mention_and_a_found_word(mount: Mount, width: int) -> None:
    chains = [chain_of(n, 60, shown=n == 1) for n in range(1, 41)]
    page = mount("tree", trees.payload(tree_of("Ada she her"), chains=chains))
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    expect(page.locator(".chain")).to_have_count(40)
    expect(page.locator(".chain.shown")).to_have_attribute("data-number", "1")
    expect(page.locator(".chain").first.locator("rect.wrong")).to_have_count(1)
    page.locator('.chain[data-number="3"] .name').click()
    page.locator('.chain[data-number="4"] rect').nth(30).dispatch_event("click")
    page.get_by_label("Find a mention", exact=False).fill("mention 39 59")
    page.keyboard.press("Enter")
    page.wait_for_function("window.sent.flat().length >= 3")
    assert [one["id"] for one in page.evaluate("window.sent.flat()")][:3] == ["m300", "m430", "m3959"]


def test_arcs_that_share_rows_run_in_lanes_of_their_own_and_say_what_they_are(mount: Mount) -> None:
    rows = tree_of("Ada she her it Bob he")
    heads = [-1, 0, 0, -1, -1, 1]
    rows = [replace(row, head=head, latent=head) for row, head in zip(rows, heads, strict=True)]
    page = mount("tree", trees.payload(rows))
    paths = page.locator(".scroller .arcs.left path")
    expect(paths).to_have_count(3)
    far = paths.evaluate_all("all => all.map(path => path.getBBox().x)")
    assert far[0] != far[1] != far[2], "nested and crossing arcs do not lie on each other"
    assert "in both trees" in paths.first.locator("title").text_content()
    expect(page.locator(".legend")).to_contain_text("predicted, wrong")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "coreference.svg"
