"""Features from word lists: what the two names are known as, in place of the entity types that most corpora lack."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from engine.features.distant.sites import Site
from engine.features.wordlists import LISTS

_FIRST: Final = ("given", "title", "placeword")
"""Lists in which the first word of a name is looked up."""
_LAST: Final = ("orgword", "placeword", "state", "surname")
"""Lists in which the last word of a name is looked up."""
_TELLING_FIRST: Final = (
    *("is country", "is state", "is city", "is region", "is organisation"),
    *("starts given", "ends orgword", "ends placeword", "starts placeword", "is people", "is surname", "ends surname"),
)
"""What a name is known as, the most telling first."""


def known_names(site: Site) -> Iterator[str]:
    """The lists that have each name or its ends, and what the two are known as."""
    for side, name in (("head", site.head), ("tail", site.tail)):
        for entry in list_entries(name):
            yield f"{side} known={entry}"
    yield f"known={known_as(site.head)}, {known_as(site.tail)}"


@lru_cache(maxsize=100_000)
def list_entries(name: str) -> tuple[str, ...]:
    """The lists that have the name, its first word or its last word; without any, how many words it has."""
    words = [word.lower() for word in re.split(r"[\s_]+", name) if word]
    if not words:
        return ("no name",)
    found = [f"is {title}" for title, entries in LISTS.items() if " ".join(words) in entries]
    found += [f"starts {title}" for title in _FIRST if words[0] in LISTS[title]]
    found += [f"ends {title}" for title in _LAST if words[-1] in LISTS[title]]
    return tuple(found) or (f"unknown of {min(len(words), 3)}",)


@lru_cache(maxsize=100_000)
def known_as(name: str) -> str:
    """The most telling of the entries of a name."""
    entries = list_entries(name)
    return next((entry for entry in _TELLING_FIRST if entry in entries), entries[0])
