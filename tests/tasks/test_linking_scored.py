"""Linking right of the waist, on scores that no model made: against brute force over all outputs."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.document import NIL, Document, Layer, Mention
from engine.data.pins import LinkPin
from engine.metrics.linking import OTHER_TITLE, count_document
from engine.structures.nonoverlap import NonOverlap
from engine.tasks.linking.curve import curve
from engine.tasks.linking.deciding import decide, rank_entities
from engine.tasks.linking.entities import Entities
from engine.tasks.linking.errors import errors
from engine.tasks.linking.scored import LinkingScored
from engine.tasks.linking.trace import flip_needed, trace
from engine.tasks.registry import get
from tests.tasks.test_contract import sample, trained

TEXT = "ab cd ef gh"
TITLES = ("A", "B", "C")
HAIR = 1e-6

spans = st.tuples(st.integers(0, 3), st.integers(1, 2)).map(lambda at: (3 * at[0], min(3 * (at[0] + at[1]) - 1, 11)))
parts = st.lists(
    st.tuples(spans, st.sampled_from(TITLES), st.integers(-40, 40)),
    max_size=6,
    unique_by=lambda part: part[:2],
)
golds = st.lists(st.tuples(spans, st.sampled_from(TITLES)), max_size=3)


@st.composite
def corpora(draw: st.DrawFn) -> LinkingScored:
    """One to three short documents; scores that no two outputs share, so that the best is the only one."""
    drawn = draw(st.lists(st.tuples(parts, golds), min_size=1, max_size=3))
    documents, rows = [], []
    for d, (found, gold) in enumerate(drawn):
        layer = Layer(mentions=tuple(Mention(*span, entity=title) for span, title in gold))
        documents.append(Document(f"d{d}", TEXT, layers={"gold": layer}))
        rows += [(span, title, score + 2.0 ** -(i + 2)) for i, (span, title, score) in enumerate(found)]
    offsets = np.cumsum([0, *(len(found) for found, _ in drawn)])
    return LinkingScored.of(documents, offsets, [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows])


def outputs(scored: LinkingScored, document: int) -> list[tuple[int, ...]]:
    """Every set of parts of a document that share no character."""
    own = scored.parts(document).tolist()
    return [
        chosen
        for size in range(len(own) + 1)
        for chosen in itertools.combinations(own, size)
        if all(
            scored.end[a] <= scored.start[b] or scored.end[b] <= scored.start[a]
            for a, b in itertools.combinations(chosen, 2)
        )
    ]


def best(scored: LinkingScored, document: int) -> set[tuple[int, int, str]]:
    chosen = max(outputs(scored, document), key=lambda one: sum(scored.score[p] - scored.bias for p in one))
    return {(int(scored.start[p]), int(scored.end[p]), scored.title(p)) for p in chosen}


def said(layer: Layer) -> set[tuple[int, int, str]]:
    return {(m.start, m.end, str(m.entity)) for m in layer.mentions}


@settings(max_examples=80, deadline=None)
@given(corpora(), st.sampled_from([-7.1, 0.0, 3.3]))
def test_the_best_output_of_all_is_decided_with_its_probabilities(scored: LinkingScored, bias: float) -> None:
    scored = scored.at(bias)
    for d, layer in enumerate(decide(scored)):
        assert said(layer) == best(scored, d)
        weights = {one: np.exp(sum(scored.score[p] - bias for p in one)) for one in outputs(scored, d)}
        for mention in layer.mentions:
            [part] = [p for p in scored.at_span(d, mention.span).tolist() if scored.title(p) == mention.entity]
            share = sum(weight for one, weight in weights.items() if part in one) / sum(weights.values())
            assert mention.score == pytest.approx(share)
            assert dict(rank_entities(scored.one(d), mention.span))[str(mention.entity)] == pytest.approx(share)


@settings(max_examples=60, deadline=None)
@given(corpora())
def test_the_curve_counts_what_is_decided_at_every_bias(scored: LinkingScored) -> None:
    found = curve(scored)
    assert found.exact
    for index in range(len(found.bias)):
        layers = decide(scored.at(found.bias_of(index)))
        counts = [count_document(d, layer) for d, layer in zip(scored.documents, layers, strict=True)]
        assert found.correct[index] == sum(one.correct for one in counts)
        assert found.found[index] == sum(one.found for one in counts)
        assert found.predicted[index] == sum(one.predicted for one in counts)
    assert found.gold == sum(count_document(d, Layer()).gold for d in scored.documents)


@settings(max_examples=40, deadline=None)
@given(corpora())
def test_a_slice_is_the_corpus_of_its_documents(scored: LinkingScored) -> None:
    middle = len(scored) // 2
    halves = [scored.part(0, middle), scored.part(middle, len(scored))]
    assert [layer for half in halves for layer in decide(half)] == decide(scored)
    assert [error for half in halves for error in errors(half, decide(half))] == errors(scored, decide(scored))
    for d in range(len(scored)):
        own = [scored.title(p) for p in scored.parts(d).tolist()]
        rows = slice(scored.part_offsets[d], scored.part_offsets[d + 1])
        spans = np.stack([scored.start[rows], scored.end[rows]], axis=1)
        alone = LinkingScored.of([scored.documents[d]], [0, len(own)], spans, own, scored.score[rows])
        assert trace(alone) == trace(scored.one(d))


@settings(max_examples=60, deadline=None)
@given(corpora(), st.data())
def test_a_pinned_part_is_in_the_best_output_that_has_it(scored: LinkingScored, data: st.DataObject) -> None:
    filled = [d for d in range(len(scored)) if len(scored.parts(d))]
    if not filled:
        return
    d = data.draw(st.sampled_from(filled))
    part = data.draw(st.sampled_from(scored.parts(d).tolist()))
    span = int(scored.start[part]), int(scored.end[part])
    for holds in (True, False):
        pins = {f"d{d}": (LinkPin(span, scored.title(part), holds=holds),)}
        allowed = [one for one in outputs(scored, d) if (part in one) == holds]
        chosen = max(allowed, key=lambda one: sum(scored.score[p] for p in one))
        expected = {(int(scored.start[p]), int(scored.end[p]), scored.title(p)) for p in chosen}
        assert said(decide(scored, pins)[d]) == expected
        traced = trace(scored.one(d), pins[f"d{d}"])
        assert traced.candidates[part - scored.part_offsets[d]].pinned == ("on" if holds else "off")
    banned = decide(scored, {f"d{d}": (LinkPin(span, NIL),)})[d]
    assert span not in {(m.start, m.end) for m in banned.mentions}


def test_an_entity_that_no_part_has_is_forced_in_and_shuts_out_what_overlaps() -> None:
    scored = LinkingScored.of([Document("d", TEXT)], [0, 2], [(0, 5), (6, 8)], ["A", "B"], [9.0, 1.0])
    [layer] = decide(scored, {"d": (LinkPin((3, 5), "Elsewhere"),)})
    assert said(layer) == {(3, 5, "Elsewhere"), (6, 8, "B")}


def test_parts_that_meet_inside_a_word_do_not_exclude_each_other() -> None:
    document = Document("d", "Yankees-Rays tonight")
    scored = LinkingScored.of([document], [0, 3], [(0, 7), (8, 12), (0, 12)], ["A", "B", "C"], [1.0, 1.0, 1.5])
    assert said(decide(scored)[0]) == {(0, 7, "A"), (8, 12, "B")}
    assert [token.text for token in trace(scored).tokens] == ["Yankees", "-", "Rays", "tonight"]


def test_a_part_over_no_word_is_refused() -> None:
    with pytest.raises(ValueError, match="covers no word"):
        LinkingScored.of([Document("d", "ab cd")], [0, 1], [(2, 3)], ["A"], [1.0])


def test_a_gold_link_is_found_by_either_of_its_titles_and_reached_once() -> None:
    gold = Layer(
        mentions=(Mention(0, 2, entity="Old", extra={OTHER_TITLE: "New"}), Mention(9, 11, entity="Far")),
    )
    document = Document("d", TEXT, layers={"gold": gold})
    scored = LinkingScored.of([document], [0, 3], [(0, 2), (0, 5), (3, 5)], ["Old", "New", "Old"], [1.0, 2.0, 3.0])
    assert scored.finders == {0: (0, 1)} and scored.right.tolist() == [True, True, False]
    assert scored.reachable == 0.5


def test_entities_survive_being_taken_apart() -> None:
    table = Entities(
        titles=("Queen", "Queen", "Paris"),
        known=np.array([True, False, True]),
        listed=np.array([True, True, False]),
        types=(("music.group",), (), ()),
        descriptions=("British band", "", ""),
        families=("organisation", "", "location"),
        training_links=np.array([3, 0, 1]),
    )
    again = Entities.from_parts(table.to_parts())
    assert (again.titles, again.types, again.families) == (table.titles, table.types, table.families)
    assert again.is_listed("Queen") and not again.is_listed("Paris") and not again.is_listed("Rome")
    assert (again.links("Queen"), again.links("Rome"), again.family("Queen")) == (3, 0, "organisation")


def test_the_inventory_of_a_report_is_that_of_the_scored_corpus() -> None:
    gold = Layer(mentions=(Mention(0, 2, entity="A"), Mention(3, 5, entity="Unlisted")))
    document = Document("d", TEXT, layers={"gold": gold})
    outside = LinkingScored.of([document], [0, 1], [(0, 2)], ["A"], [1.0])
    scored = replace(outside, entities=replace(outside.entities, has_base=True))
    report = get("linking").evaluate([document], decide(scored), scored)
    assert report["recall"] == 0.5 and report["inventory"]["recall"] == 1.0
    # Nobody knows the inventory of another program, nor that of answers alone.
    for unknown in (outside, None):
        assert "inventory" not in get("linking").evaluate([document], decide(scored), unknown)


def test_a_link_flips_exactly_at_the_change_that_is_named() -> None:
    task, model = get("linking"), trained("linking")
    checked = 0
    for document in sample("linking", "dev")[:12]:
        scored = task.score([document], model)
        found = task.trace(scored)
        if not found.candidates:
            continue
        first, last = (np.array([getattr(c, side) for c in found.candidates]) for side in ("first", "last"))
        lattice = NonOverlap(first, last)
        scores = np.array([c.score - found.bias for c in found.candidates])
        for one in found.candidates[:15]:
            change = flip_needed(scored, one.id)
            assert change is not None
            assert (change <= 0) == one.chosen or change == 0
            for beyond, expected in ((-HAIR, one.chosen), (HAIR, not one.chosen)):
                moved = scores.copy()
                moved[one.id] += change + beyond * (-1 if one.chosen else 1)
                assert (one.id in lattice.argmax(moved)) == expected
            checked += 1
    assert checked > 20


def test_what_a_pin_has_decided_does_not_flip() -> None:
    scored = LinkingScored.of(
        [Document("d", TEXT)], [0, 4], [(0, 5), (0, 2), (3, 5), (6, 8)], ["A", "B", "C", "A"], [1.0, 2.0, 3.0, 0.5]
    )
    pins = (LinkPin((0, 2), "B"), LinkPin((6, 8), "A", holds=False))
    assert [flip_needed(scored, part, pins) for part in range(4)] == [None, None, -3.0, None]
    assert [flip.candidate for flip in trace(scored, pins).closest] == [2]


def test_a_model_does_not_explain_scores_of_another() -> None:
    task, model = get("linking"), trained("linking")
    document = sample("linking", "dev")[0]
    other = LinkingScored.of([document], [0, 1], [(0, len(document.text))], ["A"], [1.0])
    with pytest.raises(ValueError, match="not of this model"):
        task.explain(other, model, 0)
