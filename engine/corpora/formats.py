"""Which formats there are, and which one a file has."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from engine.data.errors import InputError


@dataclass(frozen=True)
class Format:
    """A registered format; its module is imported when it is first used."""

    name: str

    @property
    def module(self) -> Any:
        return import_module(f"engine.corpora.{self.name}")

    @property
    def title(self) -> str:
        return self.module.TITLE

    @property
    def extensions(self) -> tuple[str, ...]:
        return self.module.EXTENSIONS

    @property
    def about(self) -> str:
        return self.module.ABOUT


FORMATS = {
    name: Format(name)
    for name in (
        "jsonl",
        "conll2012",
    )
}

BY_EXTENSION = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".conll": "conll2012",
    ".key": "conll2012",
    ".response": "conll2012",
}


def by_name(name: str) -> Format:
    if name not in FORMATS:
        raise InputError(f"there is no format {name!r}; choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def detect(path: Path, reading: bool = True) -> Format:
    """The format of a file by its name, and by its content where the name leaves several."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix != ".gz"]
    name = BY_EXTENSION.get(suffixes[-1]) if suffixes else None
    if name is None:
        raise InputError(f"no format has this name; give one of {', '.join(FORMATS)}", file=path)
    return FORMATS[name]
