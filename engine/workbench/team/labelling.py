"""The label set of a corpus in use: the labels that can be given now, and changes that affect every document.

It starts with the defined set; unless that is locked, labels that people have used since are appended in the order of
their first use, so that keys and colours do not change when somebody adds a label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias, get_args

from engine.data import edits as e
from engine.data.document import GOLD, Document
from engine.data.edits import Edit, State, Together
from engine.data.errors import InputError
from engine.data.labels import LabelSet, RelationType, from_documents, from_json, to_json, with_labels
from engine.store.annotations import LABELS, AnnotationLog, LogRow

Kind: TypeAlias = Literal["type", "relation", "label"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


def defined(log: AnnotationLog) -> LabelSet | None:
    """The set that somebody has defined."""
    found = log.labels()
    return None if found is None else from_json(found[0])


def current(log: AnnotationLog, originals: Sequence[Document]) -> LabelSet:
    """The labels that can be given now: the defined set, or those of the original documents, plus those used since."""
    found = log.labels()
    base, since = (from_documents(originals), 0) if found is None else (from_json(found[0]), found[1])
    if base.locked:
        return base
    # The set was defined with knowledge of earlier labels, so labels left out or renamed then do not come back.
    return with_used(base, given(log.history(after=since)))


def given(rows: Sequence[LogRow]) -> Iterator[Edit]:
    """The edits of these rows that give a label, undone or not, so that a key that somebody has learnt stays. Renaming
    does not count as giving a new label."""
    renaming = {row.batch for row in rows if row.layer == LABELS}
    for row in rows:
        if row.edit is not None and (row.batch is None or row.batch not in renaming):
            for one in e.parts(row.edit):
                if isinstance(one, e.AddMention | e.SetType | e.AddRelation | e.SetRelationType | e.SetLabel):
                    yield one


def with_used(labels: LabelSet, edits: Iterable[Edit]) -> LabelSet:
    """The set with the labels used in these edits appended, in the order of their first use."""
    types: dict[str, None] = {}
    relations: dict[str, None] = {}
    labels_given: dict[str, None] = {}
    for edit in edits:
        for one in e.parts(edit):
            match one:
                case e.AddMention(type=type) | e.SetType(type=type) if type:
                    types[type] = None
                case e.AddRelation(type=type) | e.SetRelationType(type=type):
                    relations[type] = None
                case e.SetLabel(label=label, holds=True):
                    labels_given[label] = None
    return with_labels(
        labels, types=types, relations=[RelationType(name) for name in relations], document_labels=labels_given
    )


def define(log: AnnotationLog, labels: LabelSet, *, user: str) -> None:
    """Write a label set; InputError names what is wrong with an invalid one."""
    log.define_labels(to_json(from_json(to_json(labels))), user=user)


def rename(log: AnnotationLog, originals: Sequence[Document], kind: Kind, old: str, new: str, *, user: str) -> int:
    """Rename a label in the set and in every layer of every document, as one action that one undo reverts; if the new
    name is in use, the two are merged. Returns the number of changed documents."""
    labels = current(log, originals)
    if not new.strip() or new == old:
        raise InputError(f"{old!r} needs another name")
    if old not in names(labels, kind):
        raise InputError(f"the label set has no {kind} {old!r}")
    edits = [
        (document, edit, layer)
        for layer in sorted({GOLD, *log.layers()})
        for document, state in log.states(originals, layer=layer)
        if (edit := _renaming(state, kind, old, new)) is not None
    ]
    log.define_labels(to_json(from_json(to_json(labels.renamed(kind, old, new)))), user=user, edits=edits)
    return len({document.id for document, _, _ in edits})


def deprecate(
    log: AnnotationLog, originals: Sequence[Document], kind: Kind, name: str, deprecated: bool = True, *, user: str
) -> None:
    """Mark a label as no longer offered; existing annotation keeps it."""
    labels = current(log, originals)
    if name not in names(labels, kind):
        raise InputError(f"the label set has no {kind} {name!r}")
    log.define_labels(to_json(labels.with_deprecated(kind, name, deprecated)), user=user)


def undo(log: AnnotationLog, *, user: str) -> bool:
    """Undo a user's last change of the set, in every affected document; returns whether there was one."""
    return log.undo(user=user, layer=LABELS) is not None


def names(labels: LabelSet, kind: Kind) -> set[str]:
    """The names of the labels of one kind."""
    match kind:
        case "type":
            return {one.name for one in labels.types}
        case "relation":
            return {one.name for one in labels.relations}
        case "label":
            return {one.name for one in labels.labels}


def _renaming(state: State, kind: Kind, old: str, new: str) -> Edit | None:
    """The edit that renames the label in one layer; None if the layer does not have it."""
    made: list[Edit] = []
    if kind == "type":
        made += [e.SetType(id, new) for id, mention in state.mentions.items() if mention.type == old]
    elif kind == "label":
        made += [e.SetLabel(old, False), e.SetLabel(new, True)] if old in state.labels else []
    else:
        there = {(arc.head, arc.tail) for arc in state.relations.values() if arc.type == new}
        for id, arc in state.relations.items():
            if arc.type == old:
                twice = (arc.head, arc.tail) in there
                made.append(e.RemoveRelation(id) if twice else e.SetRelationType(id, new))
    if not made:
        return None
    return made[0] if len(made) == 1 else Together(tuple(made))
