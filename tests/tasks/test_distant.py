"""The distant task end to end on its sample: scores, pins, curve, errors, saving, subsamples."""

from __future__ import annotations

import dataclasses
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.cli.main import main
from engine.corpora import read
from engine.data.document import NIL, Document, Layer
from engine.data.errors import InputError
from engine.data.pins import LabelPin, RelationPin
from engine.tasks.base import Resources
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.task import Distant, DistantModel
from engine.tasks.saving import load_model, save_model

TASK = Distant()
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "distant"


@cache
def documents(split: str) -> list[Document]:
    return read(SAMPLES / f"{split}.jsonl")


@cache
def trained(learner: str = "mm-f", **changes: float) -> DistantModel:
    few = {} if learner == "hoffmann" else {"planes": 30, "n_rounds": 1}
    settings = dataclasses.replace(TASK.learner(learner).settings, **few, **changes)
    *_, last = TASK.rounds(documents("train"), [], learner, settings, Resources())
    return last.model


def scored(split: str = "dev") -> DistantScored:
    return TASK.scored(documents(split), trained())


def one(document: Document) -> DistantScored:
    return TASK.score([document], trained())


def score(model: DistantModel, split: str = "dev") -> dict[str, float]:
    found = TASK.scored(documents(split), model)
    return TASK.evaluate(documents(split), TASK.decide(found), found)


@pytest.mark.parametrize("learner", ["hoffmann", "mm-hamming", "mm-f"])
def test_every_learner_beats_the_commonest_relation_on_every_bag(learner):
    report = score(trained(learner))
    gold = [document.gold.labels for document in documents("dev") if document.gold.labels]
    right = sum("place_of_birth" in labels for labels in gold)
    floor = 2 * right / (len(gold) + sum(map(len, gold)))
    assert report["f1"] > floor + 0.3
    assert report["set"] == "positive" and report["positive"]["f1"] == report["f1"]
    assert report["entire"]["precision"] <= report["positive"]["precision"]


def test_beta_moves_precision_and_recall_of_the_trained_model():
    recall_first, balanced, precision_first = (score(trained(beta=beta)) for beta in (0.2, 0.5, 0.833))
    assert precision_first["precision"] > balanced["precision"]
    assert recall_first["recall"] > balanced["recall"]


def test_the_curve_agrees_with_predicting_at_every_bias():
    curve = TASK.curve(scored())
    assert curve.exact
    for bias in (-0.3, -0.01, 0.0, 0.05, 0.2, 0.6):
        at = scored().at(bias)
        report = TASK.evaluate(documents("dev"), TASK.decide(at), at)
        point = curve.at(bias)
        assert (point.precision, point.recall) == pytest.approx((report["precision"], report["recall"]))


def test_raising_nil_never_adds_a_mention():
    model = trained()
    said = [
        sum(len(layer.relations) for layer in TASK.predict(documents("dev"), model, bias=bias))
        for bias in (-1.0, -0.2, 0.0, 0.2, 1.0)
    ]
    assert said == sorted(said, reverse=True)


def test_pins_on_a_sentence_and_on_the_pair_are_kept():
    model = trained()
    document = next(d for d in documents("dev") if d.bag is not None and len(d.bag.members) > 1 and d.gold.labels)
    member = document.bag.members[0]
    spans = document.gold.mentions[member.head].span, document.gold.mentions[member.tail].span
    other = next(r for r in model.state.relations if r not in document.gold.labels)
    pinned = TASK.predict([document], model, pins={document.id: [RelationPin(*spans, other)]})[0]
    assert other in pinned.labels and pinned.relations[0].type == other
    silent = TASK.predict([document], model, pins={document.id: [RelationPin(*spans, NIL)]})[0]
    assert all((r.head, r.tail) != (member.head, member.tail) for r in silent.relations)
    trace = TASK.trace(one(document), pins=[LabelPin(other), LabelPin(document.gold.labels[0], False)])
    held = {row.relation for row in trace.labels if row.predicted}
    assert other in held and document.gold.labels[0] not in held


def test_pins_that_cannot_be_kept_are_refused():
    model = trained()
    lone = next(d for d in documents("dev") if d.bag is not None and len(d.bag.members) == 1)
    first, second = model.state.relations[:2]
    clash = [LabelPin(first), LabelPin(second)]
    with pytest.raises(InputError, match="cannot hold together") as refused:
        TASK.predict([lone], model, pins={lone.id: clash})
    assert first in str(refused.value) and second in str(refused.value)
    with pytest.raises(InputError, match="does not know the relation"):
        TASK.trace(one(lone), pins=[LabelPin("no such relation")])


