"""Models for tests on real dev corpora: the whole of dev is judged, and a part of train is enough to learn from."""

from __future__ import annotations

import dataclasses
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.partition import SETUPS
from engine import corpora
from engine.tasks.base import AnyModel, Resources
from engine.tasks.registry import get

FIRST_ORDER: dict[str, tuple[str | None, dict[str, Any]]] = {
    "linking": (None, {}),
    "disambiguation": ("local", {}),
    "coreference": ("baseline", {"features": "local"}),
    "distant": (None, {}),
    "joint": (None, {}),
}
"""Per system a learner whose scores stand alone: the default one, where its scores do."""

TRAIN = {"linking": 300, "disambiguation": 40, "coreference": 12, "distant": 400, "joint": 150}
"""Documents to learn from."""
FEWER: dict[str, dict[str, Any]] = {"disambiguation": {"trees": 20}, "distant": {"planes": 20, "n_rounds": 1}}
"""What the preset `quick` leaves long: a test of inference does not wait for a learner."""


def real_dev(data_root: Path, name: str) -> Path:
    """The file of all dev documents of a system's corpus."""
    return data_root / SETUPS[name].folder / f"dev.{SETUPS[name].ending}"


@cache
def real_model(data_root: Path, name: str, first_order: bool = False) -> AnyModel:
    """A model of the default learner, or of one whose scores stand alone, of a part of the training corpus."""
    task = get(name)
    learner, changes = FIRST_ORDER[name] if first_order else (None, {})
    info = task.learner(learner)
    settings = dataclasses.replace(info.preset("quick"), **{**FEWER.get(name, {}), **changes})
    lexicon = (data_root / "lexicon" / "lexicon_tweets_train.jsonl.gz",) if name == "linking" else ()
    path = data_root / SETUPS[name].folder / f"train.{SETUPS[name].ending}"
    train = list(islice(corpora.stream(path), TRAIN[name]))
    *_, last = task.rounds(train, [], info.name, settings, Resources(lexicon=lexicon))
    return last.model
