"""Reads Turtle files of DBpedia, with one triple per line: labels, link texts, redirects, disambiguation, types, links.

Each line is <subject> <predicate> <object> or "text"@language, then a full stop; other predicates are skipped.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from engine.data.errors import InputError
from engine.lexicon.dumps.facts import Facts
from engine.lexicon.dumps.streams import lines
from engine.lexicon.surfaces import plain_title

_TRIPLE: Final = re.compile(r'<([^<>"{}|^`\\\s]+)>\s+<([^<>\s]+)>\s+(?:<([^<>\s]+)>|"((?:[^"\\]|\\.)*)"\S*)\s*\.')
_RESOURCE: Final = "/resource/"
_ONTOLOGY: Final = "http://dbpedia.org/ontology/"
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r"}


def read(path: Path, facts: Facts) -> None:
    for number, line in lines(path):
        if not line.strip() or line.startswith(("#", "@")):
            continue
        triple = _TRIPLE.match(line)
        if triple is None:
            raise InputError(
                "expected <subject> <predicate> <object> or a text, and a full stop", file=path, line=number
            )
        subject, predicate, other, text = triple.groups()
        title = _title(subject)
        if title:
            _tell(title, predicate.rpartition("/")[2].rpartition("#")[2], other or "", _unescaped(text or ""), facts)


def _tell(title: str, predicate: str, other: str, text: str, facts: Facts) -> None:
    page = _title(other)
    if predicate == "wikiPageRedirects" and page:
        facts.redirect(title, page)
    elif predicate == "wikiPageDisambiguates" and page:
        facts.name(plain_title(title), page, "disambiguation")
    elif predicate == "wikiPageWikiLink" and page:
        facts.link(page, title)
    elif predicate == "wikiPageWikiLinkText" and text:
        facts.name(text, title, "wikipedia", counted=True)
    elif predicate == "label" and text:
        facts.name(plain_title(text), title, "title")
    elif predicate == "type" and other.startswith(_ONTOLOGY):
        name = other.removeprefix(_ONTOLOGY)
        facts.about(title, types=(name[:1].lower() + name[1:],))
    elif predicate in ("comment", "abstract") and text:
        facts.about(title, description=text)


def _title(address: str) -> str:
    """The title of a resource; empty if the address is not a resource."""
    _, found, name = address.partition(_RESOURCE)
    return unquote(name).replace("_", " ").strip() if found else ""


def _unescaped(text: str) -> str:
    def sign(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code is None:
            return _PLAIN.get(match[3], match[3])
        number = int(code, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"

    return _ESCAPE.sub(sign, text)
