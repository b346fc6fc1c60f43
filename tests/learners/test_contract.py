"""The laws of a learner, on every registered one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from engine.learners.base import fit
from engine.learners.scorers import pack, unpack
from engine.settings import from_json, with_values
from engine.store import modelfile
from tests.learners.registry import CASES

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
every_dense_case = pytest.mark.parametrize(
    "case", [case for case in CASES if case.is_dense], ids=lambda case: case.name
)
every_longer_case = pytest.mark.parametrize(
    "case", [case for case in CASES if case.name != "logistic"], ids=lambda case: case.name
)
"""All but the one that needs one round."""


def assert_same_scores(case, one, two):
    for instance in case.instances():
        np.testing.assert_array_equal(case.scores(one, instance), case.scores(two, instance))


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
    assert len(before) >= 3 * len(instances)
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
        seen.append(case.scores(step.scorer, instances[0]).copy())
    assert [step.index for step in rounds] == list(range(len(rounds)))
    for step, scores in zip(rounds, seen, strict=True):
        assert np.isfinite(step.objective)
        assert len(scores) and np.isfinite(scores).all()
        np.testing.assert_array_equal(case.scores(step.scorer, instances[0]), scores)


@every_dense_case
def test_there_is_one_score_for_every_part(case):
    instance = case.instances()[0]
    assert fit(case.learner, case.instances()).scores(instance.features).shape == (len(instance.features),)


@every_case
def test_training_can_be_left_after_any_round(case):
    stream = case.learner.rounds(case.instances())
    first = next(stream)
    stream.close()
    whole = next(iter(case.learner.rounds(case.instances())))
    assert_same_scores(case, first.scorer, whole.scorer)


@every_case
def test_resumed_after_any_round_it_goes_on_to_the_last_bit(case, tmp_path):
    whole, saved = [], []
    for step in case.learner.rounds(case.instances()):
        whole.append(step)
        np.savez(tmp_path / f"{step.index}", **step.to_parts())
        saved.append(tmp_path / f"{step.index}.npz")
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
            assert_same_scores(case, one.scorer, two.scorer)


@every_longer_case
def test_the_state_of_a_round_can_no_longer_be_taken_once_the_next_one_is_made(case):
    stream = case.learner.rounds(case.instances())
    first = next(stream)
    next(stream)
    with pytest.raises(ValueError, match="before the next one"):
        first.to_parts()


@every_case
def test_a_state_of_other_data_or_of_another_learner_is_refused(case):
    state = next(case.learner.rounds(case.instances())).to_parts()
    with pytest.raises(ValueError, match="other data"):
        next(case.learner.rounds(case.instances()[:-1], resume=state))
    with pytest.raises(ValueError, match="saved by"):
        next(case.learner.rounds(case.instances(), resume={**state, "learner": np.array("nobody")}))


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
    rows = case.instances()[0].features.copy()
    rows[0, :] = np.nan
    assert np.isfinite(scorer.scores(rows)).all()
