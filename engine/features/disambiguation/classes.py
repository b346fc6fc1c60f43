"""Coarse classes of mentions and entities under various names: PER, Person, I-PER and /people/person are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

MENTIONS: Final[Mapping[str, frozenset[str]]] = {
    "PER": frozenset({"per", "pers", "peop", "person", "persons", "people", "human"}),
    "LOC": frozenset({"loc", "location", "place", "gpe", "country", "city"}),
    "ORG": frozenset({"org", "organisation", "organization", "company"}),
    "MISC": frozenset({"misc", "miscellaneous"}),
}
"""The last word of a mention's type, in lower case, by class."""

ENTITIES: Final[Mapping[str, tuple[str, ...]]] = {
    "PER": ("class.per", "person", "people.person", "fictional.", "infobox.person"),
    "GPE": ("class.gpe", "location", "place", "geography.", "infobox.settlement", "infobox.country"),
    "ORG": (
        "class.org", "organi", "company", "business.consumer_company", "business.sponsor", "sports.sports_team",
        "sports.sports_league", "government.", "education.", "venture_capital.", "cvg.cvg_developer", "music.group",
        "tv.tv_network", "broadcast.", "book.newspaper", "infobox.company", "infobox.organi", "infobox.football_club",
        "infobox.university", "infobox.political_party",
    ),
}  # fmt: skip
"""Prefixes of a lexicon's types, in lower case, by class."""

_BETWEEN: Final = re.compile(r"[^A-Za-z]+")


@cache
def mention_class(type: str | None) -> str | None:
    """PER, LOC, ORG, MISC, or None for any other type."""
    words = [word for word in _BETWEEN.split((type or "").lower()) if word]
    return next((name for name, last in MENTIONS.items() if words and words[-1] in last), None)


def entity_class(types: Iterable[str]) -> str | None:
    """PER, GPE, ORG (the first in this order if several apply), or None."""
    known = [type.lower().lstrip("/").replace("/", ".") for type in types]
    return next((name for name, starts in ENTITIES.items() if any(one.startswith(starts) for one in known)), None)
