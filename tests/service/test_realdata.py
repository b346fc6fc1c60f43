"""On whole real dev corpora, too, the service answers what the command line writes, 32 requests at a time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.corpora.formats import jsonl
from engine.service.models.shelf import FileSource
from engine.service.requests.limits import Limits
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import save_model
from tests.real_models import real_dev, real_model
from tests.service.serving import service_of
from tests.service.test_equal import asked_at_once


@pytest.mark.long
@pytest.mark.realdata
@pytest.mark.parametrize("name", list(TASKS))
def test_answers_on_the_whole_dev_corpus_are_those_of_predict(name: str, data_root: Path, tmp_path: Path) -> None:
    dev, model, out = real_dev(data_root, name), tmp_path / "model.zip", tmp_path / "out.jsonl"
    save_model(get(name), real_model(data_root, name), model)
    assert main(["predict", name, "--model", str(model), "--data", str(dev), "--out", str(out)]) == 0
    wanted = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    given = [json.loads(json.dumps(jsonl.record(document))) for document in corpora.stream(dev)]
    # Answers are compared, not timed: a busy machine may take as long as it likes.
    limits = Limits(seconds=3600.0)
    answers = asyncio.run(asked_at_once(service_of(FileSource(name, model), limits=limits), name, given))
    assert answers == wanted and len(answers) > 20
