"""Counting, filtering and pairing errors."""

from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.errors import (
    MERGED,
    STAGES,
    Error,
    Filter,
    attributes,
    confusions,
    merge_unlisted,
    most_confident_first,
    select,
    stage_table,
    stages_shown,
)


def error(**changes):
    given = {
        "document": "d",
        "kind": "miss",
        "stage": "scored lower",
        "type": "LOC",
        "start": 0,
        "end": 4,
        "gold": "Oslo",
        "predicted": "",
        "confidence": 0.5,
    }
    return Error(**{**given, **changes})


errors = st.lists(
    st.builds(
        error,
        kind=st.sampled_from(["miss", "false alarm"]),
        stage=st.sampled_from(STAGES),
        type=st.sampled_from(["LOC", "PER"]),
        confidence=st.floats(0, 1),
        attributes=st.fixed_dictionaries({"length": st.integers(1, 5)}),
    ),
    max_size=20,
)


@given(errors)
def test_the_stage_table_adds_up_to_the_total(found):
    table = stage_table(found)
    assert tuple(table) == STAGES
    assert sum(sum(row.values()) for row in table.values()) == len(found)


@given(errors)
def test_a_filter_and_its_complement_partition_the_errors(found):
    short, long = Filter("length", high=2), Filter("length", low=3)
    assert len(select(found, [short])) + len(select(found, [long])) == len(found)
    assert select(found, [short, long]) == []


def test_filters_on_values_and_missing_attributes():
    found = [error(type="LOC"), error(type="PER", attributes={"length": 3})]
    assert select(found, [Filter("type", values=("PER",))]) == [found[1]]
    assert select(found, [Filter("length", low=0)]) == [found[1]]
    assert attributes(found)["length"] == [3]


def test_the_most_confident_error_comes_first():
    found = [error(confidence=0.2), error(confidence=0.9)]
    assert [one.confidence for one in most_confident_first(found)] == [0.9, 0.2]


def test_a_wrong_answer_is_one_confusion_although_it_is_two_errors():
    wrong = [error(predicted="Bergen"), error(kind="false alarm", predicted="Bergen")]
    invented = error(kind="false alarm", gold="", predicted="Rome")
    missed = error(gold="Paris")
    assert confusions([*wrong, invented, missed]) == {("Oslo", "Bergen"): 1, ("", "Rome"): 1, ("Paris", ""): 1}


def test_stages_that_cannot_be_told_apart_have_one_row():
    found = [error(stage=stage) for stage in ("mention not proposed", "candidate missing", "scored lower")]
    possible = (*MERGED, "scored lower", "declined by the bias")
    told = stages_shown(possible, stage_table(merge_unlisted(found, complete=True)))
    assert told == ["mention not proposed", "candidate missing", "declined by the bias", "scored lower"]
    merged = stages_shown(possible, stage_table(merge_unlisted(found, complete=False)))
    assert merged == ["not listed", "declined by the bias", "scored lower"]
