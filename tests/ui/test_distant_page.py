"""The bag page: what it gives its components, what a pin and a new beta do."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.corpora import data_hash, read
from engine.data.pins import LabelPin
from engine.metrics.distant import ranked_curve
from engine.store.workspace import Workspace
from engine.tasks import registry
from engine.tasks.base import Resources
from engine.tasks.distant.scored import DistantScored
from engine.tasks.distant.task import Distant, DistantModel
from engine.tasks.saving import load_model, save_model
from tests.ui import harness
from ui.background.retraining import Laboratory
from ui.background.worker import recorded
from ui.views.distant import data as view
from ui.views.distant import figures, words
from ui.views.see import pins

TASK = Distant()
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "distant"


@cache
def documents(split: str):
    return read(SAMPLES / f"{split}.jsonl")


@cache
def model() -> DistantModel:
    settings = replace(TASK.learner("mm-f").settings, planes=20, n_rounds=1)
    return list(TASK.rounds(documents("train"), documents("dev"), "mm-f", settings, Resources()))[-1].model


def scored() -> DistantScored:
    return TASK.scored(documents("dev"), model())


@pytest.fixture
def opened(workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "TASKS", {"distant": "engine.tasks.distant.task:Distant"})
    registry.get.cache_clear()
    train = workspace.add_corpus("distant", documents("train"), split="train")
    corpus = workspace.add_corpus("distant", documents("dev"), split="dev")
    run = workspace.start_run("distant", "mm-f", asdict(model().settings), train=train, dev=corpus)
    path = workspace.model_path(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_model(TASK, model(), path)
    workspace.finish_run(run, "done", bias=0.0)

    def open_page(**query: str | list[str]):
        at = harness.open_page("distant", run=run, corpus=corpus, **query)
        assert not at.exception
        return at

    return open_page


def test_every_sentence_of_the_bag_is_drawn_with_the_relation_it_was_given(opened):
    document = documents("dev")[0]
    at = opened(doc=document.id)
    drawn = harness.components(at)["distant.text"]["spans"]
    assert len(drawn) == 2 * len(document.bag.members)
    trace = TASK.trace(TASK.score([document], model()))
    said = [one.label for one in trace.members]
    labels = {span["key"]: span["label"] for span in drawn}
    for i, label in enumerate(said):
        assert (view.short(label) in labels[f"m{i}b"]) if label else labels[f"m{i}b"] == ""


def test_a_pinned_relation_holds_and_is_explained_by_a_sentence(opened):
    document = documents("dev")[0]
    relation = next(r for r in model().state.relations if r not in document.gold.labels)
    opened(doc=document.id, pins=pins.encode(LabelPin(relation, True)))
    trace = TASK.trace(TASK.score([document], model()), pins=[LabelPin(relation, True)])
    (row,) = [one for one in view.label_rows(trace) if one["relation"] == relation]
    assert row["predicted"] and row["pinned"] and row["said by"] != "no sentence"


def test_pins_that_clash_are_explained_and_can_be_taken_out(opened):
    document = next(d for d in documents("dev") if len(d.bag.members) == 1)
    first, second = model().state.relations[:2]
    at = opened(doc=document.id, pins=[pins.encode(LabelPin(first)), pins.encode(LabelPin(second))])
    assert "contradict each other" in at.error[0].value
    clash = next(table.value for table in at.dataframe if list(table.value.columns) == ["clash"])
    assert list(clash["clash"]) == [f"{first} holds for the pair", f"{second} holds for the pair"]
    at.button(key="pins.remove.1").click().run()
    assert not at.exception and not at.error
    assert harness.parameter(at, "pins") == pins.encode(LabelPin(first))


def test_a_pin_of_another_model_can_be_taken_out(opened):
    at = opened(doc=documents("dev")[0].id, pins=[pins.encode(LabelPin("no such relation"))])
    assert "does not know the relation" in harness.words_on(at)
    at.button(key="pins.remove.0").click().run()
    assert not at.exception and not at.error
    assert harness.components(at)["distant.text"]["spans"]


def test_the_stretches_of_the_knob_are_those_of_the_exact_path():
    for document in documents("dev")[:20]:
        trace = TASK.trace(TASK.score([document], model()))
        for bias in (-0.4, -0.05, 0.0, 0.07, 0.4):
            held = TASK.predict([document], model(), bias=bias)[0].labels
            on = [
                stretches
                for stretches in view.decisions(trace)
                if any((low is None or low <= bias) and (high is None or bias < high) for low, high in stretches)
            ]
            assert len(on) == len(held)


def test_visiting_betas_trains_models_that_answer_with_precision_and_recall():
    lab = Laboratory(TASK, model(), documents("train"), documents("dev"))
    for beta in (0.1, 0.9):
        lab.want(beta)
        lab.wait()
    low, high = lab.visited
    assert (low.beta, high.beta) == (0.1, 0.9)
    assert high.precision > low.precision and low.recall > high.recall
    assert lab.at(0.9) is high and lab.failure is None
    figure = figures.trained_figure(lab.visited, TASK.curve(scored()), 0.9, 0.0, dark=False)
    assert len(figure.data[-1].x) == 2
    assert [row["weight on precision"] for row in view.visited_rows(lab.visited)] == [0.1, 0.9]


def test_a_visited_beta_is_kept_as_a_run(opened, workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
    want = Laboratory.want
    monkeypatch.setattr(Laboratory, "want", lambda lab, beta, later=(): (want(lab, beta), lab.wait()))
    (before,) = workspace.runs()
    at = opened(doc=documents("dev")[0].id, weight="0.9", tab=words.LIVE_BETA)
    # The training stops at its limit of 20 planes, which the page says.
    assert [one.value for one in at.caption if "not finished" in one.value and "20 planes" in one.value]
    at.button(key="distant.keep").click().run()
    assert not at.exception
    (kept,) = (run for run in workspace.runs() if run.id != before.id)
    assert kept.settings == {**before.settings, "beta": 0.9}
    assert (kept.status, kept.learner, kept.train, kept.dev) == ("done", "mm-f", before.train, before.dev)
    loaded = load_model(TASK, workspace.model_path(kept.id))
    assert loaded.settings.beta == 0.9 and loaded.data_hash == kept.data_hash == data_hash(documents("train"))
    found = TASK.scored(documents("dev"), loaded)
    report = TASK.evaluate(documents("dev"), TASK.decide(found), found)
    assert kept.scores["precision"] == report["precision"] > 0
    assert workspace.rounds(kept.id)[-1].details["planes"]
    assert kept.id in harness.words_on(at)
    assert "distant.keep" not in {button.key for button in at.button}, "it is kept once"


def test_without_its_training_corpus_nothing_is_trained_on_the_one_on_screen(opened, workspace: Workspace):
    (train,) = (info.id for info in workspace.corpora() if info.split == "train")
    workspace.remove_corpus(train)
    at = opened(doc=documents("dev")[0].id, tab=words.LIVE_BETA)
    assert "no longer in the workspace" in harness.words_on(at)
    assert not [slider for slider in at.slider if slider.key == "distant.beta"]


def test_the_workspace_keeps_the_objective_of_every_plane():
    settings = replace(TASK.learner("mm-f").settings, planes=3, n_rounds=1)
    (one,) = TASK.rounds(documents("train")[:20], [], "mm-f", settings, Resources())
    kept = json.loads(json.dumps(recorded(one)))
    assert (
        kept["total"] == 1 and len(kept["planes"]) == 3 and kept["planes"][-1]["primal"] >= kept["planes"][-1]["dual"]
    )


def test_the_ranking_is_drawn_where_recall_rises_with_the_decision_marked():
    # Ranked: right, wrong, right, wrong; one gold relation is none the model knows.
    gold, confidence = np.array([[True, False], [True, False]]), np.array([[4.0, 3.0], [2.0, 1.0]])
    ranking = ranked_curve(gold, confidence, 3)
    assert (ranking.bags, ranking.pairs, ranking.gold) == (2, 4, 3)
    here = figures.Decided(bias=0.25, predicted=2, precision=0.5, recall=1 / 3)
    line, mark = figures.ranked_figure(ranking, here, dark=False).data
    assert list(line.x) == pytest.approx([100 / 3, 200 / 3, 200 / 3])
    assert list(line.y) == pytest.approx([100, 200 / 3, 50])
    assert (mark.x[0], mark.y[0]) == pytest.approx((100 / 3, 50))
    caption = figures.ranked_caption(ranking, here)
    for number in ("4 pairs", "2 bags", "3 gold relations", "2 relations", "bias 0.25", "50.0 %", "33.3 %"):
        assert number in caption
    assert len(figures.ranked_figure(ranking, None, dark=True).data) == 1


def test_of_very_many_steps_the_first_and_the_last_are_among_those_drawn():
    recall = np.repeat(np.arange(1, 5001) / 5000, 2)
    kept = figures.steps_shown(recall)
    assert kept[0] == 0 and kept[-1] == len(recall) - 1 and len(kept) <= 600
    assert len(figures.steps_shown(np.zeros(0))) == 0


def test_the_page_has_the_ranking_with_its_numbers(opened):
    at = opened(doc=documents("dev")[0].id, tab=words.RANKING)
    ranking = TASK.ranking(scored())
    here = figures.Decided.on(TASK.curve(scored()), 0.0)
    report = TASK.evaluate(documents("dev"), TASK.decide(scored()), scored())
    assert (here.precision, here.recall) == pytest.approx((report["precision"], report["recall"]))
    assert figures.ranked_caption(ranking, here) in harness.words_on(at)


def test_only_the_open_tab_is_computed(opened, monkeypatch: pytest.MonkeyPatch):
    trained: list[float] = []
    monkeypatch.setattr(Laboratory, "want", lambda lab, beta, later=(): trained.append(beta))
    at = opened(doc=documents("dev")[0].id)
    assert (trained, at.get("plotly_chart")) == ([], [])
    assert not [slider for slider in at.slider if slider.key == "distant.beta"]
    for name, charts in ((words.LIVE_BETA, 1), (words.RANKING, 1), (words.GRID, 1), (words.AGREEMENT, 2)):
        assert len(opened(doc=documents("dev")[0].id, tab=name).get("plotly_chart")) == charts, name
    assert len(set(trained)) == 1 and trained, "the model's own weight, where its tab is open"


def test_both_conventions_of_beta_are_told():
    assert "0.2" in view.both_betas(0.2) and "2.00" in view.both_betas(0.2)
    assert "F1" in view.both_betas(0.5) and "∞" in view.both_betas(0.0)


def test_the_grid_and_the_agreement_are_drawn_from_the_trace():
    trace = TASK.loss_trace(documents("train"), model())
    figure = figures.grid_figure(trace, dark=True)
    names = [part.name for part in figure.data]
    assert {"hill climbing", "worst output", "what the model predicts"} <= set(names)
    assert view.grid_rows(trace)[0]["value or bound"] == trace.worst_value
    drawn = figures.agreement_figure(trace.two_prices, "steps", dark=False)
    bound, best = drawn.data[1].y, drawn.data[2].y
    assert bound[-1] >= best[-1] - 1e-9 and list(bound) == sorted(bound, reverse=True)
