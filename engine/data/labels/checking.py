"""Checks whether a label set allows an edit."""

from __future__ import annotations

from engine.data import edits as e
from engine.data.edits import Edit, EditRefused, State, Together, apply
from engine.data.labels.kinds import LabelSet


def check(labels: LabelSet, state: State, edit: Edit) -> None:
    """Raise EditRefused, with the reason, if the set does not allow the edit. A set that is not locked accepts new
    labels, but its own relations may only hold between the types that it licenses."""
    if isinstance(edit, Together):
        for one in edit.edits:
            check(labels, state, one)
            state = apply(state, one)
        return
    match edit:
        case e.AddMention(type=type) if type is not None:
            _check_type(labels, type)
        case e.SetType(id=id, type=type) if type is not None:
            if id not in state.mentions or state.mentions[id].type != type:
                _check_type(labels, type)
                _check_arcs(labels, state, id, type)
        case e.AddRelation(head=head, tail=tail, type=type) if {head, tail} <= state.mentions.keys():
            _check_relation(labels, state, head, tail, type)
        case e.SetRelationType(id=id, type=type) if id in state.relations:
            arc = state.relations[id]
            _check_relation(labels, state, arc.head, arc.tail, type)
        case e.SetLabel(label=label, holds=True):
            _check_known(labels.label(label) is not None, labels.locked, "label", label)
            found = labels.label(label)
            _check_current(found is not None and found.deprecated, label)
        case _:
            return


def _check_type(labels: LabelSet, name: str) -> None:
    found = labels.type(name)
    _check_known(found is not None, labels.locked, "type", name)
    _check_current(found is not None and found.deprecated, name)


def _check_relation(labels: LabelSet, state: State, head: str, tail: str, name: str) -> None:
    found = labels.relation(name)
    _check_known(found is not None, labels.locked, "relation", name)
    if found is None:
        return
    _check_current(found.deprecated, name)
    if found.symmetric and any(
        (arc.head, arc.tail, arc.type) == (tail, head, name) for arc in state.relations.values()
    ):
        raise EditRefused(f"the relation {name} is there already, the other way round, and it is symmetric")
    types = state.mentions[head].type, state.mentions[tail].type
    if not found.licenses(*types):
        first, second = " or ".join(found.heads) or "anything", " or ".join(found.tails) or "anything"
        raise EditRefused(
            f"{name} holds from {first} to {second}, not from {types[0] or 'no type'} to {types[1] or 'no type'}"
        )


def _check_arcs(labels: LabelSet, state: State, id: str, type: str) -> None:
    """Raise EditRefused if a relation of the mention is not licensed for its new type."""
    for arc in state.relations.values():
        found = labels.relation(arc.type)
        if found is None or id not in (arc.head, arc.tail):
            continue
        sides = [type if side == id else state.mentions[side].type for side in (arc.head, arc.tail)]
        was = [state.mentions[side].type for side in (arc.head, arc.tail)]
        if found.licenses(*was) and not found.licenses(*sides):
            raise EditRefused(f"the mention is part of a relation {arc.type}, which does not hold for {type}")


def _check_known(known: bool, locked: bool, what: str, name: str) -> None:
    if locked and not known:
        raise EditRefused(f"the label set is locked and has no {what} {name!r}")


def _check_current(deprecated: bool, name: str) -> None:
    if deprecated:
        raise EditRefused(f"{name} is deprecated: it is no longer used")
