"""Importers: what other programs write, as records of scores. One module per program.

A module has TITLE, FOR (the systems its scores are for), WANTS (what `--data` must be, or nothing where the file says
all), ASKS (what else its files leave open), and `read(path, asked) -> Iterator[Imported]`. Register it in IMPORTERS and
the command line, the app and the tests know it. Importers read files only: docs/guide/scores.md has the lines that make
each program write its scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from engine.corpora.formats import jsonl
from engine.corpora.scores.importers.reading import Asked, Imported, Question
from engine.corpora.scores.records import read_record, with_parts
from engine.data.document import Document
from engine.data.errors import InputError


class ImporterModule(Protocol):
    """What a module of this folder offers."""

    TITLE: str
    FOR: tuple[str, ...]
    WANTS: str
    ASKS: tuple[Question, ...]

    def read(self, path: Path, asked: Asked) -> Iterator[Imported]: ...


@dataclass(frozen=True)
class Importer:
    """A registered importer; its module is imported when it is first used."""

    name: str

    @property
    def module(self) -> ImporterModule:
        # A module has what the protocol asks for; the tests of importers hold every one to it.
        return cast(ImporterModule, import_module(f"engine.corpora.scores.importers.{self.name}"))


IMPORTERS: Final = {
    name: Importer(name)
    for name in (
        "refined",
        "gliner",
        "glirel",
        "antecedents",
        "neleval",
        "rel",
        "opennre",
        "dreeam",
        "spotlight",
        "dygie",
    )
}


def by_name(name: str) -> Importer:
    if name not in IMPORTERS:
        raise InputError(f"there is no importer {name!r}; choose one of {', '.join(IMPORTERS)}")
    return IMPORTERS[name]


def import_file(name: str, path: Path, asked: Asked) -> Iterator[Document]:
    """The documents of another program's file, each with its scored parts, to be written as native records."""
    module = by_name(name).module
    if module.WANTS and not asked.data:
        raise InputError(f"{module.TITLE}: the file is not enough; name {module.WANTS} with --data", file=path)
    for one in module.read(path, asked):
        made = with_parts(
            one.document,
            one.parts,
            scale=asked.scale or one.scale,
            alternatives=asked.alternatives or one.alternatives,
            bias=None,
        )
        try:
            read_record(jsonl.record(made), {})
        except InputError as error:
            raise InputError(f"document {made.id!r}: {error.what}", file=path, field=error.field) from None
        yield made
