"""The coreference column alone of CoNLL-2012 files: clusters of token ranges, document by document.

Scoring needs nothing else of a file, and reads whatever the official scorer reads: any number of columns of which
the last counts, documents with or without a part, brackets with or without a bar between them.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Final, TypeAlias

from engine.data.errors import InputError

Clusters: TypeAlias = list[list[tuple[int, int]]]

_BRACKET: Final = re.compile(r"\((\d+)(\))?|(\d+)\)")
_BEGIN: Final = re.compile(r"#\s*begin document\s*(.*)")


def read_clusters(path: Path) -> dict[str, Clusters]:
    """Document name -> clusters of (first, last) tokens, clusters and mentions in order of the file."""
    path = Path(path)
    if not path.is_file():
        raise InputError("there is no such file", file=path)
    try:
        opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
        with opened as lines:
            return _parse(path, lines.read().split("\n"))
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"this is not a UTF-8 text file ({error})", file=path) from error


def _parse(path: Path, lines: list[str]) -> dict[str, Clusters]:
    documents: dict[str, Clusters] = {}
    clusters: dict[str, list[tuple[int, int]]] | None = None
    begun: dict[str, list[tuple[int, int]]] = {}
    token = 0
    name = ""
    for number, line in enumerate(lines, 1):
        # Most tokens are in no mention, so that case is decided first.
        if line.endswith(("\t-", " -")) and clusters is not None and not line.startswith("#"):
            token += 1
            continue
        if line.startswith("#"):
            begin = _BEGIN.match(line)
            if begin:
                name = begin.group(1).strip()
                if name in documents:
                    raise InputError(f"document {name!r} begins a second time", file=path, line=number)
                clusters, begun, token = {}, {}, 0
                documents[name] = []
            elif "end document" in line and clusters is not None:
                _finish(path, documents, name, clusters, begun)
                clusters = None
            continue
        line = line.rstrip()
        if not line:
            continue
        if clusters is None:
            raise InputError("a token stands before '#begin document'", file=path, line=number)
        column = line[max(line.rfind("\t"), line.rfind(" ")) + 1 :]
        if column not in ("-", "_"):
            for one, closed, ended in _BRACKET.findall(column):
                if closed:
                    clusters.setdefault(one, []).append((token, token))
                elif one:
                    clusters.setdefault(one, [])
                    begun.setdefault(one, []).append((token, number))
                elif begun.get(ended):
                    clusters[ended].append((begun[ended].pop()[0], token))
                else:
                    raise InputError(
                        f"{ended}) closes a mention that was never opened", file=path, line=number, field="coreference"
                    )
        token += 1
    if clusters is not None:
        _finish(path, documents, name, clusters, begun)
    if not documents:
        raise InputError("no '#begin document' line: this is not a CoNLL-2012 file", file=path)
    return documents


def _finish(
    path: Path,
    documents: dict[str, Clusters],
    name: str,
    clusters: dict[str, list[tuple[int, int]]],
    begun: dict[str, list[tuple[int, int]]],
) -> None:
    for label, places in begun.items():
        if places:
            raise InputError(
                f"({label} opens a mention that is never closed", file=path, line=places[-1][1], field="coreference"
            )
    documents[name] = [cluster for cluster in clusters.values() if cluster]