def test_a_trace_names_the_pins_that_clash_and_no_others_and_decides_without_pins():
    model = trained()
    bag = next(d for d in documents("dev") if d.bag is not None and len(d.bag.members) == 2)
    first, second, third, fourth = model.state.relations[:4]
    spans = [tuple(bag.gold.mentions[at].span for at in (m.head, m.tail)) for m in bag.bag.members]
    free = TASK.trace(one(bag))
    # Two sentences, one of them silent: only one of the two relations finds a place.
    silent = RelationPin(*spans[0], NIL)
    trace = TASK.trace(one(bag), pins=[LabelPin(third, False), silent, LabelPin(first), LabelPin(second)])
    assert trace.conflict == (
        "sentence 1 says nothing",
        f"{first} holds for the pair",
        f"{second} holds for the pair",
    )
    assert (trace.members, trace.labels) == (free.members, free.labels)
    twice = TASK.trace(one(bag), pins=[RelationPin(*spans[1], first), LabelPin(fourth), RelationPin(*spans[1], NIL)])
    assert twice.conflict == (f"sentence 2 says {first}", "sentence 2 says nothing")
    both = TASK.trace(one(bag), pins=[LabelPin(first), LabelPin(first, False)])
    assert both.conflict == (f"{first} holds for the pair", f"{first} does not hold for the pair")
    assert TASK.trace(one(bag), pins=[LabelPin(first), LabelPin(second)]).conflict == ()


def test_errors_are_exactly_the_misses_and_false_alarms():
    layers = TASK.decide(scored())
    errors = TASK.errors(scored(), layers)
    expected = set()
    for document, layer in zip(documents("dev"), layers, strict=True):
        if not document.gold.labels:
            continue  # trained for positive bags, and judged on them
        expected |= {(document.id, "miss", r) for r in set(document.gold.labels) - set(layer.labels)}
        expected |= {(document.id, "false alarm", r) for r in set(layer.labels) - set(document.gold.labels)}
    assert {(e.document, e.kind, e.type) for e in errors} == expected and len(errors) == len(expected)


def test_a_saved_model_predicts_the_same(tmp_path):
    model = trained()
    save_model(TASK, model, tmp_path / "m.zip")
    again = load_model(TASK, tmp_path / "m.zip")
    assert TASK.predict(documents("dev"), again) == TASK.predict(documents("dev"), model)


def test_retraining_from_an_earlier_model_keeps_its_features_and_follows_beta():
    model = trained()
    *_, last = TASK.retrain(documents("train"), documents("dev"), model, 0.9)
    assert last.model.state.mention_features is model.state.mention_features
    assert TASK.beta_of(last.model) == 0.9 and TASK.beta_of(model) == 0.5
    assert last.scores["precision"] > score(model)["precision"]


def test_ranking_all_pairs_covers_all_reachable_gold():
    ranked = TASK.ranking(scored())
    precision, recall, area = ranked.precision, ranked.recall, ranked.area
    assert recall[-1] == pytest.approx(1.0)
    assert 0.5 < area <= 1.0 and np.all(np.diff(recall) >= 0) and precision.max() <= 1.0


def test_the_loss_trace_bounds_its_own_proposals():
    trace = TASK.loss_trace(documents("train"), trained())
    assert trace.worst_value == pytest.approx(max(step.primal for step in trace.two_prices))
    for steps in (trace.two_prices, trace.per_label):
        assert min(s.dual for s in steps) >= max(s.primal for s in steps) - 1e-6


def test_documents_that_are_no_bags_are_refused():
    assert TASK.fits([Document("d", "text")]) == "no"
    with pytest.raises(InputError, match="bags build"):
        TASK.predict([Document("d", "text")], trained())


def test_judged_sentences_count_only_what_people_judged():
    def row(id, judgement):
        base = documents("dev")[0]
        return dataclasses.replace(base, id=id, shape="sentential", extra={"label": judgement})

    rows = [row("a", "yes"), row("b", "no"), row("c", "unlabelled"), row("d", "yes")]
    gold = documents("dev")[0].gold.labels
    said = [Layer(labels=gold), Layer(labels=gold), Layer(labels=gold), Layer()]
    report = TASK.evaluate(rows, said)
    assert report["set"] == "sentential" and report["sentential"]["rows"] == 3
    assert report["precision"] == pytest.approx(0.5) and report["recall"] == pytest.approx(0.5)


def test_subsample_reports_means_with_intervals_for_the_same_parts(capsys):
    command = ["subsample", "distant", "--train", str(SAMPLES / "train.jsonl"), "--dev", str(SAMPLES / "dev.jsonl")]
    assert (
        main(
            [
                *command,
                "--times",
                "3",
                "--share",
                "0.3",
                "--learners",
                "hoffmann",
                "mm-hamming",
                "--set",
                "planes=10",
                "--json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert set(found["learners"]) == {"hoffmann", "mm-hamming"}
    values = found["learners"]["mm-hamming"]["f1"]
    assert len(values["values"]) == 3 and values["mean"] == pytest.approx(np.mean(values["values"]))
    assert values["half_width"] > 0


@pytest.mark.thorough
def test_every_way_of_inference_learns_and_predicts_the_same():
    few = documents("train")[:6]
    plain = dataclasses.replace(TASK.learner("mm-hamming").settings, n_rounds=1, planes=60, tolerance=1e-5, C=1.0)
    found, integral = {}, {}
    for inference in ("exact", "lp", "ilp"):
        settings = dataclasses.replace(plain, inference=inference)
        *_, last = TASK.rounds(few, [], "mm-hamming", settings, Resources())
        found[inference] = [layer.labels for layer in TASK.predict(few, last.model)]
        integral[inference] = last.details["integral"]
    assert found["lp"] == found["ilp"] == found["exact"] and any(found["exact"])
    assert 0.0 < integral["lp"] <= 1.0 and integral["exact"] is None is integral["ilp"]
