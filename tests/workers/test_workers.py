"""Whoever does the work, results are the same and come in order; what goes wrong with a piece is said."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.data.errors import InputError
from engine.workers import cluster
from engine.workers.base import Here, Places, Workers, WorkersFailed, as_named, in_order
from engine.workers.cluster import Cluster
from engine.workers.hiring import workers_of
from engine.workers.processes import Processes


@dataclass(frozen=True)
class Number:
    """A recipe whose thing is the number in a file."""

    path: Path

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path,)

    def make(self, places: Places = as_named) -> int:
        return int(places(self.path).read_text())


def times(shared: int, piece: int) -> int:
    # Later pieces are ready first.
    time.sleep(0.02 * (piece % 3 == 0))
    return shared * piece


def refuses_seven(shared: int, piece: int) -> int:
    if piece == 7:
        raise InputError("seven is no good", file="numbers", line=7)
    return piece


def dies_at_seven(shared: int, piece: int) -> int:
    if piece == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


def with_its_process(shared: int, piece: int) -> tuple[int, int]:
    time.sleep(0.3)
    return os.getpid(), shared * piece


@pytest.fixture
def three(tmp_path: Path) -> Number:
    (tmp_path / "number").write_text("3")
    return Number(tmp_path / "number")


@pytest.fixture(scope="module", params=["here", "processes", "cluster"])
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    if request.param != "cluster":
        yield {"here": Here(), "processes": Processes(2)}[request.param]
        return
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=None
    ) as local:
        yield Cluster(local.scheduler_address)


def test_results_come_in_the_order_of_the_pieces(workers: Workers, three: Number) -> None:
    assert list(workers.map(times, three, range(20))) == [3 * piece for piece in range(20)]


def test_a_fault_of_a_piece_is_raised_with_its_place(workers: Workers, three: Number) -> None:
    with pytest.raises(InputError, match="numbers, line 7: seven is no good"):
        list(workers.map(refuses_seven, three, range(20)))


def test_no_pieces_give_no_results(workers: Workers, three: Number) -> None:
    assert list(workers.map(times, three, [])) == []


def test_a_process_that_is_killed_is_told(three: Number) -> None:
    with pytest.raises(WorkersFailed, match="fewer --jobs"):
        list(Processes(2).map(dies_at_seven, three, range(20)))


def test_few_pieces_are_on_their_way_at_a_time() -> None:
    begun = 0

    def begin(piece: int) -> int:
        nonlocal begun
        begun += 1
        return piece

    for at, result in enumerate(in_order(begin, lambda one: one, range(100), ahead=4)):
        assert result == at and begun <= at + 5


def test_workers_are_those_that_were_asked_for() -> None:
    assert isinstance(workers_of(1, None), Here) and isinstance(workers_of(3, None), Processes)


def test_nobody_waits_for_ever_for_workers_that_do_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "LONG_PATIENCE", 0.1)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=None) as local,
        distributed.Client(local.scheduler_address, set_as_default=False) as client,
        pytest.raises(WorkersFailed, match="none came back"),
    ):
        cluster.await_return(client)


@pytest.mark.slow
def test_a_worker_of_a_cluster_that_is_killed_changes_nothing_but_the_time(three: Number) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        found = []
        killed = None
        for process, result in Cluster(local.scheduler_address).map(with_its_process, three, range(24)):
            found.append(result)
            if len(found) == 4:
                killed = process
                os.kill(process, signal.SIGKILL)
        assert killed is not None
    assert found == [3 * piece for piece in range(24)]
