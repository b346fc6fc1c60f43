"""Loose look-up of names that a lexicon does not have as written: other spellings, and titles they may be.

Outside edited news, names appear as hashtags, in capitals, with a possessive, or are missing from the lexicon
altogether. Looser readings are tried only if the stricter ones found nothing, so a known name keeps its prior.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.features.disambiguation.strings import normalise
from engine.lexicon.lexicon import Lexicon, spelled_out, written_forms
from engine.lexicon.surfaces import fold, split_camel, squeeze

_SIGNS: Final = "#@"
_MOST_ALIASES: Final = 10
"""A first name or initials shared by more entities than this identify none of them."""


def other_names(text: str, lexicon: Lexicon) -> Iterator[str]:
    """Other forms under which the lexicon may contain a name that it does not have as written, closest first."""
    bare = text.lstrip(_SIGNS).strip()
    plain = normalise(bare)
    asked = {normalise(text)}
    single = " " not in plain
    forms = [key for _, key in written_forms(bare, plain, single=single)]
    forms += spelled_out(plain)
    if plain.startswith("the "):
        forms.append(plain.removeprefix("the "))
    forms += [name for spelling in (plain, *spelled_out(plain)) for name in lexicon.squeezed_matches(squeeze(spelling))]
    for name in forms:
        if name and name not in asked:
            asked.add(name)
            yield name


def by_title_pieces(text: str, lexicon: Lexicon) -> list[int]:
    """Entities whose title contains the name as a piece or as its initials; none if there are too many."""
    alias = fold(normalise(text.lstrip(_SIGNS))).replace(".", "")
    entities = list(dict.fromkeys(entity for entity, _ in lexicon.alias_matches(alias)))
    return entities if len(entities) <= _MOST_ALIASES else []


def own_titles(text: str) -> list[str]:
    """The name itself as a title, likeliest form first: as written, and capitalised if it is all lower case or all
    capitals."""
    words = text.lstrip(_SIGNS).split()
    if len(words) == 1:
        words = split_camel(words[0]).split()
    if not words:
        return []
    written = " ".join(words)
    titles = [written[:1].upper() + written[1:]]
    if written.isupper() or written.islower():
        capital = " ".join(word[:1].upper() + word[1:].lower() for word in words)
        # One word in capitals is mostly an abbreviation, and its article has that title too.
        titles = [*titles, capital] if len(words) == 1 else [capital, *titles]
    return list(dict.fromkeys(titles))
