"""The knob gets the whole path, exactly."""

from __future__ import annotations

import base64

import numpy as np

from engine.tuning.curve import Curve
from ui.components import bars, strip
from ui.shell import layout


def test_the_path_arrives_without_a_bit_lost() -> None:
    rng = np.random.default_rng(0)
    n = 50_000
    bias = np.concatenate([[-np.inf], np.sort(rng.normal(size=n - 1))])
    predicted = np.arange(n, 0, -1)
    curve = Curve(bias, predicted // 2, predicted // 2, predicted, gold=n, exact=False)
    sent = strip.payload(curve, strip.Knob(bias=0.25, name="Nil", run="r"))
    assert np.array_equal(np.frombuffer(base64.b64decode(sent["bias"]), "<f8"), bias)
    assert np.array_equal(np.frombuffer(base64.b64decode(sent["predicted"]), "<i4"), predicted)
    assert (sent["n"], sent["gold"], sent["exact"], sent["value"]) == (n, n, False, 0.25)


def test_moving_the_cursor_does_not_make_the_page_read_the_path_again() -> None:
    one = np.array([1])
    curve = Curve(np.array([-np.inf]), one, one, one, gold=1)
    assert (
        strip.payload(curve, strip.Knob(bias=0.0))["version"] == strip.payload(curve, strip.Knob(bias=3.0))["version"]
    )
    other = Curve(np.array([-np.inf]), one, one, one + 1, gold=1)
    assert (
        strip.payload(curve, strip.Knob(bias=0.0))["version"] != strip.payload(other, strip.Knob(bias=0.0))["version"]
    )


def test_without_gold_the_knob_says_so() -> None:
    assert strip.payload(None, strip.Knob(bias=0.0))["n"] == 0


def test_contributions_come_longest_first_whatever_their_sign() -> None:
    rows = [bars.Contribution("a", 0.1), bars.Contribution("b", -3.0, 2), bars.Contribution("c", 1.0, "x")]
    sent = bars.payload(rows, total=-1.9)
    assert [row["name"] for row in sent["rows"]] == ["b", "c", "a"]
    assert [row["value"] for row in sent["rows"]] == [2.0, "x", None]


def test_numbers_have_a_true_minus_and_one_decimal() -> None:
    assert layout.with_minus("Locked at bias -1.29 (2026-11-16).") == "Locked at bias −1.29 (2026-11-16)."
    assert layout.in_percent([{"p": 0.5, "q": 1.0}, {"p": None, "q": 2.0}], ("p",)) == [
        {"p": 50.0, "q": 1.0},
        {"p": None, "q": 2.0},
    ]
    assert layout.PERCENT % 54.19 == "54.2 %"


def test_nothing_on_screen_is_a_python_value_or_a_probability_of_zero() -> None:
    assert [layout.plain(value) for value in (True, False, 1, 0.5, "a\u202eb")] == ["yes", "no", "1", "0.5", "a⟨RLO⟩b"]
