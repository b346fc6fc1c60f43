"""Model files are held against their declaration before a kernel sees them."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import marisa_trie
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.data.errors import InputError
from engine.lexicon import trial
from engine.store import modelfile
from engine.tasks.registry import get
from engine.tasks.saving import load_model
from engine.tasks.schemas import DEEPEST, check_forest, check_scorer
from tests.fuzz import models, mutation, running

KINDS = ["linking-trees", "linking-two-stages", "disambiguation-local", "coreference-local", "distant", "joint"]


def forest(feature: list[int], left: list[int], right: list[int]) -> dict[str, Any]:
    """One tree; every leaf has one row."""
    n = [0] * len(feature)
    for node in reversed(range(len(feature))):
        inside = feature[node] >= 0 and node < min(left[node], right[node]) <= max(left[node], right[node]) < len(n)
        n[node] = n[left[node]] + n[right[node]] if inside else 1
    return {
        "offsets": np.array([0, len(feature)], np.int64),
        "feature": np.array(feature, np.int32),
        "threshold": np.zeros(len(feature)),
        "bin": np.zeros(len(feature), np.uint8),
        "missing_left": np.zeros(len(feature), np.bool_),
        "left": np.array(left, np.int32),
        "right": np.array(right, np.int32),
        "value": np.zeros(len(feature)),
        "n": np.array(n, np.int64),
        "start": np.zeros(1),
    }


SOUND = ([0, 1, -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1])


def test_a_sound_forest_passes() -> None:
    check_forest(forest(*SOUND), 2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"feature": np.array([0, 2, -1, -1, -1], np.int32)}, "below 2"),
        ({"left": np.array([0, 2, -1, -1, -1], np.int32)}, "follow"),
        ({"right": np.array([5, 3, -1, -1, -1], np.int32)}, "follow"),
        ({"right": np.array([3, 3, -1, -1, -1], np.int32)}, "trees of the nodes"),
        ({"left": np.array([1, 2, 4, -1, -1], np.int32)}, "leaf"),
        ({"value": np.full(5, np.nan)}, "finite"),
        ({"offsets": np.array([0, 4], np.int64)}, "lead"),
        ({"offsets": np.array([0, 0, 5], np.int64)}, "at least 1"),
        ({"n": np.array([3, 2, 1, 1, 5], np.int64)}, "add up"),
        ({"threshold": np.zeros(5, np.float32)}, "float32"),
    ],
)
def test_a_damaged_forest_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_forest({**forest(*SOUND), **changes}, 2)


def test_a_tree_that_is_too_deep_for_its_explanation_is_refused() -> None:
    def chain(splits: int) -> dict[str, Any]:
        """A node, its leaf, the next node, ..."""
        size = 2 * splits + 1
        feature = [0 if i % 2 == 0 and i < size - 1 else -1 for i in range(size)]
        left = [i + 1 if feature[i] == 0 else -1 for i in range(size)]
        right = [i + 2 if feature[i] == 0 else -1 for i in range(size)]
        return forest(feature, left, right)

    check_forest(chain(DEEPEST), 1)
    with pytest.raises(InputError, match="deeper"):
        check_forest(chain(DEEPEST + 1), 1)


@given(st.data())
def test_what_passes_can_be_walked_to_a_leaf_from_every_root(data: st.DataObject) -> None:
    """Against the walk itself, on whatever numbers."""
    n = data.draw(st.integers(1, 6))
    ids = st.lists(st.integers(-1, n), min_size=n, max_size=n)
    feature, left, right = data.draw(ids), data.draw(ids), data.draw(ids)
    parts = forest(feature, left, right)
    try:
        check_forest(parts, n)
    except InputError:
        return
    for turns in range(2**n):
        node = 0
        for step in range(n + 1):
            if feature[node] < 0:
                break
            assert feature[node] < n
            node = (left, right)[turns >> step & 1][node]
            assert 0 <= node < n
        assert feature[node] < 0


def test_a_scorer_of_an_unknown_kind_is_refused() -> None:
    for kind in ("pickle", None, ["forest"]):
        with pytest.raises(InputError, match="kind"):
            check_scorer({"kind": kind}, 3)


@pytest.fixture
def no_memory_of_tries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(trial, "_passed", {})


@pytest.mark.usefixtures("no_memory_of_tries")
def test_tries_are_walked_in_a_child_and_then_known(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = {"names": marisa_trie.Trie(["Ada", "Bob", "Ada", "é"]).tobytes()}
    assert trial.sizes_of(tries) == {"names": 3}
    monkeypatch.setattr(trial, "_walk", lambda _: pytest.fail("they were known"))
    assert trial.sizes_of(tries) == {"names": 3}
    monkeypatch.setattr(trial, "_passed", {})
    assert trial.sizes_of(tries) == {"names": 3}, "known on disk"


@pytest.mark.usefixtures("no_memory_of_tries")
def test_damaged_tries_are_refused_and_kill_nobody() -> None:
    sound = marisa_trie.Trie([f"name {i}" for i in range(50)]).tobytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(12):
        damaged = bytearray(sound)
        for place in rng.integers(len(sound), size=40):
            damaged[place] = int(rng.integers(256))
        try:
            trial.sizes_of({"names": bytes(damaged)})
        except InputError:
            refused += 1
    assert refused >= 10
    with pytest.raises(InputError):
        trial.sizes_of({"names": b""})


def test_a_reloaded_disambiguator_counts_as_the_trained_one_did(tmp_path: Path) -> None:
    """Keys that are empty have several numbers, which shifted all others when the model was saved."""
    path = models.make(tmp_path, "disambiguation-local")
    counts = load_model(get("disambiguation"), path).state.knowledge.counts
    for kind, one in counts.items():
        assert all(number < len(one.offsets) - 1 for number in one.index.values()), kind
        filled = {number for number in range(len(one.offsets) - 1) if one.offsets[number] < one.offsets[number + 1]}
        assert filled <= set(one.index.values()), kind


def test_settings_of_a_model_must_be_of_their_types(tmp_path: Path) -> None:
    path = models.make(tmp_path, "distant")
    header, parts = modelfile.read(path)
    for changes in ({"n_rounds": "many"}, {"n_rounds": True}, {"bags": 3}, {"n_rounds": None}, {"seed": [1]}):
        modelfile.write(path, {**header, "settings": {**header["settings"], **changes}}, parts)
        with pytest.raises(InputError, match="another version"):
            load_model(get("distant"), path)
    odd: list[dict[str, Any]] = [{"bias": math.inf}, {"bias": -math.inf}, {"bias": math.nan}, {"bias": 10**400}]
    for changes in (*odd, {"bias": "0"}, {"bias": None}, {"scores": []}, {"learner": 3}, {"data_hash": None}):
        modelfile.write(path, {**header, **changes}, parts)
        with pytest.raises(InputError):
            load_model(get("distant"), path)


def test_names_that_were_mutated_before_can_be_mutated_again() -> None:
    """Two mutations of one part of a model: its numbers may have become words by the first."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        assert len(mutation._array(np.array(["Ada", "Bob"]), rng)) <= 3


@pytest.mark.slow
def test_mutated_models_are_refused_or_work(tmp_path: Path) -> None:
    """`make fuzz` does this many thousand times, with all kinds of models."""
    seed = int(os.environ.get("ESPALIER_FUZZ_SEED", "7"))
    found = running.run(running.Plan("models", tmp_path, 150, seed, tuple(KINDS)))
    assert found.faults == []
    assert found.endings["works"] > 0 and found.endings["refused"] > 50
