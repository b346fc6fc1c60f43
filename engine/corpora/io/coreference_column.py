"""Reads only the coreference column of CoNLL-2012 files: clusters of token ranges [first, last), by document.

Scoring needs nothing else, and this accepts whatever the official scorer accepts: any number of columns, of which the
last counts, documents with or without a part, brackets with or without a bar between them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, TypeAlias

from engine.corpora.io import files
from engine.corpora.io.brackets import NOTHING, BracketError, Column, Span
from engine.data.errors import InputError

Clusters: TypeAlias = list[list[Span]]

_BEGIN: Final = re.compile(r"#\s*begin document\s*(.*)")


def read_clusters(path: Path) -> dict[str, Clusters]:
    """Document name -> clusters of token ranges, clusters and mentions in order of the file."""
    return _parse(path, files.whole(path).split("\n"))


def _parse(path: Path, lines: list[str]) -> dict[str, Clusters]:
    documents: dict[str, Clusters] = {}
    column: Column | None = None
    places: dict[int, int] = {}
    token = 0
    name = ""
    try:
        for number, line in enumerate(lines, 1):
            # Most tokens are in no mention, so that case is checked first.
            if line.endswith(("\t-", " -")) and column is not None and not line.startswith("#"):
                token += 1
                continue
            if line.startswith("#"):
                begin = _BEGIN.match(line)
                if begin:
                    name = begin.group(1).strip()
                    if name in documents:
                        raise InputError(f"document {name!r} begins a second time", file=path, line=number)
                    column, places, token = Column(), {}, 0
                    documents[name] = []
                elif "end document" in line and column is not None:
                    documents[name] = column.chains()
                    column = None
                continue
            line = line.rstrip()
            if not line:
                continue
            if column is None:
                raise InputError("a token comes before '#begin document'", file=path, line=number)
            cell = line[max(line.rfind("\t"), line.rfind(" ")) + 1 :]
            if cell not in NOTHING:
                places[token] = number
                column.add(token, cell)
            token += 1
        if column is not None:
            documents[name] = column.chains()
    except BracketError as error:
        raise InputError(error.what, file=path, line=places[error.token], field="coreference") from None
    if not documents:
        raise InputError("no '#begin document' line: this is not a CoNLL-2012 file", file=path)
    return documents
