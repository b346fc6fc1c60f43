"""Saving and loading models: a header that describes the model, and parts that its system packs and unpacks.

A file may come from anywhere, so nothing in it is trusted before it has been checked.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.data.errors import InputError
from engine.settings import Settings, from_json
from engine.store import modelfile
from engine.tasks.base import Model, Task
from engine.tasks.outside import brought
from engine.tasks.outside.brought import OUTSIDE, OutsideState
from engine.tasks.scored import Scored

S = TypeVar("S", bound=Settings)
K = TypeVar("K")
D = TypeVar("D", bound=Scored)
T = TypeVar("T")

LONGEST_CHOICE: Final = 2000
"""Maximum number of characters kept of the sentence on chosen settings, since a file may come from anywhere."""

_DAMAGE: Final = (TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError)
"""Exceptions that malformed parts can raise while they are unpacked."""

_HEADER: Final[Mapping[str, type | tuple[type, ...]]] = {
    "task": str,
    "learner": str,
    "settings": dict,
    "bias": (int, float),
    "scores": dict,
    "data_hash": str,
}


def save_model(task: Task[S, K, D, T], model: Model[S, K], path: Path) -> None:
    header = {
        "task": model.task,
        "learner": model.learner,
        "settings": dataclasses.asdict(model.settings),
        "bias": model.bias,
        "scores": dict(model.scores),
        "data_hash": model.data_hash,
        "chosen": model.chosen,
        "notes": list(model.notes),
    }
    state = model.state
    modelfile.write(path, header, brought.pack(state) if isinstance(state, OutsideState) else task.pack(model))


def load_model(task: Task[S, K, D, T], path: Path, *, most_bytes: int = modelfile.MOST_BYTES) -> Model[S, K]:
    """The model in a file. Anything wrong with the file raises InputError, since it may come from anywhere."""
    header, parts = modelfile.read(path, most_bytes)
    _check_header(header, path)
    if header["task"] != task.name:
        raise InputError(f"this is a model for {header['task']}, not for {task.name}", file=path)
    outside = header["learner"] == OUTSIDE
    info = task.learner(None if outside else header["learner"])
    try:
        settings = from_json(type(info.settings), header["settings"])
    except (ValueError, TypeError) as error:
        raise InputError(f"the model was made by another version ({error}): train it again", file=path) from error
    state: Any
    try:
        if outside:
            state = brought.unpack(parts)
        else:
            task.check(info.name, settings, parts)
            state = task.unpack(info.name, settings, parts)
    except InputError as error:
        raise error.at(path) from error
    except KeyError as error:
        raise InputError(
            f"the model was made by another version (it lacks the part {error}): train it again", file=path
        ) from error
    except _DAMAGE as error:
        raise InputError(f"the model is damaged ({error}): train it again", file=path) from error
    return Model(
        task=task.name,
        learner=OUTSIDE if outside else info.name,
        settings=settings,
        state=state,
        bias=float(header["bias"]),
        scores=header["scores"],
        data_hash=header["data_hash"],
        # Models saved by earlier versions have no chosen settings.
        chosen=str(header.get("chosen", ""))[:LONGEST_CHOICE],
        notes=tuple(header.get("notes", ())),
    )


def _check_header(header: Mapping[str, Any], path: Path) -> None:
    for name, kind in _HEADER.items():
        if name not in header or not isinstance(header[name], kind) or isinstance(header[name], bool):
            raise InputError(f"the model is damaged (its header has no sound {name!r}): train it again", file=path)
    notes = header.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise InputError("the model is damaged (its notes are not sentences): train it again", file=path)
    try:
        bias = float(header["bias"])
    except OverflowError:
        bias = math.nan
    if not math.isfinite(bias):
        raise InputError("the model is damaged (its bias is not a finite number): train it again", file=path)
