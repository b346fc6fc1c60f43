"""Scores that go out and come in again decide as they did; what does not fit says so with its line."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import corpora
from engine.cli.main import main
from engine.corpora.scores.evidence import judged
from engine.corpora.scores.records import stream
from engine.data.document import GOLD, Document, Layer, Mention
from engine.data.errors import InputError
from engine.metrics.differences import decisions
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.capabilities import Constrained
from engine.tasks.joint.constraints.language import to_toml
from engine.tasks.outside.brought import OUTSIDE
from engine.tasks.outside.records import errors_of, of_answers, read_scores, written
from engine.tasks.outside.run import outside_model
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import load_model, save_model
from engine.tasks.scored import Scored
from tests.real_models import FIRST_ORDER
from tests.tasks.test_contract import ROUNDS, resources, sample, trained

every_task = pytest.mark.parametrize("name", list(TASKS))


@cache
def first_order(name: str) -> AnyModel:
    task = get(name)
    learner, changes = FIRST_ORDER[name]
    if learner is None:
        return trained(name)
    info = task.learner(learner)
    settings = dataclasses.replace(info.settings, **changes)
    rounds = task.rounds(sample(name, "train"), sample(name, "dev"), info.name, settings, resources(name))
    return list(itertools.islice(rounds, ROUNDS))[-1].model


def through_a_file(task: AnyTask, scored: Any, path: Path, layers: list[Layer]) -> Any:
    """What comes back of scores that were written beside these answers, under the constraints that the model has."""
    answered = [d.with_layer(GOLD, layer) for d, layer in zip(scored.documents, layers, strict=True)]
    corpora.write(written(task, scored, answered), path)
    return under_constraints(task, read_scores(task, path, scored.documents), scored, path)


def under_constraints(task: AnyTask, again: Scored, scored: Any, path: Path) -> Any:
    """Constraints are a file of their own."""
    if not isinstance(task, Constrained):
        return again
    rules = path.with_suffix(".toml")
    rules.write_text(to_toml(scored.constraints), encoding="utf-8")
    return task.constrained(again, rules)


def told(errors: Any) -> list[tuple[Any, ...]]:
    return [(e.document, e.kind, e.stage, e.start, e.end, e.gold, e.predicted) for e in errors]


def check_round_trip(task: AnyTask, scored: Any, path: Path) -> None:
    layers = task.decide(scored)
    again = through_a_file(task, scored, path, layers)
    assert again.bias == scored.bias and again.alternatives == "all"
    decided = task.decide(again)
    for one, other in zip(layers, decided, strict=True):
        assert decisions(one, task.decides) == decisions(other, task.decides)
        assert [m.span for m in one.mentions] == [m.span for m in other.mentions]
        assert [m.score for m in one.mentions] == pytest.approx([m.score for m in other.mentions])
        assert [r.score for r in one.relations] == pytest.approx([r.score for r in other.relations])
    ours, theirs = task.curve(scored), task.curve(again)
    assert np.allclose(ours.bias[1:], theirs.bias[1:], rtol=1e-9, atol=1e-9)
    assert np.array_equal(ours.precision, theirs.precision) and np.array_equal(ours.recall, theirs.recall)
    assert told(task.errors(scored, layers)) == told(task.errors(again, decided))


@every_task
def test_what_predict_writes_decides_as_the_model_does(name: str, tmp_path: Path) -> None:
    task = get(name)
    check_round_trip(task, task.scored(sample(name, "dev"), first_order(name)), tmp_path / "scored.jsonl")


@every_task
def test_scores_of_a_file_in_another_order_are_the_same(name: str, tmp_path: Path) -> None:
    task, dev = get(name), sample(name, "dev")
    scored = task.scored(dev, first_order(name))
    path = tmp_path / "scored.jsonl"
    straight = through_a_file(task, scored, path, task.decide(scored))
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    again = under_constraints(task, read_scores(task, path, dev), scored, path)
    assert [document.id for document in again.documents] == [document.id for document in dev]
    assert task.decide(again) == task.decide(straight)


@every_task
def test_scores_from_outside_make_a_run_that_stands_where_a_model_stands(name: str, tmp_path: Path) -> None:
    task, dev = get(name), sample(name, "dev")
    scored = task.scored(dev, first_order(name))
    path = tmp_path / "scored.jsonl"
    straight = through_a_file(task, scored, path, task.decide(scored))
    save_model(task, outside_model(task, path, dev), tmp_path / "run.zip")
    model = load_model(task, tmp_path / "run.zip")
    if isinstance(task, Constrained):
        model = task.with_constraints(model, path.with_suffix(".toml"))
    assert (model.learner, model.bias) == (OUTSIDE, scored.bias)
    assert task.predict(dev, model) == task.decide(straight)
    one = task.scored(dev[:1], model)
    told = task.explain(one, model, 0)
    assert told.contributions == () and np.isfinite(told.score) and task.features(model) == []
    assert not any(decisions(Layer(task.given(document, model)), task.decides) for document in dev)
    with pytest.raises(InputError, match="'new' is not in this run"):
        task.scored([dataclasses.replace(dev[0], id="new")], model)


def test_a_run_finds_records_without_ids_again(tmp_path: Path) -> None:
    """They are named by their lines, in the data as in the file."""
    task, path = get("linking"), tmp_path / "s.jsonl"
    texts = ["Rome fell.", "Nero fled."]
    (tmp_path / "d.jsonl").write_text("".join(f'{{"text": "{text}"}}\n' for text in texts))
    parts = '"scale": "logit", "parts": [{"start": 0, "end": 4, "entity": "N", "score": 2.0}]'
    path.write_text(f'{{"text": "{texts[0]}", {parts}}}\n{{{parts}}}\n')
    documents = corpora.read(tmp_path / "d.jsonl")
    save_model(task, outside_model(task, path, documents), tmp_path / "run.zip")
    found = task.predict(documents, load_model(task, tmp_path / "run.zip"))
    assert [[mention.span for mention in layer.mentions] for layer in found] == [[(0, 4)], [(0, 4)]]


@every_task
def test_plain_answers_have_the_errors_of_the_model_that_gave_them(name: str) -> None:
    task, dev = get(name), sample(name, "dev")
    scored = task.scored(dev, first_order(name))
    layers = task.decide(scored)
    ours, theirs = task.errors(scored, layers), errors_of(task, of_answers(task, dev, layers), layers)
    without_stage = [sorted((*one[:2], *one[3:]) for one in told(errors)) for errors in (ours, theirs)]
    assert without_stage[0] == without_stage[1]
    # Without scores nobody can tell the stages of a miss apart, and none is made up.
    stages = {one.stage for one in theirs if one.kind == "miss"}
    assert stages <= {"not listed", "forced by a constraint"} and ours


def test_nobody_knows_the_knowledge_base_of_another_program(tmp_path: Path) -> None:
    task = get("linking")
    scored: Any = task.scored(sample("linking", "dev"), first_order("linking"))
    layers = task.decide(scored)
    theirs = through_a_file(task, scored, tmp_path / "scored.jsonl", layers)
    ours, said = (task.evaluate(one.documents, layers, one) for one in (scored, theirs))
    assert {name: value for name, value in ours.items() if name != "inventory"} == said
    assert all("in inventory" in one.attributes for one in task.errors(scored, layers))
    asked = {name for one in task.errors(theirs, layers) for name in one.attributes}
    assert "candidates of the span" in asked and not asked & {"in inventory", "links in training"}


@every_task
def test_the_answers_of_gold_miss_nothing(name: str) -> None:
    task, dev = get(name), sample(name, "dev")
    gold = [document.gold for document in dev]
    assert of_answers(task, dev, gold).alternatives == "argmax"
    assert errors_of(task, of_answers(task, dev, gold), gold) == []


def test_a_file_of_its_own_needs_no_data(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(
        '{"id":"t1","text":"Rome fell.","scale":"logit","parts":[{"start":0,"end":4,"entity":"Rome","score":2.1}]}\n'
    )
    task = get("linking")
    [layer] = task.decide(read_scores(task, path))
    assert [(m.span, m.entity) for m in layer.mentions] == [((0, 4), "Rome")]


def test_a_record_without_text_speaks_of_the_data(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(
        '{"id":"d","mentions":[{"start":9,"end":13}],"scale":"prob","parts":[{"mention":0,"entity":"Rome","score":0.7},'
        '{"mention":0,"entity":"Rome (band)","score":0.2},{"mention":0,"entity":null,"score":0.1}]}\n'
    )
    task = get("disambiguation")
    data = Document("d", "Fall of, Rome fell", layers={GOLD: Layer((Mention(9, 13, entity="Rome"),))})
    scored = read_scores(task, path, [data])
    assert [m.entity for m in task.decide(scored)[0].mentions] == ["Rome"]
    # It is let go where declining, at ln 0.1, has gained ln 7.
    assert [m.entity for m in task.decide(scored.at(np.log(7) - 1e-9))[0].mentions] == ["Rome"]
    assert [m.entity for m in task.decide(scored.at(np.log(7) + 1e-9))[0].mentions] == ["--NIL--"]


@every_task
def test_every_system_takes_calibrated_scores_from_a_file(name: str, tmp_path: Path) -> None:
    task, dev = get(name), sample(name, "dev")
    scored = task.scored(dev, first_order(name))
    source, data, out, map_ = (tmp_path / one for one in ("s.jsonl", "dev.jsonl", "out.jsonl", "map.json"))
    corpora.write(written(task, scored, dev), source)
    corpora.write(dev, data)
    how = ["scores", "calibrate", str(source), str(out), "--calibrate", "temperature"]
    assert main([*how, "--data", str(data), "--map", str(map_)]) == 0
    records = list(stream(out, {one.id: one for one in dev}))
    assert all(one.calibration.startswith("temperature: ") for one in records)
    # Gold is at least as likely as before.
    before = _likelihood(stream(source, {one.id: one for one in dev}), dev)
    assert _likelihood(records, dev) >= before - 1e-6
    assert len(task.decide(read_scores(task, out, dev))) == len(dev)
    again = tmp_path / "again.jsonl"
    assert main(["scores", "calibrate", str(source), str(again), "--use", str(map_), "--data", str(data)]) == 0
    assert again.read_bytes() == out.read_bytes()


def _likelihood(records: Any, dev: Any) -> float:
    gold = {one.id: one for one in dev}
    total = 0.0
    for one in records:
        for group, right in judged(one, gold[one.document.id]):
            top = group.scores.max()
            mass = np.exp(group.scores - top)
            total += float(np.log(mass[right].sum() / mass.sum()))
    return total
