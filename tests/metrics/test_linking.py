"""Overlap, strict and presence counts against the definitions, spelled out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import NIL, Document, Layer, Mention
from engine.metrics.linking import count_document, is_strict_match, linked, presence

TEXT = "abcdefghij"
mentions = st.builds(
    lambda start, length, entity: Mention(start, min(start + length, 10), entity=entity),
    st.integers(0, 9),
    st.integers(1, 4),
    st.sampled_from(["A", "B", "C", NIL, None]),
)
layers = st.lists(mentions, max_size=5).map(lambda found: Layer(mentions=tuple(found)))


def _document(layer: Layer) -> Document:
    return Document("d", TEXT, layers={"gold": layer})


@given(layers, layers)
def test_overlap_counts_follow_the_definition(gold, predicted):
    counts = count_document(_document(gold), predicted)
    real = [m for m in linked(gold)]
    said = [m for m in linked(predicted)]
    hits = {(i, j) for i, g in enumerate(real) for j, p in enumerate(said)
            if g.entity == p.entity and set(range(*g.span)) & set(range(*p.span))}  # fmt: skip
    assert (counts.gold, counts.predicted) == (len(real), len(said))
    assert counts.found == len({i for i, _ in hits})
    assert counts.correct == len({j for _, j in hits})


@given(layers)
def test_gold_against_itself_is_perfect(gold):
    for matches in (is_strict_match,):
        counts = count_document(_document(gold), gold, matches=matches)
        assert counts.correct == counts.predicted == counts.found == counts.gold
    assert presence([_document(gold)], [gold]).scores()["f1"] in (0.0, 1.0)


@given(layers, layers)
def test_a_strict_match_is_an_overlap_match(gold, predicted):
    strict = count_document(_document(gold), predicted, matches=is_strict_match)
    overlap = count_document(_document(gold), predicted)
    assert strict.correct <= overlap.correct and strict.found <= overlap.found


@given(layers, layers)
def test_swapping_gold_and_predicted_swaps_precision_and_recall(gold, predicted):
    one = count_document(_document(gold), predicted).scores()
    other = count_document(_document(predicted), gold).scores()
    assert (one["precision"], one["recall"]) == (other["recall"], other["precision"])


def test_nil_and_unlinked_mentions_count_nowhere():
    gold = Layer(mentions=(Mention(0, 2, entity=NIL), Mention(3, 5, entity=None)))
    counts = count_document(_document(gold), Layer(mentions=(Mention(0, 2, entity=NIL),)))
    assert (counts.gold, counts.predicted) == (0, 0)


def test_gold_outside_the_inventory_is_dropped_and_predictions_are_not():
    gold = Layer(mentions=(Mention(0, 2, entity="A"), Mention(3, 5, entity="B")))
    said = Layer(mentions=(Mention(0, 2, entity="A"), Mention(3, 5, entity="B")))
    counts = count_document(_document(gold), said, inside=lambda title: title == "A")
    assert (counts.gold, counts.found, counts.correct, counts.predicted) == (1, 1, 1, 2)


def test_another_title_of_the_same_entity_is_right():
    gold = Layer(mentions=(Mention(0, 2, entity="Dunkin'", extra={"entity_2022": "Dunkin' Donuts"}),))
    said = Layer(mentions=(Mention(1, 2, entity="Dunkin' Donuts"),))
    assert count_document(_document(gold), said).scores()["f1"] == 1.0


def test_presence_ignores_offsets_and_entities_nobody_asked_for():
    labelled = Document("d", TEXT, layers={"gold": Layer(labels=("A",))})
    said = Layer(mentions=(Mention(7, 9, entity="A"), Mention(0, 1, entity="Z")))
    counts = presence([labelled], [said])
    assert (counts.correct, counts.predicted, counts.found, counts.gold) == (1, 1, 1, 1)
