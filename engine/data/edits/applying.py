"""What an edit makes of a layer, whether it may, and what it touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.data.document import Mention
from engine.data.edits.kinds import (
    AddMention,
    AddRelation,
    Comment,
    DoubtGold,
    Edit,
    EditRefused,
    MarkDone,
    Reject,
    RemoveMention,
    RemoveRelation,
    SetCluster,
    SetEntity,
    SetLabel,
    SetRelationType,
    SetSpan,
    SetType,
    Together,
)
from engine.data.edits.state import Arc, State


def apply(state: State, edit: Edit) -> State:
    """The state after the edit, or EditRefused."""
    match edit:
        case AddMention(id=id):
            if id in state.mentions:
                raise EditRefused(f"there is already a mention {id}")
            mention = Mention(edit.start, edit.end, edit.type, edit.entity)
            clusters = state.clusters if edit.cluster is None else {**state.clusters, id: edit.cluster}
            return replace(state, mentions={**state.mentions, id: mention}, clusters=clusters)
        case RemoveMention(id=id):
            _mention(state, id)
            _refuse_argument(state, id, "removed")
            return replace(
                state,
                mentions=_without(state.mentions, id),
                clusters=_without(state.clusters, id),
                relations={r: arc for r, arc in state.relations.items() if id not in (arc.head, arc.tail)},
            )
        case SetSpan(id=id):
            if _mention(state, id).span != (edit.start, edit.end):
                _refuse_argument(state, id, "moved")
            return _with_mention(state, id, start=edit.start, end=edit.end)
        case SetType(id=id):
            return _with_mention(state, id, type=edit.type)
        case SetEntity(id=id):
            return _with_mention(state, id, entity=edit.entity)
        case SetCluster(id=id, cluster=cluster):
            _mention(state, id)
            clusters = _without(state.clusters, id) if cluster is None else {**state.clusters, id: cluster}
            return replace(state, clusters=clusters)
        case AddRelation(id=id):
            if id in state.relations:
                raise EditRefused(f"there is already a relation {id}")
            _mention(state, edit.head)
            _mention(state, edit.tail)
            return replace(state, relations={**state.relations, id: Arc(edit.head, edit.tail, edit.type)})
        case RemoveRelation(id=id):
            _relation(state, id)
            return replace(state, relations=_without(state.relations, id))
        case SetRelationType(id=id):
            arc = replace(_relation(state, id), type=edit.type)
            return replace(state, relations={**state.relations, id: arc})
        case SetLabel(label=label, holds=holds):
            others = tuple(known for known in state.labels if known != label)
            return replace(state, labels=(*others, label) if holds else others)
        case Comment(target=target, text=text):
            rest = _without(state.comments, target)
            return replace(state, comments={**rest, target: text} if text else rest)
        case DoubtGold(target=target, doubted=doubted):
            return replace(state, doubted=state.doubted | {target} if doubted else state.doubted - {target})
        case Reject():
            return replace(state, rejected=state.rejected | {edit})
        case MarkDone(done=done):
            return replace(state, done=done)
        case Together(edits=edits):
            for one in edits:
                state = apply(state, one)
            return state


def replay(state: State, edits: Iterable[Edit]) -> State:
    """The state after all edits. An edit whose object an earlier edit took away has nothing left to change."""
    for edit in edits:
        try:
            state = apply(state, edit)
        except EditRefused:
            # Happens after an undo took away what this edit was about: the log keeps the edit all the same, and a redo
            # brings both back. Old logs may also hold an edit that is not allowed any more.
            continue
    return state


def touches(edit: Edit) -> frozenset[str]:
    """What an edit reads or writes; edits that touch nothing in common can be merged in any order."""
    match edit:
        case Together(edits=edits):
            return frozenset().union(*(touches(one) for one in edits))
        case AddRelation():
            return frozenset({edit.id, edit.head, edit.tail})
        case SetLabel():
            return frozenset({f"label {edit.label}"})
        case Comment():
            return frozenset({f"comment {edit.target}"})
        case DoubtGold():
            return frozenset({f"doubt {edit.target}"})
        case Reject():
            return frozenset({f"no {edit.what} {edit.start} {edit.end} {edit.value}"})
        case MarkDone():
            return frozenset({"done"})
        case _:
            return frozenset({edit.id})


def _mention(state: State, id: str) -> Mention:
    if id not in state.mentions:
        raise EditRefused(f"mention {id} is gone")
    return state.mentions[id]


def _refuse_argument(state: State, id: str, verb: str) -> None:
    if id in state.arguments:
        raise EditRefused(f"this mention is one of the pair that the bag asks about, so it cannot be {verb}")


def _relation(state: State, id: str) -> Arc:
    if id not in state.relations:
        raise EditRefused(f"relation {id} is gone")
    return state.relations[id]


def _with_mention(state: State, id: str, **changes: Any) -> State:
    mention = replace(_mention(state, id), **changes)
    return replace(state, mentions={**state.mentions, id: mention})


def _without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in mapping.items() if k != key}
