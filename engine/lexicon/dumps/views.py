"""Reads files of page views as Wikimedia publishes them, with one page per line:

en Paris 42 0                                    pageviews of an hour: project, page, views, bytes
en.z Paris 4711 A12B7                            pagecounts-ez of a month: project, page, views, views by hour
en.wikipedia Paris 22989 desktop 4711 A12B7      pageviews of a month: project, page, number, access, views, ...
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import unquote

from engine.data.errors import InputError
from engine.lexicon.dumps.facts import Facts
from engine.lexicon.dumps.streams import lines
from engine.lexicon.dumps.wikidata import LANGUAGE

PROJECTS: Final = frozenset(LANGUAGE + ending for ending in ("", ".m", ".zero", ".z", ".m.z", ".wikipedia"))
"""What these files call the Wikipedia of the language: read in a browser, on a phone, or both."""

_ACCESS: Final = frozenset({"desktop", "mobile-web", "mobile-app"})


def read(path: Path, facts: Facts) -> None:
    """Add the views of a file, plain or compressed. Lines of other projects are skipped."""
    met = False
    for number, line in lines(path):
        fields = line.split(" ")
        if fields[0] not in PROJECTS:
            continue
        told = fields[4:5] if len(fields) > 4 and fields[3] in _ACCESS else fields[2:3]
        if not told or not (told[0].isascii() and told[0].isdecimal()):
            raise InputError("expected project, page and number of views", file=path, line=number)
        met = True
        facts.viewed(unquote(fields[1]).replace("_", " "), int(told[0]))
    if not met:
        raise InputError(f"no line of this file is about {LANGUAGE}.wikipedia", file=path)
