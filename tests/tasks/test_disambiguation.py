"""Disambiguation end to end on the sample documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.corpora import read
from engine.data.document import GOLD, NIL, Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import LabelPin, LinkPin, NoPlace
from engine.settings import with_values
from engine.structures.base import Infeasible
from engine.tasks.base import Resources
from engine.tasks.capabilities import FindsEntities, HasBeam, RanksEntities
from engine.tasks.disambiguation.scored import NEVER, DisambiguationScored
from engine.tasks.disambiguation.task import Disambiguation, DisambiguationModel
from engine.tasks.disambiguation.trace import DisambiguationTrace
from engine.tasks.registry import the
from engine.tasks.saving import load_model, save_model

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "disambiguation"
TASK = the(Disambiguation)


@cache
def documents(split: str) -> tuple[Document, ...]:
    return tuple(read(SAMPLES / f"{split}.jsonl"))


@cache
def trained(learner: str, **values: str) -> DisambiguationModel:
    settings = with_values(TASK.learner(learner).settings, {"trees": "50", "check_every": "10", **values})
    return list(TASK.rounds(documents("train"), documents("dev"), learner, settings, Resources()))[-1].model


def scored(
    document: Document, model: DisambiguationModel, pins: tuple[LinkPin, ...] = (), width: int | None = None
) -> DisambiguationScored:
    """One document; what pins name is among its candidates."""
    found = TASK.scored([document], model, pins={document.id: pins} if pins else None)
    return found if width is None else TASK.with_width(found, width)


def traced(
    document: Document, model: DisambiguationModel, pins: tuple[LinkPin, ...] = (), width: int | None = None
) -> DisambiguationTrace:
    return TASK.trace(scored(document, model, pins, width), pins=pins)


def most_popular(split: str) -> float:
    """The baseline: the candidate with the highest popularity."""
    right = [
        max(m.extra["candidates"], key=lambda c: c["pop"])["title"] == m.entity
        for d in documents(split)
        for m in d.gold.mentions
        if m.is_linked
    ]
    return sum(right) / len(right)


@pytest.mark.parametrize("learner", ["local", "bs", "laso", "bsg", "bibsg"])
def test_every_learner_beats_the_most_popular_candidate(learner: str) -> None:
    model = trained(learner)
    test = TASK.scored(documents("test"), model)
    report = TASK.evaluate(documents("test"), TASK.decide(test), test)
    assert report["accuracy"] > most_popular("test")
    assert sum(group["mentions"] for group in report["familiarity"].values()) == report["mentions"]


def test_a_saved_model_predicts_the_same(tmp_path: Path) -> None:
    model = trained("bibsg")
    save_model(TASK, model, tmp_path / "m.zip")
    again = load_model(TASK, tmp_path / "m.zip")
    assert TASK.predict(documents("test"), again) == TASK.predict(documents("test"), model)


def test_one_document_is_a_corpus_of_one() -> None:
    model = trained("bsg")
    together = TASK.predict(documents("test"), model)
    assert [TASK.predict([d], model)[0] for d in documents("test")[:6]] == together[:6]


def test_the_same_seed_gives_the_same_predictions_on_two_threads() -> None:
    settings = with_values(TASK.learner("bsg").settings, {"trees": "10", "check_every": "10"})
    layers = []
    for jobs in (1, 2):
        rounds = TASK.rounds(documents("train"), documents("dev"), "bsg", settings, Resources(jobs=jobs))
        layers.append(TASK.predict(documents("test"), list(rounds)[-1].model))
    assert layers[0] == layers[1]


def test_without_dev_some_training_documents_are_held_out() -> None:
    settings = with_values(TASK.learner("bsg").settings, {"trees": "10", "check_every": "10"})
    rounds = list(TASK.rounds(documents("train"), (), "bsg", settings, Resources()))
    assert "accuracy" in rounds[-1].scores


def test_training_needs_a_link() -> None:
    with pytest.raises(InputError, match="linked"):
        next(TASK.rounds([Document("a", "x")], (), "bsg", TASK.learner("bsg").settings, Resources()))


# Pins


def place(surface: str) -> tuple[Document, int]:
    for document in documents("test"):
        for m, mention in enumerate(document.gold.mentions):
            if document.surface(mention) == surface and len(mention.extra["candidates"]) > 1:
                return document, m
    raise AssertionError(surface)


@pytest.mark.parametrize("learner", ["local", "bibsg"])
def test_a_pinned_entity_is_taken_even_if_it_was_no_candidate(learner: str) -> None:
    document, m = place("Georgia")
    span = document.gold.mentions[m].span
    for entity in ("Georgia (country)", "Georgia (U.S. state)", "Georgia (typeface)", NIL):
        layer = TASK.predict([document], trained(learner), pins={document.id: [LinkPin(span, entity)]})[0]
        assert layer.mentions[m].entity == entity


def test_a_forbidden_entity_is_not_taken() -> None:
    document, m = place("Georgia")
    model = trained("bibsg")
    said = TASK.predict([document], model)[0].mentions[m].entity
    pin = LinkPin(document.gold.mentions[m].span, said, holds=False)
    assert TASK.predict([document], model, pins={document.id: [pin]})[0].mentions[m].entity != said


def test_pins_change_what_depends_on_them() -> None:
    """Telling the search one side of a document moves other mentions somewhere in the corpus."""
    model = trained("bibsg")
    moved = 0
    for document in documents("test"):
        before = TASK.predict([document], model)[0]
        for m, mention in enumerate(document.gold.mentions):
            for choice in mention.extra["candidates"]:
                pins = {document.id: [LinkPin(mention.span, choice["title"])]}
                after = TASK.predict([document], model, pins=pins)[0]
                moved += sum(
                    a.entity != b.entity
                    for i, (a, b) in enumerate(zip(before.mentions, after.mentions, strict=True))
                    if i != m
                )
    assert moved > 0


def test_no_mention_at_all_takes_it_out_of_the_layer() -> None:
    document, m = place("Georgia")
    span = document.gold.mentions[m].span
    layer = TASK.predict([document], trained("bsg"), pins={document.id: [LinkPin(span, None)]})[0]
    assert span not in {mention.span for mention in layer.mentions}


@pytest.mark.parametrize("learner", ["local", "bsg"])
def test_documents_without_mentions_or_without_candidates_get_an_answer(learner: str) -> None:
    model = trained(learner)
    empty = Document("none", "Nobody is named here.")
    unknown = Document("odd", "Xyzzy", layers={GOLD: Layer((Mention(0, 5),))})
    assert TASK.predict([empty], model) == [Layer()]
    (layer,) = TASK.predict([unknown], model)
    assert [mention.entity for mention in layer.mentions] == [NIL]
    assert TASK.rank_entities(scored(empty, model), (0, 6)) == []


def test_pins_that_clash_or_miss_are_named() -> None:
    document, m = place("Georgia")
    span = document.gold.mentions[m].span
    model = trained("bsg")
    titles = [c["title"] for c in document.gold.mentions[m].extra["candidates"]]
    with pytest.raises(Infeasible, match="no entity"):
        TASK.predict([document], model, pins={document.id: [LinkPin(span, title, False) for title in titles]})
    with pytest.raises(InputError, match="no mention"):
        TASK.predict([document], model, pins={document.id: [LinkPin((0, 1), "x")]})
    with pytest.raises(InputError, match="links"):
        TASK.predict([document], model, pins={document.id: [LabelPin("x")]})


def test_a_pin_on_the_only_candidate_holds_at_every_bias() -> None:
    document, m = next(
        (d, i) for d in documents("test") for i, one in enumerate(d.gold.mentions) if len(one.extra["candidates"]) == 1
    )
    mention = document.gold.mentions[m]
    only = mention.extra["candidates"][0]["title"]
    for learner in ("local", "bibsg"):
        assert TASK.predict([document], trained(learner), bias=50.0)[0].mentions[m].entity == NIL
        for pin in (LinkPin(mention.span, only), LinkPin(mention.span, NIL, holds=False)):
            layer = TASK.predict([document], trained(learner), bias=50.0, pins={document.id: [pin]})[0]
            assert layer.mentions[m].entity == only


def test_a_mention_cannot_be_two_things() -> None:
    document, m = place("Georgia")
    span = document.gold.mentions[m].span
    clashing = [LinkPin(span, "Georgia (country)"), LinkPin(span, NIL)]
    for pins in (clashing, clashing[::-1], [clashing[0], replace(clashing[0], holds=False)]):
        with pytest.raises(Infeasible, match="no entity"):
            TASK.predict([document], trained("local"), pins={document.id: pins})


def test_what_is_not_no_mention_stays_in_the_layer() -> None:
    document, m = place("Georgia")
    span = document.gold.mentions[m].span
    layer = TASK.predict([document], trained("local"), pins={document.id: [LinkPin(span, None, holds=False)]})[0]
    assert layer.mentions[m].span == span and layer.mentions[m].entity != NIL


def test_only_what_the_document_decides_can_be_pinned() -> None:
    document, m = place("Georgia")
    found = scored(document, trained("local"))
    TASK.check_pin(found, LinkPin(document.gold.mentions[m].span, "Georgia (typeface)"))
    with pytest.raises(NoPlace):
        TASK.check_pin(found, LinkPin((0, 1), "Georgia (country)"))


def test_the_system_has_a_beam_and_a_knowledge_base() -> None:
    assert isinstance(TASK, HasBeam) and isinstance(TASK, RanksEntities) and isinstance(TASK, FindsEntities)
    document, m = place("Georgia")
    found = scored(document, trained("bibsg"))
    ranked = TASK.rank_entities(found, document.gold.mentions[m].span)
    assert {entity for entity, _ in ranked} == {c["title"] for c in document.gold.mentions[m].extra["candidates"]}
    assert sum(share for _, share in ranked) == pytest.approx(1.0)
    assert TASK.trace(TASK.with_width(found, 2)).width == 2


def test_the_runner_up_is_the_best_that_is_left() -> None:
    model = trained("bibsg")
    document, m = place("Georgia")
    decision = traced(document, model).decisions[m]
    chosen = next(option for option in decision.options if option.chosen)
    rival = next(option for option in decision.options if not option.chosen)
    assert decision.runner_up is not None and decision.runner_up.entity == rival.entity
    assert decision.runner_up.lead == chosen.score - rival.score
    held = traced(document, model, (LinkPin((decision.start, decision.end), decision.entity),)).decisions[m]
    assert held.runner_up is None
    declined = TASK.trace(scored(document, model).at(20.0)).decisions[m]
    assert declined.entity == NIL and declined.runner_up is not None and declined.runner_up.lead > 0
    back = TASK.trace(scored(document, trained("local")).at(20.0)).decisions[m].runner_up
    assert back is not None
    for step, linked in ((-1e-6, False), (1e-6, True)):
        bias = 20.0 - back.lead - step
        entity = TASK.predict([document], trained("local"), bias=bias)[0].mentions[m].entity
        assert entity == (back.entity if linked else NIL)


# The bias


@pytest.mark.parametrize("learner", ["local", "bsg"])
def test_a_higher_bias_declines_more_and_the_curve_says_how_much(learner: str) -> None:
    model = trained(learner)
    curve = TASK.curve(TASK.scored(documents("test"), model))
    assert curve.exact == (learner == "local")
    assert curve.predicted[0] >= curve.predicted[-1] == 0
    for index in range(0, len(curve.bias), 5):
        bias = NEVER if index == 0 else float(curve.bias[index])
        layers = TASK.predict(documents("test"), model, bias=bias)
        counts = Counter[str]()
        for row in TASK.counts(documents("test"), layers):
            counts.update({name: int(n) for name, n in row.items()})
        assert (curve.correct[index], curve.predicted[index]) == (counts["correct"], counts["predicted"])
        assert curve.gold == counts["gold"]


def test_local_curves_have_every_step() -> None:
    model = trained("local")
    curve = TASK.curve(TASK.scored(documents("test"), model))
    rng = np.random.default_rng(0)
    for bias in rng.uniform(curve.bias[1] - 0.1, curve.bias[-1] + 0.1, 8):
        layers = TASK.predict(documents("test"), model, bias=float(bias))
        said = sum(m.entity != NIL for layer in layers for m in layer.mentions)
        assert said == curve.predicted[curve.index_at(float(bias))]


# Traces


@pytest.mark.parametrize("learner", ["local", "bsg", "bibsg"])
def test_the_trace_tells_what_was_predicted(learner: str) -> None:
    model = trained(learner)
    for document in documents("test")[:8]:
        trace, layer = traced(document, model), TASK.predict([document], model)[0]
        assert [d.entity for d in trace.decisions] == [m.entity for m in layer.mentions]
        assert [d.confidence for d in trace.decisions] == pytest.approx([m.score for m in layer.mentions])
        assert trace.k_best[0][2] == tuple(d.entity for d in trace.decisions)
        assert len(trace.passes) == (2 if learner == "bibsg" else 1)


@pytest.mark.parametrize(("learner", "look_ahead"), [("local", "0"), ("bsg", "0"), ("bibsg", "0"), ("bibsg", "2")])
def test_probabilities_of_a_mention_are_a_distribution_and_its_confidence_is_one_of_them(
    learner: str, look_ahead: str
) -> None:
    model = trained(learner, look_ahead=look_ahead)
    for document in documents("test")[:8]:
        for bias in (NEVER, -1.0):
            for decision in TASK.trace(scored(document, model).at(bias)).decisions:
                shares = [option.probability for option in decision.options]
                assert all(0 <= share <= 1 for share in shares)
                declined = 1.0 - sum(shares)
                assert declined >= -1e-9 and (bias > NEVER or declined <= 1e-9 or not shares)
                said = next((option.probability for option in decision.options if option.chosen), declined)
                assert decision.confidence == pytest.approx(said)


@pytest.mark.parametrize(("learner", "look_ahead"), [("bsg", "0"), ("bibsg", "2")])
def test_confidences_are_nearer_to_the_truth_than_certainty(learner: str, look_ahead: str) -> None:
    """Brier score over documents that training did not see."""
    model = trained(learner, look_ahead=look_ahead)
    layers = TASK.predict(documents("test"), model)
    pairs = [
        (said.score, float(said.entity == gold.entity))
        for document, layer in zip(documents("test"), layers, strict=True)
        for said, gold in zip(layer.mentions, document.gold.mentions, strict=True)
        if gold.is_linked and len(gold.extra["candidates"]) > 1
    ]
    confidence, right = np.array(pairs).T
    assert right.mean() < 1 and len(np.unique(confidence)) > len(confidence) / 2
    assert np.mean((confidence - right) ** 2) < np.mean((1.0 - right) ** 2)


def test_the_look_ahead_of_the_paper_is_kept_and_told(tmp_path: Path) -> None:
    info = TASK.learner("bibsg", "paper")
    assert info.settings.look_ahead == 2 and TASK.learner("bibsg").settings.look_ahead == 0
    model = trained("bibsg", look_ahead="2")
    direction = len(model.state.names) - 1
    assert not any((tree.feature == direction).any() for tree in model.state.forest.trees)
    found = TASK.scored(documents("test")[:3], model)
    again = DisambiguationScored.from_parts(found.to_parts())
    assert again.steps is not None and again.steps.look_ahead == 2
    assert TASK.decide(again) == TASK.decide(found)
    for document in documents("test")[:8]:
        trace, layer = traced(document, model), TASK.predict([document], model)[0]
        assert [d.entity for d in trace.decisions] == [m.entity for m in layer.mentions]
        chosen = trace.passes[["forward", "backward"].index(trace.chosen)]
        assert trace.score == chosen.score
        assert chosen.log_probability == max(one.log_probability for one in trace.passes)


def test_the_verdict_and_the_stages_of_errors_agree() -> None:
    model = trained("bsg", trees="10", rate="0.1")
    found = [TASK.with_width(scored(document, model), 1) for document in documents("test")]
    verdicts = []
    for one in found:
        stages = {error.stage for error in TASK.errors(one, TASK.decide(one))}
        verdicts.append(TASK.trace(one).verdict)
        if "pruned by search" in stages:
            assert verdicts[-1] == "search error"
    assert "search error" in verdicts


def test_steps_hold_probabilities_and_parents_that_fit() -> None:
    trace = traced(documents("test")[0], trained("bibsg"))
    for one in trace.passes:
        before = 1
        for step in one.steps:
            kept = [h for h in step.hypotheses if h.kept]
            assert sum(h.probability for h in kept) == pytest.approx(1.0)
            assert all(h.parent < before for h in step.hypotheses)
            assert len(kept) <= trace.width
            assert sum(h.chosen for h in kept) == 1
            before = len(kept)


def _one_more_is_better(document: Document, model: DisambiguationModel, trace: DisambiguationTrace) -> bool:
    """Whether holding one wrong mention to its right entity lets the same search find a better sequence."""
    pins = [
        LinkPin(m.span, m.entity) for m, d in zip(document.gold.mentions, trace.decisions, strict=True) if d.is_wrong
    ]
    return any(traced(document, model, (pin,), width=trace.width).score > trace.score for pin in pins)


def test_an_error_is_the_models_or_the_searchs() -> None:
    """With one sequence kept search errors occur; the right sequence, or one with one more right entity, outscores the
    chosen one, and the width that is named keeps the right one."""
    model = trained("bsg")
    seen = Counter[str]()
    for document in (*documents("train"), *documents("test")):
        trace = traced(document, model, width=1)
        seen[trace.verdict] += 1
        wrong = any(d.gold not in (None, NIL) and d.gold != d.entity for d in trace.decisions)
        assert wrong == (trace.verdict in ("model error", "search error", "candidate missing"))
        if trace.verdict == "search error":
            assert trace.gold_score > trace.score or _one_more_is_better(document, model, trace)
        if trace.verdict == "model error":
            assert trace.gold_score <= trace.score
        if trace.width_needed is not None:
            wide = traced(document, model, width=trace.width_needed)
            assert wide.passes[0].gold_fell_at is None
            assert wide.score >= trace.gold_score - 1e-9
    assert seen["right"] and seen["model error"]


def test_a_pin_that_forbids_the_right_one_is_nobodys_error() -> None:
    """A document that is all right: forbidding a right entity is the pin's doing, whatever else it scores."""
    model = trained("bsg")
    document = next(d for d in documents("test") if traced(d, model).verdict == "right")
    before = traced(document, model)
    m = next(m for m, d in enumerate(before.decisions) if d.entity == d.gold and len(d.options) > 1)
    pin = LinkPin(document.gold.mentions[m].span, before.decisions[m].entity, holds=False)
    trace = traced(document, model, (pin,))
    others = [d for k, d in enumerate(trace.decisions) if k != m]
    assert trace.verdict == ("pinned away" if all(d.gold in (None, d.entity) for d in others) else "model error")
    assert trace.gold_score is not None and trace.gold_score <= trace.score + 1e-9
    assert [option.entity for option in trace.decisions[m].options if not option.allowed] == [pin.entity]
    for one in trace.passes:
        (step,) = (step for step in one.steps if step.mention == m)
        assert step.pinned_away and not any(h.gold for h in step.hypotheses)
        assert sum(step.pinned_away for step in one.steps) == 1


