"""Scored arcs of any origin: what is decided from them is what trying every tree finds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import ClusterPin, NoPlace
from engine.learners.laso.arrays import ClusterTemplates
from engine.learners.laso.learner import search
from engine.structures.base import Infeasible
from engine.tasks import scored as waist
from engine.tasks.coreference.deciding import best_tree, latent_tree
from engine.tasks.coreference.scored import ClusterScorer, CoreferenceScored
from engine.tasks.coreference.task import Coreference

TASK = Coreference()
WORDS = "Ann Bob Cem Dot Eve".split()
Pins = list[tuple[int, int, bool]]


@st.composite
def arcs_of(draw: st.DrawFn, n: int) -> tuple[list[int], list[int], list[float]]:
    """Some of the arcs over n mentions with scores that often tie, in any order; the root's are not always there."""
    every = [(head, mention) for mention in range(1, n + 1) for head in range(mention)]
    kept = draw(st.permutations([arc for arc in every if draw(st.booleans())]))
    scores = draw(st.lists(st.integers(-3, 3).map(float), min_size=len(kept), max_size=len(kept)))
    return [head for head, _ in kept], [mention for _, mention in kept], scores


@st.composite
def corpora(draw: st.DrawFn) -> CoreferenceScored:
    """Up to three documents of up to five mentions, some of them in gold clusters."""
    documents, mentions, arcs = [], [], []
    for number in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, len(WORDS)))
        document = Document.from_words(f"d{number}", [WORDS[:n]])
        spans = list(document.tokens)
        clusters = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
        groups = [[i for i in range(n) if clusters[i] == c] for c in (1, 2)]
        gold = Layer(tuple(Mention(*span) for span in spans), tuple(tuple(group) for group in groups if group))
        documents.append(document.with_layer(GOLD, gold))
        mentions.append(spans)
        arcs.append(draw(arcs_of(n)))
    return CoreferenceScored.of(documents, mentions, arcs, singletons=draw(st.booleans()))


def clustering(heads: Sequence[int]) -> list[int]:
    label = [0]
    for mention, head in enumerate(heads, 1):
        label.append(label[head] if head else mention)
    return label


def trees(one: CoreferenceScored) -> list[tuple[float, tuple[int, ...]]]:
    """Every tree with its score at the bias."""
    choices = []
    for mention in range(1, one.n + 1):
        rows = range(one.arc_offsets[mention - 1], one.arc_offsets[mention])
        choices.append([(float(one.score[row]) + one.bias * (one.head[row] == 0), int(one.head[row])) for row in rows])
    return [(sum(score for score, _ in tree), tuple(head for _, head in tree)) for tree in product(*choices)]


def score_of(one: CoreferenceScored, heads: Sequence[int]) -> float:
    return next(score for score, tree in trees(one) if tree == tuple(heads))


def equal(a: CoreferenceScored, b: CoreferenceScored) -> bool:
    def same(x: object, y: object) -> bool:
        if isinstance(x, np.ndarray):
            return isinstance(y, np.ndarray) and x.dtype == y.dtype and x.tolist() == y.tolist()
        return x == y

    return all(same(getattr(a, field.name), getattr(b, field.name)) for field in dataclasses.fields(a))


@given(corpora(), st.integers(-4, 4).map(lambda half: half / 2))
def test_the_decision_is_the_best_tree_and_of_equal_heads_the_nearest(scored: CoreferenceScored, bias: float) -> None:
    for one in scored.at(bias).each():
        heads = best_tree(one).heads.tolist()
        best = max(score for score, _ in trees(one))
        # Of all best trees the one whose heads are nearest, mention by mention: the root counts as farthest.
        assert tuple(heads) == max(tree for score, tree in trees(one) if score == best)


@given(corpora(), st.integers(-4, 4).map(lambda half: half / 2), st.sampled_from([1, 2, 20]))
def test_the_exact_decision_is_that_of_beam_search_over_local_scores(
    scored: CoreferenceScored, bias: float, beam: int
) -> None:
    for one in scored.at(bias).each():
        raised = one.score.copy()
        raised[one.arc_offsets[:-1]] += bias
        found = search(np.zeros(1), one.instance(), ClusterTemplates(), beam=beam, scores=raised)
        assert best_tree(one).heads.tolist() == found.heads.tolist()


