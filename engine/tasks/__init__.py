"""The five systems. The names below are what a page, a command or a script needs to work with any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.exports import lazily

if TYPE_CHECKING:
    from engine.tasks.base import LearnerInfo, Model, Resources, Task, TrainingRound
    from engine.tasks.explanation import Explanation
    from engine.tasks.registry import get
    from engine.tasks.saving import load_model, save_model
    from engine.tasks.scored import Scored

__all__ = [
    "Explanation",
    "LearnerInfo",
    "Model",
    "Resources",
    "Scored",
    "Task",
    "TrainingRound",
    "get",
    "load_model",
    "save_model",
]

_HOMES = {
    "Explanation": "engine.tasks.explanation",
    "LearnerInfo": "engine.tasks.base",
    "Model": "engine.tasks.base",
    "Resources": "engine.tasks.base",
    "Scored": "engine.tasks.scored",
    "Task": "engine.tasks.base",
    "TrainingRound": "engine.tasks.base",
    "get": "engine.tasks.registry",
    "load_model": "engine.tasks.saving",
    "save_model": "engine.tasks.saving",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
