"""The registry of systems. The command line and the app read it; systems are listed nowhere else."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final, TypeVar

from engine.data.errors import InputError
from engine.tasks.base import AnyTask

# In display order. Modules are named rather than imported, so that a command imports only its own task.
TASKS: Final[dict[str, str]] = {
    "linking": "engine.tasks.linking.task:Linking",
    "disambiguation": "engine.tasks.disambiguation.task:Disambiguation",
    "coreference": "engine.tasks.coreference.task:Coreference",
    "distant": "engine.tasks.distant.task:Distant",
    "joint": "engine.tasks.joint.task:Joint",
}


def names() -> tuple[str, ...]:
    """The names of all systems, in display order."""
    return tuple(TASKS)


X = TypeVar("X", bound=AnyTask)


def the(kind: type[X]) -> X:
    """The registered task of this class, for code that is written for one particular system."""
    found = get(kind.name)
    if not isinstance(found, kind):
        raise TypeError(f"{kind.name} is registered as {type(found).__name__}, not as {kind.__name__}")
    return found


@cache
def get(name: str) -> AnyTask:
    if name not in TASKS:
        raise InputError(f"there is no task {name!r}; choose from {', '.join(TASKS)}")
    module, cls = TASKS[name].split(":")
    task: AnyTask = getattr(import_module(module), cls)()
    return task
