"""Checkpoints: files from which a stopped training is resumed. They hold the last saved round as arrays, no pickles.

Saving takes time, so it is done only now and then, and for at most a twentieth of the training time.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import engine
from engine.arrays import Array, Bytes
from engine.corpora import data_hash
from engine.data.document import Document
from engine.data.errors import InputError
from engine.learners.base import Saved
from engine.settings import Settings
from engine.store import modelfile
from engine.tasks.base import Resources, TrainingRound

SAVE_EVERY: Final = 5.0
"""Minimum number of seconds between two saves."""
_COSTLY: Final = 20
"""Training must have run at least this many times as long as saving takes."""


class Checkpoint:
    """The checkpoint file of one training. `about` identifies the training; the state of any other is refused."""

    def __init__(self, path: Path, about: Mapping[str, Any], *, every: float = SAVE_EVERY) -> None:
        self.path = path
        self._about = json.loads(json.dumps(about))
        self._every = every
        self._saved, self._cost = time.monotonic(), 0.0

    def read(self) -> Saved:
        """The saved state; InputError if there is none, or if it is that of another training."""
        if not self.path.is_file():
            raise InputError("there is no training to go on with: it was not stopped, or never got so far")
        header, parts = modelfile.read(self.path)
        for name, value in self._about.items():
            if header.get("about", {}).get(name) != value:
                raise InputError(f"the training that was stopped had other {name}: start again", file=self.path)
        return parts

    def offer(self, one: TrainingRound[Any, Any]) -> None:
        """Save the round if enough time has passed."""
        if time.monotonic() - self._saved > max(self._every, _COSTLY * self._cost):
            self.keep(one)

    def keep(self, one: TrainingRound[Any, Any]) -> None:
        """Save the round if its training can be resumed at all."""
        if one.to_parts is None:
            return
        began = time.monotonic()
        modelfile.write(self.path, {"about": self._about}, one.to_parts(), compress=False)
        self._saved = time.monotonic()
        self._cost = self._saved - began

    def remove(self) -> None:
        """Delete the file, because the training is complete."""
        self.path.unlink(missing_ok=True)


def about(
    learner: str, settings: Settings, train: Sequence[Document], dev: Sequence[Document], resources: Resources
) -> dict[str, Any]:
    """What identifies a training: everything that its rounds depend on."""
    files = [*resources.lexicon, *resources.vectors, *resources.gazetteers]
    if resources.constraints is not None:
        files.append(resources.constraints)
    return {
        "version": engine.__version__,
        "learner": learner,
        "settings": dataclasses.asdict(settings),
        "training documents": data_hash(train),
        "dev documents": data_hash(dev),
        "files": {str(path): _stamps(path) for path in files},
    }


def _stamps(path: Path) -> list[tuple[str, int, int]]:
    """Names, sizes and modification times of the files at a path."""
    found: Iterable[Path] = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [(one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in found if one.is_file()]


def json_part(value: Any) -> Bytes:
    """A JSON value as an array, so that it can be saved beside others."""
    return np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)


def from_json_part(part: Array) -> Any:
    return json.loads(part.tobytes())
