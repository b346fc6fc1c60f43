"""Aliases: pieces and initials of the titles of entities that are known at all, and how well known entities are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import marisa_trie
import numpy as np

from engine.arrays import Array, Floats
from engine.lexicon.lexicon import ALIAS_KINDS
from engine.lexicon.surfaces import normalise, plain_title, words_of

MOST_PER_ALIAS: Final = 8
"""Maximum number of entities kept for one derived alias, best known first."""

_ROWS: Final = 1 << 22
"""Number of postings that are counted at a time."""

_SMALL_WORDS: Final = frozenset("the of and for in on at to a an de la le du von van & vs by with from".split())


def renown(
    n_entities: int, entities: Mapping[str, Any], postings: Mapping[str, Any], tagsets: Sequence[Sequence[str]]
) -> Floats:
    """How well known each entity is, for ranking the readings of an alias; 0 if there is no evidence."""
    # Lists of names without counts are no evidence of renown, but curated sources are.
    curated = np.array([any(t in ("pantheon", "wikidata_alias", "ppr") for t in tags) for tags in tagsets], dtype=float)
    linked, listed = np.zeros(n_entities), np.zeros(n_entities)
    for at in range(0, len(postings["posting_entities"]), _ROWS):
        rows = slice(at, at + _ROWS)
        entity = postings["posting_entities"][rows]
        linked += np.bincount(entity, weights=postings["posting_counts"][rows], minlength=n_entities)
        listed += np.bincount(entity, weights=curated[postings["posting_tagsets"][rows]], minlength=n_entities)
    found: Floats = (
        np.log1p(linked)
        + np.log1p(entities["entity_in_count"])
        + np.log1p(entities["entity_views"]) / 4
        + entities["entity_popularity"] / 4
        + (listed > 0)
    )
    return found


def alias_readings(titles: Any, entity: int) -> Iterator[tuple[str, int]]:
    """The aliases of an entity, each with a number that stands for the entity and the kind of the alias."""
    for alias, kind in title_aliases(titles.restore_key(entity)):
        yield alias, entity * len(ALIAS_KINDS) + ALIAS_KINDS.index(kind)


def alias_trie(found: Mapping[str, list[int]], known: Floats) -> tuple[marisa_trie.Trie, Array, Array, Array]:
    """The trie of these aliases; where the readings of each begin, and their entities and kinds, best known first."""
    trie = marisa_trie.Trie(found)
    offsets = np.zeros(len(trie) + 1, dtype=np.int32)
    rows: list[int] = []
    for place in range(len(trie)):
        readings = found[trie.restore_key(place)]
        if len(readings) > 1:
            # If a title has the alias in several kinds, the first counts.
            first = {reading // len(ALIAS_KINDS): reading for reading in reversed(readings)}
            readings = [first[e] for e in sorted(first, key=lambda e: (-known[e], e))[:MOST_PER_ALIAS]]
        rows += readings
        offsets[place + 1] = len(rows)
    entities, kinds = np.divmod(np.array(rows, dtype=np.int64), len(ALIAS_KINDS))
    return trie, offsets, entities.astype(np.int32), kinds.astype(np.uint8)


def title_aliases(title: str) -> Iterator[tuple[str, str]]:
    """(alias, kind) for every shorter form of a title that can be made from its words."""
    if "," in plain_title(title):
        yield normalise(plain_title(title).split(",")[0]), "place"
    words = words_of(title)
    if not 2 <= len(words) <= 8:
        return
    content = [word for word in words if word not in _SMALL_WORDS]
    for initials in {"".join(w[0] for w in words), "".join(w[0] for w in content)}:
        if len(initials) > 1 and initials.isalnum():
            yield initials, "initials"
    club = [w for w in words if w not in ("fc", "afc", "cf")]
    if len(club) < len(words) and club:
        yield "".join(w[0] for w in club) + "fc", "initials"
    if len(words) == 2 and len(words[0]) > 2:
        yield f"{words[0][0]} {words[1]}", "part"
    if 3 <= len(words) <= 5:
        # "Venice festival" for the Venice Film Festival: one inner word omitted.
        for gap in range(1, len(words) - 1):
            yield " ".join(words[:gap] + words[gap + 1 :]), "part"
    for low in range(len(words)):
        for high in range(low + 1, len(words) + 1):
            piece = words[low:high]
            if high - low == len(words) or piece[0] in _SMALL_WORDS or piece[-1] in _SMALL_WORDS:
                continue
            if high - low == 1 and len(piece[0]) < 3:
                continue
            kind = "part"
            if high - low == 1:
                kind = "first" if low == 0 else "last" if high == len(words) else "part"
            yield " ".join(piece), kind
