"""Preparations are made once inside `reusing`, for the same documents and settings, and never outside."""

from __future__ import annotations

import dataclasses
import importlib
from collections import deque
from typing import Any

import numpy as np
import pytest

from engine.tasks.base import AnyTask
from engine.tasks.registry import get
from engine.tasks.training.reusing import MOST, prepared, reusing
from tests.tasks.test_contract import resources, sample


def test_nothing_is_kept_outside() -> None:
    made = [prepared((), "same", object) for _ in range(2)]
    assert made[0] is not made[1]


def test_inside_equal_settings_and_the_same_documents_share() -> None:
    documents, copies = sample("joint", "dev"), tuple(dataclasses.replace(d) for d in sample("joint", "dev"))
    with reusing():
        first = prepared(documents, ("a", 1), object)
        assert prepared(documents, ("a", 1), object) is first
        assert prepared(documents, ("a", 2), object) is not first
        assert prepared(copies, ("a", 1), object) is not first
        for number in range(MOST):
            prepared(documents, ("others", number), object)
        assert prepared(documents, ("a", 1), object) is not first


CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    # Trainings that differ in what preparations depend on, and in what they do not.
    ("distant", "hoffmann", {"n_rounds": 2, "crowding": 0.0}, {"n_rounds": 3}),
    ("joint", "lp", {"folds": 2, "classifier": "winnow", "winnow_rounds": 3}, {"folds": 2, "seed": 1}),
]


def weights(task: AnyTask, learner: str, changes: dict[str, Any]) -> list[Any]:
    settings = dataclasses.replace(task.learner(learner).settings, **changes)
    train, dev = sample(task.name, "train")[:60], sample(task.name, "dev")[:10]
    (last,) = deque(task.rounds(train, dev, learner, settings, resources(task.name)), maxlen=1)
    return [part for part in task.pack(last.model).values() if isinstance(part, np.ndarray)]


@pytest.mark.parametrize(("name", "learner", "one", "other"), CASES)
def test_a_training_on_reused_preparations_is_the_same_training(
    name: str, learner: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    task = get(name)
    alone = weights(task, learner, one)
    with reusing():
        weights(task, learner, other)
        for again in (weights(task, learner, one), weights(task, learner, one)):
            assert all(np.array_equal(a, b) for a, b in zip(alone, again, strict=True))


@pytest.mark.parametrize(
    ("name", "learner", "changes", "made_by"),
    [
        ("linking", "perceptron", {"n_rounds": 1, "folds": 0}, "engine.tasks.linking.scoring.rows_of"),
        ("disambiguation", "local", {"trees": 2}, "engine.tasks.disambiguation.scoring.prepare"),
    ],
)
def test_what_is_judged_on_is_prepared_once_for_all_seeds_that_see_it_alike(
    name: str, learner: str, changes: dict[str, Any], made_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = get(name)
    settings = dataclasses.replace(task.learner(learner).settings, **changes)
    train, dev = sample(name, "train")[:20], sample(name, "dev")[:5]
    module, _, function = made_by.rpartition(".")
    whole, made = getattr(importlib.import_module(module), function), []
    monkeypatch.setattr(made_by, lambda *known, **more: (made.append(known[0]), whole(*known, **more))[1])
    with reusing():
        for _ in range(2):
            (last,) = deque(task.rounds(train, dev, learner, settings, resources(name)), maxlen=1)
            reused = task.score(dev, last.model)
    assert len([documents for documents in made if list(documents) == list(dev)]) == 1
    fresh = task.score(dev, last.model)
    assert task.decide(reused) == task.decide(fresh)
