"""Sources of answers: a model, scores of another program, or answers without scores.

A source defines the items of a block (documents, with a file's contents for each) and turns them into answers. It is
its own recipe: every worker builds what it needs once. Files in the order of the data are read as streams.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from engine import corpora
from engine.corpora.answers import Answers, no_prediction
from engine.corpora.formats.jsonl import Line
from engine.corpora.io.aside import DocumentsAside
from engine.data.document import Document, Layer
from engine.metrics.errors import Error
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.capabilities import Constrained, TakesLexicon
from engine.tasks.outside.records import Overview, errors_of, of_answers, overview, scored_documents, scored_part
from engine.tasks.registry import get
from engine.tasks.saving import load_model
from engine.tasks.scored import Scored
from engine.workbench.blocks.corpus import Corpus
from engine.workers.base import Places, as_named

Item: TypeAlias = tuple[Document, Any]
"""A document and a file's contents for it; None if the source is a model."""

UnparsedItem: TypeAlias = tuple[Document | Line, Any]
"""The same, where the document may still be a line of its file."""


@dataclass(frozen=True)
class Answered:
    """A block with its answers."""

    documents: tuple[Document, ...]
    layers: Sequence[Layer]
    scored: Scored | None
    """None if the answers came without scores."""

    def errors(self, task: AnyTask) -> list[Error]:
        scored = of_answers(task, self.documents, self.layers) if self.scored is None else self.scored
        return errors_of(task, scored, self.layers)


@dataclass(frozen=True)
class Source(ABC):
    """A source of answers of one system."""

    task: str

    @property
    @abstractmethod
    def files(self) -> tuple[Path, ...]:
        """The files that are sent to a worker on another machine."""

    @property
    def model(self) -> AnyModel | None:
        """The model, if there is one."""
        return None

    @property
    def in_blocks(self) -> bool:
        """Whether documents can be scored a block at a time."""
        return True

    def make(self, places: Places = as_named) -> Any:
        """What scoring a block needs besides its items."""
        return None

    @abstractmethod
    def items(self, corpus: Corpus | None) -> Iterator[UnparsedItem]:
        """The documents with their file contents; for None, the documents of the source itself."""

    @abstractmethod
    def scored(self, made: Any, items: Sequence[Item]) -> Scored | None:
        """The scores of a block."""

    def answered(self, made: Any, items: Sequence[Item]) -> Answered:
        """The answers to a block."""
        scored = self.scored(made, items)
        assert scored is not None
        layers: list[Layer] = get(self.task).decide(scored)
        return Answered(scored.documents, layers, scored)


@dataclass(frozen=True)
class ModelSource(Source):
    """A model file, optionally with another lexicon or other constraints."""

    path: Path
    lexicon: tuple[Path, ...] = ()
    constraints: Path | None = None
    bias: float | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path, *([self.constraints] if self.constraints else []))

    @cached_property
    def model(self) -> AnyModel:
        return self.make()

    @property
    def in_blocks(self) -> bool:
        """False for an imported run, which holds all of its documents anyway and needs their relation names
        together."""
        return self.model.outside is None

    def make(self, places: Places = as_named) -> AnyModel:
        if places is as_named and "model" in vars(self):
            return self.model
        task = get(self.task)
        model = load_model(task, places(self.path))
        if self.lexicon and isinstance(task, TakesLexicon):
            model = task.with_lexicon(model, self.lexicon)
        if self.constraints is not None and isinstance(task, Constrained):
            model = task.with_constraints(model, places(self.constraints))
        return model

    def __getstate__(self) -> dict[str, Any]:
        """Only the file names, because each remote worker loads the model itself."""
        return {spec.name: getattr(self, spec.name) for spec in dataclasses.fields(self)}

    def items(self, corpus: Corpus | None) -> Iterator[UnparsedItem]:
        for document in () if corpus is None else corpus.unparsed():
            yield document, None

    def scored(self, made: AnyModel, items: Sequence[Item]) -> Scored:
        found: Scored = get(self.task).score([document for document, _ in items], made)
        return found.at(made.bias).at(self.bias)


@dataclass(frozen=True)
class ScoresSource(Source):
    """A file of scores of another program."""

    path: Path
    constraints: Path | None = None
    bias: float | None = None
    whole: Overview | None = None
    """The overview of all records; filled in by `over`."""

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.constraints,) if self.constraints else ()

    def make(self, places: Places = as_named) -> Path | None:
        return None if self.constraints is None else places(self.constraints)

    def over(self, corpus: Corpus | None) -> ScoresSource:
        """The source, after checking every record."""
        told = overview(get(self.task), self.path, corpus, (lambda _: True) if corpus is None else corpus.has)
        return dataclasses.replace(self, whole=told)

    def items(self, corpus: Corpus | None) -> Iterator[Item]:
        return scored_documents(self.path, corpus, None if corpus is None else corpus.has)

    def scored(self, made: Path | None, items: Sequence[Item]) -> Scored:
        assert self.whole is not None
        task = get(self.task)
        found = scored_part(task, items, self.whole).at(self.bias)
        if made is None:
            return found
        assert isinstance(task, Constrained)
        constrained: Scored = task.constrained(found, made)
        return constrained


@dataclass(frozen=True)
class AnswersSource(Source):
    """A file of predictions, which are in its gold layer unless another layer is named."""

    path: Path
    layer: str | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        return ()

    def items(self, corpus: Corpus | None) -> Iterator[Item]:
        assert corpus is not None
        return matched(corpus, self.path, self.layer)

    def scored(self, made: None, items: Sequence[Item]) -> None:
        return None

    def answered(self, made: None, items: Sequence[Item]) -> Answered:
        documents, layers = zip(*items, strict=True)
        return Answered(documents, layers, None)


def matched(corpus: Corpus, path: Path, layer: str | None = None) -> Iterator[tuple[Document, Layer]]:
    """Every document with its predicted layer, matched by id. Predictions that come too early are kept on disk."""
    found = Answers(layer, path)
    coming = (one for one in corpora.stream(path) if corpus.has(one.id))
    waiting = DocumentsAside()
    rest: Iterator[Document] = iter(corpus)
    for document in rest:
        one = waiting.pop(document.id) or next(_set_aside(coming, waiting, document.id, found), None)
        if one is None:
            missing = 1 + sum(other.id not in waiting for other in rest)
            raise no_prediction(document.id, missing, path)
        yield document, found.layer_of(document, one)
    for one in chain(waiting.values(), coming):
        found.refuse_second(one)
    found.check()


def _set_aside(coming: Iterator[Document], waiting: DocumentsAside, id: str, found: Answers) -> Iterator[Document]:
    """The predictions for this document; those for others are set aside."""
    for one in coming:
        if one.id == id:
            yield one
        elif one.id in waiting:
            found.refuse_second(one)
        else:
            waiting.keep(one)


def parsed(items: Iterable[UnparsedItem]) -> Iterator[Item]:
    return ((corpora.parsed(document), contents) for document, contents in items)
