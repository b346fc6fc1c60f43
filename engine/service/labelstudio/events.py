"""Webhook events of Label Studio: annotations that were submitted or deleted, and requests to train.

Label Studio sends ANNOTATIONS_DELETED and ANNOTATIONS_CREATED as well as the names in the singular.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from engine.corpora.records.fields import optional, required
from engine.data.document import Document
from engine.service.labelstudio.config import parse
from engine.service.labelstudio.predictions import read_task
from engine.service.requests.replies import Ask

TRAIN: Final = "START_TRAINING"
SUBMITTED: Final = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_CREATED")
DELETED: Final = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")


@dataclass(frozen=True)
class Event:
    """An event. `documents` are annotated texts by project and task; None if the annotation was deleted."""

    action: str
    documents: tuple[tuple[str, Document | None], ...] = ()

    @property
    def is_known(self) -> bool:
        return self.action in (TRAIN, *SUBMITTED, *DELETED)


def read_event(ask: Ask) -> Event:
    record = ask.json()
    action = required(record, "action", str)
    project = optional(record, "project", dict) or {}
    if action in SUBMITTED:
        return Event(action, (_submitted(record, project),))
    if action in DELETED:
        tasks = [record.get("task"), *(optional(record, "tasks", list) or [])]
        return Event(action, tuple((_name(project, task), None) for task in tasks if isinstance(task, dict)))
    return Event(action)


def _submitted(record: dict[str, Any], project: dict[str, Any]) -> tuple[str, Document]:
    task = required(record, "task", dict)
    config = parse(required(project, "label_config", str, "project."))
    annotation = required(record, "annotation", dict)
    read = read_task(task, 0, config, optional(annotation, "result", list, "annotation.") or [])
    name = _name(project, task)
    return name, Document(name, read.text, layers=read.layers)


def _name(project: dict[str, Any], task: dict[str, Any]) -> str:
    return f"{project.get('id')}-{task.get('id')}"
