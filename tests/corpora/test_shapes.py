"""Native records of every shape come back as they were: fields, order, nulls, unknown fields, kinds of ids."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.corpora.formats import jsonl
from engine.corpora.formats.jsonl import document, record
from engine.data.document import GOLD, NIL, Layer, Mention, Relation
from engine.data.errors import InputError
from tests.strategies import field_names, json_values

TEXT = "Ada 😀 met Bob in Paris."
MENTION = {"start": 10, "end": 13, "text": "Bob", "entity": "Bob (name)", "type": "PER", "score": 0.5}
AIDA_MENTION = {
    **{"text": "Ada", "expanded": "Ada Lovelace", "gold": None, "sent": 0, "start": 0, "end": 1, "ner": "PER"},
    "candidates": [{"id": 1, "title": "Ada", "in_count": 2, "out_count": 3, "type": "PER", "pop": None, "links": [1]}],
}
RECORDS: dict[str, dict[str, Any]] = {
    "tweet": {"id": "1", "text": TEXT, "mentions": [MENTION, {"start": -1, "end": -1, "text": "?", "entity": None}]},
    "topics": {"id": "1", "text": TEXT, "entities": ["Paris", "Ada"], "date": "today"},
    "links": {"id": "q", "text": TEXT, "question": TEXT + "?", "topic_key": "en/ada", "links": [MENTION]},
    "aida": {"id": 7, "split": "dev", "n_tokens": 5, "mentions": [AIDA_MENTION] * 2, "bow": {"met": 1}},
    "sentence": {
        **{"id": "s", "tokens": ["Ada", "met", "Bob"], "pos": ["NNP", "VBD", "NNP"]},
        "entities": [{"start": 0, "end": 1, "type": "Peop"}, {"start": 2, "end": 3, "type": "Peop"}],
        "relations": [{"head": 0, "tail": 1, "type": "Kill"}],
    },
    "bag": {
        **{"e1": "Ada", "e2": "Bob", "mid1": "/m/1", "relations": ["knows"]},
        "mentions": [
            {"sid": "1", "tokens": ["Ada", "met", "Bob"], "e1": [0, 1], "e2": [2, 3]},
            {"sid": "2", "tokens": ["Ada", "!"], "e1": [0, 1], "e2": None},
        ],
        "id": "b",
    },
    "features": {"id": "f", "relations": [3, 1], "mentions": [{"features": {"7": 2, "9": 1}}]},
    "sentential": {
        **{"set": "x", "e1_name": "Ada", "e2_name": "Bob", "relation": "knows", "label": "no"},
        **{"tokens": ["Ada", "met", "Bob"], "e1": [0, 1], "e2": [2, 3]},
    },
    "surface": {"surface": "ada", "entities": [["Ada", 3, ["title"]]]},
    "row": {"row": ["a", "", "b"]},
    "document": {
        **{"id": "d", "text": TEXT, "tokens": [[0, 3], [4, 5]], "sentences": [[0, 2]], "columns": {"pos": ["N", "S"]}},
        "layers": {
            "gold": {
                "mentions": [{"start": 0, "end": 3, "entity": None}, {"start": 0, "end": 5, "type": "X", "score": 1}],
                "clusters": [[0, 1]],
                "relations": [{"head": 0, "tail": 1, "type": "r"}],
                "labels": ["l"],
            },
            "anna": {"mentions": []},
        },
        "bag": {"first": "Ada", "second": "Bob", "members": [{"head": 0, "features": {"f": 1}}]},
    },
}


def same(one: Any, other: Any) -> bool:
    """Equal, in the same order, with the same kinds of numbers."""
    return json.dumps(one) == json.dumps(other)


@pytest.mark.parametrize("shape", RECORDS)
def test_a_record_of_each_shape_is_recognised_and_comes_back(shape: str) -> None:
    found = document(RECORDS[shape])
    assert found.shape == shape
    assert same(record(found), RECORDS[shape])


@pytest.mark.parametrize("shape", RECORDS)
@given(data=st.data())
def test_order_and_unknown_fields_survive(shape: str, data: st.DataObject) -> None:
    fields = {**data.draw(st.dictionaries(field_names(), json_values(), max_size=3)), **RECORDS[shape]}
    shuffled = {name: fields[name] for name in data.draw(st.permutations(list(fields)))}
    assert same(record(document(shuffled)), shuffled)


@pytest.mark.parametrize(
    ("shape", "name"),
    [(shape, name) for shape, fields in RECORDS.items() for name in fields],
)
@pytest.mark.parametrize("change", ["missing", "null", "number"])
def test_null_missing_and_wrong_values_come_back_or_are_refused(shape: str, name: str, change: str) -> None:
    changed = dict(RECORDS[shape])
    if change == "missing":
        del changed[name]
    else:
        changed[name] = None if change == "null" else 3
    try:
        found = document(changed)
    except InputError:
        return
    assert same(record(found), changed)


@pytest.mark.parametrize("name", [*MENTION, "other"])
@pytest.mark.parametrize("value", [None, 0, "x", [], "missing"])
def test_fields_of_a_mention_come_back_or_are_refused(name: str, value: Any) -> None:
    mention = {key: part for key, part in {**MENTION, name: value}.items() if part != "missing"}
    changed = {"id": "1", "text": TEXT, "mentions": [mention]}
    try:
        found = document(changed)
    except InputError as error:
        assert error.field and error.field.startswith("mentions[0]")
        return
    assert same(record(found), changed)


def test_null_entity_is_nil_and_a_missing_one_is_not() -> None:
    fields = {name: MENTION[name] for name in ("start", "end", "text")}
    found = document({"id": "1", "text": TEXT, "mentions": [{**fields, "entity": None}, fields]})
    assert [mention.entity for mention in found.gold.mentions] == [NIL, None]


def test_aida_text_is_made_of_the_surfaces() -> None:
    mentions = [{**AIDA_MENTION, "sent": sent} for sent in (0, 0, 1)]
    found = document({**RECORDS["aida"], "mentions": mentions})
    assert found.text == "Ada … Ada\nAda"
    assert [found.surface(mention) for mention in found.gold.mentions] == ["Ada"] * 3
    assert found.gold.mentions[0].entity == NIL
    assert found.gold.mentions[0].extra["candidates"][0]["title"] == "Ada"


def test_predictions_replace_gold_in_the_same_shape() -> None:
    tweet = document(RECORDS["tweet"])
    changed = record(tweet.with_layer(GOLD, Layer((Mention(0, 3, entity="Ada"), Mention(17, 22, entity=NIL)))))
    assert changed["mentions"] == [
        {"start": 0, "end": 3, "text": "Ada", "entity": "Ada"},
        {"start": 17, "end": 22, "text": "Paris", "entity": None},
    ]
    bag = document(RECORDS["bag"])
    relations = (Relation(0, 1, "likes", 0.5),)
    changed = record(bag.with_layer(GOLD, replace(bag.gold, labels=("likes",), relations=relations)))
    assert changed["relations"] == ["likes"]
    assert changed["mentions"][0]["relations"] == [{"type": "likes", "score": 0.5}]
    assert same(record(document(changed)), changed)
    sentence = document(RECORDS["sentence"])
    gold = sentence.gold
    mentions = (replace(gold.mentions[0], type="Org"), gold.mentions[1])
    changed = record(sentence.with_layer(GOLD, replace(gold, mentions=mentions, relations=())))
    assert [entity["type"] for entity in changed["entities"]] == ["Org", "Peop"]
    assert changed["relations"] == []
    one = document(RECORDS["sentential"])
    assert record(one.with_layer(GOLD, replace(one.gold, labels=())))["relation"] == "NA"
    features = document(RECORDS["features"])
    assert record(features.with_layer(GOLD, Layer(labels=("12",))))["relations"] == [12]


@pytest.mark.parametrize("shape", ["tweet", "aida", "sentence", "bag", "features", "sentential", "topics", "links"])
def test_a_second_layer_needs_the_full_shape_and_loses_nothing(shape: str) -> None:
    found = document(RECORDS[shape])
    both = found.with_layer("run", Layer(labels=("x",)))
    written = record(both)
    assert written["shape"] == shape
    back = document(json.loads(json.dumps(written)))
    assert back == both
    alone = replace(back, layers={name: layer for name, layer in back.layers.items() if name != "run"})
    assert same(record(alone), RECORDS[shape])


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 1, "text": NaN}',
        '{"text": "\\ud800", "id": "1"}',
        "[" * 100_000,
        '{"text": ' + "1" * 5000 + "}",
        "1",
        "{}",
    ],
)
def test_what_is_not_json_or_not_a_record_is_refused(line: str) -> None:
    with pytest.raises(InputError):
        document(jsonl.parse(line))