def test_an_error_beside_a_pin_is_still_the_models_or_the_searchs() -> None:
    model = trained("bsg")
    seen = Counter[str]()
    for document in documents("train"):
        before = traced(document, model)
        right = [m for m, d in enumerate(before.decisions) if d.entity == d.gold and len(d.options) > 1]
        if before.verdict != "model error" or not right:
            continue
        pin = LinkPin(document.gold.mentions[right[0]].span, before.decisions[right[0]].entity, holds=False)
        seen[traced(document, model, (pin,)).verdict] += 1
    assert seen["model error"] and not seen["right"]


def test_the_sample_has_something_to_look_at() -> None:
    """On dev structure helps clearly, yet errors are left; a beam of one shows what search errors are."""
    local, both = trained("local"), trained("bibsg")
    scores = [TASK.evaluate(documents("dev"), TASK.predict(documents("dev"), m))["accuracy"] for m in (local, both)]
    assert scores[0] + 0.05 < scores[1] < 1
    assert {traced(d, both).verdict for d in documents("dev")} >= {"right", "model error"}
    assert "search error" in {traced(d, both, width=1).verdict for d in documents("dev")}


def test_an_explanation_sums_to_the_score() -> None:
    model = trained("bibsg")
    document, m = place("Georgia")
    trace = traced(document, model)
    for option in trace.decisions[m].options:
        why = TASK.explain(scored(document, model), model, option.part)
        assert why.score == pytest.approx(option.score)
        told = [one.adds for one in why.contributions if one.adds is not None]
        assert len(told) == len(TASK.features(model))
        assert why.base + sum(told) == pytest.approx(why.score)


