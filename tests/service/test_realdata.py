"""On real development data, too, the service answers what `predict` does, 32 requests at a time."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest

from benchmarks.partition import SETUPS, read_split, train
from engine.corpora.formats import jsonl
from engine.service.models.shelf import FileSource
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import save_model
from tests.service.serving import service_of
from tests.service.test_equal import asked_at_once
from tests.tasks.test_partition import PARTS


@pytest.mark.realdata
@pytest.mark.parametrize("name", list(TASKS))
def test_answers_on_real_data_are_those_of_predict(name: str, data_root: Path, tmp_path: Path) -> None:
    task = get(name)
    n_train, n_dev, settings, rounds = PARTS[name]
    setup = dataclasses.replace(SETUPS[name], settings=settings, rounds=rounds)
    if name == "linking":
        setup = dataclasses.replace(setup, lexicon=("lexicon/lexicon_tweets_train.jsonl.gz",))
    documents = read_split(data_root, setup, "dev", n_train + n_dev)
    model, dev = train(task, documents[n_dev:], data_root, setup), documents[:n_dev]
    save_model(task, model, tmp_path / "model.zip")
    records = [json.loads(json.dumps(jsonl.record(document))) for document in dev]
    layers = task.predict(dev, model)
    wanted = [
        json.loads(json.dumps(jsonl.record(document.with_layer("gold", layer))))
        for document, layer in zip(dev, layers, strict=True)
    ]
    service = service_of(FileSource(name, tmp_path / "model.zip"))
    answers = asyncio.run(asked_at_once(service, name, records))
    for position, answer in enumerate(answers):
        assert answer["documents"][0]["record"] == wanted[position % len(wanted)]
