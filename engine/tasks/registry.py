"""The systems there are. The command line and the app read this; nothing else lists tasks."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from engine.data.errors import InputError
from engine.tasks.base import Task

# Named, not imported: a command pays for the imports of its own task only.
TASKS: Final[dict[str, str]] = {
    "coreference": "engine.tasks.coreference:Coreference",
    "distant": "engine.tasks.distant:Distant",
    "disambiguation": "engine.tasks.disambiguation.task:Disambiguation",
    "joint": "engine.tasks.joint:JointTask",
    "linking": "engine.tasks.linking.task:Linking",
}


@cache
def get(name: str) -> Task:
    if name not in TASKS:
        raise InputError(f"there is no task {name!r}; choose from {', '.join(TASKS)}")
    module, cls = TASKS[name].split(":")
    task: Task = getattr(import_module(module), cls)()
    return task
