"""Pins: decisions that a user has fixed, in terms of documents. Each task turns them into pins on its parts.

`holds=False` forbids instead of fixing. Spans are character ranges of the document's text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.data.errors import InputError

SpanRange: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LinkPin:
    """This span is this entity (NIL: it names nothing in the knowledge base; None: it is not a mention)."""

    span: SpanRange
    entity: str | None
    holds: bool = True


@dataclass(frozen=True, slots=True)
class ClusterPin:
    """These two mentions corefer, or do not."""

    first: SpanRange
    second: SpanRange
    holds: bool = True


@dataclass(frozen=True, slots=True)
class TypePin:
    """This mention has this type."""

    span: SpanRange
    type: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class RelationPin:
    """This relation holds between two mentions. In a bag, the two mentions of one member."""

    head: SpanRange
    tail: SpanRange
    type: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class LabelPin:
    """This label holds for the document as a whole: a relation of the bag."""

    label: str
    holds: bool = True


class UnknownName(InputError):
    """A pin names a type, a relation or a label that the model was not trained for."""


class NoPlace(InputError):
    """A pin concerns something that the model does not decide in this document, such as a mention that does not
    exist."""


Pin: TypeAlias = LinkPin | ClusterPin | TypePin | RelationPin | LabelPin
