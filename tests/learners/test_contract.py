"""The laws of a learner, on every registered one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from engine.learners.base import Round, Saved, fit
from engine.settings import from_json, with_values
from engine.store import modelfile
from tests.learners.registry import CASES, Case

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
every_resuming_case = pytest.mark.parametrize(
    "case", [case for case in CASES if case.resumes], ids=lambda case: case.name
)


def arrays_of(instance: Any) -> dict[str, np.ndarray]:
    fields = {spec.name: getattr(instance, spec.name) for spec in dataclasses.fields(instance)}
    return {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}


def assert_same_parts(one: Mapping[str, Any], two: Mapping[str, Any]) -> None:
    assert one.keys() == two.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], two[name], err_msg=name)


@every_case
def test_the_same_seed_gives_the_same_scorer(case):
    one, two = fit(case.learner, case.instances()), fit(case.learner, case.instances())
    for instance in case.instances():
        np.testing.assert_array_equal(one.scores(case.rows(instance)), two.scores(case.rows(instance)))


@every_case
def test_what_it_learns_from_is_left_as_it_was(case):
    instances, untouched = case.instances(), case.instances()
    fit(case.learner, instances)
    for instance, copy in zip(instances, untouched, strict=True):
        assert arrays_of(instance)
        assert_same_parts(arrays_of(instance), arrays_of(copy))


@every_case
def test_a_saved_scorer_scores_as_before(case, tmp_path):
    scorer = fit(case.learner, case.instances())
    modelfile.write(tmp_path / "model", {}, case.pack(scorer))
    again = case.unpack(modelfile.read(tmp_path / "model")[1])
    for instance in case.instances():
        np.testing.assert_array_equal(scorer.scores(case.rows(instance)), again.scores(case.rows(instance)))


@every_case
def test_every_round_has_a_scorer_that_can_be_used_and_later_rounds_do_not_change(case):
    instances = case.instances()
    rows = case.rows(instances[0])
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
    rows = case.rows(case.instances()[0])
    np.testing.assert_array_equal(first.scorer.scores(rows), whole.scorer.scores(rows))


def saved_and_read(state: Saved, folder: Any) -> Saved:
    modelfile.write(folder / "state", {}, state)
    return modelfile.read(folder / "state")[1]


def trained(case: Case, folder: Any) -> tuple[list[Round[Any]], list[Saved]]:
    """All rounds, and what was saved after each before the next one was made."""
    rounds, states = [], []
    for step in case.learner.rounds(case.instances()):
        rounds.append(step)
        states.append(saved_and_read(step.to_parts(), folder))
    return rounds, states


@every_resuming_case
def test_resuming_from_any_round_gives_the_same_remaining_rounds_to_the_last_bit(case, tmp_path):
    rounds, states = trained(case, tmp_path)
    for done, state in enumerate(states, start=1):
        rest = list(case.learner.rounds(case.instances(), resume=state))
        assert [step.index for step in rest] == list(range(done, len(rounds)))
        for step, whole in zip(rest, rounds[done:], strict=True):
            assert (step.objective, step.scores) == (whole.objective, whole.scores)
            assert_same_parts(case.pack(step.scorer), case.pack(whole.scorer))


@every_resuming_case
def test_resuming_leaves_the_saved_state_as_it_was(case, tmp_path):
    state = saved_and_read(next(case.learner.rounds(case.instances())).to_parts(), tmp_path)
    before = {name: part.copy() for name, part in state.items()}
    list(case.learner.rounds(case.instances(), resume=state))
    assert_same_parts(state, before)


@every_resuming_case
def test_a_state_of_other_data_or_of_another_learner_is_refused(case, tmp_path):
    state = saved_and_read(next(case.learner.rounds(case.instances())).to_parts(), tmp_path)
    with pytest.raises(ValueError, match="other data"):
        next(case.learner.rounds([*case.instances(), *case.instances()], resume=state))
    with pytest.raises(ValueError, match="saved by nobody"):
        next(case.learner.rounds(case.instances(), resume={**state, "learner": np.array("nobody")}))


@every_resuming_case
def test_a_state_that_training_has_left_behind_is_refused(case):
    stream = case.learner.rounds(case.instances())
    first = next(stream)
    if next(stream, None) is not None:
        with pytest.raises(ValueError, match="must be taken before the next one is made"):
            first.to_parts()


@every_case
def test_settings_survive_json_and_text(case):
    settings = case.settings
    saved = json.loads(json.dumps(dataclasses.asdict(settings)))
    assert from_json(type(settings), saved) == settings
    texts = {name: str(value) for name, value in saved.items()}
    assert with_values(type(settings)(), texts) == settings


@every_case
def test_every_setting_says_what_it_does(case):
    for spec in dataclasses.fields(case.settings):
        assert len(spec.metadata["help"].split()) > 1, spec.name


@every_case
def test_missing_values_are_scored(case):
    scorer = fit(case.learner, case.instances())
    rows = case.rows(case.instances()[0]).copy()
    rows[0, :] = np.nan
    assert np.isfinite(scorer.scores(rows)).all()
