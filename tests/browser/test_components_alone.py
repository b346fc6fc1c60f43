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
