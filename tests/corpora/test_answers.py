"""Predictions are matched by document id, stand where gold stands, and are not gold itself."""

from __future__ import annotations

import pytest

from engine.corpora.answers import answers
from engine.corpora.formats import jsonl
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError

WORDS = [["Ada", "met", "Bob", "."], ["She", "left", "."]]
RIGHT, WRONG = Layer((Mention(0, 3),)), Layer((Mention(8, 11),))


def document(id: str, layer: Layer = RIGHT, words: list[list[str]] = WORDS) -> Document:
    return Document.from_words(id, words).with_layer(GOLD, layer)


def test_documents_are_matched_by_id_and_strangers_left_out() -> None:
    gold = [document("a"), document("b")]
    assert answers(gold, [document("c"), document("b", WRONG)]) == {"b": WRONG}
    with pytest.raises(InputError, match="two predictions for document 'b'"):
        answers(gold, [document("b"), document("b")])


def test_predictions_beside_gold_are_not_mistaken_for_gold() -> None:
    gold = [document("a"), document("b")]
    both = [one.with_layer("ours", WRONG) for one in gold]
    with pytest.raises(InputError, match="predictions are in layer 'ours'"):
        answers(gold, both)
    assert answers(gold, both, layer="ours") == {"a": WRONG, "b": WRONG}
    assert answers(gold, both, layer=GOLD) == {"a": RIGHT, "b": RIGHT}
    with pytest.raises(InputError, match="has no layer 'theirs'"):
        answers(gold, both, layer="theirs")
    # Predictions in the place of gold may stand beside whatever else the documents had.
    assert answers(gold, [one.with_layer(GOLD, WRONG) for one in both]) == {"a": WRONG, "b": WRONG}
    # A perfect system without another layer is no reason to object.
    assert answers(gold, gold) == {"a": RIGHT, "b": RIGHT}


MENTION = {"start": 0, "end": 4}
SCORED: dict[str, tuple[dict[str, object], bool]] = {
    "mentions about which nothing is said": ({"mentions": [MENTION]}, True),
    "no mentions": ({}, True),
    "gold, from the data": ({"mentions": [{**MENTION, "entity": "Rome"}]}, True),
    "links": ({"mentions": [{**MENTION, "entity": "Roma"}]}, False),
    "what was decided, all of it NIL": ({"mentions": [{**MENTION, "entity": None}], "bias": 2.0}, False),
    "what was decided, and is all right": ({"mentions": [{**MENTION, "entity": "Rome"}], "bias": 0.0}, False),
}


@pytest.mark.parametrize("scale", [{"scale": "logit"}, {}])
@pytest.mark.parametrize("case", SCORED)
def test_scores_without_decisions_are_not_answers(case: str, scale: dict[str, object]) -> None:
    fields, refused = SCORED[case]
    parts = [{**MENTION, "entity": "Rome", "score": 1.0}]
    predicted = jsonl.document({"id": "a", "text": "Rome fell.", **fields, **scale, "parts": parts})
    gold = jsonl.document({"id": "a", "text": "Rome fell.", "mentions": [{**MENTION, "entity": "Rome"}]})
    if not refused:
        assert answers([gold], [predicted]) == {"a": predicted.gold}
        return
    with pytest.raises(InputError, match="document 'a' has scores but no answers"):
        answers([gold], [predicted])


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ([["Ada", "hit", "Bob", "."], ["She", "left", "."]], None),
        ([["Ada", "greeted", "Bob", "."], ["She", "left", "."]], "word 2 is 'greeted' here and 'met' there"),
        ([["Ada", "met", "Bob", "."], ["She", "left"]], "6 words here, 7 in gold"),
    ],
)
def test_words_that_stand_elsewhere_are_refused(words: list[list[str]], fault: str | None) -> None:
    predicted = [document("a", words=words)]
    if fault is None:
        assert answers([document("a")], predicted) == {"a": RIGHT}
        return
    with pytest.raises(InputError, match=fault):
        answers([document("a")], predicted)


@pytest.mark.parametrize(
    ("mention", "words"),
    [
        ({"start": 3, "end": 7, "text": "Rome"}, "count UTF-16 units"),
        ({"start": 5, "end": 9, "text": "Rome"}, "count bytes of UTF-8"),
        ({"start": 2, "end": 5, "text": "Rome"}, "the last character as the end"),
        ({"start": 2, "end": 6, "text": "Nero"}, "is 'Rome', not 'Nero'"),
    ],
)
def test_a_mention_whose_words_are_elsewhere_is_refused(mention: dict[str, object], words: str) -> None:
    text = "😀 Rome fell."
    gold = [Document("d", text)]
    right = jsonl.document({"id": "d", "text": text, "mentions": [{"start": 2, "end": 6, "text": "ROME"}]})
    assert answers(gold, [right])["d"].mentions[0].span == (2, 6)
    with pytest.raises(InputError, match=words):
        answers(gold, [jsonl.document({"id": "d", "text": text, "mentions": [mention]})])


def test_a_mention_beyond_the_text_of_gold_is_refused() -> None:
    longer = jsonl.document({"id": "d", "text": "Rome fell down.", "mentions": [{"start": 10, "end": 14}]})
    with pytest.raises(InputError, match="ends after the text of gold"):
        answers([Document("d", "Rome fell.")], [longer])
