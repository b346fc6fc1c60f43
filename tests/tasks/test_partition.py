"""On real dev data the stages partition all errors: each has exactly one, none is lost, none is counted twice.

A part of each corpus and a few rounds; `python -m benchmarks.partition` does it with all of them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.partition import SETUPS, partition, read_split, train
from engine.tasks.registry import TASKS, get

PARTS = {
    "linking": (200, 120, {}, 10),
    "disambiguation": (12, 8, {"trees": 5, "beam": 2}, 5),
    "coreference": (4, 3, {"beam": 4}, 1),
    "distant": (150, 150, {"planes": 5, "n_rounds": 1}, 1),
    "joint": (120, 60, {"folds": 2}, 1000),
}
"""Documents to train on and to judge, settings, rounds."""


@pytest.mark.realdata
@pytest.mark.parametrize("name", list(TASKS))
def test_stages_partition_the_errors_of_real_data(name: str, data_root: Path) -> None:
    task = get(name)
    n_train, n_dev, settings, rounds = PARTS[name]
    setup = replace(SETUPS[name], settings=settings, rounds=rounds)
    if name == "linking":
        setup = replace(setup, lexicon=("lexicon/lexicon_tweets_train.jsonl.gz",))
    # Parts of dev serve for both: reading all of train is what would take time.
    documents = read_split(data_root, setup, "dev", n_train + n_dev)
    model, dev = train(task, documents[n_dev:], data_root, setup), documents[:n_dev]
    for bias in (model.bias, 1.0):
        found = partition(task, dev, model, bias)
        assert found.faults(task) == []
        assert len(found.errors) > 10
