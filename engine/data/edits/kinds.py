"""What an editor may do to a layer. In the log every mention and relation has a lasting id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Pieces: TypeAlias = tuple[tuple[int, int], ...]
"""Stretches of text that make one mention together; () where it has no gaps."""

Names: TypeAlias = tuple[str, ...]


class EditRefused(ValueError):
    """The edit does not fit the state it meets: what it names is gone, was there before, or has to stay."""


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
    """Takes the mention's relations and its place in its cluster along."""

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
    """Whether a label holds for the document as a whole."""

    label: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """A note on a mention, a relation, or (target "") the document; empty text takes it back.

    `id` tells the notes of a thread apart. Author and time are written by the server; notes from before they were
    kept have neither.
    """

    target: str
    text: str
    id: str = ""
    author: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class Resolve:
    """Says that what the comments on a target asked is settled (or open again)."""

    target: str
    resolved: bool = True


@dataclass(frozen=True, slots=True)
class Settle:
    """The curator's word on a place where annotators differed: whose reading was taken (nobody's: ()), and why."""

    question: str
    by: Names
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Credit:
    """Says who agreed on a mention, a relation or (as `label_target`) a label of gold."""

    target: str
    by: Names


@dataclass(frozen=True, slots=True)
class DoubtGold:
    """Says that gold is wrong (or no longer says so) about a mention or relation, by its id, about a label of the
    document (`label_target`), or at a place where it has nothing (`place_target`)."""

    target: str
    doubted: bool = True


def label_target(label: str) -> str:
    return f"label {label}"


def place_target(start: int, end: int) -> str:
    return f"place {start} {end}"


@dataclass(frozen=True, slots=True)
class Reject:
    """Says no to a suggestion: this value does not hold at this span (relations and chains: with that other one)."""

    what: str
    start: int
    end: int
    value: str
    other_start: int = -1
    other_end: int = -1


@dataclass(frozen=True, slots=True)
class MarkDone:
    """Says that the annotator has finished with the document (or has not): the queue leaves it out."""

    done: bool = True


@dataclass(frozen=True, slots=True)
class DefineLabels:
    """Says which labels the corpus is annotated with (engine/data/labels), as a record; no document changes."""

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
