"""The joint task on the sample sentences, end to end."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.corpora import read
from engine.data.document import Document, Layer, Mention, Relation
from engine.data.errors import InputError
from engine.data.pins import LabelPin, RelationPin, TypePin
from engine.tasks.base import Resources
from engine.tasks.joint.constraints import Count
from engine.tasks.joint.constraints.language import read as read_constraints
from engine.tasks.joint.constraints.together import with_switch, with_weight
from engine.tasks.joint.curve import steady_bias
from engine.tasks.joint.deciding import decisions
from engine.tasks.joint.inference import Decoder
from engine.tasks.joint.state import with_constraints
from engine.tasks.joint.task import Joint
from engine.tasks.joint.what_if.forced import forced
from engine.tasks.joint.what_if.ledger import LedgerTable, integrality, ledger, ledger_row, ledger_tally
from engine.tasks.registry import get
from engine.tasks.saving import load_model, save_model
from engine.tuning.curve import Curve

SAMPLES = Path(__file__).parents[2] / "sample_data" / "joint"
TASK = Joint()
RESOURCES = Resources(constraints=SAMPLES / "constraints.toml")


@pytest.fixture(scope="module")
def train():
    return read(SAMPLES / "train.jsonl")


@pytest.fixture(scope="module")
def dev():
    return read(SAMPLES / "dev.jsonl")


def fitted(train, learner, **settings):
    info = TASK.learner(learner)
    *_, last = TASK.rounds(train, [], learner, replace(info.settings, **settings), RESOURCES)
    return last.model


def trace_of(document, model):
    return TASK.trace(TASK.score([document], model))


@pytest.fixture(scope="module")
def last_round(train):
    *_, last = TASK.rounds(train, [], "lp", TASK.learner("lp").settings, RESOURCES)
    return last


@pytest.fixture(scope="module")
def models(train, last_round):
    """Basic, lp and ilp have the same classifiers, so those are trained once."""
    lp = last_round.model
    trained = {name: fitted(train, name, folds=2) for name in ("pipeline", "omniscient")}
    return {"basic": replace(lp, learner="basic"), "lp": lp, "ilp": replace(lp, learner="ilp"), **trained}


def test_the_registry_knows_the_task_and_its_default_is_the_papers_best():
    assert isinstance(get("joint"), Joint)
    assert TASK.learner(None).name == "lp"


def test_constraints_make_predictions_legal_and_coherent(models, dev):
    scored = {name: TASK.scored(dev, model) for name, model in models.items()}
    reports = {name: TASK.evaluate(dev, TASK.decide(one), one) for name, one in scored.items()}
    for name in ("lp", "ilp"):
        assert reports[name]["legal"] == reports[name]["coherence"] == 1.0
    assert reports["basic"]["legal"] < 1.0, "the sample has traps that the basic system falls into"
    assert reports["lp"]["entity_accuracy"] > reports["basic"]["entity_accuracy"]
    for report in reports.values():
        assert set(report["relations"]) >= {"micro", "macro", "Kill", "Live_In"}
        assert set(report["entities"]["micro"]) == {"precision", "recall", "f1"}


def test_search_linear_and_integer_program_decide_the_same_each_in_its_own_way(models, dev):
    lp = models["lp"]
    scored = {
        inference: TASK.scored(dev, replace(lp, settings=replace(lp.settings, inference=inference)))
        for inference in ("exact", "lp", "ilp")
    }
    rungs = {inference: set(decisions(one).rungs) for inference, one in scored.items()}
    assert rungs["exact"] == {"search"} and "lp" in rungs["lp"] <= {"lp", "milp"} and rungs["ilp"] == {"milp"}
    layers = {inference: TASK.decide(one) for inference, one in scored.items()}
    assert layers["exact"] == layers["lp"] == layers["ilp"]
    reports = {inference: TASK.evaluate(dev, layers[inference], one) for inference, one in scored.items()}
    assert "programs" not in reports["exact"]
    programs = reports["lp"]["programs"]
    assert programs == reports["ilp"]["programs"] and programs["solved"] == int((scored["lp"].sizes > 1).sum())
    assert 0.0 < programs["integral"] <= 1.0 and programs["largest_gap"] >= 0.0
    alone = TASK.scored(dev[:3], replace(models["basic"], settings=replace(lp.settings, inference="lp")))
    assert set(decisions(alone).rungs) == {"search"}, "where no constraint decides there is no program to solve"


@pytest.mark.parametrize("learner", ["lp", "pipeline", "omniscient"])
def test_a_saved_model_predicts_the_same(models, dev, learner, tmp_path):
    model = models[learner]
    save_model(TASK, model, tmp_path / "model.zip")
    loaded = load_model(TASK, tmp_path / "model.zip")
    assert loaded.state.constraints == model.state.constraints
    assert TASK.predict(dev, loaded) == TASK.predict(dev, model)


def test_the_same_seed_gives_the_same_model_and_winnow_learns_too(train, dev):
    one, two = (fitted(train, "lp", classifier="winnow", winnow_rounds=8, seed=2, folds=2) for _ in range(2))
    assert one.bias == two.bias
    assert (one.state.relations.weights == two.state.relations.weights).all()
    scored = TASK.scored(dev, one)
    report = TASK.evaluate(dev, TASK.decide(scored), scored)
    most = max(sum(m.type == t for d in dev for m in d.gold.mentions) for t in one.state.space.types)
    assert report["entity_accuracy"] > most / sum(len(d.gold.mentions) for d in dev), "better than the majority type"
    assert report["legal"] == 1.0


def test_the_curve_agrees_with_predicting_at_its_biases(models, dev):
    for name in ("basic", "lp"):
        curve = TASK.curve(TASK.scored(dev, models[name]))
        assert curve.exact
        for index in np.linspace(0, len(curve.bias) - 1, 5).astype(int):
            bias = curve.bias_of(int(index))
            report = TASK.evaluate(dev, TASK.predict(dev, models[name], bias=bias))
            assert report["relations"]["micro"]["f1"] == pytest.approx(curve.point(int(index)).f1)


def test_the_bias_is_chosen_out_of_fold_and_kept_in_the_model(last_round, models, dev, tmp_path):
    assert last_round.model.bias != 0.0
    assert 0.0 < last_round.details["held_out"]["f1"] <= 1.0
    save_model(TASK, models["lp"], tmp_path / "m.zip")
    assert load_model(TASK, tmp_path / "m.zip").bias == last_round.model.bias
    at_own = TASK.predict(dev, models["lp"])
    assert at_own == TASK.predict(dev, models["lp"], bias=last_round.model.bias)


def test_pins_change_the_decision_and_what_hangs_on_it(models):
    document = sentence("Alice Gray joined Acme Works in Oslo .", [(0, 2), (3, 5), (6, 7)])
    spans = [m.span for m in document.gold.mentions]
    pins = {document.id: [RelationPin(spans[0], spans[2], "Kill"), TypePin(spans[1], "Other")]}
    (layer,) = TASK.predict([document], models["lp"], pins=pins)
    assert Relation(0, 2, "Kill") in [Relation(r.head, r.tail, r.type) for r in layer.relations]
    assert [m.type for m in layer.mentions] == ["Peop", "Other", "Peop"]
    (refused,) = TASK.predict([document], models["lp"], pins={document.id: [TypePin(spans[0], "Peop", holds=False)]})
    assert refused.mentions[0].type != "Peop"


def test_pins_that_clash_are_explained_by_name(models):
    document = sentence("Alice Gray joined Acme Works .", [(0, 2), (3, 5)])
    first, second = (m.span for m in document.gold.mentions)
    pins = [RelationPin(first, second, "Kill"), TypePin(second, "Org")]
    with pytest.raises(InputError, match=r"people kill people.*pin: Acme Works is Org"):
        TASK.predict([document], models["lp"], pins={document.id: pins})
    trace = TASK.trace(TASK.score([document], models["lp"]), pins=pins)
    assert len(trace.conflict) == 3
    for bad in (TypePin((0, 3), "Peop"), TypePin(first, "Planet"), LabelPin("Kill")):
        with pytest.raises(InputError):
            TASK.predict([document], models["lp"], pins={document.id: [bad]})


def test_a_trace_shows_violations_before_and_none_after(models, dev):
    traces = [trace_of(document, models["lp"]) for document in dev]
    broken = [trace for trace in traces if trace.before_violations]
    assert broken
    for trace in traces:
        assert not any(v.hard for v in trace.after_violations)
        assert trace.before_score >= trace.objective - 1e-9, "agreeing costs something, or nothing"
        assert trace.bound >= trace.objective - 1e-6
        assert trace.rung == "search" or trace.rung in ("lp", "milp")
        assert trace.relaxed_types.sum(axis=1) == pytest.approx(np.ones(len(trace.spans)))
        step = int(np.searchsorted(trace.path.bias, trace.bias, side="right")) - 1
        assert (trace.path.labels[step] == trace.after_labels).all()


def test_a_trace_is_what_predict_decides(models, dev):
    layers = TASK.predict(dev[:10], models["lp"])
    for document, layer in zip(dev[:10], layers, strict=True):
        trace = trace_of(document, models["lp"])
        assert [trace.space.types[t] for t in trace.after_types] == [m.type for m in layer.mentions]
        assert int((trace.after_labels > 0).sum()) == len(layer.relations)


def test_every_error_has_one_stage_and_misses_are_all_there(models, dev):
    scored = TASK.scored(dev, models["lp"])
    predicted = TASK.decide(scored)
    errors = TASK.errors(scored, predicted)
    counts = TASK.counts(dev, predicted)
    missed = sum(c["gold"] - c["found"] for c in counts)
    assert missed == sum(e.kind == "miss" and e.attributes["what"] == "relation" for e in errors)
    wrong = sum(c["entities_gold"] - c["entities_correct"] for c in counts)
    assert wrong == sum(e.kind == "miss" and e.attributes["what"] == "entity" for e in errors)


def test_errors_blame_the_constraint_that_overruled_a_right_classifier(models, dev):
    impossible = replace(TASK.scored(dev, models["lp"]), constraints=read_constraints_text("Kill", exactly=0))
    predicted = TASK.decide(impossible)
    errors = [e for e in TASK.errors(impossible, predicted) if e.type == "Kill" and e.kind == "miss"]
    assert errors and any(e.stage == "forced by a constraint" for e in errors)


def read_constraints_text(relation, **count):
    return (Count(name="none of it", relation=relation, **count),)


def test_the_ledger_counts_what_a_constraint_changes(models, dev):
    model = models["lp"]
    rows = ledger(TASK.scored(dev, model), weights=(1.0, None))
    assert [row.name for row in rows] == [one.name for one in model.state.constraints]
    assert sum(row.fixed for row in rows) > 0
    for row in rows:
        assert row.fixed + row.caused <= row.changed
        without = with_constraints(model, with_switch(model.state.constraints, row.name, on=False))
        report = TASK.evaluate(dev, TASK.predict(dev, without))
        assert report["relations"]["micro"]["f1"] == pytest.approx(row.f1_off)
        assert row.best_f1 >= row.f1_on


def test_the_ledger_goes_on_where_a_constraint_cannot_be_kept(models, dev):
    model = models["lp"]
    too_much = Count(name="too many murders", relation="Kill", at_least=500, enabled=False)
    scored = replace(TASK.scored(dev, model), constraints=(*model.state.constraints, too_much))
    *others, last = ledger(scored, weights=(1e-6, None))
    assert np.isnan(last.f1_on) and last.changed == 0 and last.best_weight == 1e-6
    assert not any(np.isnan(row.f1_on) for row in others)
    assert ledger_row(last)["F1 with"] is None


def test_ledgers_of_blocks_add_up_even_where_only_some_sentences_can_keep_a_constraint(models, dev):
    model = models["lp"]
    scored = TASK.scored(dev[:30], model)
    some = Count(name="three murders everywhere", relation="Kill", at_least=3, enabled=False)
    scored = replace(scored, constraints=(*model.state.constraints[:2], some))
    tallies = [ledger_tally(scored.one(number)) for number in range(30)]
    conflicts = [tally.number("2", "on", "conflict") for tally in tallies]
    assert 0 < sum(conflicts) < len(tallies)
    found = LedgerTable()
    for tally in tallies:
        found.take(tally)
    assert found.tables()["constraint ledger"] == [ledger_row(row) for row in ledger(scored)]
    assert any(row["decisions changed"] for row in found.tables()["constraint ledger"])


def test_the_share_of_integral_lps_and_forced_decisions(models, dev):
    model = models["lp"]
    scored = TASK.score(dev[:20], model)
    found = integrality(scored)
    assert found.sentences == int((scored.sizes > 1).sum())
    assert 0.0 <= found.share <= 1.0
    for constraints in (scored.constraints, ()):
        test = forced(scored.at(0.0), constraints, "Kill")
        assert test.sentences == sum(any(r.type == "Kill" for r in d.gold.relations) for d in dev[:20])
        assert test.right <= test.sentences
    assert test.accuracy > 0.5, "most killers of the sample are found when asked for"


def test_a_forced_decision_is_that_of_the_best_output_that_holds_the_relation(models, dev):
    """Against the constraint "at least one", which the decoder meets by branching; where no pair can, none is named."""
    model = models["lp"]
    space, scored = model.state.space, TASK.score(dev[:20], model)
    kill = space.label("Kill")
    told = TASK.forced_decisions(scored, "Kill")
    for name, constraints in (("basic", ()), ("lp", model.state.constraints)):
        asking = Decoder(space, (*constraints, Count(name="asked for", relation="Kill", at_least=1)))
        right, named, gold = 0, [], []
        for one in map(scored.one, range(len(scored))):
            if (one.gold_label == kill).any():
                named.append(asking.decode(one).labels == kill)
                gold.append(one.gold_label == kill)
                right += bool(gold[-1][np.flatnonzero(named[-1])[0]])
        found, wanted = np.concatenate(named), np.concatenate(gold)
        system = told["systems"][name]
        assert system["right"] == right
        assert system["precision"] == pytest.approx((found & wanted).sum() / found.sum())
        assert system["recall"] == pytest.approx((found & wanted).sum() / wanted.sum())
        assert system["f1"] == pytest.approx(2 * (found & wanted).sum() / (found.sum() + wanted.sum()))
    never = replace(scored, constraints=(Count(name="no killing", relation="Kill", at_most=0),))
    assert TASK.forced_decisions(never, "Kill")["systems"]["lp"] == dict.fromkeys(system, 0)
    with pytest.raises(InputError, match="Marries"):
        TASK.forced_decisions(scored, "Marries")


def test_a_soft_weight_of_zero_is_as_no_constraint(models, dev):
    model = models["lp"]
    free, off = model.state.constraints, model.state.constraints
    for one in model.state.constraints:
        free, off = with_weight(free, one.name, 0.0), with_switch(off, one.name, on=False)
    assert TASK.predict(dev, with_constraints(model, free)) == TASK.predict(dev, with_constraints(model, off))


def test_without_a_file_the_training_data_license_argument_types(train):
    last = next(TASK.rounds(train, [], "lp", replace(TASK.learner("lp").settings, folds=2), Resources()))
    kill = next(one for one in last.model.state.constraints if one.relation == "Kill")
    assert (kill.head, kill.tail) == (("Peop",), ("Peop",))


def test_gazetteers_become_features_and_travel_with_the_model(train, tmp_path):
    (tmp_path / "guests.txt").write_text("Lee Iacocca\nGalileo Galilei\n", encoding="utf-8")
    resources = Resources(gazetteers=(tmp_path / "guests.txt",))
    first = next(TASK.rounds(train, [], "lp", TASK.learner("lp").settings, resources)).model
    assert "phrase is guests" in first.state.entity_names.column
    save_model(TASK, first, tmp_path / "m.zip")
    assert load_model(TASK, tmp_path / "m.zip").state.gazetteers["guests"] == frozenset(
        {"lee iacocca", "galileo galilei"}
    )


def test_proposed_spans_find_names_where_none_are_given(models):
    model = models["lp"]
    proposing = replace(model, settings=replace(model.settings, spans="proposed"))
    document = Document.from_words("p", [["Jack", "Ruby", "shot", "Lee", "Harvey", "Oswald", "."]])
    (layer,) = TASK.predict([document], proposing)
    assert [document.surface(m) for m in layer.mentions] == ["Jack Ruby", "Lee Harvey Oswald"]


def test_bad_training_data_and_constraints_are_refused(train, tmp_path):
    with pytest.raises(InputError, match="no training sentence"):
        next(TASK.rounds([sentence("No names here .", [])], [], "lp", TASK.learner("lp").settings, Resources()))
    file = tmp_path / "c.toml"
    file.write_text("[[constraint]]\nname='x'\nkind='symmetric'\nrelation='Marries'\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"c\.toml.*Marries"):
        next(TASK.rounds(train, [], "lp", TASK.learner("lp").settings, Resources(constraints=file)))


def test_a_sentence_without_mentions_or_with_one_is_no_trouble(models):
    documents = [sentence("Nothing here .", []), sentence("Only Oslo here .", [(1, 2)])]
    for model in models.values():
        layers = TASK.predict(documents, model)
        assert [len(layer.mentions) for layer in layers] == [0, 1]
    assert trace_of(documents[0], models["lp"]).spans == ()


def test_text_without_tokens_is_cut_into_them(models, train, dev):
    def bare(documents):
        return [dataclasses.replace(d, tokens=(), sentences=(), columns={}) for d in documents]

    assert TASK.fits(bare(dev)) == "yes"
    learner = TASK.learner("lp")
    *_, last = TASK.rounds(bare(train), [], "lp", learner.settings, Resources())
    for model in (last.model, models["lp"]):
        scored = TASK.score(bare(dev), model)
        layers = TASK.decide(scored)
        assert TASK.main_number(TASK.evaluate(bare(dev), layers, scored)) > 0.7
        assert TASK.errors(scored, layers)
        assert TASK.trace(scored.one(0)).spans
    marked_spaces = Document("spaces", "   ", layers={"gold": Layer(mentions=(Mention(0, 2),))})
    assert len(TASK.predict([marked_spaces], models["lp"])[0].mentions) == 1


def test_the_sample_constraints_are_read_into_the_model(models):
    assert models["lp"].state.constraints == read_constraints(SAMPLES / "constraints.toml")


def test_documents_are_sorted_into_usable_ones(train):
    assert TASK.fits(train) == "yes"
    assert TASK.fits([sentence("Oslo .", [(0, 1)])]) == "no gold"
    assert TASK.fits([Document("t", "no tokens")]) == "no gold", "words are found in the text"
    assert TASK.fits([Document("t", "")]) == "no"


def test_features_are_listed_with_help(models):
    names = {info.name for info in TASK.features(models["pipeline"])}
    assert {"context_window", "words_between", "typed_features"} <= names
    assert all(info.help for info in TASK.features())


def sentence(text, tokens):
    document = Document.from_words("s", [text.split()])
    mentions = tuple(Mention(*document.char_range(a, b), type="Loc") for a, b in tokens)
    return document.with_layer("gold", Layer(mentions=mentions))


def test_the_chosen_bias_ignores_a_lucky_step():
    bias = np.concatenate([[-np.inf], np.arange(-2.0, 2.0, 0.05)])
    correct = np.round(100 - 8 * np.abs(np.append([5.0], bias[1:]) + 0.5)).astype(np.int64)
    correct[5] = 100
    curve = Curve(bias, correct, correct, np.full(len(bias), 100), 100)
    assert curve.best_bias() < -1.5
    assert steady_bias(curve) == pytest.approx(-0.5, abs=0.2)
