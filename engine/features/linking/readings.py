"""What names may stand for: the entities of an n-gram, from an inventory and the training counts that a text may see.

What is found of an n-gram is kept as bytes of rows, so that a block of texts puts them together without reading them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from engine.features.linking.inventory import SOURCE_NAMES, Inventory
from engine.features.linking.memory import View
from engine.features.linking.proposing.forms import FORM
from engine.features.linking.proposing.proposer import Reading, alias_key
from engine.features.linking.text.words import COMMON
from engine.lexicon.lexicon import ALIAS_KINDS

KEPT: Final = 1 << 15
"""Maximum number of n-grams whose entities are cached."""
ROW: Final = np.dtype(
    [
        ("entity", np.int64),
        ("other", np.float64),
        ("tweets", np.float64),
        ("sources", np.int64),
        ("forms", np.int64),
        ("aliases", np.int64),
    ]
)
"""An entity, or -1 for the first title that the knowledge base lacks, -2 for the second and so on; its count in other
texts and in tweets; bits of its sources, forms and aliases."""
_ALIAS: Final = {name: 1 << i for i, name in enumerate(ALIAS_KINDS)}
_MEMORY_SOURCE: Final = 1 << SOURCE_NAMES.index("tweets")

_Evidence: TypeAlias = tuple[float, float, int, int, int]
"""count in other texts, count in tweets, sources, forms, aliases"""


class Found(NamedTuple):
    """The entities that an n-gram may stand for."""

    rows: bytes
    """As many ROWs."""
    n_rows: int
    guesses: tuple[str, ...]
    """Titles that the knowledge base lacks."""


class Reader:
    """Finds the entities that names may stand for."""

    def __init__(self, inventory: Inventory, view: View) -> None:
        self.inventory = inventory
        self.view = view
        self.found = lru_cache(maxsize=KEPT)(self._found)

    def _found(self, reading: Reading) -> Found:
        evidence = self._read(reading)
        guesses = tuple(entity for entity in evidence if isinstance(entity, str))
        place = {guess: -1 - i for i, guess in enumerate(guesses)}
        rows = [(place[entity] if isinstance(entity, str) else entity, *values) for entity, values in evidence.items()]
        return Found(np.array(rows, dtype=ROW).tobytes(), len(rows), guesses)

    def _read(self, reading: Reading) -> dict[int | str, _Evidence]:
        """The evidence for each entity or unknown title."""
        inventory, view = self.inventory, self.view
        found: dict[int | str, _Evidence] = {}
        # Looser forms are tried depending on what the stricter ones found without the present text: a surface that only
        # this text supports counts as absent.
        for surface, form in reading.surfaces:
            self._look_up(surface, form, found)
        if reading.single or not found:
            for surface in reading.squeezed:
                self._look_up(surface, FORM["spaceless"], found)
        for surface in reading.affixes:
            if found:
                break
            self._look_up(surface, FORM["affix"], found)
        alias = alias_key(reading.key)
        if alias not in COMMON or reading.capital:
            for entity, kind in supported_aliases(alias, view, inventory):
                _add(found, entity, (0.0, 0.0, 0, 0, _ALIAS[kind]))
        for guess in reading.guesses:
            known = inventory.entities.number(guess)
            # A title that only the present text supports must look like the unknown title that it would be without it.
            supported = known >= 0 and _is_supported(known, view, inventory)
            _add(found, known if supported else guess, (0.0, 0.0, 0, FORM["guess"], 0))
        return found

    def _look_up(self, surface: str, form: int, found: dict[int | str, _Evidence]) -> None:
        for entity, other, tweets, sources in self.inventory.readings(surface):
            _add(found, entity, (other, tweets, sources, form, 0))
        for title in self.view.titles(surface):
            known = self.inventory.entities.number(title)
            count = self.view.count("pairs", surface, title)
            _add(found, known if known >= 0 else title, (0.0, count, _MEMORY_SOURCE, form | FORM["memory"], 0))


def _add(found: dict[int | str, _Evidence], entity: int | str, new: _Evidence) -> None:
    row = found.get(entity)
    if row is not None:
        new = (row[0] + new[0], row[1] + new[1], row[2] | new[2], row[3] | new[3], row[4] | new[4])
    found[entity] = new


def supported_aliases(alias: str, view: View, inventory: Inventory) -> list[tuple[int, str]]:
    """Entities by a piece or the initials of their title, without evidence from the present text."""
    matches = inventory.alias_matches(alias)
    return [(entity, kind) for entity, kind in matches if _is_supported(entity, view, inventory)]


def _is_supported(entity: int, view: View, inventory: Inventory) -> bool:
    """Whether the entity is known from other sources than the present text; otherwise its aliases would give away the
    answer."""
    if inventory.supported[entity]:
        return True
    return view.count("entities", inventory.entities.title(entity)) > 0
