"""Linking end to end on the sample tweets."""

from __future__ import annotations

import dataclasses
import json
from collections import deque
from pathlib import Path

import numpy as np
import pytest

from engine.corpora import read
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.data.pins import LinkPin
from engine.lexicon.build import open_or_build
from engine.metrics.linking import count_document, linked
from engine.tasks.base import Resources
from engine.tasks.linking.scoring import rows_of
from engine.tasks.linking.settings import LEARNERS
from engine.tasks.linking.task import Linking
from engine.tasks.linking.training import fold_of, learn, targets
from engine.tasks.linking.training.lockstep import TrainingSet, settle
from engine.tasks.saving import load_model, save_model

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "linking"
QUICK = {"trees": 40, "rate": 0.3, "min_leaf": 10, "folds": 3}
PLANES, PASSES = 12, 5


@pytest.fixture(scope="module")
def task():
    return Linking()


@pytest.fixture(scope="module")
def corpora():
    return {name: read(SAMPLE / f"{name}.jsonl") for name in ("train", "dev", "test")}


def _train(task, corpora, learner, **changes):
    settings = LEARNERS[learner].settings
    known = {field.name for field in dataclasses.fields(settings)}
    quick = {**QUICK, "n_rounds": PLANES if "completions" in known else PASSES, **changes}
    settings = dataclasses.replace(
        settings, **{k: v for k, v in quick.items() if k in known and (k != "rate" or "trees" in known)}
    )
    resources = Resources(lexicon=(SAMPLE / "lexicon",))
    rounds = deque(task.rounds(corpora["train"], corpora["dev"], learner, settings, resources), maxlen=1)
    return rounds[0]


@pytest.fixture(scope="module")
def model(task, corpora):
    return _train(task, corpora, "s-mart").model


def longest_match(lexicon, document: Document) -> Layer:
    """The floor: from left to right the longest known n-gram, linked to its most frequent entity."""
    from engine.lexicon.surfaces import tokenise

    tokens = tokenise(document.text)
    free = 0
    mentions = []
    for match in sorted(lexicon.matches(document.text), key=lambda m: (m.first, -m.last)):
        if match.first >= free:
            title = next(iter(lexicon.readings(match.key)))
            mentions.append(Mention(tokens[match.first][0], tokens[match.last - 1][1], entity=title))
            free = match.last
    return Layer(mentions=tuple(mentions))


def test_s_mart_beats_the_longest_match_with_the_most_frequent_entity(task, corpora, model):
    lexicon = open_or_build([SAMPLE / "lexicon"])
    floor = [longest_match(lexicon, document) for document in corpora["test"]]
    ours = task.evaluate(corpora["test"], task.predict(corpora["test"], model), task.scored(corpora["test"], model))
    assert ours["f1"] > task.evaluate(corpora["test"], floor)["f1"]


@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "s-mart"])
def test_every_learner_learns_and_survives_saving(task, corpora, learner, tmp_path):
    model = _train(task, corpora, learner).model
    dev = corpora["dev"]
    predicted = task.predict(dev, model)
    nothing = [Layer() for _ in dev]
    assert task.evaluate(dev, predicted)["f1"] > task.evaluate(dev, nothing)["f1"]
    save_model(task, model, tmp_path / "m.zip")
    again = load_model(task, tmp_path / "m.zip")
    assert task.predict(dev, again) == predicted
    assert again.bias == model.bias


def test_the_same_seed_gives_the_same_model(task, corpora, model):
    again = _train(task, corpora, "s-mart").model
    assert again.bias == model.bias
    assert task.predict(corpora["dev"], again) == task.predict(corpora["dev"], model)


def test_who_trains_to_the_end_judges_on_dev_without_reading_it_again(task, corpora, monkeypatch):
    for learner in ("perceptron", "s-mart-2"):
        model = _train(task, corpora, learner).model
        expected = task.score(corpora["dev"], model)

        def again(*_args):
            raise AssertionError("dev is read again")

        with monkeypatch.context() as patched:
            patched.setattr("engine.features.linking.proposing.proposer.Proposer.all_spans", again)
            kept = task.scored(corpora["dev"], model)
            with pytest.raises(AssertionError, match="read again"):
                task.scored(corpora["dev"][:2], model)
        assert kept.bias == model.bias
        np.testing.assert_array_equal(kept.score, expected.score)


def test_golden_prediction_of_one_tweet(task, model):
    document = Document("golden", "Eli Manning and the New York Giants win at #MadisonSquareGarden")
    [layer] = task.predict([document], model)
    assert [(document.surface(m), m.entity) for m in layer.mentions] == [
        ("Eli Manning", "Eli Manning"),
        ("New York Giants", "New York Giants"),
        ("MadisonSquareGarden", "Madison Square Garden"),
    ]


