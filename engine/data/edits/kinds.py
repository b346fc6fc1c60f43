"""The kinds of edits of a layer. In the log every mention and relation has a permanent id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Pieces: TypeAlias = tuple[tuple[int, int], ...]
"""Stretches of text that together form one mention; () if it has no gaps."""

Names: TypeAlias = tuple[str, ...]


class EditRefused(ValueError):
    """The edit does not fit the current state: its object is gone, already exists, or may not be changed."""


@dataclass(frozen=True, slots=True)
class AddMention:
    id: str
    start: int
    end: int
    type: str | None = None
    entity: str | None = None
    cluster: str | None = None
    pieces: Pieces = ()


@dataclass(frozen=True, slots=True)
class RemoveMention:
    """Removes a mention, its relations and its membership of a cluster."""

    id: str


@dataclass(frozen=True, slots=True)
class SetSpan:
    """Moves a mention; `pieces` are those of a mention with gaps, from `start` to `end`."""

    id: str
    start: int
    end: int
    pieces: Pieces = ()


@dataclass(frozen=True, slots=True)
class SetType:
    id: str
    type: str | None


@dataclass(frozen=True, slots=True)
class SetEntity:
    id: str
    entity: str | None


@dataclass(frozen=True, slots=True)
class SetCluster:
    """Moves a mention to a cluster, by the cluster's name; None takes it out of all."""

    id: str
    cluster: str | None


@dataclass(frozen=True, slots=True)
class AddRelation:
    id: str
    head: str
    tail: str
    type: str


@dataclass(frozen=True, slots=True)
class RemoveRelation:
    id: str


@dataclass(frozen=True, slots=True)
class SetRelationType:
    id: str
    type: str


@dataclass(frozen=True, slots=True)
class SetLabel:
    """Sets whether a label holds for the document as a whole."""

    label: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A note on a mention, a relation, or (target "") the document; empty text removes it.

    `id` distinguishes the notes of a thread. Author and time are set by the server; old notes, written before these
    were recorded, have neither.
    """

    target: str
    text: str
    id: str = ""
    author: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class Resolve:
    """Marks the comments on a target as resolved (or open again)."""

    target: str
    resolved: bool = True


@dataclass(frozen=True, slots=True)
class Settle:
    """The curator's decision where annotators disagreed: whose reading was taken (nobody's: ()), and why."""

    question: str
    by: Names
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Credit:
    """Records who agreed on a mention, a relation or (as `label_target`) a label of gold."""

    target: str
    by: Names


@dataclass(frozen=True, slots=True)
class DoubtGold:
    """Marks gold as wrong (or no longer so) for a mention or relation, given by its id, for a label of the document
    (`label_target`), or at a place where gold has nothing (`place_target`)."""

    target: str
    doubted: bool = True


def label_target(label: str) -> str:
    return f"label {label}"


def place_target(start: int, end: int) -> str:
    return f"place {start} {end}"


@dataclass(frozen=True, slots=True)
class Reject:
    """Rejects a suggestion: this value does not hold at this span (for relations and chains: with that other span)."""

    what: str
    start: int
    end: int
    value: str
    other_start: int = -1
    other_end: int = -1


@dataclass(frozen=True, slots=True)
class MarkDone:
    """Marks whether the annotator has finished the document, so that the queue leaves it out."""

    done: bool = True


@dataclass(frozen=True, slots=True)
class DefineLabels:
    """Sets the labels of the corpus (engine/data/labels), as a record; no document changes."""

    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Together:
    """Several edits that are one action: applied and undone as one."""

    edits: tuple[Edit, ...]


Edit: TypeAlias = (
    AddMention
    | RemoveMention
    | SetSpan
    | SetType
    | SetEntity
    | SetCluster
    | AddRelation
    | RemoveRelation
    | SetRelationType
    | SetLabel
    | Comment
    | Resolve
    | Settle
    | Credit
    | DoubtGold
    | Reject
    | MarkDone
    | DefineLabels
    | Together
)


def parts(*edits: Edit) -> Iterator[Edit]:
    """The single edits that these are made of, in order."""
    for edit in edits:
        if isinstance(edit, Together):
            yield from parts(*edit.edits)
        else:
            yield edit
