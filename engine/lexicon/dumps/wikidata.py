"""Reads labels, aliases, descriptions and classes from the JSON dump of Wikidata, an array with one entity per line.

Entities are named after their page in the Wikipedia of the language; those without a page are left out. A lexicon of
Wikidata has no counts, so it should be used together with one of Wikipedia.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from engine.data.errors import InputError
from engine.lexicon.dumps.facts import Facts
from engine.lexicon.dumps.streams import lines
from engine.lexicon.surfaces import plain_title

LANGUAGE: Final = "en"

CLASSES: Final[Mapping[str, frozenset[str]]] = {
    "class.PER": frozenset({"Q5"}),
    "class.GPE": frozenset({"Q6256", "Q3624078", "Q515", "Q1549591", "Q3957", "Q532", "Q35657", "Q5107", "Q10864048"}),
    "class.ORG": frozenset({"Q43229", "Q4830453", "Q891723", "Q783794", "Q476028", "Q12973014", "Q3918", "Q7278"}),
}
"""What an entity is an instance of (P31), by class: human; country, sovereign state, city, big city, town, village,
state of the USA, continent, first-level division; organisation, business, public company, company, football club,
sports team, university, political party."""


def read(path: Path, facts: Facts) -> None:
    for number, line in lines(path):
        text = line.strip().rstrip(",")
        if text in ("", "[", "]"):
            continue
        try:
            entity = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"this line is not JSON: {error}", file=path, line=number) from error
        if not isinstance(entity, dict):
            raise InputError("this line is not an entity", file=path, line=number)
        _tell(entity, facts)


def _tell(entity: Mapping[str, Any], facts: Facts) -> None:
    title = _text(_at(entity, "sitelinks", f"{LANGUAGE}wiki"), "title")
    if not title:
        return
    facts.name(plain_title(title), title, "title")
    aliases = _at(entity, "aliases", LANGUAGE)
    for name in (_at(entity, "labels", LANGUAGE), *(aliases if isinstance(aliases, list) else ())):
        facts.name(_text(name, "value"), title, "wikidata_alias")
    kinds = set(_instance_of(entity))
    types = tuple(name for name, members in CLASSES.items() if kinds & members)
    facts.about(title, types=types, description=_text(_at(entity, "descriptions", LANGUAGE), "value"))


def _instance_of(entity: Mapping[str, Any]) -> Iterator[str]:
    claims = _at(entity, "claims", "P31")
    for claim in claims if isinstance(claims, list) else ():
        yield _text(_at(claim, "mainsnak", "datavalue", "value"), "id")


def _at(value: Any, *keys: str) -> Any:
    """The value under these keys; None if there is none. (The dump writes empty objects as empty lists.)"""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any, key: str) -> str:
    found = _at(value, key)
    return found if isinstance(found, str) else ""
