"""A project's labelling configuration: which controls can show the decisions of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from engine.service.requests.replies import WRONG, Refused
from engine.tasks.base import AnyTask

MENTION: Final = ("mention", "entity", "name")
"""Labels, in lower case, that are used for mentions without a type."""
LONGEST: Final = 1_000_000


@dataclass(frozen=True)
class Control:
    name: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Config:
    text: str
    """The name of the text control that regions refer to."""
    key: str
    """The field of a task's data that holds it."""
    labels: Control | None = None
    entity: Control | None = None
    """The text area of each region, for its entity."""
    relations: tuple[str, ...] | None = None
    """The allowed labels of relations; None if all are allowed."""

    def label_of(self, type: str | None) -> str | None:
        """The label for a mention of this type; None if the project has none."""
        values = self.labels.values if self.labels is not None else ()
        if type is not None:
            return type if type in values else None
        if len(values) == 1:
            return values[0]
        return next((value for value in values if value.lower() in MENTION), None)


def parse(xml: str) -> Config:
    """Parse a configuration; Refused if it has no text."""
    if len(xml) > LONGEST or "<!DOCTYPE" in xml or "<!ENTITY" in xml:
        raise Refused(WRONG, "the labelling configuration is too long or declares a document type", "label_config")
    try:
        root = ElementTree.fromstring(xml)
    except (ElementTree.ParseError, ValueError):
        raise Refused(WRONG, "the labelling configuration is not XML", "label_config") from None
    texts = [tag for tag in root.iter("Text") if tag.get("name") and tag.get("value", "").startswith("$")]
    if not texts:
        raise Refused(WRONG, 'the configuration has no <Text name="..." value="$..."/>', "label_config")
    name = texts[0].get("name", "")
    areas = [tag for tag in _of(root, "TextArea", name) if tag.get("perRegion", "false").lower() == "true"]
    labels = _of(root, "Labels", name)
    related = [tag.get("value", "") for relations in root.iter("Relations") for tag in relations.iter("Relation")]
    return Config(
        text=name,
        key=texts[0].get("value", "")[1:],
        labels=_control(labels),
        entity=Control(areas[0].get("name", "")) if areas else None,
        relations=tuple(related) if related else None,
    )


def check(config: Config, task: AnyTask) -> None:
    """Raise Refused if the project has no control for the decisions of the system."""
    if "label" in task.decides:
        raise Refused(WRONG, f"{task.name} decides about bags of sentences that name a pair, and a task is one text")
    if config.labels is None:
        raise Refused(WRONG, f"{task.name} needs <Labels> for its mentions", "label_config")
    if "type" not in task.decides and config.label_of(None) is None:
        raise Refused(
            WRONG,
            f"mentions of {task.name} have no type: the project needs one label for them, called Mention or Entity",
            "label_config",
        )


def _of(root: ElementTree.Element, tag: str, text: str) -> list[ElementTree.Element]:
    return [found for found in root.iter(tag) if found.get("name") and found.get("toName") == text]


def _control(found: Sequence[ElementTree.Element]) -> Control | None:
    if not found:
        return None
    values = tuple(tag.get("value", "") for tag in found[0].iter("Label") if tag.get("value"))
    return Control(found[0].get("name", ""), values)
