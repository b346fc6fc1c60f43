"""Lists of common names and words that distinguish people, places and organisations.

Roth and Yih collected "names of famous places, people and popular titles" in advance; these are our own, written from
general knowledge and not from any corpus. Users add their own as gazetteers: one name per line; the file's name is the
list's name.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Final

from engine.data.errors import InputError
from engine.features.wordlists.cues import BASING, FAMILY, KILLING, LIVING, LOCATING, MEETING, SPEAKING, WORKING
from engine.features.wordlists.organisations import ORGANISATION_WORDS, ORGANISATIONS
from engine.features.wordlists.other import EVENTS, TIMES
from engine.features.wordlists.people import GIVEN_NAMES, PEOPLES, SURNAMES, TITLES
from engine.features.wordlists.places import CITIES, COUNTRIES, PLACE_WORDS, REGIONS, STATES

LISTS: Final[dict[str, frozenset[str]]] = {
    "state": STATES,
    "country": COUNTRIES,
    "city": CITIES,
    "given": GIVEN_NAMES,
    "title": TITLES,
    "orgword": ORGANISATION_WORDS,
    "placeword": PLACE_WORDS,
    "time": TIMES,
    "region": REGIONS,
    "surname": SURNAMES,
    "people": PEOPLES,
    "organisation": ORGANISATIONS,
    "event": EVENTS,
}
"""Lists in which phrases and their words are looked up."""

TRIGGERS: Final[dict[str, frozenset[str]]] = {
    "killing": KILLING,
    "working": WORKING,
    "living": LIVING,
    "basing": BASING,
    "family": FAMILY,
    "locating": LOCATING,
    "speaking": SPEAKING,
    "meeting": MEETING,
}
"""Lists in which the words between and around two phrases are looked up."""


@cache
def fingerprint() -> str:
    """Tells these lists from any others. Models save it: their features depend on every entry."""
    entries = {name: sorted(words) for name, words in (LISTS | TRIGGERS).items()}
    return hashlib.blake2b(json.dumps(entries, sort_keys=True).encode(), digest_size=16).hexdigest()


def check(known: str) -> None:
    """Raise InputError if a model that saved this fingerprint knew other lists."""
    if known != fingerprint():
        raise InputError("the model was trained with other word lists than this version has: train it again")
