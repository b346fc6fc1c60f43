"""The laws of a learner, on every registered one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.learners.base import Saved, fit
from engine.learners.scorers import pack, unpack
from engine.settings import from_json, with_values
from engine.store import modelfile
from tests.learners.registry import CASES

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
every_dense_case = pytest.mark.parametrize(
    "case", [case for case in CASES if case.is_dense], ids=lambda case: case.name
)
every_longer_case = pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.name not in ("logistic", "yes or no, always yes")],
    ids=lambda case: case.name,
)
"""All but those that need one round."""


def assert_same_scores(case, one, two):
    for instance in case.instances():
        np.testing.assert_array_equal(case.scores_of(one, instance), case.scores_of(two, instance))


def assert_same_parts(one: Mapping[str, Any], two: Mapping[str, Any]) -> None:
    assert one.keys() == two.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], two[name], err_msg=name)


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    """All arrays of an instance, however deep."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from arrays_of(one)
    elif dataclasses.is_dataclass(value):
        for spec in dataclasses.fields(value):
            yield from arrays_of(getattr(value, spec.name))


@every_case
def test_the_same_seed_gives_the_same_scorer(case):
    assert_same_scores(case, fit(case.learner, case.instances()), fit(case.learner, case.instances()))


@every_case
def test_what_it_learns_from_is_left_as_it_was(case):
    instances = case.instances()
    before = [part.copy() for part in arrays_of(list(instances))]
    assert len(before) >= 2 * len(instances), "features and answers at least"
    fit(case.learner, instances)
    for part, copy in zip(arrays_of(list(instances)), before, strict=True):
        np.testing.assert_array_equal(part, copy)


@every_case
def test_a_saved_scorer_scores_as_before(case, tmp_path):
    scorer = fit(case.learner, case.instances())
    modelfile.write(tmp_path / "model", {}, pack(scorer))
    assert_same_scores(case, scorer, unpack(modelfile.read(tmp_path / "model")[1]))


@every_case
def test_every_round_has_a_scorer_that_can_be_used_and_later_rounds_do_not_change(case):
    instances = case.instances()
    rounds, seen = [], []
    for step in case.learner.rounds(instances):
        rounds.append(step)
        seen.append(case.scores_of(step.scorer, instances[0]).copy())
    assert [step.index for step in rounds] == list(range(len(rounds)))
    for step, scores in zip(rounds, seen, strict=True):
        assert np.isfinite(step.objective)
        assert len(scores) and np.isfinite(scores).all()
        np.testing.assert_array_equal(case.scores_of(step.scorer, instances[0]), scores)


@every_dense_case
def test_there_is_one_score_for_every_part(case):
    rows = case.rows(case.instances()[0])
    assert fit(case.learner, case.instances()).scores(rows).shape == (len(rows),)


@every_case
def test_training_can_be_left_after_any_round(case):
    stream = case.learner.rounds(case.instances())
    first = next(stream)
    stream.close()
    whole = next(iter(case.learner.rounds(case.instances())))
    assert_same_scores(case, first.scorer, whole.scorer)


def saved_and_read(state: Saved, folder: Path) -> Saved:
    modelfile.write(folder / "state", {}, state, compress=False)
    return modelfile.read(folder / "state")[1]


@every_case
def test_resumed_after_any_round_it_goes_on_to_the_last_bit(case, tmp_path):
    whole, states = [], []
    for step in case.learner.rounds(case.instances()):
        whole.append(step)
        states.append(saved_and_read(step.to_parts(), tmp_path))
    for done, state in enumerate(states, 1):
        rest = list(case.learner.rounds(case.instances(), resume=state))
        assert [step.index for step in rest] == list(range(done, len(whole)))
        for step, same in zip(rest, whole[done:], strict=True):
            assert (step.objective, step.scores, step.is_last) == (same.objective, same.scores, same.is_last)
            assert_same_parts(pack(step.scorer), pack(same.scorer))


@every_case
def test_resuming_leaves_the_saved_state_as_it_was(case, tmp_path):
    state = saved_and_read(next(case.learner.rounds(case.instances())).to_parts(), tmp_path)
    before = {name: part.copy() for name, part in state.items()}
    list(case.learner.rounds(case.instances(), resume=state))
    assert_same_parts(state, before)


@every_case
def test_a_state_of_other_data_or_of_another_learner_is_refused(case):
    state = next(case.learner.rounds(case.instances())).to_parts()
    with pytest.raises(ValueError, match="other data"):
        next(case.learner.rounds([*case.instances(), *case.instances()], resume=state))
    with pytest.raises(ValueError, match="saved by nobody"):
        next(case.learner.rounds(case.instances(), resume={**state, "learner": np.array("nobody")}))


@every_longer_case
def test_the_state_of_a_round_can_no_longer_be_taken_once_the_next_one_is_made(case):
    stream = case.learner.rounds(case.instances())
    first = next(stream)
    next(stream)
    with pytest.raises(ValueError, match="must be taken before the next one is made"):
        first.to_parts()


@every_case
def test_only_the_last_round_says_that_it_is_the_last(case):
    said = [step.is_last for step in case.learner.rounds(case.instances())]
    assert said == [False] * (len(said) - 1) + [True]


@every_case
def test_settings_survive_json_and_text(case):
    saved = json.loads(json.dumps(dataclasses.asdict(case.settings)))
    assert from_json(type(case.settings), saved) == case.settings
    texts = {name: str(value) for name, value in saved.items()}
    assert with_values(type(case.settings)(), texts) == case.settings


@every_case
def test_every_setting_says_what_it_does(case):
    for spec in dataclasses.fields(case.settings):
        assert len(spec.metadata["help"].split()) > 1, spec.name


@every_dense_case
def test_missing_values_are_scored(case):
    scorer = fit(case.learner, case.instances())
    rows = case.rows(case.instances()[0]).copy()
    rows[0, :] = np.nan
    assert np.isfinite(scorer.scores(rows)).all()
