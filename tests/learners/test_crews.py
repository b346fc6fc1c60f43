"""Whoever works on the blocks, a learner learns the same to the last bit."""

from __future__ import annotations

import inspect
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.learners.linear import logistic
from engine.learners.scorers import pack
from engine.store import modelfile
from engine.workers.crews import ALONE, BLOCKS, Crew, Keepers, crew_for, spans
from tests.learners.registry import CASES

SHARED = [case for case in CASES if "crew" in inspect.signature(case.learner.rounds).parameters]
NAMES = {case.name for case in SHARED}
every_shared_case = pytest.mark.parametrize("case", SHARED, ids=lambda case: case.name)


class Reversed:
    """A crew that begins with the last block, and forgets what blocks remember."""

    blocks = BLOCKS

    def __init__(self) -> None:
        self.asked = 0

    def keep(self, blocks: Any) -> Keepers[Any]:
        crew = self

        class Kept:
            def ask(self, work: Any, shared: Any, own: Any) -> list[Any]:
                crew.asked += 1
                assert len(own) == len(blocks)
                return [work(block, shared, one) for block, one in list(zip(blocks, own, strict=True))[::-1]][::-1]

        return Kept()


def learnt(case: Any, crew: Crew, folder: Path) -> bytes:
    """The last scorer as its file has it, and all objectives."""
    rounds = list(case.learner.rounds(case.instances(), crew=crew))
    objectives = np.array([one.objective for one in rounds])
    modelfile.write(folder / "model", {}, {**pack(rounds[-1].scorer), "objectives": objectives})
    return (folder / "model").read_bytes()


def test_all_learners_whose_rounds_are_sums_take_a_crew() -> None:
    assert {
        "s-mart",
        "s-mart-hinge",
        "mart, softmax",
        "s-mart on a line",
        "ssvm",
        "poly-ssvm",
        "lambdarank",
        "mm-hamming",
        "mm-f",
        "logistic",
        "sgtb, gold path",
        "perceptron, mixed",
        "perceptron on chains, mixed",
        "winnow, mixed",
        "hoffmann, mixed",
        "delayed-laso, mixed",
    } <= NAMES


@every_shared_case
def test_blocks_learn_what_one_thread_learns(case: Any, tmp_path: Path) -> None:
    crew = Reversed()
    assert learnt(case, crew, tmp_path) == learnt(case, ALONE, tmp_path)
    assert crew.asked or getattr(case.settings, "shards", 0) == 1


def test_blocks_of_rows_learn_what_one_thread_learns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logistic regression cuts rows into blocks only where these are many."""
    monkeypatch.setattr(logistic, "_LEAST_ROWS", 10)
    (case,) = (case for case in SHARED if case.name == "logistic")
    told: list[int] = []

    class Counting(Reversed):
        def keep(self, blocks: Any) -> Keepers[Any]:
            told.append(len(blocks))
            return super().keep(blocks)

    assert learnt(case, Counting(), tmp_path) == learnt(case, ALONE, tmp_path)
    assert told == [BLOCKS]


@every_shared_case
def test_threads_learn_what_one_thread_learns(case: Any, tmp_path: Path) -> None:
    with crew_for(2) as crew:
        assert learnt(case, crew, tmp_path) == learnt(case, ALONE, tmp_path)


@pytest.mark.long
@every_shared_case
def test_a_cluster_learns_what_one_thread_learns(case: Any, cluster: Any, tmp_path: Path) -> None:
    with crew_for(cluster=cluster.scheduler_address) as crew:
        assert learnt(case, crew, tmp_path) == learnt(case, ALONE, tmp_path)


def where(block: int, shared: None, own: int) -> tuple[int, int]:
    return os.getpid(), block * own


@pytest.mark.long
def test_blocks_of_a_worker_that_is_lost_are_sent_to_another(cluster: Any) -> None:
    with crew_for(cluster=cluster.scheduler_address) as crew:
        keepers = crew.keep(list(range(BLOCKS)))
        told = keepers.ask(where, None, [3] * BLOCKS)
        assert len({process for process, _ in told}) == 2, "both workers have some"
        for _ in range(2):
            os.kill(told[0][0], signal.SIGKILL)
            told = keepers.ask(where, None, [5] * BLOCKS)
            assert [value for _, value in told] == [5 * block for block in range(BLOCKS)]


def with_weights(block: int, shared: np.ndarray, own: None) -> float:
    return float(shared.sum()) + block


@pytest.mark.long
def test_what_all_blocks_are_told_may_be_large(cluster: Any) -> None:
    with crew_for(cluster=cluster.scheduler_address) as crew:
        keepers = crew.keep([1, 2, 3])
        for size in (10, 100_000):
            assert keepers.ask(with_weights, np.ones(size), [None] * 3) == [size + 1.0, size + 2.0, size + 3.0]


def test_blocks_have_about_equal_numbers_of_rows() -> None:
    rng = np.random.default_rng(0)
    for n_documents in (0, 1, 3, 100):
        bounds = np.concatenate([[0], np.cumsum(rng.integers(0, 9, n_documents))])
        cuts = spans(bounds, 4)
        assert [first for first, _ in cuts] == [0, *(last for _, last in cuts[:-1])] and cuts[-1][1] == n_documents
        assert len(cuts) <= 4
        sizes = [bounds[last] - bounds[first] for first, last in cuts]
        assert max(sizes) <= bounds[-1] / 4 + 18 or n_documents <= 3