@given(corpora())
def test_the_latent_tree_is_the_best_one_with_gold_clusters(scored: CoreferenceScored) -> None:
    for one in scored.each():
        heads = latent_tree(one).heads.tolist()
        for mention, head in enumerate(heads, 1):
            first, last = one.arc_offsets[mention - 1 : mention + 1]
            right = [
                int(row)
                for row in range(first, last)
                if one.head[row] and one.gold[mention - 1] and one.gold[one.head[row] - 1] == one.gold[mention - 1]
            ]
            assert one.allowed[first:last].nonzero()[0].tolist() == [row - first for row in right or [int(first)]]
            best = max((float(one.score[row]), int(one.head[row])) for row in right)[1] if right else 0
            assert head == best


@given(corpora(), st.integers(-8, 8).map(lambda half: half / 2))
def test_the_curve_says_at_every_bias_what_deciding_there_finds(scored: CoreferenceScored, bias: float) -> None:
    curve = TASK.curve(scored)
    assert curve.exact
    counts = TASK.counts(scored.documents, TASK.decide(scored.at(bias)))
    at = curve.index_at(bias)
    assert curve.predicted[at] == sum(row["predicted"] for row in counts)
    assert curve.correct[at] == sum(row["correct"] for row in counts)


@given(corpora(), st.data())
def test_under_pins_a_wide_beam_finds_the_best_tree_that_keeps_them(
    scored: CoreferenceScored, data: st.DataObject
) -> None:
    one = dataclasses.replace(scored.one(0), beam=100)
    if one.n < 2:
        return
    pair = st.tuples(st.integers(1, one.n), st.integers(1, one.n), st.booleans()).filter(lambda pin: pin[0] != pin[1])
    wanted: Pins = data.draw(st.lists(pair, min_size=1, max_size=3))
    pins = [ClusterPin(one.span(a), one.span(b), holds) for a, b, holds in wanted]

    def keeps(heads: Sequence[int]) -> bool:
        label = clustering(heads)
        return all((label[a] == label[b]) == holds for a, b, holds in wanted)

    try:
        tree = best_tree(one, pins)
    except Infeasible:
        assert not any(keeps(heads) for _, heads in trees(one))
        return
    heads = tree.heads.tolist()
    assert keeps(heads)
    # Among the trees over the arcs that were used; arcs that nobody scored join pinned mentions that have none.
    assert score_of(tree.one, heads) == max(score for score, other in trees(tree.one) if keeps(other))
    assert TASK.trace(one, pins=pins).total == pytest.approx(score_of(tree.one, heads))


def test_pinned_mentions_without_an_arc_get_one_that_any_other_antecedent_beats() -> None:
    document = Document.from_words("d", [WORDS[:4]])
    # Ann, Bob and Dot; nothing scored Ann and Dot. Bob may join Ann, and Dot Bob.
    spans = [document.tokens[i] for i in (0, 1, 3)]
    for bob, heads in ((2.0, [0, 1, 2]), (-9.0, [0, 0, 1])):
        one = CoreferenceScored.of([document], [spans], [([1, 2], [2, 3], [bob, -1.0])])
        assert best_tree(one).heads.tolist()[2] == 0
        assert best_tree(one, [ClusterPin(spans[0], spans[2])]).heads.tolist() == heads
    assert 1 not in one.head[one.arc_offsets[2] :], "the scores are left as they were"


def test_a_pin_is_about_whole_words_and_has_no_place_where_there_is_no_mention() -> None:
    document = Document.from_words("d", [WORDS])
    spans = [document.tokens[0], document.tokens[1]]
    one = CoreferenceScored.of([document], [spans], [([], [], [])])
    (layer,) = TASK.decide(one, pins={"d": [ClusterPin((1, 3), (4, 6))]})
    assert layer.clusters == ((0, 1),)
    with pytest.raises(NoPlace, match="'Cem'"):
        TASK.decide(one, pins={"d": [ClusterPin(spans[0], document.tokens[2])]})
    with pytest.raises(InputError, match="no word"):
        TASK.decide(one, pins={"d": [ClusterPin(spans[0], (3, 4))]})
    with pytest.raises(Infeasible, match="together and apart"):
        TASK.decide(one, pins={"d": [ClusterPin(*spans), ClusterPin(*spans, holds=False)]})


