"""Scores that come from outside, and ours on their way out: what every system does in the same way.

A system says with its `Exchange` how scored records become its Scored and how its Scored becomes parts of records
(engine/tasks/<system>/exchange/outside.py). Reading a file, matching it with the data and naming the line of a fault
is done here, once. Documents are taken in the order of the data; a file in the same order is read as a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from engine.corpora.scores.parts import Json, Part
from engine.corpora.scores.records import ScoreRecord, stream, with_parts
from engine.corpora.scores.scales import Alternatives, Scale
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.metrics.errors import Error
from engine.tasks.scored import Scored

if TYPE_CHECKING:
    from engine.tasks.base import AnyTask

D = TypeVar("D", bound=Scored)
G = TypeVar("G", bound=Scored, covariant=True)


class Gathering(Protocol[G]):
    """Scored documents on their way to a Scored, one after the other."""

    def add(self, document: Document, record: ScoreRecord) -> None:
        """One more document, with what is said of it; InputError names the field that does not fit."""
        ...

    def scored(self) -> G:
        """The corpus of all that was added."""
        ...


@dataclass(frozen=True)
class Exchange(Generic[D]):
    """How the scores of a system go out and come in."""

    scale: Scale
    """What the numbers are that go out."""
    gathering: Callable[[], Gathering[D]]
    parts: Callable[[D, Sequence[Document]], Iterator[list[Json]]]
    """Per document the parts of its record; the documents are those to be written, in the order of the corpus."""
    answers: Callable[[Document, Layer], list[Part]]
    """What a layer says of a document, as parts without meaningful scores: all that is known of plain answers."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of the system that say otherwise where mentions come from."""


@dataclass
class Told:
    """What the records of a file say about all of its scores."""

    alternatives: Alternatives = "all"
    bias: float | None = None
    documents: int = 0
    parts: int = 0
    declines: bool = False
    """Whether declining is scored anywhere."""

    def hear(self, record: ScoreRecord) -> None:
        if self.documents and record.alternatives != self.alternatives:
            raise InputError("all records of a file have the same alternatives", field="alternatives")
        if self.documents and record.bias != self.bias:
            raise InputError("all records of a file have the same bias", field="bias")
        self.alternatives, self.bias = record.alternatives, record.bias
        self.documents += 1
        self.parts += len(record.parts)
        self.declines |= record.declines


def exchange_of(task: AnyTask) -> Exchange[Scored]:
    if task.exchange is None:
        raise InputError(f"{task.name} takes no scores from outside")
    found: Exchange[Scored] = task.exchange
    return found


def read_scores(task: AnyTask, path: Path, documents: Sequence[Document] | None = None) -> Scored:
    """The scores of a file for these documents; without any, for the documents of the file itself."""
    known = None if documents is None else {document.id: document for document in documents}
    gathered, told = exchange_of(task).gathering(), Told()
    records = stream(path, known)
    pairs = (
        ((one.document, one) for one in _once(records, path))
        if documents is None
        else _matched(documents, records, path)
    )
    for document, record in pairs:
        try:
            told.hear(record)
            gathered.add(document, record)
        except InputError as error:
            raise error.at(path, record.line) from None
    made = gathered.scored()
    return replace(made, alternatives=told.alternatives, bias=made.bias if told.bias is None else told.bias)


def written(task: AnyTask, scored: Scored, documents: Sequence[Document]) -> Iterator[Document]:
    """The documents with the parts of the scored corpus, to be written as native records."""
    exchange = exchange_of(task)
    for document, parts in zip(documents, exchange.parts(scored, documents), strict=True):
        yield with_parts(
            document, parts, scale=exchange.scale, alternatives=scored.alternatives, bias=float(scored.bias)
        )


def of_answers(task: AnyTask, documents: Sequence[Document], layers: Sequence[Layer]) -> Scored:
    """Plain answers as a scored corpus of which only the chosen parts are known: enough to tell what was missed."""
    exchange = exchange_of(task)
    found = exchange.gathering()
    for document, layer in zip(documents, layers, strict=True):
        found.add(document, ScoreRecord(document, exchange.answers(document, layer), "margin", "argmax"))
    return replace(found.scored(), alternatives="argmax")


def errors_of_answers(task: AnyTask, documents: Sequence[Document], layers: Sequence[Layer]) -> list[Error]:
    """Every miss and false alarm of plain answers. How sure they were is what the mentions themselves say, else 0."""
    sure = {
        (document.id, mention.span): mention.score or 0.0
        for document, layer in zip(documents, layers, strict=True)
        for mention in layer.mentions
    }
    found: list[Error] = task.errors(of_answers(task, documents, layers), layers)
    return [replace(error, confidence=sure.get((error.document, (error.start, error.end)), 0.0)) for error in found]


def _once(records: Iterable[ScoreRecord], path: Path) -> Iterator[ScoreRecord]:
    seen: set[str] = set()
    for record in records:
        if record.document.id in seen:
            raise InputError(f"there are scores for document {record.document.id!r} twice", file=path, line=record.line)
        seen.add(record.document.id)
        yield record


def _matched(
    documents: Sequence[Document], records: Iterable[ScoreRecord], path: Path
) -> Iterator[tuple[Document, ScoreRecord]]:
    """Every document with its record. Records that come before their turn wait."""
    wanted = {document.id for document in documents}
    coming = _once((record for record in records if record.document.id in wanted), path)
    waiting: dict[str, ScoreRecord] = {}
    for at, document in enumerate(documents):
        while document.id not in waiting:
            record = next(coming, None)
            if record is None:
                missing = sum(one.id not in waiting for one in documents[at:])
                raise InputError(
                    f"there are no scores for document {document.id!r} ({missing} missing in all)", file=path
                )
            waiting[record.document.id] = record
        yield document, waiting.pop(document.id)
    for _ in coming:  # Faults further down are faults too, and so are documents that come twice.
        pass