def test_an_explanation_is_of_the_beam_width_on_screen() -> None:
    """Where a beam of one decides otherwise, scores are those of the narrow search."""
    model = trained("bibsg")
    differ = 0
    for document in documents("dev") + documents("test"):
        traces = [traced(document, model, width=width) for width in (None, 1)]
        for own, narrow in zip(*(trace.decisions for trace in traces), strict=True):
            for usual, option in zip(own.options, narrow.options, strict=True):
                if usual.score != pytest.approx(option.score):
                    differ += 1
                    why = TASK.explain(scored(document, model, width=1), model, option.part)
                    assert why.score == pytest.approx(option.score)
    assert differ


def test_errors_have_one_stage_each_and_match_the_report() -> None:
    model = trained("local")
    layers = TASK.predict(documents("test"), model)
    test = TASK.scored(documents("test"), model)
    found = TASK.errors(test, layers)
    misses = sum(e.kind == "miss" for e in found)
    report = TASK.evaluate(documents("test"), layers, test)
    assert misses == round((1 - report["accuracy"]) * report["mentions"])
    declined = TASK.predict(documents("test"), model, bias=50.0)
    stages = {e.stage for e in TASK.errors(test.at(50.0), declined)}
    assert stages == {"declined by the bias"}


def test_a_gold_entity_that_is_no_candidate_is_blamed_on_the_candidates() -> None:
    document, m = place("Georgia")
    mentions = list(document.gold.mentions)
    mentions[m] = replace(mentions[m], entity="Georgia (typeface)")
    changed = document.with_layer("gold", replace(document.gold, mentions=tuple(mentions)))
    model = trained("bsg")
    found = TASK.errors(scored(changed, model), TASK.predict([changed], model))
    assert {e.stage for e in found if e.start == mentions[m].start} == {"candidate missing"}


def test_features_have_names_and_sentences() -> None:
    infos = TASK.features(trained("bibsg"))
    assert len({info.name for info in infos}) == len(infos)
    assert all(info.help.endswith(".") for info in infos)
    assert {"prior", "popularity", "type", "string", "context", "place", "graph", "global"} == {i.group for i in infos}


def test_predictions_for_documents_without_candidates_come_from_training_names() -> None:
    document = documents("test")[0]
    bare = document.with_layer(
        "gold", replace(document.gold, mentions=tuple(replace(m, extra={}) for m in document.gold.mentions))
    )
    layer = TASK.predict([bare], trained("bsg"))[0]
    assert any(m.entity != NIL for m in layer.mentions)
