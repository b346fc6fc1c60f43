"""Models as workers hold them: loaded once for each state of their file.

A worker is told which file, in which state, at which bias (`ModelFile`), and loads what it does not hold yet. So the
same jobs run in a thread of the server and in a process of their own.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, Literal, TypeAlias

from engine.data.document import GOLD, Document, Layer, Mention
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.registry import get
from engine.tasks.saving import load_model

Stamp: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class ModelFile:
    """A model file in one state. `bias` is the operating point of the run it belongs to; None: that of the file."""

    system: str
    path: Path
    stamp: Stamp
    bias: float | None = None


@dataclass(frozen=True, eq=False)
class Loaded:
    task: AnyTask
    model: AnyModel
    version: str
    """Tells one state of a model from another, bias included; says nothing about where it lies."""

    @property
    def starts_from(self) -> Literal["text", "mentions", "bag"]:
        """What a document must bring for the model to have anything to decide."""
        if "label" in self.task.decides:
            return "bag"
        return "mentions" if self.task.given(_PROBE, self.model) else "text"

    def lacks(self, document: Document) -> str | None:
        """Why there is nothing to decide about a document, in a sentence; None where there may be. What is no bag is
        refused by the system itself."""
        if self.starts_from == "mentions" and not document.gold.mentions:
            return f"{self.task.name} decides about mentions that are given, and this document comes with none"
        return None


def stamp_of(path: Path) -> Stamp:
    """Changes whenever the file does. A new operating point keeps the file's time (modelfile.restate), but the file is
    another one."""
    about = path.stat()
    return about.st_mtime_ns, about.st_size, about.st_ino, about.st_ctime_ns


_PROBE: Final = Document("probe", "x", layers={GOLD: Layer((Mention(0, 1),))})
"""Shows whether a model starts from mentions that are given."""


class Held:
    """The models that this process has loaded: of every system the latest two, since jobs on the one before may still
    be in line."""

    LATEST: Final = 2

    def __init__(self) -> None:
        self._guard = Lock()
        self._loaded: dict[ModelFile, Loaded] = {}

    def get(self, file: ModelFile) -> Loaded:
        with self._guard:
            found = self._loaded.get(file)
        if found is not None:
            return found
        # Not under the lock: whoever asks the model that is served does not wait for the one that will be.
        made = load(file)
        with self._guard:
            self._loaded[file] = made
            same = [one for one in self._loaded if one.system == file.system]
            for old in same[: -self.LATEST]:
                del self._loaded[old]
        return made


def load(file: ModelFile) -> Loaded:
    task = get(file.system)
    model = load_model(task, file.path)
    if file.bias is not None:
        model = model.with_bias(file.bias)
    digest = hashlib.sha256(file.path.read_bytes())
    digest.update(repr(model.bias).encode())
    return Loaded(task, model, f"{model.learner}-{digest.hexdigest()[:12]}")


HELD: Final = Held()
