"""Coreference end to end on the sample corpus: what it promises beyond the contract of all tasks."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.corpora import read
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import ClusterPin
from engine.features.coreference.languages import available, load
from engine.features.coreference.mentions import extract, in_order
from engine.features.coreference.templates import Templates
from engine.features.coreference.words import Words
from engine.learners.laso.arrays import TABLE
from engine.settings import with_values
from engine.structures.base import Infeasible
from engine.structures.tree import AntecedentTree
from engine.tasks.base import Model, Resources
from engine.tasks.coreference.curve import breaks
from engine.tasks.coreference.deciding import best_tree
from engine.tasks.coreference.scored import CoreferenceScored
from engine.tasks.coreference.scoring import prepare
from engine.tasks.coreference.settings import CoreferenceSettings
from engine.tasks.coreference.state import CoreferenceState
from engine.tasks.coreference.task import Coreference
from engine.tasks.coreference.training import selection
from engine.tasks.coreference.training.selection import select_templates

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "coreference"
TASK = Coreference()


@pytest.fixture(scope="module")
def train() -> list[Document]:
    return read(SAMPLE / "train.conll")[:14]


@pytest.fixture(scope="module")
def dev() -> list[Document]:
    return read(SAMPLE / "dev.conll")


def fit(train: list[Document], dev: list[Document], learner: str, **values: str) -> Model:
    settings = with_values(TASK.learner(learner).settings, {"n_rounds": "5", "beam": "6", **values})
    *_, last = TASK.rounds(train, dev, learner, settings, Resources())
    return last.model


@pytest.fixture(scope="module")
def model(train: list[Document], dev: list[Document]) -> Model:
    return fit(train, dev, "delayed-laso")


@pytest.fixture(scope="module")
def local(train: list[Document], dev: list[Document]) -> Model:
    return fit(train, dev, "baseline", tune="no")


def same_head(document: Document) -> Layer:
    """Gold mentions with the same last word in one cluster."""
    groups: dict[str, list[int]] = {}
    for number, mention in enumerate(document.gold.mentions):
        groups.setdefault(document.surface(mention).split()[-1].lower(), []).append(number)
    return Layer(document.gold.mentions, tuple(tuple(group) for group in groups.values() if len(group) > 1))


def scored_one(document: Document, model: Model) -> CoreferenceScored:
    return TASK.scored([document], model)


@pytest.mark.parametrize("learner", ["delayed-laso", "laso", "baseline"])
def test_every_full_policy_beats_matching_last_words(train: list[Document], dev: list[Document], learner: str) -> None:
    trained = fit(train, [], learner, mentions="gold")
    ours = TASK.evaluate(dev, TASK.predict(dev, trained))
    floor = TASK.evaluate(dev, [same_head(document) for document in dev])
    assert ours["conll"] > floor["conll"]


def test_singletons_are_predicted_only_where_training_has_them(
    train: list[Document], dev: list[Document], local: Model
) -> None:
    assert all(len(cluster) > 1 for layer in TASK.predict(dev, local) for cluster in layer.clusters)
    document = train[0]
    alone = replace(document.gold.mentions[0], start=0, end=1)
    gold = replace(
        document.gold,
        mentions=(*document.gold.mentions, alone),
        clusters=(*document.gold.clusters, (len(document.gold.mentions),)),
    )
    with_one = fit([document.with_layer("gold", gold), *train[1:4]], [], "baseline", n_rounds="1")
    assert any(len(c) == 1 for layer in TASK.predict(dev[:2], with_one) for c in layer.clusters)


def test_a_trace_is_the_prediction(model: Model, dev: list[Document]) -> None:
    for document, layer in zip(dev, TASK.predict(dev, model), strict=True):
        trace = TASK.trace(scored_one(document, model))
        clusters: dict[int, set] = {}
        for mention in trace.mentions:
            if mention.predicted >= 0:
                clusters.setdefault(mention.predicted, set()).add((mention.start, mention.end))
        ours = sorted(sorted(layer.mentions[m].span for m in cluster) for cluster in layer.clusters)
        assert sorted(sorted(cluster) for cluster in clusters.values()) == ours


def test_the_features_of_an_arc_add_up_to_its_score(model: Model, dev: list[Document]) -> None:
    trace = TASK.trace(scored_one(dev[0], model))
    one = scored_one(dev[0], model)
    for arc in (*trace.predicted[:12], *trace.latent[:12]):
        tree_arc = trace.predicted[arc.dependent - 1]
        if arc.head != tree_arc.head:
            continue
        explained = TASK.explain(one, model, one.arc(arc.head, arc.dependent))
        assert explained.score == pytest.approx(tree_arc.score)
        assert sum(feature.adds for feature in explained.contributions) == pytest.approx(tree_arc.score)
        assert all(feature.value for feature in explained.contributions)


def test_an_arc_is_explained_beside_the_tree_that_was_decided_on(model: Model, dev: list[Document]) -> None:
    """Every arc scores what the trace says it scores beside the predicted clusters, under pins and a bias."""
    document = dev[0]
    first, second = (one.span for one in document.gold.mentions[:2])
    pins = [ClusterPin(first, second, holds=False)]
    one = TASK.score([document], model, pins={document.id: pins}).at(0.3)
    trace = TASK.trace(one, pins=pins)
    beside = best_tree(one, pins).beside.totals
    for arc in range(0, len(beside), 7):
        fast = TASK.explain(one, model, arc, pins=pins, trace=trace)
        assert fast == TASK.explain(one, model, arc, pins=pins)
        assert fast.score == pytest.approx(beside[arc])
    with pytest.raises(InputError, match="no arc"):
        TASK.explain(one, model, len(one.head))


def test_the_latent_tree_has_the_gold_clusters(model: Model, dev: list[Document]) -> None:
    trace = TASK.trace(scored_one(dev[0], model))
    for arc in trace.latent:
        if arc.head:
            assert trace.mentions[arc.head - 1].gold == trace.mentions[arc.dependent - 1].gold >= 0


def test_the_runner_up_is_the_best_decision_that_would_change_something(model: Model, dev: list[Document]) -> None:
    for document in dev[:3]:
        one = scored_one(document, model)
        tree = best_tree(one)
        label = {0: 0}
        for mention, head in enumerate(tree.heads.tolist(), 1):
            label[mention] = label[head] if head else mention
        for mention, arc in enumerate(TASK.trace(one).predicted, 1):
            rows = range(one.arc_offsets[mention - 1], one.arc_offsets[mention])
            by_head = {int(one.head[row]): float(tree.beside.totals[row]) for row in rows}
            others = {head: score for head, score in by_head.items() if label[head] != label[arc.head]}
            assert arc.score == by_head[arc.head]
            assert (arc.runner_up >= 0) == bool(others)
            if others:
                assert arc.runner_up in others and arc.runner_up_score == max(others.values())


def test_pins_hold_in_predictions(model: Model, dev: list[Document]) -> None:
    document = dev[0]
    layer = TASK.predict([document], model)[0]
    first, second = layer.clusters[0][:2], layer.clusters[1][:2]
    linked = (layer.mentions[first[0]].span, layer.mentions[first[1]].span)
    strangers = (layer.mentions[first[0]].span, layer.mentions[second[0]].span)
    pins = {document.id: [ClusterPin(*linked, holds=False), ClusterPin(*strangers)]}
    pinned = TASK.predict([document], model, pins=pins)[0]
    where = {pinned.mentions[m].span: c for c, cluster in enumerate(pinned.clusters) for m in cluster}
    assert where[strangers[0]] == where[strangers[1]]
    assert linked[1] not in where or where[linked[0]] != where[linked[1]]
    with pytest.raises(Infeasible):
        TASK.predict([document], model, pins={document.id: [ClusterPin(*linked), ClusterPin(*linked, holds=False)]})


def test_a_pinned_span_that_nothing_proposed_takes_part(model: Model, dev: list[Document]) -> None:
    document = dev[0]
    words = (document.char_range(4, 5), document.char_range(6, 8))
    layer = TASK.predict([document], model, pins={document.id: [ClusterPin(*words)]})[0]
    assert set(words) <= {mention.span for mention in layer.mentions}


def test_the_exact_curve_says_at_each_bias_what_predicting_there_scores(local: Model, dev: list[Document]) -> None:
    curve = TASK.curve(TASK.scored(dev, local))
    assert curve.exact
    for bias in (-1.0, -0.2, 0.0, 0.3, 2.0):
        scores = TASK.evaluate(dev, TASK.predict(dev, local, bias=bias))["muc"]
        point = curve.at(bias)
        assert (point.precision, point.recall) == pytest.approx((scores["precision"], scores["recall"]))


def test_the_curve_of_a_non_local_model_is_a_grid_and_says_so(model: Model, dev: list[Document]) -> None:
    curve = TASK.curve(TASK.scored(dev[:2], model))
    assert not curve.exact
    assert len(curve.bias) > 5


def test_breaks_of_the_root_bias_are_those_of_the_antecedent_tree(local: Model, dev: list[Document]) -> None:
    one = prepare(dev[0], local.settings, local.state.templates, {})
    dependents = np.repeat(np.arange(1, one.arcs.n + 1), np.diff(one.arcs.offsets))
    scores = np.array([local.state.weights[row].sum() for row in one.arcs.rows])
    expected, linked, _ = AntecedentTree(one.arcs.heads, dependents).root_path(scores)
    bias, antecedents = breaks(scored_one(dev[0], local))
    assert bias == pytest.approx(expected)
    assert antecedents.tolist() == [int(one.arcs.heads[arc]) if arc >= 0 else 0 for arc in linked]


def test_errors_are_the_links_that_differ_and_each_has_a_stage(model: Model, dev: list[Document]) -> None:
    layers = TASK.predict(dev, model)
    scored = TASK.scored(dev, model)
    errors = TASK.errors(scored, layers)
    assert Counter(error.kind for error in errors)["miss"] > 0
    perfect = [document.gold for document in dev]
    assert TASK.errors(scored, perfect) == []


def test_counts_of_documents_sum_to_the_report(model: Model, dev: list[Document]) -> None:
    layers = TASK.predict(dev, model)
    rows = TASK.counts(dev, layers)
    report = TASK.evaluate(dev, layers)
    correct, predicted = sum(row["correct"] for row in rows), sum(row["predicted"] for row in rows)
    assert report["muc"]["precision"] == pytest.approx(correct / predicted)


def test_mentions_are_ordered_by_start_and_the_longer_first() -> None:
    assert in_order([(3, 4), (0, 2), (0, 5), (0, 2)]) == [(0, 5), (0, 2), (3, 4)]


def test_extraction_finds_most_gold_mentions_and_no_empty_it(dev: list[Document]) -> None:
    english = load("english")
    found = gold = 0
    for document in dev:
        spans = set(extract(Words(document, english)))
        wanted = {document.token_range(*mention.span) for mention in document.gold.mentions}
        found, gold = found + len(spans & wanted), gold + len(wanted)
    assert found > 0.9 * gold
    rain = Document.from_words("rain", [["It", "seems", "late", "."]], columns={"pos": ("PRP", "VBZ", "JJ", ".")})
    assert extract(Words(rain, english)) == []


def test_every_language_pack_loads_and_an_unknown_one_is_named() -> None:
    assert {"english", "chinese", "arabic"} <= set(available())
    assert all(load(name).pronouns for name in available())
    with pytest.raises(InputError, match="klingon"):
        load("klingon")


def test_english_words_without_tags_are_tagged_by_rule(model: Model) -> None:
    bare = Document.from_words("bare", [["Oskar", "left", "."], ["He", "slept", "."]])
    # As CoNLL-2012 writes columns that are not filled in.
    dashes = replace(bare, columns={"pos": ("-",) * 6, "parse": ("*",) * 6})
    for document in (bare, dashes):
        trace = TASK.trace(TASK.scored([document], model))
        assert bare.char_range(3, 4) in {(mention.start, mention.end) for mention in trace.mentions}, "a pronoun is one"


def test_the_baseline_refuses_non_local_features(train: list[Document]) -> None:
    with pytest.raises(ValueError, match="'features' takes one of local"):
        fit(train, [], "baseline", features="nonlocal")
    with pytest.raises(TypeError, match="LocalSettings"):
        list(TASK.rounds(train, [], "baseline", CoreferenceSettings(), Resources()))


def test_selection_never_gets_worse_and_goes_on_from_memory(train: list[Document]) -> None:
    settings = with_values(TASK.learner("baseline").settings, {"n_rounds": "1", "mentions": "gold"})
    start = Templates(
        root=("a.kind", "a.head"), pair=("a.kind+b.kind", "p.sentences+a.type", "p.heads+a.type+b.type"), cluster=()
    )
    known: dict[str, float] = {}
    # Forward from almost nothing: what is added comes from the pool.
    least = Templates(root=("a.kind",), pair=(), cluster=())
    added = list(select_templates(train[:8], settings, start=least, pool=start, known=known))
    assert any(step.change.startswith("with ") for step in added)
    assert {*added[-1].templates.root} <= {*start.root} and {*added[-1].templates.pair} <= {*start.pair}
    steps = list(select_templates(train[:8], settings, start=start, known=known))
    assert [step.score for step in steps] == sorted(step.score for step in steps)
    trials = len(known)
    again = list(select_templates(train[:8], settings, start=start, known=known))
    assert len(known) == trials
    assert [step.templates for step in again] == [step.templates for step in steps]


def test_selection_chooses_local_templates_first_and_non_local_ones_beside_them(
    train: list[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Templates, object]] = []

    def measure(judge: selection._Judge, templates: Templates) -> float:
        asked.append((templates, judge.gender))
        return 0.1 * len(templates.pair) + 0.2 * len(templates.cluster) - 0.3 * ("c.shape" in templates.cluster)

    monkeypatch.setattr(selection._Judge, "_measure", measure)
    settings = with_values(TASK.learner("delayed-laso").settings, {"n_rounds": "1", "mentions": "gold"})
    pool = Templates(root=("a.kind",), pair=("a.kind+b.kind",), cluster=("c.size+a.kind", "c.shape"))
    found = list(
        select_templates(
            train[:4], settings, start=Templates((), (), ()), pool=pool, gender={"kim": "female"}, known={}
        )
    )
    assert [step.change for step in found] == [
        "local templates to begin with",
        "with a.kind+b.kind",
        "non-local templates to begin with",
        "with c.size+a.kind",
    ]
    assert found[-1].templates == Templates((), ("a.kind+b.kind",), ("c.size+a.kind",))
    first = next(k for k, (templates, _) in enumerate(asked) if templates.cluster)
    assert all(templates.pair == ("a.kind+b.kind",) for templates, _ in asked[first:])
    assert all(gender == {"kim": "female"} for _, gender in asked)


@pytest.mark.parametrize("columns", [{}, {"pos": ("NNP", "VBD", "NNP", ".", "PRP", "VBD", "PRP", ".")}])
@pytest.mark.parametrize("mentions", ["predicted", "gold"])
def test_words_without_sentences_are_decided_about_as_in_sentences(
    local: Model, columns: dict[str, tuple[str, ...]], mentions: str
) -> None:
    """spaCy's blank pipelines and other programs give words alone."""
    whole = Document.from_words("d", [["Ann", "met", "Bob", "."], ["She", "liked", "him", "."]])
    gold = Layer(tuple(Mention(*whole.char_range(i, i + 1)) for i in (0, 2, 4, 6)))
    whole = replace(whole, text=whole.text.replace("\n", " "), columns=columns, layers={GOLD: gold})
    alone = replace(whole, sentences=())
    model = replace(local, settings=replace(local.settings, mentions=mentions))
    [wanted], [found] = (TASK.decide(TASK.score([one], model)) for one in (whole, alone))
    assert found == wanted and found.clusters
    assert TASK.explain(TASK.score([alone], model), model, 0).contributions


def test_under_the_papers_preset_every_earlier_mention_is_a_candidate() -> None:
    n = 130
    document = Document.from_words("long", [[f"name{i}", "came", "."] for i in range(n)])
    names = tuple(Mention(*document.tokens[3 * i]) for i in range(n))
    document = document.with_layer(GOLD, Layer(names))
    for learner in TASK.learners:
        state = CoreferenceState(np.zeros(TABLE), Templates(), singletons=False)
        heads = {}
        for preset in ("default", "paper"):
            settings = replace(TASK.learner(learner, preset).settings, mentions="gold")
            heads[preset] = TASK.scored([document], Model("coreference", learner, settings, state)).head.tolist()
        assert heads["paper"] == [head for anaphor in range(1, n + 1) for head in range(anaphor)]
        # The last ten names have more than 120 others before them, with no word in common.
        assert len(heads["default"]) < len(heads["paper"])