def test_predictions_never_overlap(task, corpora, model):
    for layer in task.predict(corpora["dev"], model, bias=-50.0):
        ends = [m.end for m in layer.mentions]
        starts = [m.start for m in layer.mentions]
        assert all(end <= start for end, start in zip(ends, starts[1:], strict=False))


def test_the_curve_is_what_predicting_at_each_bias_gives(task, corpora, model):
    curve = task.curve(task.scored(corpora["dev"], model))
    assert curve.exact
    finite = curve.bias[np.isfinite(curve.bias)]
    for index in np.linspace(1, len(curve.bias) - 2, 7).astype(int):
        bias = curve.bias_of(int(index))
        report = task.evaluate(corpora["dev"], task.predict(corpora["dev"], model, bias=bias))
        point = curve.at(bias)
        assert (report["precision"], report["recall"]) == pytest.approx((point.precision, point.recall))
    assert len(finite) > 20


def test_the_bias_of_the_model_is_chosen_on_texts_its_scorer_had_not_seen(task, corpora):
    chosen = _train(task, corpora, "s-mart").model
    fixed = _train(task, corpora, "s-mart", folds=0).model
    assert fixed.bias == 0.0
    assert chosen.bias != 0.0


def test_a_guessed_title_pays_what_the_bias_gives_and_known_entities_do_not(corpora):
    train = corpora["train"]
    _, rows, groups = learn(train, open_or_build([SAMPLE / "lexicon"]), LEARNERS["s-mart"].settings)
    # Every right row is less likely than Nil, every wrong one still less: the best bias lies between them.
    unseen = np.where(rows.parts.right, -1.0, -3.0)
    data = TrainingSet(rows, targets(rows.parts), fold_of(groups, 3, 0))
    kept = settle(None, unseen, data)
    guessed = rows.candidates.entity >= rows.candidates.n_known
    assert guessed.any() and not guessed.all()
    np.testing.assert_array_equal(guessed, ~rows.parts.entities.known[rows.parts.entity])
    assert 1.0 <= kept.scorer.price <= 3.0
    np.testing.assert_array_equal(kept.unseen[~guessed], unseen[~guessed])
    np.testing.assert_allclose(kept.unseen[guessed], unseen[guessed] - kept.scorer.price)
    assert settle(None, unseen, dataclasses.replace(data, folds=None)).bias == 0.0


def test_counts_sum_to_the_report(task, corpora, model):
    predicted = task.predict(corpora["dev"], model)
    rows = task.counts(corpora["dev"], predicted)
    report = task.evaluate(corpora["dev"], predicted)
    total = {name: sum(row[name] for row in rows) for name in rows[0]}
    assert report["precision"] == pytest.approx(total["correct"] / total["predicted"])
    assert report["recall"] == pytest.approx(total["found"] / total["gold"])
    assert report["strict"]["precision"] == pytest.approx(total["strict_correct"] / total["predicted"])


def test_an_error_has_the_type_of_its_mention_or_else_of_its_entity(task, corpora, model):
    untyped = task.errors(task.scored(corpora["dev"], model), task.predict(corpora["dev"], model))
    assert {error.type for error in untyped} >= {"person", "location"}
    assert "unknown_class" not in {error.type for error in untyped}
    gold = Layer(mentions=(Mention(0, 5, entity="Zzyzx Road", type="Place"),))
    missed = Document("d", "Zzyzx wins", layers={"gold": gold})
    [error] = task.errors(task.score([missed], model), task.predict([missed], model))
    assert error.type == "Place"
    assert error.attributes["words"] == 1 and error.attributes["links in training"] == 0


@pytest.mark.parametrize("bias", [-3.0, 0.0, 4.0])
def test_errors_partition_the_misses_and_false_alarms(task, corpora, model, bias):
    predicted = task.predict(corpora["dev"], model, bias=bias)
    errors = task.errors(task.scored(corpora["dev"], model).at(bias), predicted)
    counts = [count_document(d, p) for d, p in zip(corpora["dev"], predicted, strict=True)]
    misses = [e for e in errors if e.kind == "miss"]
    alarms = [e for e in errors if e.kind == "false alarm"]
    assert len(misses) == sum(c.gold - c.found for c in counts)
    assert len(alarms) == sum(c.predicted - c.correct for c in counts)
    assert len({(e.document, e.kind, e.start, e.end, e.gold, e.predicted) for e in errors}) == len(errors)


