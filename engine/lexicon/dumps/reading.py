"""Converts dumps of all supported kinds to the text files of a lexicon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from engine.data.errors import InputError
from engine.lexicon.dumps import dbpedia, wikidata, wikipedia
from engine.lexicon.dumps.facts import Facts

READERS: Final[Mapping[str, Callable[[Path, Facts], None]]] = {
    "wikipedia-xml": wikipedia.read,
    "wikidata-json": wikidata.read,
    "dbpedia-ttl": dbpedia.read,
}


def read_dumps(kind: str, paths: Sequence[Path], out: Path, scratch: Path) -> None:
    """Write surfaces, entities, descriptions and links of all files to `out`; `scratch` is for the sorted runs."""
    facts = Facts(scratch)
    for path in map(Path, paths):
        if not path.is_file():
            raise InputError("there is no such file", file=path)
        READERS[kind](path, facts)
    facts.write(out)
