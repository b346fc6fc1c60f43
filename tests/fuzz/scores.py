"""Mutated scores of other programs, for every system: decided with a curve and errors, or refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.corpora.formats import jsonl
from engine.data.errors import InputError
from engine.tasks.outside.records import errors_of, read_scores, written
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import load_model
from tests.corpora.test_fuzz import MUTATIONS
from tests.fuzz import models
from tests.fuzz.mutation import of_json

KINDS: Final = tuple(TASKS)
LEARNT: Final = {
    "linking": "linking-linear",
    "disambiguation": "disambiguation-local",
    "coreference": "coreference-local",
    "distant": "distant",
    "joint": "joint",
}


def prepare(folder: Path, kind: str) -> None:
    """The scores of a model of ours for two documents, as it writes them for others."""
    task = get(kind)
    model = load_model(task, models.make(folder, LEARNT[kind]))
    documents = models.documents(kind)[:2]
    records = [jsonl.record(one) for one in written(task, task.score(documents, model), documents)]
    _sound(folder, kind).write_text("\n".join(json.dumps(one) for one in records), encoding="utf-8")


def attempt(folder: Path, kind: str, rng: np.random.Generator) -> str:
    path = folder / "mutant.jsonl"
    path.write_bytes(_mutant(_sound(folder, kind).read_text(encoding="utf-8"), rng))
    task = get(kind)
    try:
        scored = read_scores(task, path, models.documents(kind)[:2] if rng.random() < 0.5 else None)
        layers = task.decide(scored)
        task.curve(scored)
        errors_of(task, scored, layers)
    except InputError:
        return "refused"
    return "works"


def _mutant(content: str, rng: np.random.Generator) -> bytes:
    records: list[Any] = [json.loads(line) for line in content.splitlines()]
    if rng.random() < 0.8:
        at = int(rng.integers(len(records)))
        records[at] = of_json(records[at], rng)
        return "\n".join(json.dumps(one) for one in records).encode()
    chance = random.Random(int(rng.integers(2**32)))
    return chance.choice(MUTATIONS)(content.encode(), chance)


def _sound(folder: Path, kind: str) -> Path:
    return folder / f"{kind}.scores.jsonl"
