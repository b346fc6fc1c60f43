"""Lists of common names and words that distinguish people, places and organisations.

Roth and Yih collected "names of famous places, people and popular titles" in advance; these are our own, written from
general knowledge and not from any corpus. Users add their own as gazetteers: one name per line; the file's name is the
list's name.
"""

from __future__ import annotations

from typing import Final

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
