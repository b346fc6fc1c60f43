"""Espalier's engine: structured information extraction as a library and a command line.

The names below are what a script needs to read corpora, load or train a system, and keep the result. They are imported
when first used, so that `import engine` costs nothing and the command line starts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.exports import lazily

if TYPE_CHECKING:
    from engine.corpora import read, write
    from engine.data.document import Document, Layer, Mention, Relation
    from engine.data.errors import InputError
    from engine.store.workspace import Workspace
    from engine.tasks.base import Model, Resources, Task
    from engine.tasks.registry import get as task
    from engine.tasks.saving import load_model, save_model

__version__ = "0.2.0.dev0"

__all__ = [
    "Document",
    "InputError",
    "Layer",
    "Mention",
    "Model",
    "Relation",
    "Resources",
    "Task",
    "Workspace",
    "load_model",
    "read",
    "save_model",
    "task",
    "write",
]

_HOMES = {
    "Document": "engine.data.document",
    "InputError": "engine.data.errors",
    "Layer": "engine.data.document",
    "Mention": "engine.data.document",
    "Model": "engine.tasks.base",
    "Relation": "engine.data.document",
    "Resources": "engine.tasks.base",
    "Task": "engine.tasks.base",
    "Workspace": "engine.store.workspace",
    "load_model": "engine.tasks.saving",
    "read": "engine.corpora",
    "save_model": "engine.tasks.saving",
    "task": "engine.tasks.registry:get",
    "write": "engine.corpora",
}
"""Public name -> its module, followed by `:name` if the module uses another name."""


__getattr__, __dir__ = lazily(__name__, _HOMES)
