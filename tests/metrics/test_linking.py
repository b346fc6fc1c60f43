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
    assert presence([_document(gold)], [gold])[0].scores()["f1"] in (0.0, 1.0)


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
    (counts,) = presence([labelled], [said])
    assert (counts.correct, counts.predicted, counts.found, counts.gold) == (1, 1, 1, 1)


@given(st.lists(st.tuples(layers, layers), min_size=1, max_size=4))
def test_presence_counts_pairs_of_text_and_entity_that_gold_asks_about(pairs):
    """By sets of (text, entity): offsets play no part, and only entities of the gold of some text are queries."""
    named = {(d, m.entity) for d, (gold, _) in enumerate(pairs) for m in linked(gold)}
    queries = {entity for _, entity in named}
    said = {(d, m.entity) for d, (_, found) in enumerate(pairs) for m in linked(found) if m.entity in queries}
    counts = presence([_document(gold) for gold, _ in pairs], [found for _, found in pairs])
    assert sum(one.predicted for one in counts) == len(said)
    assert sum(one.gold for one in counts) == len(named)
    assert sum(one.correct for one in counts) == sum(one.found for one in counts) == len(said & named)


def test_an_entity_in_a_text_that_does_not_mention_it_costs_precision():
    documents = [Document(name, TEXT, layers={"gold": Layer(labels=(name,))}) for name in ("A", "B")]
    both = Layer(mentions=(Mention(0, 1, entity="A"), Mention(2, 3, entity="B")))
    counts = presence(documents, [both, both])
    assert [(one.correct, one.predicted, one.found, one.gold) for one in counts] == [(1, 2, 1, 1)] * 2
