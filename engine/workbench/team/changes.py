"""The differences between two states of a layer, in words; and between two versions of gold, with their authors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.data.document import NIL, Document
from engine.data.edits import State, touches
from engine.store.annotations import AnnotationLog, LogRow, fold


@dataclass(frozen=True)
class Change:
    """One line of the difference between two versions."""

    document: str
    what: Literal["added", "removed", "changed"]
    before: str
    after: str
    by: str
    """Who edited it last in between."""
    time: str


def version_changes(
    log: AnnotationLog, documents: Sequence[Document], first: int, last: int, *, layer: str
) -> list[Change]:
    """What was added, removed and changed from one row of the log to a later one, in document order."""
    rows: dict[str, list[LogRow]] = {}
    for row in log.history(layer=layer):
        if row.number <= last:
            rows.setdefault(row.document, []).append(row)
    found: list[Change] = []
    for document in documents:
        own = rows.get(document.id, [])
        new = [row for row in own if row.number > first]
        if new:
            before = fold(document, [row for row in own if row.number <= first], layer)
            found += _changes_of(document, before, fold(document, own, layer), own, new)
    return found


def _changes_of(
    document: Document, before: State, after: State, rows: Sequence[LogRow], new: Sequence[LogRow]
) -> Iterator[Change]:
    touched: dict[str, LogRow] = {}
    by_number = {row.number: row for row in rows}
    for row in new:
        meant = row
        while meant.edit is None and meant.undoes in by_number:
            meant = by_number[meant.undoes]
        if meant.edit is not None:
            touched.update(dict.fromkeys(touches(meant.edit), row))
    for id, old, now in annotation_changes(document, before, after):
        row = touched.get(id, new[-1])
        kind: Literal["added", "removed", "changed"] = "changed" if old and now else "added" if now else "removed"
        yield Change(document.id, kind, old, now, row.user, row.time)


def annotation_changes(document: Document, before: State, after: State) -> Iterator[tuple[str, str, str]]:
    """(Id, before, after) of every mention, relation and label that differs; empty if it did not exist."""
    for id in dict.fromkeys([*before.mentions, *after.mentions]):
        old, new = _mention(document, before, id), _mention(document, after, id)
        if old != new:
            yield id, old, new
    for id in dict.fromkeys([*before.relations, *after.relations]):
        old, new = _relation(document, before, id), _relation(document, after, id)
        if old != new:
            yield id, old, new
    for label in dict.fromkeys([*before.labels, *after.labels]):
        said = f"label {label}"
        if (label in before.labels) != (label in after.labels):
            yield said, *((said, "") if label in before.labels else ("", said))


def changelog(changes: Sequence[Change], first: str, last: str) -> str:
    """The difference as Markdown."""
    counts = {kind: sum(one.what == kind for one in changes) for kind in ("added", "removed", "changed")}
    lines = [f"# Changes from {first} to {last}", "", ", ".join(f"{n} {kind}" for kind, n in counts.items()) + ".", ""]
    for one in changes:
        said = f"{one.before} → {one.after}" if one.what == "changed" else one.before or one.after
        lines.append(f"- {one.document}: {one.what} {said} ({one.by}, {one.time[:10]})")
    return "\n".join(" ".join(line.split()) if line else "" for line in lines) + "\n"


def changes(document: Document, before: State, after: State) -> Iterator[tuple[str, str]]:
    """(before, after) of everything that differs between two states, in words; empty if it did not exist."""
    yield from ((old, new) for _, old, new in annotation_changes(document, before, after))
    for target in dict.fromkeys([*before.comments, *after.comments]):
        was, now = before.comments.get(target, ()), after.comments.get(target, ())
        yield from (("", f"comment: {one.text}") for one in now if one not in was)
        yield from ((f"comment: {one.text}", "") for one in was if one not in now)
    for target in sorted(before.resolved ^ after.resolved):
        yield ("comments resolved", "") if target in before.resolved else ("", "comments resolved")
    for question, word in after.settled.items():
        if before.settled.get(question) != word:
            why = f" ({word.reason})" if word.reason else ""
            yield "", f"settled as {' and '.join(word.by) or 'nobody'} said{why}"
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
