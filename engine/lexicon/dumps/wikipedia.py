"""Reads pages-articles XML of MediaWiki: anchors with counts, redirects, disambiguation pages, infoboxes, page links.

The parser holds one page at a time. Markup is read with patterns, not with a grammar: links inside templates count,
comments and nowiki do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from engine.data.errors import InputError
from engine.lexicon.dumps.facts import Facts
from engine.lexicon.dumps.streams import opened
from engine.lexicon.surfaces import plain_title

LONGEST_PAGE: Final = 20_000_000
"""Maximum number of characters of one page; MediaWiki itself allows two million bytes."""

_COMMENT: Final = re.compile(r"<!--.*?-->|<nowiki>.*?</nowiki>", re.DOTALL | re.IGNORECASE)
_ANCHOR: Final = re.compile(r"\[\[([^\[\]|{}<>\n]+)(?:\|([^\[\]\n]*))?\]\]([^\W\d_]*)")
_INFOBOX: Final = re.compile(r"\{\{\s*infobox[ _]+([^|}<\n]+)", re.IGNORECASE)
_SHORT: Final = re.compile(r"\{\{\s*short description\s*\|([^|}]+)", re.IGNORECASE)
_AMBIGUOUS: Final = re.compile(r"\{\{\s*(?:disambig|disambiguation|dab|hndis|geodis)\b[^}]*\}\}", re.IGNORECASE)
_PERSON: Final = re.compile(r"\[\[\s*category\s*:\s*(?:living people|[^\]|]* (?:births|deaths))\s*[\]|]", re.IGNORECASE)
_MARKS: Final = re.compile(r"'{2,}")


def read(path: Path, facts: Facts) -> None:
    """Add the facts of a dump, plain or compressed (.bz2, .gz)."""
    for page in pages(path):
        if page["ns"].strip() != "0":
            continue
        title = page["title"].strip()
        if page["redirect"]:
            facts.redirect(title, target_of(page["redirect"]))
        else:
            _article(title, _COMMENT.sub(" ", page["text"]), facts)


def _article(title: str, text: str, facts: Facts) -> None:
    ambiguous = _AMBIGUOUS.search(text) is not None
    if not ambiguous:
        facts.name(plain_title(title), title, "title")
        types = [f"infobox.{_type(name)}" for name in _INFOBOX.findall(text)]
        types += ["class.PER"] if _PERSON.search(text) else []
        short = _SHORT.search(text)
        facts.about(title, types=tuple(types), description=short[1] if short else "")
    for target, label, trail in _ANCHOR.findall(text):
        page = target_of(target)
        if not page:
            continue
        if ambiguous:
            facts.name(plain_title(title), page, "disambiguation")
        else:
            surface = _MARKS.sub("", label or target.lstrip(":").replace("_", " ")) + trail
            facts.name(surface, page, "wikipedia", counted=True)
            facts.link(page, title)


def target_of(target: str) -> str:
    """The title of a link's target page; empty if that is not an article."""
    page = target.split("#")[0].replace("_", " ").strip()
    space, colon, _ = page.partition(":")
    # A colon before or after a namespace; "Star Trek: Picard" has a space after its colon.
    if page.startswith(":") or (colon and page[len(space) + 1 : len(space) + 2] not in ("", " ") and space.isalpha()):
        return ""
    return " ".join((page[:1].upper() + page[1:]).split())


def _type(name: str) -> str:
    return "_".join(name.lower().replace(",", " ").split())


def pages(path: Path) -> Iterator[dict[str, str]]:
    """title, ns, redirect and text of every page."""
    found: list[dict[str, str]] = []
    parser = _parser(path, found.append)
    with opened(path) as stream:
        while block := stream.read(1 << 20):
            _parse(parser, block, path)
            yield from found
            found.clear()
    _parse(parser, b"", path, final=True)
    yield from found


def _parse(parser: Any, block: bytes, path: Path, *, final: bool = False) -> None:
    try:
        parser.Parse(block, final)
    except expat.ExpatError as error:
        raise InputError(f"this is not readable XML: {error}", file=path, line=parser.ErrorLineNumber) from error


def _parser(path: Path, tell: Callable[[dict[str, str]], None]) -> Any:
    """A parser that calls `tell` for each page. XML entities defined in the file are refused, since they could expand
    without limit."""
    parser = expat.ParserCreate()
    page: dict[str, list[str]] = {}
    open_field: list[str] = []
    size = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal size
        if name == "page":
            page.clear()
            size = 0
        elif name == "redirect":
            page["redirect"] = [attributes.get("title", "")]
        elif name in ("title", "ns", "text"):
            page[name] = []
            open_field.append(name)

    def end(name: str) -> None:
        if open_field and name == open_field[-1]:
            open_field.pop()
        elif name == "page":
            tell({field: "".join(page.get(field, ())) for field in ("title", "ns", "redirect", "text")})

    def characters(text: str) -> None:
        nonlocal size
        if open_field:
            size += len(text)
            if size > LONGEST_PAGE:
                raise InputError(f"a page is longer than {LONGEST_PAGE:,} characters", file=path)
            page[open_field[-1]].append(text)

    def refuse(*_: Any) -> None:
        raise InputError("an XML file with entities of its own is not read", file=path)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = characters, refuse
    parser.buffer_text = True
    return parser
