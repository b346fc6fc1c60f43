"""Which run pages begin with: the starred one, else the best that can be compared, never a toy or a stopped run."""

from __future__ import annotations

from dataclasses import replace

from engine.store.runs import RunInfo
from engine.workbench.leading import first_of

SIZES = {"train": 100, "dev": 40, "toy": 3}


def run(id: str, f1: float | None = None, *, learner: str = "perceptron", **more: object) -> RunInfo:
    scores = {} if f1 is None else {"f1": f1}
    plain = RunInfo(id, "linking", learner, {}, 0, "train", "dev", "", "done", "", None, scores, 0.0, "")
    return replace(plain, **more)


def test_the_best_of_comparable_runs_leads() -> None:
    assert first_of([run("new", 0.5), run("old", 0.7)], SIZES).id == "old"
    assert first_of([run("new", 0.7), run("old", 0.7)], SIZES).id == "new"
    assert first_of([run("new", 0.7), run("own", 0.7, learner="s-mart")], SIZES).id == "own"


def test_a_run_that_got_worse_with_a_few_texts_more_does_not_lead() -> None:
    retrained = run("retrained", 0.5, train="train,toy")
    assert first_of([retrained, run("old", 0.7)], SIZES).id == "old"
    assert first_of([replace(retrained, scores={"f1": 0.8}), run("old", 0.7)], SIZES).id == "retrained"


def test_a_toy_a_stopped_run_and_one_that_chose_on_its_training_texts_do_not_lead() -> None:
    good = run("good", 0.6)
    toy = run("toy", 1.0, train="toy", dev="dev")
    stopped = run("stopped", 0.9, status="cancelled")
    learnt = run("learnt", 1.0, dev="train")
    unjudged = run("unjudged")
    assert first_of([toy, stopped, learnt, unjudged, good], SIZES).id == "good"
    assert first_of([toy, stopped], SIZES).id == "toy"


def test_a_star_leads_whatever_the_scores_say() -> None:
    assert first_of([run("best", 0.9), run("mine", 0.2, starred=True, train="toy")], SIZES).id == "mine"
