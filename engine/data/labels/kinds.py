"""The contents of a label set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar


@dataclass(frozen=True, slots=True)
class EntityType:
    """A type of mentions, with its key and the number of its colour."""

    name: str
    key: str = ""
    colour: int = 0
    deprecated: bool = False
    """No longer offered; existing annotation keeps it."""
    about: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationType:
    """A relation and the types of mentions it may hold between; () licenses every type."""

    name: str
    heads: tuple[str, ...] = ()
    tails: tuple[str, ...] = ()
    symmetric: bool = False
    deprecated: bool = False
    about: str = ""
    examples: tuple[str, ...] = ()

    def licenses(self, head: str | None, tail: str | None) -> bool:
        """Whether it may hold from a mention of one type to one of the other; untyped mentions are always allowed. A
        symmetric relation may be written in either direction."""
        ways = [(head, tail), (tail, head)] if self.symmetric else [(head, tail)]
        return any(_fits(self.heads, one) and _fits(self.tails, other) for one, other in ways)


def _fits(types: tuple[str, ...], type: str | None) -> bool:
    return not types or type is None or type in types


@dataclass(frozen=True, slots=True)
class DocumentLabel:
    """A label of the document as a whole."""

    name: str
    deprecated: bool = False
    about: str = ""
    examples: tuple[str, ...] = ()


Label = TypeVar("Label", EntityType, RelationType, DocumentLabel)


@dataclass(frozen=True, slots=True)
class LabelSet:
    """What a corpus is annotated with."""

    types: tuple[EntityType, ...] = ()
    relations: tuple[RelationType, ...] = ()
    labels: tuple[DocumentLabel, ...] = ()
    links: bool = True
    """Whether mentions are linked to entities."""
    chains: bool = True
    knowledge_base: str = ""
    """The knowledge base of the entities, in words."""
    guideline: str = ""
    """The annotation guideline of the project's lead, in Markdown."""
    locked: bool = False

    def type(self, name: str | None) -> EntityType | None:
        return next((one for one in self.types if one.name == name), None)

    def relation(self, name: str) -> RelationType | None:
        return next((one for one in self.relations if one.name == name), None)

    def label(self, name: str) -> DocumentLabel | None:
        return next((one for one in self.labels if one.name == name), None)

    def renamed(self, kind: str, old: str, new: str) -> LabelSet:
        """The set with one label renamed; if the new name already exists, the two are merged."""
        if kind == "type":
            return replace(
                self,
                types=_named(self.types, old, new),
                relations=tuple(
                    replace(one, heads=_swapped(one.heads, old, new), tails=_swapped(one.tails, old, new))
                    for one in self.relations
                ),
            )
        if kind == "relation":
            return replace(self, relations=_named(self.relations, old, new))
        return replace(self, labels=_named(self.labels, old, new))

    def with_deprecated(self, kind: str, name: str, deprecated: bool = True) -> LabelSet:
        if kind == "type":
            return replace(self, types=_deprecated(self.types, name, deprecated))
        if kind == "relation":
            return replace(self, relations=_deprecated(self.relations, name, deprecated))
        return replace(self, labels=_deprecated(self.labels, name, deprecated))


def _named(items: tuple[Label, ...], old: str, new: str) -> tuple[Label, ...]:
    if any(one.name == new for one in items):
        return tuple(one for one in items if one.name != old)
    return tuple(replace(one, name=new) if one.name == old else one for one in items)


def _deprecated(items: tuple[Label, ...], name: str, deprecated: bool) -> tuple[Label, ...]:
    return tuple(replace(one, deprecated=deprecated) if one.name == name else one for one in items)


def _swapped(names: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(new if name == old else name for name in names))
