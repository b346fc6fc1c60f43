"""Pins live in the address: what is written comes back, and what anybody else writes does no harm."""

from __future__ import annotations

import hypothesis.strategies as some
from hypothesis import given

from engine.data.pins import ClusterPin, LabelPin, LinkPin, Pin, RelationPin, TypePin
from ui.views.see import pins

span = some.tuples(some.integers(0, 50), some.integers(0, 50))
words = some.text(max_size=8)
any_pin = some.one_of(
    some.builds(LinkPin, span, some.none() | words, some.booleans()),
    some.builds(ClusterPin, span, span, some.booleans()),
    some.builds(TypePin, span, words, some.booleans()),
    some.builds(RelationPin, span, span, words, some.booleans()),
    some.builds(LabelPin, words, some.booleans()),
)


@given(any_pin)
def test_a_pin_survives_the_address(pin: Pin) -> None:
    assert pins.decode(pins.encode(pin)) == pin


@given(some.text(max_size=30) | some.sampled_from(["[]", "{}", "1", '["link"]', '["link",[1],2,3,4,5]', '["x",1]']))
def test_what_is_no_pin_is_left_out(text: str) -> None:
    assert pins.decode(text) is None or pins.encode(pins.decode(text))  # type: ignore[arg-type]


def test_a_pin_is_described_in_the_words_of_the_text() -> None:
    assert pins.describe(LinkPin((0, 3), "Ada_Lovelace"), "Ada met him") == "“Ada” is Ada_Lovelace"
    assert pins.describe(ClusterPin((0, 3), (8, 11), False), "Ada met him") == "“Ada” and “him” do not corefer"
