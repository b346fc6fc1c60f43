"""Plans the marks of a rule in a layer, and adds them as one action."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.data.document import GOLD, Document
from engine.data.edits import AddMention, EditRefused, State, Together
from engine.data.errors import InputError
from engine.data.labels import LabelSet, check
from engine.store.annotations import AnnotationLog
from engine.workbench.marking.rules import Mark, Rule


@dataclass(frozen=True)
class Planned:
    """What a rule would add to one document, and the number of matches that were skipped."""

    document: Document
    marks: tuple[Mark, ...]
    left: int
    """The number of places that already have a mention, or where somebody rejected one."""


def plan(
    log: AnnotationLog, documents: Sequence[Document], rule: Rule, *, layer: str = GOLD, but: Collection[str] = ()
) -> list[Planned]:
    """What the rule would add to the layer, document by document; `but` names documents to skip. A bag has its two
    mentions and accepts no others."""
    asked = [one for one in documents if one.id not in but and one.bag is None]
    planned = []
    for (document, state), marks in zip(log.states(asked, layer=layer), rule(asked), strict=True):
        free = [mark for mark in marks if _is_free(state, mark)]
        if marks:
            planned.append(Planned(document, tuple(free), len(marks) - len(free)))
    return planned


def mark_all(
    log: AnnotationLog,
    planned: Sequence[Planned],
    *,
    user: str,
    layer: str = GOLD,
    labels: LabelSet | None = None,
) -> int:
    """Add the planned marks as one action; returns the number of mentions. Labels that are not in the label set are
    refused before anything is written."""
    name = uuid.uuid4().hex[:12]
    edits = []
    for number, one in enumerate(planned):
        added = [
            AddMention(f"{name}.{number}.{i}", mark.start, mark.end, mark.type, mark.entity)
            for i, mark in enumerate(one.marks)
        ]
        if added:
            edits.append((one.document, Together(tuple(added))))
    if labels is not None:
        for type in sorted({mark.type for one in planned for mark in one.marks if mark.type}):
            try:
                check(labels, State({}, {}, {}), AddMention("new", 0, 1, type))
            except EditRefused as refused:
                raise InputError(str(refused)) from refused
    if edits:
        log.append_all(edits, user=user, layer=layer)
    return sum(len(edit.edits) for _, edit in edits)


def _is_free(state: State, mark: Mark) -> bool:
    """Whether no mention overlaps the place and nobody has rejected one there."""
    if any(m.start < mark.end and mark.start < m.end for m in state.mentions.values()):
        return False
    said_no = (no for no in state.rejected if (no.start, no.end) == (mark.start, mark.end))
    return not any(
        no.what == "span"
        or (no.what == "type" and no.value == mark.type)
        or (no.what == "link" and no.value == mark.entity)
        for no in said_no
    )
