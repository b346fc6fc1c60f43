"""The laws of a learner, on every registered one."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from engine.learners.base import fit
from engine.learners.trees.boosting import Boosting
from engine.settings import from_json, with_values
from engine.store import modelfile
from tests.learners.registry import CASES

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
every_resumable = pytest.mark.parametrize(
    "case", [case for case in CASES if not isinstance(case.learner, Boosting)], ids=lambda case: case.name
)


@every_case
def test_the_same_seed_gives_the_same_scorer(case):
    one, two = fit(case.learner, case.instances()), fit(case.learner, case.instances())
    for instance in case.instances():
        np.testing.assert_array_equal(one.scores(instance.features), two.scores(instance.features))


@every_case
def test_what_it_learns_from_is_left_as_it_was(case):
    instances, untouched = case.instances(), case.instances()
    fit(case.learner, instances)
    for instance, copy in zip(instances, untouched, strict=True):
        np.testing.assert_array_equal(instance.features, copy.features)
        np.testing.assert_array_equal(instance.consistent, copy.consistent)
        np.testing.assert_array_equal(instance.cost, copy.cost)


@every_case
def test_a_saved_scorer_scores_as_before(case, tmp_path):
    scorer = fit(case.learner, case.instances())
    modelfile.write(tmp_path / "model", {}, case.pack(scorer))
    again = case.unpack(modelfile.read(tmp_path / "model")[1])
    for instance in case.instances():
        np.testing.assert_array_equal(scorer.scores(instance.features), again.scores(instance.features))


@every_case
def test_every_round_has_a_scorer_that_can_be_used_and_later_rounds_do_not_change(case):
    instances = case.instances()
    rows = instances[0].features
    rounds, seen = [], []
    for step in case.learner.rounds(instances):
        rounds.append(step)
        seen.append(step.scorer.scores(rows).copy())
    assert [step.index for step in rounds] == list(range(len(rounds)))
    for step, scores in zip(rounds, seen, strict=True):
        assert np.isfinite(step.objective)
        assert scores.shape == (len(rows),) and np.isfinite(scores).all()
        np.testing.assert_array_equal(step.scorer.scores(rows), scores)


@every_case
def test_training_can_be_left_after_any_round(case):
    stream = case.learner.rounds(case.instances())
    first = next(stream)
    stream.close()
    whole = next(iter(case.learner.rounds(case.instances())))
    rows = case.instances()[0].features
    np.testing.assert_array_equal(first.scorer.scores(rows), whole.scorer.scores(rows))


@every_resumable
def test_resumed_after_any_round_it_goes_on_to_the_last_bit(case, tmp_path):
    whole, saved = [], []
    for step in case.learner.rounds(case.instances()):
        whole.append(step)
        np.savez(tmp_path / f"{step.index}", **step.to_parts())
        saved.append(tmp_path / f"{step.index}.npz")
    rows = case.instances()[0].features
    for done, path in enumerate(saved, 1):
        with np.load(path, allow_pickle=False) as state:
            resumed = list(case.learner.rounds(case.instances(), resume=dict(state)))
        assert len(resumed) == len(whole) - done
        for one, two in zip(whole[done:], resumed, strict=True):
            assert (one.index, one.objective, one.scores, one.is_last) == (
                two.index,
                two.objective,
                two.scores,
                two.is_last,
            )
            np.testing.assert_array_equal(one.scorer.scores(rows), two.scorer.scores(rows))


@every_resumable
def test_a_state_of_other_data_is_refused_and_so_is_one_that_is_asked_for_too_late(case):
    stream = case.learner.rounds(case.instances())
    first = next(stream)
    state = first.to_parts()
    with pytest.raises(ValueError, match="other data"):
        next(case.learner.rounds(case.instances()[:-1], resume=state))
    with pytest.raises(ValueError, match="saved by"):
        next(case.learner.rounds(case.instances(), resume={**state, "learner": np.array("nobody")}))
    next(stream)
    with pytest.raises(ValueError, match="before the next one"):
        first.to_parts()


@every_resumable
def test_only_the_last_round_says_that_it_is_the_last(case):
    said = [step.is_last for step in case.learner.rounds(case.instances())]
    assert said == [False] * (len(said) - 1) + [True]


@every_case
def test_settings_survive_json_and_text(case):
    saved = json.loads(json.dumps(dataclasses.asdict(case.learner)))
    assert from_json(type(case.learner), saved) == case.learner
    texts = {name: str(value) for name, value in saved.items()}
    assert with_values(type(case.learner)(), texts) == case.learner


@every_case
def test_every_setting_says_what_it_does(case):
    for spec in dataclasses.fields(case.learner):
        assert len(spec.metadata["help"].split()) > 1, spec.name


@every_case
def test_missing_values_are_scored(case):
    scorer = fit(case.learner, case.instances())
    rows = case.instances()[0].features.copy()
    rows[0, :] = np.nan
    assert np.isfinite(scorer.scores(rows)).all()
