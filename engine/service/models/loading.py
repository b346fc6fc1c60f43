"""The models that workers hold in memory, loaded once for each state of their file.

Jobs refer to a model by its file, the state of that file and a bias (`ModelFile`); a worker loads it if it does not
hold it yet. So the same jobs can run in a thread of the server and in a separate process.
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
    """A model file in one state. `bias` is the operating point of its run; None stands for that of the file."""

    system: str
    path: Path
    stamp: Stamp
    bias: float | None = None


@dataclass(frozen=True, eq=False)
class Loaded:
    task: AnyTask
    model: AnyModel
    version: str
    """Identifies the state of a model, including its bias; does not reveal where the file is."""

    @property
    def starts_from(self) -> Literal["text", "mentions", "bag"]:
        """What a document must contain for the model to have anything to decide."""
        if "label" in self.task.decides:
            return "bag"
        return "mentions" if self.task.given(_PROBE, self.model) else "text"

    def lacks(self, document: Document) -> str | None:
        """A sentence that says why there is nothing to decide about a document, or None. Documents that are not bags
        are refused by the system itself."""
        if self.starts_from == "mentions" and not document.gold.mentions:
            return f"{self.task.name} decides about mentions that are given, and this document comes with none"
        return None


def stamp_of(path: Path) -> Stamp:
    """A value that changes whenever the file does. A new operating point keeps the modification time
    (modelfile.restate), but is written as a new file."""
    about = path.stat()
    return about.st_mtime_ns, about.st_size, about.st_ino, about.st_ctime_ns


_PROBE: Final = Document("probe", "x", layers={GOLD: Layer((Mention(0, 1),))})
"""Shows whether a model starts from mentions that are given."""


class Held:
    """The models that this process has loaded: the latest two of every system, since jobs for the previous one may
    still be waiting."""

    LATEST: Final = 2

    def __init__(self) -> None:
        self._guard = Lock()
        self._loaded: dict[ModelFile, Loaded] = {}

    def get(self, file: ModelFile) -> Loaded:
        with self._guard:
            found = self._loaded.get(file)
        if found is not None:
            return found
        # Not under the lock: requests to the current model need not wait while the next one is loaded.
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
