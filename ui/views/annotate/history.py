"""What every edit changed, in words: who, when, what stood there before and what stands there after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine.data import edits
from engine.data.document import NIL, Document
from engine.data.edits import EditRefused, State, Together, apply
from engine.store.annotations import LogRow, fold
from ui.shell import layout

SHOWN: Final = 300
"""Edits listed, the latest first; a document that was edited more often keeps them all in the log."""


def history(document: Document, rows: Sequence[LogRow], layer: str) -> list[dict[str, Any]]:
    """One line per edit, the latest first."""
    lines = []
    state = fold(document, (), layer)
    for i, row in enumerate(rows):
        before, state = state, _after(document, rows[: i + 1], layer, state)
        if i < len(rows) - SHOWN:
            continue
        changed = list(changes(document, before, state))
        lines.append(
            {
                "no.": row.number,
                "when (UTC)": layout.moment(row.time),
                "who": row.user,
                "what": describe(row.edit, row.undoes),
                "before": "; ".join(old for old, _ in changed if old),
                "after": "; ".join(new for _, new in changed if new),
            }
        )
    return lines[::-1]


def _after(document: Document, rows: Sequence[LogRow], layer: str, before: State) -> State:
    """The state after the last of the rows; only an undo needs them all."""
    last = rows[-1]
    if last.edit is None:
        return fold(document, rows, layer)
    try:
        return apply(before, last.edit)
    except EditRefused:
        return before  # an undo took away what it was about; a redo brings it back


def changes(document: Document, before: State, after: State) -> Iterator[tuple[str, str]]:
    """(before, after) of everything that differs between two states, in words; empty where it was not there."""
    for id in dict.fromkeys([*before.mentions, *after.mentions]):
        old, new = _mention(document, before, id), _mention(document, after, id)
        if old != new:
            yield old, new
    for id in dict.fromkeys([*before.relations, *after.relations]):
        old, new = _relation(document, before, id), _relation(document, after, id)
        if old != new:
            yield old, new
    for label in before.labels:
        if label not in after.labels:
            yield f"label {label}", ""
    for label in after.labels:
        if label not in before.labels:
            yield "", f"label {label}"
    for target in dict.fromkeys([*before.comments, *after.comments]):
        old, new = before.comments.get(target, ""), after.comments.get(target, "")
        if old != new:
            yield old and f"comment: {old}", new and f"comment: {new}"
    for target in sorted(before.doubted ^ after.doubted):
        said = f"gold doubted: {_name(document, before, target) or _name(document, after, target)}"
        yield (said, "") if target in before.doubted else ("", said)
    if before.done != after.done:
        yield ("not done", "done") if after.done else ("done", "not done")
    for one in after.rejected - before.rejected:
        yield "", f"no {one.what} {one.value}".rstrip() + f": “{document.text[one.start : one.end]}”"
    for one in before.rejected - after.rejected:
        yield f"no {one.what} {one.value}".rstrip() + f": “{document.text[one.start : one.end]}”", ""


def _mention(document: Document, state: State, id: str) -> str:
    mention = state.mentions.get(id)
    if mention is None:
        return ""
    entity = "NIL" if mention.entity == NIL else mention.entity
    chain = _chain(document, state, id)
    return " · ".join(part for part in (_name(document, state, id), mention.type, entity, chain) if part)


def _chain(document: Document, state: State, id: str) -> str:
    cluster = state.clusters.get(id)
    if cluster is None:
        return ""
    others = [other for other, name in state.clusters.items() if name == cluster and other != id]
    if not others:
        return "a chain of its own"
    first = min(others, key=lambda other: state.mentions[other].span)
    return f"same chain as {_name(document, state, first)}"


def _relation(document: Document, state: State, id: str) -> str:
    arc = state.relations.get(id)
    return "" if arc is None else f"{_name(document, state, arc.head)} {arc.type} {_name(document, state, arc.tail)}"


def _name(document: Document, state: State, id: str) -> str:
    mention = state.mentions.get(id)
    return "" if mention is None else f"“{document.text[mention.start : mention.end]}”"


def describe(edit: edits.Edit | None, undoes: int | None) -> str:
    """An edit in words."""
    if edit is None:
        return f"takes back no. {undoes}"
    if isinstance(edit, Together):
        kinds = list(dict.fromkeys(describe(one, None) for one in edit.edits))
        return f"{len(edit.edits)} edits together: {', '.join(kinds)}"
    return "".join(f" {c.lower()}" if c.isupper() else c for c in type(edit).__name__).strip()
