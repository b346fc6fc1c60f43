"""Mutated constraints: refused, or a sentence is decided under what they say."""

from __future__ import annotations

import random
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.data.errors import InputError
from engine.tasks.joint.constraints import language
from engine.tasks.registry import get
from engine.tasks.saving import load_model
from tests.corpora.test_fuzz import MUTATIONS
from tests.fuzz import models
from tests.fuzz.mutation import of_json

KINDS: Final = ("text", "tables")
SOUND: Final = models.SAMPLES / "joint" / "constraints.toml"


def prepare(folder: Path, kind: str) -> None:
    models.make(folder, "joint")


@cache
def _scored(model: Path) -> Any:
    task = get("joint")
    return task.score(models.documents("joint")[:2], load_model(task, model))


def attempt(folder: Path, kind: str, rng: np.random.Generator) -> str:
    scored = _scored(folder / "joint.zip")
    try:
        made = _from_text(folder, rng) if kind == "text" else _from_tables(rng)
        language.check_names(made, scored.space)
        get("joint").decide(replace(scored, constraints=made, enforced=True))
    except InputError:
        return "refused"
    return "works"


def _from_text(folder: Path, rng: np.random.Generator) -> tuple[Any, ...]:
    chance = random.Random(int(rng.integers(2**32)))
    path = folder / "mutant.toml"
    path.write_bytes(chance.choice(MUTATIONS)(SOUND.read_bytes(), chance))
    return language.read(path)


def _from_tables(rng: np.random.Generator) -> tuple[Any, ...]:
    """As a model file holds them."""
    tables = tomllib.loads(SOUND.read_text(encoding="utf-8"))["constraint"]
    at = int(rng.integers(len(tables)))
    changed = of_json(tables[at], rng)
    return language.from_json([*tables[:at], *([changed] if isinstance(changed, dict) else []), *tables[at + 1 :]])
