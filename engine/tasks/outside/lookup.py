"""Scoring with a run of another program: the documents are looked up in what it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from engine.corpora.formats import jsonl
from engine.corpora.scores.records import read_record
from engine.data.document import Document
from engine.data.errors import InputError
from engine.tasks.outside.brought import OutsideState
from engine.tasks.outside.records import Told, exchange_of, of_answers
from engine.tasks.scored import Scored

if TYPE_CHECKING:
    from engine.tasks.base import AnyTask

V = TypeVar("V")


def look_up(task: AnyTask, documents: Sequence[Document], brought: OutsideState, bias: float) -> Scored:
    """The documents with the scores that the run has for them, at this bias."""
    if brought.answers:
        layers = [_found(document, brought.answers) for document in documents]
        return of_answers(task, documents, layers).at(bias)
    gathering, told = exchange_of(task).gathering(), Told()
    for document in documents:
        record = read_record(jsonl.parse(_found(document, brought.records)), {document.id: document})
        told.hear(record)
        gathering.add(document, record)
    return replace(gathering.scored(), alternatives=told.alternatives, bias=bias)


def _found(document: Document, known: Mapping[str, V]) -> V:
    if document.id not in known:
        raise InputError(f"document {document.id!r} is not in this run: it came from outside, for other documents")
    return known[document.id]
