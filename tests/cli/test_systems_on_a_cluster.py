"""predict, curve, errors and report of all five systems on a Dask cluster of two workers: the same bytes as in one
process, also where a worker is killed on the way."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import main
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.cut import Cut
from engine.workbench.blocks.predicting import Predicted, Predicting, predict
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import ModelSource
from engine.workers.base import Here
from engine.workers.cluster import Cluster

pytestmark = pytest.mark.long

SAMPLES = Path(__file__).parents[2] / "sample_data"
SYSTEMS = {
    "linking": ["--lexicon", str(SAMPLES / "linking" / "lexicon"), "--learner", "ssvm", "--set", "n_rounds=5"],
    "disambiguation": ["--set", "trees=5"],
    "coreference": ["--set", "n_rounds=1"],
    "distant": ["--set", "planes=5"],
    "joint": [],
}


def data_of(task: str, split: str) -> str:
    return str(SAMPLES / task / f"{split}.{'conll' if task == 'coreference' else 'jsonl'}")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    import dask

    # On a crowded machine a worker that was killed takes minutes to start again; by default Dask gives it up.
    patient = {"distributed.comm.timeouts.connect": "600s", "distributed.scheduler.worker-ttl": None}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
    ):
        yield local


@pytest.fixture(scope="module")
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A system, and a model of it that was trained for a moment."""
    task = request.param
    path = tmp_path_factory.mktemp("models") / f"{task}.zip"
    words = ["train", task, "--train", data_of(task, "train"), "--preset", "quick", "--model", str(path), "--quiet"]
    assert main([*words, *SYSTEMS[task]]) == 0
    return task, path


every_system = pytest.mark.parametrize("model", SYSTEMS, indirect=True)


@every_system
def test_a_cluster_gives_the_same_bytes(
    model: tuple[str, Path], cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task, path = model
    given = [task, "--model", str(path), "--data", data_of(task, "dev")]
    there = ["--cluster", cluster.scheduler_address.removeprefix("tcp://"), "--block", "7"]
    for command in ("curve", "errors"):
        told = []
        for how in ([], there):
            capsys.readouterr()
            assert main([command, *given, "--json", *how]) == 0
            told.append(capsys.readouterr().out)
        assert len(told[0]) > 100 and told[0] == told[1], command
    outs = [tmp_path / "here.jsonl", tmp_path / "there.jsonl"]
    assert main(["predict", *given, "--out", str(outs[0])]) == 0
    assert main(["predict", *given, "--out", str(outs[1]), *there]) == 0
    assert outs[0].stat().st_size > 100 and outs[0].read_bytes() == outs[1].read_bytes()
    pages = [tmp_path / "here.html", tmp_path / "there.html"]
    report = ["report", *given, "--against", str(outs[0])]
    assert main([*report, "--out", str(pages[0])]) == 0 and main([*report, "--out", str(pages[1]), *there]) == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()


@every_system
def test_a_worker_that_is_killed_on_the_way_changes_nothing(model: tuple[str, Path], cluster: Any) -> None:
    task, path = model
    work = Predicting(ModelSource(task, path), "predicted", "jsonl")
    corpus = Corpus((Path(data_of(task, "train")),))
    # Small blocks: when the worker is killed, most of them are still to come.
    answers = [
        predict(work, corpus, Running(workers, Cut(documents=1)), Predicted())
        for workers in (Here(), Cluster(cluster.scheduler_address))
    ]
    expected = [one.rendered for one in itertools.islice(answers[0], 60)]
    found = []
    for number, one in enumerate(itertools.islice(answers[1], 60)):
        found.append(one.rendered)
        if number == 3:
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    answers[1].close()
    assert found == expected and len(found) > 10 and all(found)
