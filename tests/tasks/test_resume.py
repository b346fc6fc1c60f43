"""A training that was stopped goes on as if nothing had happened: the same rounds, the same model to the last bit."""

from __future__ import annotations

import dataclasses
import os
import signal
import threading
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import corpora
from engine.data.document import Document
from engine.data.errors import InputError
from engine.settings import Settings
from engine.store import modelfile
from engine.tasks.base import Resources, TrainingRound
from engine.tasks.registry import get
from engine.tasks.saving import save_model
from engine.tasks.training import stopping
from engine.tasks.training.checkpoint import Checkpoint, about, from_json_part, json_part
from engine.tasks.training.stopping import polite
from ui.background.first import sample_files, sample_resources

pytestmark = pytest.mark.thorough

TRAININGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "linking": ("linking", "s-mart", {"trees": 4, "linear_rounds": 5, "folds": 2, "min_leaf": 5}),
    "linking in two stages": (
        "linking",
        "s-mart-2",
        {"trees": 2, "linear_rounds": 5, "folds": 2, "min_leaf": 5, "forests": 1},
    ),
    "linking, planes that may end early": ("linking", "ssvm", {"n_rounds": 6, "folds": 2, "tolerance": 0.2}),
    "disambiguation": ("disambiguation", "bibsg", {"trees": 6, "check_every": 2}),
    "coreference": ("coreference", "delayed-laso", {"n_rounds": 3, "beam": 4}),
    "distant": ("distant", "mm-f", {"n_rounds": 3, "planes": 4, "tolerance": 1e-6}),
    "distant, perceptron": ("distant", "hoffmann", {"n_rounds": 3}),
    "joint": ("joint", "lp", {"folds": 2}),
}
"""The default learner of every system with few rounds, and others whose state is made up in another way."""


def sample(task: str, split: str) -> list[Document]:
    return list(corpora.read(sample_files(task)[split]))[:30]


def resources(task: str) -> Resources:
    return Resources(lexicon=tuple(map(Path, sample_resources(task).get("lexicon", ()))))


def written(task: str, one: TrainingRound[Any, Any], path: Path) -> bytes:
    save_model(get(task), one.model, path)
    return path.read_bytes()


@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_that_is_resumed_after_any_round_ends_with_the_same_model(name: str, tmp_path: Path) -> None:
    system, learner, changes = TRAININGS[name]
    task = get(system)
    settings: Settings = dataclasses.replace(task.learner(learner).settings, **changes)
    train, dev, files = sample(system, "train"), sample(system, "dev"), resources(system)
    identity = about(learner, settings, train, dev, files)
    whole, states = [], []
    for one in task.rounds(train, dev, learner, settings, files):
        whole.append(one)
        states.append(Checkpoint(tmp_path / f"{one.index}.resume", identity))
        states[-1].keep(one)
    assert len(whole) > 2
    last = written(system, whole[-1], tmp_path / "whole.zip")
    for done, state in enumerate(states, 1):
        again = list(task.rounds(train, dev, learner, settings, files, resume=state.read()))
        told = [(one.index, one.total, one.objective, dict(one.scores), one.details) for one in again]
        assert told == [(one.index, one.total, one.objective, dict(one.scores), one.details) for one in whole[done:]]
        if again:
            assert written(system, again[-1], tmp_path / "resumed.zip") == last


def a_round(index: int) -> TrainingRound[Any, Any]:
    return TrainingRound(index, 9, 0.0, {}, dict, {}, lambda: {"index": np.array(index)})  # type: ignore[arg-type]


def test_rounds_are_saved_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    checkpoint = Checkpoint(tmp_path / "x.resume", {"learner": "a"}, every=5.0)
    checkpoint.offer(a_round(1))
    with pytest.raises(InputError, match="no training to go on with"):
        checkpoint.read()
    clock[0] = 5.1
    checkpoint.offer(a_round(2))
    clock[0] = 9.9
    checkpoint.offer(a_round(3))
    assert checkpoint.read()["index"] == 2
    checkpoint.keep(a_round(4))
    assert checkpoint.read()["index"] == 4
    checkpoint.remove()
    assert not checkpoint.path.exists()


def test_saving_that_takes_long_is_done_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    write = modelfile.write

    def slowly(*args: Any, **options: Any) -> None:
        clock[0] += 3.0
        write(*args, **options)

    monkeypatch.setattr(modelfile, "write", slowly)
    checkpoint = Checkpoint(tmp_path / "x.resume", {}, every=5.0)
    saved = []
    for index in range(1, 200):
        clock[0] += 1.0
        before = clock[0]
        checkpoint.offer(a_round(index))
        if clock[0] > before:
            saved.append(index)
    assert [b - a for a, b in pairwise(saved)] == [61, 61, 61], "3 seconds in 61"


@pytest.mark.parametrize("other", ["learner", "settings", "training documents", "dev documents", "files", "version"])
def test_the_state_of_another_training_is_refused(other: str, tmp_path: Path) -> None:
    task = get("joint")
    train = sample("joint", "train")[:3]
    identity = about("lp", task.learner("lp").settings, train, [], Resources())
    Checkpoint(tmp_path / "x.resume", identity).keep(a_round(1))
    with pytest.raises(InputError, match=f"had other {other}"):
        Checkpoint(tmp_path / "x.resume", {**identity, other: "another"}).read()


def test_a_lexicon_that_was_changed_makes_it_another_training(tmp_path: Path) -> None:
    (tmp_path / "lexicon").mkdir()
    (tmp_path / "lexicon" / "names.tsv").write_text("a\tb\n")
    files = Resources(lexicon=(tmp_path / "lexicon",))
    before = about("x", Settings(), [], [], files)
    assert about("x", Settings(), [], [], files) == before
    (tmp_path / "lexicon" / "names.tsv").write_text("a\tbb\n")
    assert about("x", Settings(), [], [], files) != before


def test_json_is_kept_as_an_array() -> None:
    value = {"a": [1, 0.1, "ü"], "b": None}
    assert from_json_part(json_part(value)) == value and json_part(value).dtype == np.uint8


def test_the_first_signal_asks_and_the_second_interrupts() -> None:
    handler = signal.getsignal(signal.SIGUSR1)
    with pytest.raises(KeyboardInterrupt), polite(signal.SIGUSR1) as stop:
        assert not stop.asked
        os.kill(os.getpid(), signal.SIGUSR1)
        assert stop.asked
        os.kill(os.getpid(), signal.SIGUSR1)
    assert signal.getsignal(signal.SIGUSR1) == handler


def test_a_round_that_takes_too_long_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "PATIENCE", 0.05)
    with pytest.raises(KeyboardInterrupt), polite(signal.SIGUSR1):
        os.kill(os.getpid(), signal.SIGUSR1)
        threading.Event().wait(30)


def test_other_threads_are_never_asked() -> None:
    found = []

    def inside() -> None:
        with polite(signal.SIGUSR1) as stop:
            found.append(stop.asked)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert found == [False]
