"""What every registered task promises, held on its sample corpus. Registering a task adds it here."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import corpora
from engine.corpora.formats import jsonl
from engine.data.document import GOLD, Document, Layer
from engine.metrics.differences import decisions
from engine.metrics.errors import STAGES, Doubts
from engine.store.annotations import start
from engine.tasks import scored as waist
from engine.tasks.base import AnyModel, AnyTask, Resources
from engine.tasks.outside.records import of_answers, read_scores, written
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import load_model, save_model
from engine.tuning.band import counts_at
from engine.workbench.annotation import asked
from engine.workbench.blocks import looking
from engine.workbench.blocks.blaming import Blamed, Blaming, blame
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.curves import trace_curve
from engine.workbench.blocks.cut import Cut
from engine.workbench.blocks.evaluating import Evaluated, Evaluating, evaluate
from engine.workbench.blocks.looking import kind_of
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.predicting import Predicted, Predicting, predict
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Answered, AnswersSource, ModelSource, ScoresSource, Source
from engine.workbench.repair import score_if_fixed
from engine.workbench.reporting.report import About, RunReport, drawn, report
from engine.workbench.reporting.summary import Gathering, Reporting, gather, report_portion
from ui.background.first import sample_files, sample_resources

ROUNDS = 8
"""Enough for a model that decides something; the whole training is the tasks' own tests' business."""

every_task = pytest.mark.parametrize("name", list(TASKS))


@cache
def sample(name: str, split: str) -> tuple[Document, ...]:
    return tuple(corpora.read(sample_files(name)[split]))


def resources(name: str) -> Resources:
    found = {kind: [Path(path) for path in paths] for kind, paths in sample_resources(name).items()}
    return Resources(
        lexicon=tuple(found.get("lexicon", ())), constraints=next(iter(found.get("constraints", ())), None)
    )


def train(name: str, seed: int = 0) -> AnyModel:
    task = get(name)
    info = task.learner(None)
    settings = dataclasses.replace(info.settings, seed=seed)
    rounds = task.rounds(sample(name, "train"), sample(name, "dev"), info.name, settings, resources(name))
    made = list(itertools.islice(rounds, ROUNDS))
    last = made[-1]
    counted = [one.index for one in made]
    assert counted == sorted(set(counted)) and 1 <= counted[0] and last.index <= last.total
    assert np.isfinite(last.objective)
    json.dumps(dict(last.details))  # the workspace keeps them as JSON
    return last.model


@every_task
def test_the_first_look_sets_another_learner_against_the_default(name: str) -> None:
    task = get(name)
    assert task.rival is not None and task.learner(task.rival).name != task.default_learner


@cache
def trained(name: str) -> AnyModel:
    return train(name)


def scored(name: str, split: str = "dev") -> Any:
    return get(name).scored(sample(name, split), trained(name))


def flat(parts: dict[str, Any]) -> dict[str, Any]:
    return {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in parts.items()}


@every_task
def test_a_saved_model_predicts_what_it_predicted_before(name: str, tmp_path: Any) -> None:
    task, model = get(name), trained(name)
    save_model(task, model, tmp_path / "m.zip")
    again = load_model(task, tmp_path / "m.zip")
    dev = sample(name, "dev")
    assert task.predict(dev, again) == task.predict(dev, model)
    assert (again.learner, again.settings, again.bias) == (model.learner, model.settings, model.bias)


@every_task
def test_in_an_empty_layer_of_ones_own_a_model_says_the_same_and_sees_no_answer(name: str) -> None:
    task, model = get(name), trained(name)
    documents = sample(name, "dev")
    own = [asked(one, start(one, "anna"), task.given(one, model)) for one in documents]
    assert not any(decisions(one.gold, task.decides) for one in own)
    blind, seeing = task.predict(own, model), task.predict(documents, model)
    assert any(decisions(layer, task.decides) for layer in blind)
    for mine, theirs in zip(blind, seeing, strict=True):
        assert decisions(mine, task.decides) == decisions(theirs, task.decides)


@every_task
def test_the_same_seed_gives_the_same_model(name: str) -> None:
    task = get(name)
    first, second = task.pack(trained(name)), task.pack(train(name))
    assert flat(first) == flat(second)


@every_task
def test_documents_are_left_as_they_were_and_every_one_gets_a_layer(name: str) -> None:
    task, dev = get(name), sample(name, "dev")
    before = corpora.data_hash(dev)
    layers = task.predict(dev, trained(name))
    assert len(layers) == len(dev) and corpora.data_hash(dev) == before
    for document, layer in zip(dev, layers, strict=True):
        document.with_layer("predicted", layer)  # a layer that does not fit its text cannot be attached


@every_task
def test_predictions_survive_being_written_and_read(name: str, tmp_path: Any) -> None:
    task, dev = get(name), sample(name, "dev")
    layers = task.predict(dev, trained(name))
    path = tmp_path / "predicted.jsonl"
    corpora.write([d.with_layer("gold", layer) for d, layer in zip(dev, layers, strict=True)], path)
    again = [document.gold for document in corpora.read(path)]
    assert _scores(task, dev, again) == pytest.approx(_scores(task, dev, layers))


def _scores(task: AnyTask, gold: Any, layers: Any) -> list[float]:
    found: Any = task.evaluate(gold, layers, None)
    for key in task.main_score:
        found = found[key]
    return [float(found)]


@every_task
def test_scores_are_fractions_and_json(name: str) -> None:
    task, dev = get(name), sample(name, "dev")
    report = task.evaluate(dev, task.predict(dev, trained(name)), scored(name))
    json.dumps(report, allow_nan=False)
    assert 0 <= _scores(task, dev, task.predict(dev, trained(name)))[0] <= 1


@every_task
def test_a_perfect_prediction_scores_one(name: str) -> None:
    task, dev = get(name), sample(name, "dev")
    assert _scores(task, dev, [document.gold for document in dev]) == [1.0]


@every_task
def test_the_curve_agrees_with_predictions_at_sampled_biases(name: str) -> None:
    task, dev, model = get(name), sample(name, "dev"), trained(name)
    curve = task.curve(scored(name))
    assert curve.bias[0] == -np.inf and np.all(np.diff(curve.bias) > 0)
    picks = np.unique(np.linspace(0, len(curve.bias) - 1, 5).round().astype(int))
    for bias in [model.bias, *(curve.bias_of(int(i)) for i in picks)]:
        counts = task.counts(dev, task.predict(dev, model, bias=float(bias)))
        at = curve.index_at(float(bias))
        assert curve.predicted[at] == sum(row["predicted"] for row in counts), f"predicted at bias {bias}"
        assert curve.correct[at] == sum(row["correct"] for row in counts), f"correct at bias {bias}"
    assert curve.gold == sum(row["gold"] for row in counts)


@every_task
def test_every_error_has_one_stage_and_a_place(name: str) -> None:
    task, dev, model = get(name), sample(name, "dev"), trained(name)
    assert set(task.stages) <= set(STAGES) and STAGES[0] in task.stages
    ids = {document.id: document for document in dev}
    errors = task.errors(scored(name), task.predict(dev, model))
    for error in errors:
        assert error.stage in task.stages and error.kind in ("miss", "false alarm")
        assert 0 <= error.start <= error.end <= len(ids[error.document].text)
    assert task.errors(scored(name), [document.gold for document in dev]) == []


@every_task
def test_features_have_names_of_their_own_and_a_sentence(name: str) -> None:
    listed = get(name).features(trained(name))
    assert listed and len({feature.name for feature in listed}) == len(listed)
    assert all(feature.help and feature.group for feature in listed)


@every_task
def test_a_trace_can_be_made_of_every_document(name: str) -> None:
    task = get(name)
    for index in range(3):
        assert task.trace(scored(name).one(index)) is not None


@every_task
def test_a_slice_decides_as_the_whole_corpus_does(name: str) -> None:
    task, whole = get(name), scored(name)
    middle = len(whole) // 2
    decided = task.decide(whole)
    assert task.decide(whole.part(0, middle)) + task.decide(whole.part(middle, len(whole))) == decided
    for index in (0, middle, len(whole) - 1):
        assert task.decide(whole.one(index)) == [decided[index]]
        assert repr(task.trace(whole.one(index))) == repr(
            task.trace(get(name).score(whole.documents[index : index + 1], trained(name)))
        )


@every_task
def test_pieces_scored_one_after_the_other_are_the_whole(name: str) -> None:
    """As the pages score a corpus, to say how far they are."""
    task, whole, model = get(name), scored(name), trained(name)
    documents = whole.documents
    pieces = [task.score(documents[at : at + 7], model) for at in range(0, len(documents), 7)]
    joined = task.scored_type.joined(pieces).at(whole.bias)
    decided = task.decide(whole)
    assert task.decide(joined) == decided
    assert task.errors(joined, decided) == task.errors(whole, decided)
    last = len(documents) - 1
    assert repr(task.trace(joined.one(last))) == repr(task.trace(whole.one(last)))


@every_task
def test_scores_that_were_saved_decide_the_same(name: str, tmp_path: Any) -> None:
    task, whole = get(name), scored(name)
    waist.save(whole, tmp_path / "scores.zip", task=name)
    again = waist.load(task.scored_type, tmp_path / "scores.zip", task=name)
    assert again.bias == whole.bias and again.documents == whole.documents
    decided = task.decide(whole)
    assert task.decide(again) == decided
    assert task.errors(again, decided) == task.errors(whole, decided)
    ours, theirs = task.curve(whole), task.curve(again)
    for column in ("bias", "correct", "found", "predicted"):
        assert getattr(ours, column).tolist() == getattr(theirs, column).tolist()
    assert repr(task.trace(again.one(0))) == repr(task.trace(whole.one(0)))


@every_task
def test_scores_hold_no_model(name: str) -> None:
    whole, model = scored(name), trained(name)
    assert not any(
        getattr(whole, spec.name) is held for spec in dataclasses.fields(whole) for held in (model, model.state)
    )


@every_task
def test_every_part_of_a_document_can_be_explained(name: str) -> None:
    task, one = get(name), scored(name).one(0)
    explained = task.explain(one, trained(name), 0)
    told = [c.adds for c in explained.contributions if c.adds is not None]
    assert explained.contributions and len({c.name for c in explained.contributions}) > 1
    assert explained.base + sum(told) == pytest.approx(explained.score, rel=1e-4, abs=1e-4)


@every_task
def test_the_curve_can_be_resampled_over_documents(name: str) -> None:
    curve = get(name).curve(scored(name))
    assert curve.steps is not None
    sums = counts_at(curve.steps, curve.bias).sum(axis=0)
    assert sums.T.tolist() == [curve.correct.tolist(), curve.found.tolist(), curve.predicted.tolist()]
    assert curve.steps.gold.sum() == curve.gold


@every_task
def test_every_system_has_a_whole_report_that_asks_the_network_for_nothing(name: str) -> None:
    task, model, dev = get(name), trained(name), sample(name, "dev")[:12]
    scored = task.scored(dev, model)
    about = About.of_model(model, name="ours", data_name="dev", data_hash="a1b2")
    same = Answered(dev, task.decide(scored), scored)
    made = report(task, scored, about, verdict="Locked on dev.", others={"the same": same})
    titles = [section.title for section in made.sections]
    expected = ["Result", "Precision and recall against the bias", "Errors by stage", "Typical errors"]
    expected += ["Compared with the same"]
    assert titles[:5] == expected and titles[-2:] == ["All scores", "Run"]
    tables = {table.name: table for table in made.tables}
    assert [row[0] for row in tables["stages"].rows] == list(task.stages)
    assert {row[0]: row[1] for row in tables["settings"].rows}["evaluated data (SHA-256)"] == "a1b2"
    found = {row[0]: row[1] for row in tables["gold items found by"].rows}
    assert found["only ours"] == found["only the same"] == 0
    assert all(row[3] == "+0.0" for row in tables["differences"].rows)
    page = made.html()
    assert page.count("<svg") == 2 and "Locked on dev." in page
    assert not re.search(r"(src|href)=|https?:|<script|url\(", page)


def test_the_joint_report_holds_the_constraint_ledger() -> None:
    task, model, dev = get("joint"), trained("joint"), sample("joint", "dev")[:12]
    made = report(task, task.scored(dev, model), About("m", "dev", ""))
    [ledger] = [table for table in made.tables if table.name == "constraint ledger"]
    assert len(ledger.rows) == len(model.state.constraints) > 0
    assert ledger.columns[:4] == ("constraint", "decisions changed", "errors fixed", "errors caused")


def test_a_report_scores_both_golds_where_gold_is_marked_wrong() -> None:
    task, model, dev = get("linking"), trained("linking"), sample("linking", "dev")
    errors = task.errors(scored("linking"), task.predict(dev, model))
    doubts = {errors[-1].document: Doubts(spans=frozenset(errors[-1].spans))}
    made = report(task, scored("linking"), About("m", "dev", ""), doubts=doubts)
    [section] = [one for one in made.sections if one.title == "Errors by stage"]
    assert "Without the errors where gold was marked wrong" in section.text
    assert section.tables[0].rows[0][1] >= 1
    found = Gathering(task)
    for first in range(0, len(dev), 7):
        part = scored("linking").part(first, min(first + 7, len(dev)))
        found.take(report_portion(task, Answered(part.documents, task.decide(part), part), doubts=doubts))
    assert drawn(task, found.summary([], dev), About("m", "dev", "")) == made


def with_gold(document: Document, layer: Layer) -> Document:
    return document.with_layer(GOLD, layer)


def rendered(portions: Iterable[Portion]) -> bytes:
    return b"".join(portion.rendered for portion in portions)


@every_task
@pytest.mark.parametrize("size", [1, 7])
def test_a_corpus_in_blocks_has_the_results_of_one_piece(
    name: str, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if size > 1:
        monkeypatch.setattr(looking, "SMALL", 3)  # Blocks of large corpora hold lines that nobody has parsed.
    task, whole = get(name), scored(name)
    save_model(task, trained(name), tmp_path / "m.zip")
    source, corpus = ModelSource(name, tmp_path / "m.zip"), Corpus((sample_files(name)["dev"],), asks=task.asked)
    running = Running(cut=Cut(documents=size))
    decided = task.decide(whole)
    told = Predicted()
    answered = rendered(predict(Predicting(source, "gold", "jsonl"), corpus, running, told))
    shown = predict(Predicting(source, "gold", "conll2012"), corpus, running, Predicted())
    assert [document.gold for portion in shown for document in portion.documents] == decided
    assert answered == jsonl.rendered(map(with_gold, whole.documents, decided)) and told.documents == len(whole)
    found = Evaluated()
    rows = list(evaluate(Evaluating(source, True, corpus.look.asked), corpus, running, found))
    assert task.report(found.tally("scores")) == task.evaluate(whole.documents, decided, whole)
    counts = task.counts(whole.documents, decided)
    assert rows == [{"id": one.id, **row} for one, row in zip(whole.documents, counts, strict=True)]
    assert task.notes(found.tally("notes")) == task.notes(task.notable(whole))
    traced, curve = trace_curve(source, corpus, running), task.curve(whole)
    assert traced.bias == whole.bias and traced.curve.to_json() == curve.to_json()
    blamed, errors = Blamed(), task.errors(whole, decided)
    assert list(blame(Blaming(source), corpus, running, blamed)) == [dataclasses.asdict(one) for one in errors]
    for stage in {one.stage for one in errors}:
        own = [one for one in errors if one.stage == stage]
        fixed = score_if_fixed(task, whole.documents, decided, own, whole)
        assert blamed.errors(stage) == len(own) and task.report(blamed.fixed[stage]) == fixed


@every_task
def test_scores_of_a_file_in_blocks_are_those_of_one_piece(name: str, tmp_path: Path) -> None:
    task, whole = get(name), scored(name)
    path = tmp_path / "scores.jsonl"
    corpora.write(written(task, whole, list(whole.documents)), path)
    corpus = Corpus((sample_files(name)["dev"],), asks=task.asked)
    source = ScoresSource(name, path).over(corpus)
    one_piece = read_scores(task, path, sample(name, "dev"))
    running = Running(cut=Cut(documents=5))
    found = rendered(predict(Predicting(source, "gold", "jsonl"), corpus, running, Predicted()))
    decided = task.decide(one_piece)
    assert found == jsonl.rendered(map(with_gold, one_piece.documents, decided))
    judged = Evaluated()
    assert list(evaluate(Evaluating(source, False, corpus.look.asked), corpus, running, judged)) == []
    assert task.report(judged.tally("scores")) == task.evaluate(one_piece.documents, decided, one_piece)
    assert trace_curve(source, corpus, running).curve.to_json() == task.curve(one_piece).to_json()


@every_task
def test_a_report_in_blocks_is_that_of_one_piece(name: str, tmp_path: Path) -> None:
    task, whole, dev = get(name), scored(name), sample(name, "dev")
    save_model(task, trained(name), tmp_path / "m.zip")
    higher = whole.at(whole.bias + 1.0)
    corpora.write(written(task, higher, list(dev)), tmp_path / "scores.jsonl")
    layers = task.decide(higher)
    corpora.write([d.with_layer("gold", layer) for d, layer in zip(dev, layers, strict=True)], tmp_path / "said.jsonl")
    corpus = Corpus((sample_files(name)["dev"],), asks=task.asked)
    brought = read_scores(task, tmp_path / "scores.jsonl", dev)
    systems: dict[str, tuple[Source, Answered]] = {
        "model": (ModelSource(name, tmp_path / "m.zip"), Answered(dev, task.decide(whole), whole)),
        "scores": (
            ScoresSource(name, tmp_path / "scores.jsonl").over(corpus),
            Answered(dev, task.decide(brought), brought),
        ),
        "answers": (AnswersSource(name, tmp_path / "said.jsonl"), Answered(dev, layers, None)),
    }
    about = About("ours", "dev", "a1b2", settings={"bags": 1})
    for ours, (source, held) in systems.items():
        others = {other: both for other, both in systems.items() if other != ours}
        answers = held.scored or of_answers(task, dev, held.layers)
        expected = report(task, answers, about, others={other: both[1] for other, both in others.items()})
        titles = {section.title for section in expected.sections}
        of_scores = titles & {"Precision and recall against the bias", "More of this system"}
        assert bool(of_scores) == (ours != "answers"), "answers alone have neither a curve nor tables of their system"
        work = Reporting((source, *(both[0] for both in others.values())), corpus.look.asked)
        for size in (1, 7):
            found = gather(work, corpus, Running(cut=Cut(documents=size)))
            made = drawn(task, found.summary(list(others), corpus.look.kinds), about)
            assert _bytes(made) == _bytes(expected), f"{ours} in blocks of {size}"


def _bytes(made: RunReport) -> list[str]:
    return [made.html(), made.markdown(), *(text for one in made.tables for text in (one.csv(), one.latex()))]


@every_task
@given(data=st.data())
def test_one_document_of_every_kind_says_what_the_corpus_is_good_for(name: str, data: st.DataObject) -> None:
    task = get(name)
    every = [one for system in TASKS for one in sample(system, "dev")[:6]]
    bare = [dataclasses.replace(one, layers={}) for one in every if one.bag is None]
    drawn = data.draw(st.lists(st.sampled_from([*every, *bare]), min_size=1, max_size=12))
    kinds = list({kind_of(one): one for one in reversed(drawn)}.values())
    assert task.fits(kinds) == task.fits(drawn)
    assert list(task.judged(kinds)) == list(task.judged(drawn))