def test_a_miss_is_blamed_on_the_first_door_it_did_not_pass(task, model):
    text = "zzqx met Barack Obama"
    gold = Layer(mentions=(Mention(0, 4, entity="Nowhere"), Mention(9, 21, entity="Someone Else")))
    document = Document("d", text, layers={"gold": gold})
    stages = {e.gold: e.stage for e in task.errors(task.score([document], model), [Layer()]) if e.kind == "miss"}
    assert stages == {"Nowhere": "mention not proposed", "Someone Else": "candidate missing"}
    right = Document("d", text, layers={"gold": Layer(mentions=(Mention(9, 21, entity="Barack Obama"),))})
    [error] = task.errors(task.score([right], model).at(99.0), [Layer()])
    assert error.stage == "declined by the bias"


def test_the_trace_is_consistent_and_json(task, corpora, model):
    document = next(d for d in corpora["dev"] if len(d.gold.mentions) > 1)
    scored = task.score([document], model)
    trace = task.trace(scored)
    json.dumps(dataclasses.asdict(trace), allow_nan=False)
    [layer] = task.predict([document], model)
    chosen = [trace.candidates[i] for i in trace.chosen]
    assert [(c.start, c.end, c.entity) for c in chosen] == [(m.start, m.end, m.entity) for m in layer.mentions]
    assert trace.k_best[0].candidates == trace.chosen
    assert trace.margin is not None and trace.margin >= 0
    for candidate in trace.candidates:
        why = task.explain(scored, model, candidate.id)
        assert why.base + sum(one.adds for one in why.contributions) == pytest.approx(candidate.score, abs=1e-5)
        assert why.score == candidate.score
        assert 0.0 <= candidate.marginal <= 1.0
        if candidate.chosen:
            assert not candidate.blocked_by
            assert any(
                (low is None or low <= trace.bias) and (high is None or trace.bias < high) for low, high in candidate.on
            )
    assert {g.entity for g in trace.gold} == {m.entity for m in linked(document.gold)}


def test_pins_hold_and_the_rest_is_decoded_again(task, model):
    document = Document("d", "Giants beat Eli Manning in New York")
    forced = task.predict([document], model, pins={"d": [LinkPin((0, 6), "San Francisco Giants")]})[0]
    assert ("San Francisco Giants", (0, 6)) in {(m.entity, m.span) for m in forced.mentions}
    none = task.predict([document], model, pins={"d": [LinkPin((12, 23), None)]})[0]
    assert all(m.span != (12, 23) for m in none.mentions)
    unknown = task.predict([document], model, pins={"d": [LinkPin((12, 23), "Eli Manning (album)")]})[0]
    assert ("Eli Manning (album)", (12, 23)) in {(m.entity, m.span) for m in unknown.mentions}
    forbidden = task.predict([document], model, pins={"d": [LinkPin((12, 23), "Eli Manning", holds=False)]})[0]
    assert all(m.entity != "Eli Manning" or m.span != (12, 23) for m in forbidden.mentions)


def test_texts_without_any_candidate_are_answered(task, model):
    for text in ("", "…", "zzzz qqqq"):
        document = Document("d", text)
        assert task.predict([document], model) == [Layer()]
        assert task.trace(task.score([document], model)).candidates == ()
    assert task.predict([], model) == []


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_a_model_whose_scores_are_not_finite_is_refused(task, corpora, model, value):
    class Damaged:
        def scores(self, features):
            return np.full(len(features), value)

    broken = dataclasses.replace(model, state=dataclasses.replace(model.state, scorer=Damaged()))
    with pytest.raises(InputError, match="not finite"):
        task.score(corpora["dev"], broken)


def test_without_a_lexicon_training_says_what_is_missing(task, corpora):
    with pytest.raises(InputError, match="--lexicon"):
        next(iter(task.rounds(corpora["train"], [], "s-mart", LEARNERS["s-mart"].settings, Resources())))


def test_features_are_listed_with_a_sentence_each(task, model):
    listed = task.features(model)
    assert len(listed) >= 37
    assert all(info.help and info.group for info in listed)


@pytest.mark.realdata
def test_candidates_reach_four_fifths_of_the_neel_dev_gold(task, data_root):
    train, dev = read(data_root / "neel" / "train.jsonl.gz"), read(data_root / "neel" / "dev.jsonl.gz")
    lexicon = open_or_build([data_root / "lexicon"])
    knowledge, rows, _ = learn(train, lexicon, LEARNERS["s-mart"].settings)
    unseen = rows_of(dev, knowledge, None).parts
    assert unseen.gold_offsets[-1] == 851
    assert unseen.reachable >= 0.80
    # Training candidates must not know more than unseen ones do.
    assert abs(rows.parts.reachable - unseen.reachable) < 0.03
