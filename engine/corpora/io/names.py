"""Entity titles in the spelling of other formats: URIs of DBpedia and Wikipedia, and names without white space.

A space is written as "_"; characters that the target cannot hold, including a literal "_", are percent-encoded, so
every title can be read back exactly. URIs of other knowledge bases are used unchanged as entities.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote

from engine.data.errors import InputError

DBPEDIA: Final = "http://dbpedia.org/resource/"
WIKIPEDIA: Final = "http://en.wikipedia.org/wiki/"
BASES: Final = (
    DBPEDIA,
    WIKIPEDIA,
    "https://dbpedia.org/resource/",
    "https://en.wikipedia.org/wiki/",
    "http://yago-knowledge.org/resource/",
)


def to_name(title: str) -> str:
    """The title in a readable form without white space; a title that begins like a NIL id is marked to distinguish
    it."""
    if not title:
        raise InputError("an entity without a name cannot be written")
    name = "".join(_escape(character) for character in title)
    return "%4E" + name[1:] if name.startswith("NIL") else name


def _escape(character: str) -> str:
    if character == " ":
        return "_"
    if character in "_%" or character.isspace() or not character.isprintable():
        return "".join(f"%{byte:02X}" for byte in character.encode("utf-8"))
    return character


def from_name(name: str) -> str:
    return unquote(name.replace("_", " "), errors="replace")


def to_uri(title: str, base: str = DBPEDIA) -> str:
    if not title:
        raise InputError("an entity without a name cannot be written")
    if is_uri(title) and from_uri(title) == title:
        return title
    return base + quote(title, safe="/:,()!*'$&+;=@~").replace("_", "%5F").replace("%20", "_")


def from_uri(uri: str) -> str:
    """The title that a DBpedia or Wikipedia URI stands for; any other URI is its own name."""
    for base in BASES:
        if uri.startswith(base) and len(uri) > len(base):
            return from_name(uri[len(base) :])
    return uri


def is_uri(text: str) -> bool:
    """Whether this can be written to an RDF file unchanged."""
    scheme, colon, rest = text.partition("://")
    plain = all(
        character.isascii() and character.isprintable() and character not in ' <>"{}|\\^`' for character in rest
    )
    return bool(colon and rest) and scheme.isascii() and scheme.isalnum() and plain
