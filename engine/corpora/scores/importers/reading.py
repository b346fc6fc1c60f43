"""What importers share: how a file is to be read, its JSON records one by one, and the documents it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from engine import corpora
from engine.corpora.formats import jsonl
from engine.corpora.io import files, whole_json
from engine.corpora.io.aside import DocumentsAside
from engine.corpora.records.fields import expect
from engine.corpora.scores.parts import Json
from engine.corpora.scores.scales import Alternatives, Scale
from engine.data.document import Document
from engine.data.errors import InputError


class Imported(NamedTuple):
    """One document of another program with its scored parts."""

    document: Document
    parts: list[Json]
    scale: Scale
    alternatives: Alternatives


Question: TypeAlias = Literal["scale", "null"]
"""What files of a program may leave open: what the numbers are, and which column stands for no antecedent."""
Null: TypeAlias = Literal["last", "first"]


@dataclass
class Asked:
    """How a file is to be read, where it does not say itself."""

    data: Sequence[Path] = ()
    """What the scores are about, where the file of scores does not hold it."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What the data call the entities, by what the program calls them; others keep their names."""
    scale: Scale | None = None
    alternatives: Alternatives | None = None
    null: Null = "last"
    """The column that stands for no antecedent."""
    skipped: int = 0
    """How often the file spoke of documents that the data do not have."""

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The data by id, on disk."""
        return DocumentsAside(self.stream())

    def stream(self) -> Iterator[Document]:
        """The data, one by one."""
        return (document for path in self.data for document in corpora.stream(path))

    def name(self, entity: str) -> str:
        return self.names.get(entity, entity)

    def find(self, id: str) -> Document | None:
        """The document of the data; None, and counted, where there is none."""
        found = self.documents.get(id)
        self.skipped += found is None
        return found


def records(path: Path) -> Iterator[tuple[int | None, Any]]:
    """The JSON records of a file: one per line, with its number, or all in one list."""
    if _is_whole(path):
        for record in expect(whole_json.load(path), list, "the file"):
            yield None, record
        return
    for number, line in files.lines(path):
        if line.strip():
            with placed(path, number):
                yield number, jsonl.parse(line.removeprefix("\ufeff"))


def _is_whole(path: Path) -> bool:
    with files.opened(path) as file:
        return file.read(1024).decode("utf-8", errors="replace").lstrip("\ufeff \r\n\t").startswith("[")


@contextmanager
def placed(path: Path, line: int | None) -> Iterator[None]:
    """Faults found inside name the file and the line."""
    try:
        yield
    except InputError as error:
        raise error.at(path, line) from None


def plain(document: Document) -> Document:
    """The text and its words, without what anybody says of it: a record of scores is no gold."""
    return Document(document.id, document.text, document.tokens, document.sentences)
