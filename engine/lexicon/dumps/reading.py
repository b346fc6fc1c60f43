"""Converts dumps of all supported kinds to the text files of a lexicon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from engine.data.errors import InputError
from engine.lexicon.dumps import dbpedia, views, wikidata, wikipedia
from engine.lexicon.dumps.facts import Facts

READERS: Final[Mapping[str, Callable[[Path, Facts], None]]] = {
    "wikipedia-xml": wikipedia.read,
    "wikidata-json": wikidata.read,
    "dbpedia-ttl": dbpedia.read,
}


def read_dumps(kind: str, paths: Sequence[Path], out: Path, scratch: Path, viewed: Sequence[Path] = ()) -> None:
    """Write surfaces, entities, descriptions and links of all files to `out`, with the page views in the files
    `viewed`; `scratch` is for the sorted runs."""
    facts = Facts(scratch)
    readers = [*((path, READERS[kind]) for path in map(Path, paths)), *((path, views.read) for path in viewed)]
    for path, read in readers:
        if not path.is_file():
            raise InputError("there is no such file", file=path)
        read(path, facts)
    facts.write(out)
