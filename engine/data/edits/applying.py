"""Applying edits to a layer: the result, whether an edit is allowed, and what it touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from engine.data.document import FRAGMENTS, Mention
from engine.data.edits.kinds import (
    AddMention,
    AddRelation,
    Comment,
    Credit,
    DefineLabels,
    DoubtGold,
    Edit,
    EditRefused,
    MarkDone,
    Reject,
    RemoveMention,
    RemoveRelation,
    Resolve,
    SetCluster,
    SetEntity,
    SetLabel,
    SetRelationType,
    SetSpan,
    Settle,
    SetType,
    Together,
)
from engine.data.edits.state import Arc, Remark, State

MentionEdit: TypeAlias = AddMention | RemoveMention | SetSpan | SetType | SetEntity | SetCluster
RelationEdit: TypeAlias = AddRelation | RemoveRelation | SetRelationType
DocumentEdit: TypeAlias = SetLabel | Comment | Resolve | Settle | Credit | DoubtGold | Reject | MarkDone | DefineLabels


def apply(state: State, edit: Edit) -> State:
    """The state after the edit, or EditRefused."""
    if isinstance(edit, Together):
        for one in edit.edits:
            state = apply(state, one)
        return state
    if isinstance(edit, MentionEdit):
        return _with_mention_edited(state, edit)
    if isinstance(edit, RelationEdit):
        return _with_relation_edited(state, edit)
    return _with_document_edited(state, edit)


def _with_mention_edited(state: State, edit: MentionEdit) -> State:
    match edit:
        case AddMention(id=id):
            if id in state.mentions:
                raise EditRefused(f"there is already a mention {id}")
            mention = Mention(edit.start, edit.end, edit.type, edit.entity, extra=_in_pieces({}, edit))
            clusters = state.clusters if edit.cluster is None else {**state.clusters, id: edit.cluster}
            return replace(state, mentions={**state.mentions, id: mention}, clusters=clusters)
        case RemoveMention(id=id):
            _mention(state, id)
            _refuse_argument(state, id, "removed")
            return replace(
                state,
                mentions=_without(state.mentions, id),
                clusters=_without(state.clusters, id),
                agreed=_without(state.agreed, id),
                relations={r: arc for r, arc in state.relations.items() if id not in (arc.head, arc.tail)},
            )
        case SetSpan(id=id):
            if _mention(state, id).span != (edit.start, edit.end):
                _refuse_argument(state, id, "moved")
            extra = _in_pieces(state.mentions[id].extra, edit)
            return _with_mention(state, id, start=edit.start, end=edit.end, extra=extra)
        case SetType(id=id):
            return _with_mention(state, id, type=edit.type)
        case SetEntity(id=id):
            return _with_mention(state, id, entity=edit.entity)
        case SetCluster(id=id, cluster=cluster):
            _mention(state, id)
            clusters = _without(state.clusters, id) if cluster is None else {**state.clusters, id: cluster}
            return replace(state, clusters=clusters)


def _with_relation_edited(state: State, edit: RelationEdit) -> State:
    match edit:
        case AddRelation(id=id):
            if id in state.relations:
                raise EditRefused(f"there is already a relation {id}")
            _mention(state, edit.head)
            _mention(state, edit.tail)
            _refuse_twice(state, Arc(edit.head, edit.tail, edit.type))
            return replace(state, relations={**state.relations, id: Arc(edit.head, edit.tail, edit.type)})
        case RemoveRelation(id=id):
            _relation(state, id)
            relations = _without(state.relations, id)
            return replace(state, relations=relations, agreed=_without(state.agreed, id))
        case SetRelationType(id=id):
            arc = replace(_relation(state, id), type=edit.type)
            if arc != state.relations[id]:
                _refuse_twice(state, arc)
            return replace(state, relations={**state.relations, id: arc})


def _with_document_edited(state: State, edit: DocumentEdit) -> State:
    match edit:
        case SetLabel(label=label, holds=holds):
            others = tuple(known for known in state.labels if known != label)
            return replace(state, labels=(*others, label) if holds else others)
        case Comment(target=target):
            return replace(state, comments=_commented(state.comments, edit))
        case Resolve(target=target, resolved=resolved):
            return replace(state, resolved=state.resolved | {target} if resolved else state.resolved - {target})
        case Settle(question=question):
            return replace(state, settled={**state.settled, question: edit})
        case Credit(target=target, by=by):
            return replace(state, agreed={**_without(state.agreed, target), **({target: by} if by else {})})
        case DoubtGold(target=target, doubted=doubted):
            return replace(state, doubted=state.doubted | {target} if doubted else state.doubted - {target})
        case Reject():
            return replace(state, rejected=state.rejected | {edit})
        case MarkDone(done=done):
            return replace(state, done=done)
        case DefineLabels():
            return state


def replay(state: State, edits: Iterable[Edit]) -> State:
    """The state after all edits. An edit of an object that an earlier edit removed has no effect."""
    for edit in edits:
        try:
            state = apply(state, edit)
        except EditRefused:
            # Happens after an undo removed the object of this edit: the log keeps the edit all the same, and a redo
            # brings both back. Old logs may also contain an edit that is no longer allowed.
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
            return frozenset({f"comment {edit.target} {edit.id}"})
        case Resolve():
            return frozenset({f"resolved {edit.target}"})
        case Settle():
            return frozenset({f"question {edit.question}"})
        case Credit():
            return frozenset({f"agreed {edit.target}"})
        case DoubtGold():
            return frozenset({f"doubt {edit.target}"})
        case Reject():
            return frozenset({f"no {edit.what} {edit.start} {edit.end} {edit.value}"})
        case MarkDone():
            return frozenset({"done"})
        case DefineLabels():
            return frozenset({"label set"})
        case _:
            return frozenset({edit.id})


def _mention(state: State, id: str) -> Mention:
    if id not in state.mentions:
        raise EditRefused(f"mention {id} is gone")
    return state.mentions[id]


def _refuse_argument(state: State, id: str, verb: str) -> None:
    if id in state.arguments:
        raise EditRefused(f"this mention is one of the pair that the bag asks about, so it cannot be {verb}")


def _refuse_twice(state: State, arc: Arc) -> None:
    """Raise EditRefused if the same relation already exists."""
    said = (arc.head, arc.tail, arc.type)
    if any((one.head, one.tail, one.type) == said for one in state.relations.values()):
        raise EditRefused(f"the relation {arc.type} is there already between these two")


def _commented(threads: Mapping[str, tuple[Remark, ...]], edit: Comment) -> dict[str, tuple[Remark, ...]]:
    """The threads with one remark added, changed or, if it has no text, removed."""
    thread = threads.get(edit.target, ())
    others = tuple(one for one in thread if one.id != edit.id)
    said = Remark(edit.id, edit.text, edit.author, edit.time)
    if not edit.text:
        now = others
    elif len(others) < len(thread):
        now = tuple(said if one.id == edit.id else one for one in thread)
    else:
        now = (*thread, said)
    rest = _without(threads, edit.target)
    return {**rest, edit.target: now} if now else rest


def _in_pieces(extra: Mapping[str, Any], edit: AddMention | SetSpan) -> dict[str, Any]:
    """The extra fields of a mention that consists of these pieces; () if it has no gaps."""
    rest = _without(extra, FRAGMENTS)
    if not edit.pieces:
        return rest
    ends = [place for piece in edit.pieces for place in piece]
    if (ends[0], ends[-1]) != (edit.start, edit.end) or ends != sorted(ends) or len(edit.pieces) < 2:
        raise EditRefused("the pieces of a mention have to follow each other, from its start to its end")
    return {**rest, FRAGMENTS: [list(piece) for piece in edit.pieces]}


def _relation(state: State, id: str) -> Arc:
    if id not in state.relations:
        raise EditRefused(f"relation {id} is gone")
    return state.relations[id]


def _with_mention(state: State, id: str, **changes: Any) -> State:
    mention = replace(_mention(state, id), **changes)
    return replace(state, mentions={**state.mentions, id: mention})


def _without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in mapping.items() if k != key}
