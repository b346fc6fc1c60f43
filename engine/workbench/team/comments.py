"""The comments on a corpus, each with its author, its time and its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.data.document import GOLD, Document
from engine.data.edits import State
from engine.store.annotations import AnnotationLog


@dataclass(frozen=True)
class Written:
    """One comment."""

    document: str
    layer: str
    target: str
    about: str
    """The words of its target."""
    start: int
    end: int
    author: str
    time: str
    text: str
    resolved: bool


def comments(log: AnnotationLog, originals: Sequence[Document]) -> list[Written]:
    """Every comment of the corpus, the latest first."""
    found: list[Written] = []
    for layer in sorted({GOLD, *log.layers()}):
        begun = log.edited_documents(layer=layer)
        states = log.states([one for one in originals if one.id in begun], layer=layer)
        found += [one for document, state in states for one in _of(document, state, layer)]
    return sorted(found, key=lambda one: one.time, reverse=True)


def _of(document: Document, state: State, layer: str) -> list[Written]:
    made = []
    for target, thread in state.comments.items():
        spans = _spans(state, target)
        about = " … ".join(document.text[start:end] for start, end in spans) or "the document"
        start, end = spans[0] if spans else (0, 0)
        made += [
            Written(
                document.id, layer, target, about, start, end, one.author, one.time, one.text, target in state.resolved
            )
            for one in thread
        ]
    return made


def _spans(state: State, target: str) -> list[tuple[int, int]]:
    if target in state.mentions:
        return [state.mentions[target].span]
    if target in state.relations:
        arc = state.relations[target]
        return [state.mentions[arc.head].span, state.mentions[arc.tail].span]
    return []
