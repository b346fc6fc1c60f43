"""Components on an empty page, without a server: what they do when messages are slow can be played step by step."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from engine.tuning.curve import Curve
from tests.browser.conftest import Mount
from ui.components import strip

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
    page = mount("strip", strip.payload(curve, bias=0.0, name="Nil", run="r"))
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
    [[name, message]] = page.evaluate("window.sent")
    assert name == "point" and curve.index_at(message["bias"]) == places[-1]


def test_where_nothing_is_predicted_no_precision_is_shown_or_drawn(mount: Mount) -> None:
    curve = Curve(np.array([-np.inf, 0.0, 1.0]), *(np.array([2, 1, 0]) for _ in range(3)), gold=2)
    page = mount("strip", strip.payload(curve, bias=0.5, run="r", large=True))
    page.locator(".strip input[type=range]").press("End")
    assert shown(page)[:2] == ["–", "0.0"]
    assert page.locator("path.precision").get_attribute("d") == "M0.0 0.00L500.0 0.00"
    assert page.locator(".against path").last.get_attribute("d") == "M1000.0 0.00L500.0 0.00"


def test_an_answer_to_an_earlier_move_does_not_pull_the_knob_back(mount: Mount) -> None:
    curve = long_curve()
    data = strip.payload(curve, bias=0.5, run="r")
    home = str(curve.index_at(0.5))
    page = mount("strip", data)
    knob = page.locator(".strip input[type=range]")
    expect(knob).to_have_value(home)
    knob.focus()
    page.keyboard.press("End")
    page.wait_for_function("window.sent.length === 1")
    page.keyboard.press("Escape")  # back to where it was, before the server has answered
    end = page.evaluate("window.sent[0][1].bias")
    page.evaluate("([data]) => window.update(data)", [{**data, "value": end, "ack": 1}])
    expect(knob).to_have_value(home)
    page.wait_for_function("window.sent.length === 2")
    assert page.evaluate("window.sent[1][1]") == {"bias": 0.5, "index": int(home), "beta": 1, "run": "r", "seq": 2}
    # Once all is answered, the server's word counts again: somebody pressed a button elsewhere on the page.
    page.evaluate("([data]) => window.update(data)", [{**data, "value": -1.0, "ack": 2}])
    expect(knob).to_have_value(str(curve.index_at(-1.0)))


def test_a_thinned_curve_is_exact_at_the_cursor_and_at_the_optimum(
    mount: Mount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strip, "POINTS", 100)
    curve = long_curve()
    page = mount("strip", strip.payload(curve, bias=0.123, run="r"))
    at, best = curve.index_at(0.123), curve.best_index()
    assert float(shown(page)[0]) == pytest.approx(100 * curve.precision[at], abs=0.0501)
    expect(page.locator(".strip .note")).to_contain_text(f"{curve.predicted[at]:,}".replace(",", "\u2009"))
    page.locator(".strip input[type=range]").focus()
    page.keyboard.press("Enter")
    assert float(shown(page)[2]) == pytest.approx(100 * curve.f()[best], abs=0.0501)
    page.wait_for_function("window.sent.length === 1")
    assert curve.f()[curve.index_at(page.evaluate("window.sent[0][1].bias"))] == curve.f()[best]


def test_an_answer_to_an_earlier_case_does_not_pull_the_cursor_back(mount: Mount) -> None:
    rows = [{"key": f"k{i}", "sign": "✗", "title": f"case {i}", "note": ""} for i in range(30)]
    data = {"rows": rows, "version": "v", "selected": None, "height": 200, "ack": 0}
    page = mount("cases", data)
    page.locator(".cases").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("window.sent.length > 0")
    first = page.evaluate("window.sent.at(-1)[1]")
    page.keyboard.press("ArrowDown")
    page.evaluate("([data]) => window.update(data)", [{**data, "selected": first["key"], "ack": first["seq"]}])
    expect(page.locator(".case.at")).to_have_attribute("id", "case2")


def test_of_two_quick_switches_neither_is_lost_and_an_old_answer_does_not_undo_them(mount: Mount) -> None:
    row = {"on": True, "weight": None, "alone": 1, "together": 0, "binds": True}
    data = {"rows": [{"name": "<b>one</b>", **row}, {"name": "two", **row}], "ack": 0}
    page = mount("switches", data)
    one, two = page.get_by_role("checkbox").all()
    expect(page.locator("td.name").first).to_have_text("<b>one</b>")
    one.click()
    price = page.get_by_role("spinbutton", name="weight of two")
    price.fill("0.5")
    price.press("Enter")
    assert [message["seq"] for _, message in page.evaluate("window.sent")] == [1, 2]
    assert page.evaluate("window.sent[1][1].rows") == [{"on": False, "weight": None}, {"on": True, "weight": 0.5}]
    page.evaluate("([data]) => window.update(data)", [{**data, "ack": 1}])
    expect(one).not_to_be_checked()
    expect(price).to_have_value("0.5")
    # Once all is answered, the server's word counts: here it refused both.
    two.focus()
    page.evaluate("([data]) => window.update(data)", [{**data, "ack": 2}])
    expect(one).to_be_checked()
    expect(price).to_have_value("")