@given(corpora(), st.integers(0, 3))
def test_what_was_taken_apart_is_put_together_again(scored: CoreferenceScored, cut: int) -> None:
    cut = min(cut, len(scored))
    pieces = [piece for piece in (scored.part(0, cut), scored.part(cut, len(scored))) if len(piece)]
    assert equal(CoreferenceScored.joined(pieces), scored)
    assert equal(CoreferenceScored.joined([scored.one(d) for d in range(len(scored))]), scored)


@given(corpora())
def test_imported_scores_have_traces_and_errors(scored: CoreferenceScored) -> None:
    layers = TASK.decide(scored)
    assert TASK.errors(scored, [document.gold for document in scored.documents]) == []
    assert all(error.type == "mention" for error in TASK.errors(scored, layers))
    for one, layer in zip(scored.each(), layers, strict=True):
        trace = TASK.trace(one)
        found: dict[int, list[tuple[int, int]]] = {}
        for mention in trace.mentions:
            found.setdefault(mention.predicted, []).append((mention.start, mention.end))
        found.pop(-1, None)
        assert list(found.values()) == [[layer.mentions[i].span for i in cluster] for cluster in layer.clusters]


def test_the_scorer_of_the_steps_survives_being_saved(tmp_path: Path) -> None:
    document = Document.from_words("d", [WORDS[:3]])
    weights = np.zeros(64)
    weights[[3, 40]] = 0.1, -2.5
    templates = ClusterTemplates(np.full((1, 4), -1, np.int8), np.zeros((1, 4), np.int16), np.array([7], np.uint64))
    plain = CoreferenceScored.of([document], [list(document.tokens)], [([1], [2], [1.0])], alternatives="top-k")
    scored = dataclasses.replace(plain, steps=ClusterScorer(templates, weights))
    for number, one in enumerate((plain, scored)):
        path = tmp_path / f"{number}.zip"
        waist.save(one, path, task="coreference")
        again = waist.load(CoreferenceScored, path, task="coreference")
        assert equal(dataclasses.replace(again, steps=None), dataclasses.replace(one, steps=None))
        assert (again.steps is None) == (one.steps is None)
    assert again.steps is not None and again.steps.weights.tolist() == weights.tolist()
    assert again.steps.templates.rules == templates.rules
    for ours, theirs in zip(templates[:3], again.steps.templates[:3], strict=True):
        assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()


def test_no_documents_are_a_corpus_too() -> None:
    empty = CoreferenceScored.of([], [], [])
    assert len(empty) == 0 and TASK.decide(empty) == [] and TASK.errors(empty, []) == []


@pytest.mark.parametrize(
    ("spans", "arcs", "what"),
    [
        ([(0, 3), (90, 93)], ([], [], []), "no text"),
        ([(4, 7), (0, 3)], ([], [], []), "text order"),
        ([(0, 3), (0, 3)], ([], [], []), "text order"),
        ([(0, 3), (4, 7)], ([1], [2, 2], [0.0]), "same length"),
        ([(0, 3), (4, 7)], ([2], [1], [0.0]), "earlier mention"),
        ([(0, 3), (4, 7)], ([1], [3], [0.0]), "earlier mention"),
        ([(0, 3), (4, 7)], ([-1], [1], [0.0]), "earlier mention"),
        ([(0, 3), (4, 7)], ([1, 1], [2, 2], [0.0, 1.0]), "two arcs"),
        ([(0, 3), (4, 7)], ([1], [2], [np.nan]), "finite"),
    ],
)
def test_arrays_that_make_no_sense_are_refused(spans: list, arcs: tuple, what: str) -> None:
    with pytest.raises(InputError, match=what):
        CoreferenceScored.of([Document.from_words("d", [WORDS])], [spans], [arcs])
