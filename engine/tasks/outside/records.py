"""Import of other programs' scores and export of ours: the part that is the same for every system.

A system's `Exchange` defines how scored records become its Scored, and how its Scored becomes parts of records
(engine/tasks/<system>/exchange/outside.py). Reading a file, matching it with the data and reporting the line of an
error are done here, once. Documents are processed in the order of the data; a file in the same order is read as a
stream.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeAlias, TypeVar

from engine.corpora.io.aside import Aside
from engine.corpora.scores.evidence import refuse_second_scores
from engine.corpora.scores.parts import Json, Part
from engine.corpora.scores.records import ScoreRecord, raw_records, read_record, stream, with_parts
from engine.corpora.scores.scales import Alternatives, Scale, comparable
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.metrics.errors import Error
from engine.tasks.scored import Scored

if TYPE_CHECKING:
    from engine.tasks.base import AnyTask

D = TypeVar("D", bound=Scored)
G = TypeVar("G", bound=Scored, covariant=True)

IsWanted: TypeAlias = Callable[[str], bool]
OVERVIEW: Final = 256
"""Documents that an overview looks at together."""


class Gathering(ABC, Generic[G]):
    """Scored documents on their way to a Scored, one after the other."""

    @abstractmethod
    def add(self, document: Document, record: ScoreRecord) -> None:
        """Add a document with its record; InputError names the invalid field."""

    @abstractmethod
    def scored(self) -> G:
        """All added documents as a scored corpus."""

    def known(self) -> dict[str, Any]:
        """Facts from the records so far that hold for all documents, such as names of relations, as JSON values."""
        return {}

    def hear(self, known: Mapping[str, Any]) -> None:
        """Take over what `known` returned for the whole corpus of which the next documents are a part."""
        return None


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
    """Settings to change because the mentions come with the scores."""


@dataclass
class Told:
    """Properties that all records of a file share."""

    alternatives: Alternatives = "all"
    bias: float | None = None
    documents: int = 0
    parts: int = 0
    declines: bool = False
    """Whether declining is scored anywhere."""
    scales: set[Scale] = field(default_factory=set)

    def hear(self, record: ScoreRecord) -> None:
        if self.documents and record.alternatives != self.alternatives:
            raise InputError("all records of a file have the same alternatives", field="alternatives")
        if self.documents and record.bias != self.bias:
            raise InputError("all records of a file have the same bias", field="bias")
        self.alternatives, self.bias = record.alternatives, record.bias
        self.documents += 1
        self.parts += len(record.parts)
        self.declines |= record.declines
        self.scales.add(record.scale)

    @property
    def note(self) -> str:
        """What to bear in mind about the zero of the scores; empty where there is nothing."""
        notes = (comparable(scale, declining=self.declines) for scale in sorted(self.scales))
        return next((note for note in notes if note), "")


def exchange_of(task: AnyTask) -> Exchange[Scored]:
    if task.exchange is None:
        raise InputError(f"{task.name} takes no scores from outside")
    found: Exchange[Scored] = task.exchange
    return found


def read_scores(task: AnyTask, path: Path, documents: Sequence[Document] | None = None) -> Scored:
    """The scores of a file for these documents; without any, for the documents of the file itself."""
    return read_told(task, path, documents)[0]


def read_told(task: AnyTask, path: Path, documents: Sequence[Document] | None = None) -> tuple[Scored, Told]:
    """The same, and what the records say about all of them."""
    gathered, told = exchange_of(task).gathering(), Told()
    for document, record in scored_documents(path, documents):
        _add(gathered, told, document, record, path)
    return _made(gathered, told), told


def scored_pairs(task: AnyTask, pairs: Iterable[tuple[Document, ScoreRecord]]) -> Scored:
    """Documents with their records, as a scored corpus."""
    gathered, told = exchange_of(task).gathering(), Told()
    for document, record in pairs:
        told.hear(record)
        gathered.add(document, record)
    return _made(gathered, told)


@dataclass(frozen=True)
class Overview:
    """What must be known about all scores of a file before some of its documents can be decided."""

    alternatives: Alternatives
    bias: float | None
    known: Mapping[str, Any]
    n_documents: int
    note: str
    """What to bear in mind about the zero of the scores; empty where there is nothing."""


def overview(task: AnyTask, path: Path, documents: Iterable[Document] | None, is_wanted: IsWanted) -> Overview:
    """The overview of a file's scores for these documents. Every score is checked; memory use does not grow with the
    number of documents."""
    told, known = Told(), dict[str, Any]()
    pairs = scored_documents(path, documents, is_wanted)
    while block := list(islice(pairs, OVERVIEW)):
        gathered = exchange_of(task).gathering()
        gathered.hear(known)
        for document, record in block:
            _add(gathered, told, document, record, path)
        known = gathered.known()
    return Overview(told.alternatives, told.bias, known, told.documents, told.note)


def scored_part(task: AnyTask, items: Iterable[tuple[Document, ScoreRecord]], whole: Overview) -> Scored:
    """Some documents of a file with their scores, as a corpus of their own."""
    gathered, told = exchange_of(task).gathering(), Told()
    gathered.hear(whole.known)
    for document, record in items:
        told.hear(record)
        gathered.add(document, record)
    return _made(gathered, replace(told, alternatives=whole.alternatives, bias=whole.bias))


def scored_documents(
    path: Path, documents: Iterable[Document] | None, is_wanted: IsWanted | None = None
) -> Iterator[tuple[Document, ScoreRecord]]:
    """Every document with its record; without documents, those of the file itself. `is_wanted` says of an id whether
    a document has it, where the documents can be gone through only once."""
    if documents is None:
        for record in _once(stream(path), path):
            yield record.document, record
        return
    if is_wanted is None:
        documents = tuple(documents)
        is_wanted = {document.id for document in documents}.__contains__
    yield from _matched(documents, path, is_wanted)


def _add(gathered: Gathering[Scored], told: Told, document: Document, record: ScoreRecord, path: Path) -> None:
    try:
        told.hear(record)
        gathered.add(document, record)
    except InputError as error:
        raise error.at(path, record.line) from None


def _made(gathered: Gathering[Scored], told: Told) -> Scored:
    made = gathered.scored()
    return replace(made, alternatives=told.alternatives, bias=made.bias if told.bias is None else told.bias)


def written(task: AnyTask, scored: Scored, documents: Sequence[Document]) -> Iterator[Document]:
    """The documents with the parts of the scored corpus, to be written as native records."""
    exchange = exchange_of(task)
    for document, parts in zip(documents, exchange.parts(scored, documents), strict=True):
        yield with_parts(
            document, parts, scale=exchange.scale, alternatives=scored.alternatives, bias=float(scored.bias)
        )


UNTOLD: Final = (
    "The answers came without scores: there is no curve, and an answer that was missed is not listed, whatever stage"
    " lost it."
)
"""The note shown with answers that came without scores."""


def of_answers(task: AnyTask, documents: Sequence[Document], layers: Sequence[Layer]) -> Scored:
    """Plain answers as a scored corpus in which only the chosen parts are known: enough to tell what was missed."""
    exchange = exchange_of(task)
    found = exchange.gathering()
    for document, layer in zip(documents, layers, strict=True):
        found.add(document, ScoreRecord(document, exchange.answers(document, layer), "margin", "argmax"))
    return replace(found.scored(), alternatives="argmax", answers=tuple(layers))


def errors_of(task: AnyTask, scored: Scored, predicted: Sequence[Layer]) -> list[Error]:
    """Every miss and false alarm. The confidence of plain answers is that of their mentions, else 0."""
    found: list[Error] = task.errors(scored, predicted)
    if scored.answers is None:
        return found
    sure = {
        (document.id, mention.span): mention.score or 0.0
        for document, layer in zip(scored.documents, predicted, strict=True)
        for mention in layer.mentions
    }
    return [replace(error, confidence=sure.get((error.document, (error.start, error.end)), 0.0)) for error in found]


def consistent_records(path: Path, documents: Mapping[str, Document]) -> Iterator[ScoreRecord]:
    """The records of a file for what is the same in every system; what every system would refuse is refused."""
    told = Told()
    for record in _once(stream(path, documents), path):
        try:
            told.hear(record)
            refuse_second_scores(record)
        except InputError as error:
            raise error.at(path, record.line) from None
        yield record


def _once(records: Iterable[ScoreRecord], path: Path) -> Iterator[ScoreRecord]:
    seen = Aside()
    for record in records:
        if record.document.id in seen:
            raise _twice(record.document.id, path, record.line)
        seen.keep(record.document.id)
        yield record


def _matched(documents: Iterable[Document], path: Path, is_wanted: IsWanted) -> Iterator[tuple[Document, ScoreRecord]]:
    """Every document with its record. Lines that come before their turn wait, on disk."""
    coming = _wanted_lines(path, is_wanted)
    waiting = Aside()
    rest = iter(documents)
    for document in rest:
        number, found = _its_turn(document, coming, waiting, path) or _missing(document, rest, waiting, path)
        try:
            yield document, read_record(found, {document.id: document}, number)
        except InputError as error:
            raise error.at(path, number) from None
    # Errors further down count as well. Any record that is left belongs to a document that already had one.
    left = ((id, json.loads(waiting.lines(id)[0])[0]) for id in waiting.names())
    for id, number in chain(left, ((id, number) for id, number, _ in coming)):
        raise _twice(id, path, number)


def _its_turn(
    document: Document, coming: Iterator[tuple[str, int, Json]], waiting: Aside, path: Path
) -> tuple[int, Json] | None:
    """The line and the record of a document: one that waited, or the next of the file; None at its end."""
    if early := waiting.take(document.id):
        number, found = json.loads(early[0])
        return number, found
    for id, number, found in coming:
        if id == document.id:
            return number, found
        if id in waiting:
            raise _twice(id, path, number)
        waiting.keep(id, json.dumps([number, found]))
    return None


def _missing(document: Document, rest: Iterator[Document], waiting: Aside, path: Path) -> NoReturn:
    missing = 1 + sum(one.id not in waiting for one in rest)
    raise InputError(f"there are no scores for document {document.id!r} ({missing} missing in all)", file=path)


def _twice(id: str, path: Path, number: int | None) -> InputError:
    return InputError(f"there are scores for document {id!r} twice", file=path, line=number)


def _wanted_lines(path: Path, is_wanted: IsWanted) -> Iterator[tuple[str, int, Json]]:
    """Id, line number and record of each of these documents. Records of other documents are checked all the same."""
    for id, number, found in raw_records(path):
        if is_wanted(id):
            yield id, number, found
        else:
            try:
                read_record(found, {}, number)
            except InputError as error:
                raise error.at(path, number) from None
