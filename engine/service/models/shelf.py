"""The models that are served, one for each system: files, or runs of a workspace at their operating points.

Both are checked for changes while the server runs. A changed model is loaded beside the old one and replaces it when it
is ready; if it cannot be loaded, the old one stays in use.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine import logs
from engine.data.errors import InputError
from engine.service.models.loading import HELD, Loaded, ModelFile, stamp_of
from engine.service.requests.replies import NOT_FOUND, Refused
from engine.store.workspace import Workspace
from engine.tasks.registry import names

log = logs.get("serve")


class Source(Protocol):
    """Where a model comes from."""

    @property
    def label(self) -> str:
        """Its name in responses, without a path."""
        ...

    def look(self) -> ModelFile:
        """The current state of the model; InputError if there is none."""
        ...


@dataclass(frozen=True)
class FileSource:
    system: str
    path: Path

    @property
    def label(self) -> str:
        return self.path.name

    def look(self) -> ModelFile:
        if self.system not in names():
            raise InputError(f"there is no system {self.system!r}; choose from {', '.join(names())}")
        if not self.path.is_file():
            raise InputError("there is no such model file", file=self.path)
        return ModelFile(self.system, self.path, stamp_of(self.path))


@dataclass(frozen=True)
class RunSource:
    """A run of a workspace: its model, at the operating point that was chosen for it there."""

    workspace: Workspace
    run: str

    @property
    def label(self) -> str:
        return f"run {self.run}"

    def look(self) -> ModelFile:
        run = self.workspace.run(self.run)
        path = self.workspace.model_path(self.run)
        if not path.is_file():
            raise InputError(f"run {self.run} has no model yet")
        return ModelFile(run.task, path, stamp_of(path), run.bias)


@dataclass(frozen=True, eq=False)
class Served:
    file: ModelFile
    label: str
    version: str
    about: Mapping[str, Any]
    """The description of the model that clients get."""


class Shelf:
    """Used by the event loop; `refresh` may run in a thread beside it."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources: dict[str, Source] = {}
        self._served: dict[str, Served] = {}
        self._reasons: dict[str, str] = {}
        """Why a changed model could not be loaded, by system; logged when it changes, not with every attempt."""
        for source in sources:
            served = _served(source, source.look())
            system = served.file.system
            if system in self._sources:
                raise InputError(f"two models for {system} are named; serve the other one on a port of its own")
            self._sources[system], self._served[system] = source, served

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self._served)

    def get(self, system: str) -> Served:
        if system not in self._served:
            there = ", ".join(self._served) or "none"
            raise Refused(NOT_FOUND, f"no model for {system[:40]!r} is served here; there is: {there}")
        return self._served[system]

    def refresh(self) -> list[str]:
        """Load models that have changed, and return the systems whose model was replaced."""
        changed = []
        for system, source in self._sources.items():
            try:
                file = source.look()
                if file == self._served[system].file:
                    self._reasons.pop(system, None)
                    continue
                self._served[system] = _served(source, file)
            except (InputError, OSError) as error:
                if self._reasons.get(system) != str(error):
                    logs.trouble(log, "the model is left as it was", system=system, reason=str(error))
                self._reasons[system] = str(error)
            else:
                self._reasons.pop(system, None)
                changed.append(system)
        return changed

    def replace(self, system: str, source: Source) -> None:
        """Replace the model of a system with another one, such as one that was just trained."""
        served = _served(source, source.look())
        self._sources[system], self._served[system] = source, served


def _served(source: Source, file: ModelFile) -> Served:
    loaded = HELD.get(file)
    return Served(file, source.label, loaded.version, _about(loaded, source.label))


def _about(loaded: Loaded, label: str) -> dict[str, Any]:
    model, task = loaded.model, loaded.task
    return {
        "system": task.name,
        "model": label,
        "version": loaded.version,
        "learner": model.learner,
        "bias": model.bias,
        "declining": task.abstain,
        "confidence": task.confidence,
        "decides": list(task.decides),
        "starts_from": loaded.starts_from,
        "settings": dataclasses.asdict(model.settings),
        "scores": dict(model.scores),
        "data_hash": model.data_hash,
        "loaded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
