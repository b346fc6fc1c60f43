"""Features of the entity, and of how its title and description fit the span and its text."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from engine.arrays import Array, Singles
from engine.features.linking.inventory import FAMILIES
from engine.features.linking.proposing.forms import FORMS
from engine.features.linking.registry import CandidateTable, TableFunction, once, row_feature
from engine.features.linking.text.likeness import Likeness, compare
from engine.features.linking.text.words import COMMON
from engine.lexicon.lexicon import ALIAS_KINDS
from engine.lexicon.surfaces import fold, plain_title, words_of

KEPT: Final = 1 << 15
"""Maximum number of cached titles."""


@row_feature("popularity")
def in_links(t: CandidateTable) -> Array:
    """Log of the links into the entity's page."""
    return np.log1p(t.of_entity(t.inventory.entities.in_count))


@row_feature("popularity")
def freebase_popularity(t: CandidateTable) -> Array:
    """The entity's popularity in Freebase, 0 if unknown."""
    return t.of_entity(t.inventory.entities.popularity)


@row_feature("popularity")
def page_views(t: CandidateTable) -> Array:
    """Log of the views of the entity's page."""
    return np.log1p(t.of_entity(t.inventory.entities.views))


@row_feature("popularity")
def renown(t: CandidateTable) -> Array:
    """Counts outside tweets, in-links, views and popularity on one scale."""
    return t.of_entity(t.inventory.renown)


@row_feature("popularity")
def renown_margin(t: CandidateTable) -> Array:
    """The entity's renown less the highest among the mention's entities."""
    value = t.of_entity(t.inventory.renown)
    return value - t.max_by_mention(value)[t.mention]


@row_feature("popularity")
def linked_elsewhere(t: CandidateTable) -> Array:
    """Log of the links to the entity in annotated texts outside tweets."""
    return np.log1p(t.of_entity(t.inventory.other_count))


@row_feature("popularity")
def linked_in_tweets(t: CandidateTable) -> Array:
    """Log of the links to the entity in other tweets, whatever the surface."""
    return np.log1p(t.tweet_links)


@row_feature("popularity")
def n_names(t: CandidateTable) -> Array:
    """Log of the number of surfaces the entity has."""
    return np.log1p(t.of_entity(t.inventory.n_surfaces))


@row_feature("popularity")
def has_description(t: CandidateTable) -> Array:
    """The knowledge base describes the entity."""
    return t.of_entity(np.diff(t.inventory.entities.description_offsets) > 0)


def _family(index: int, name: str) -> TableFunction:
    def typed(t: CandidateTable) -> Array:
        return t.of_entity(t.inventory.families[:, index])

    typed.__name__ = f"type_{name}"
    typed.__doc__ = f"The entity has a type of the family '{name.replace('_', ' ')}'."
    return typed


for _index, _name in enumerate(FAMILIES):
    row_feature("entity type")(_family(_index, _name))


def _form(index: int, name: str) -> TableFunction:
    def formed(t: CandidateTable) -> Array:
        return (t.candidates.forms >> index) & 1

    formed.__name__ = f"form_{name}"
    formed.__doc__ = f"The surface was found by its form '{name}'."
    return formed


for _index, _name in enumerate(FORMS):
    row_feature("look-up")(_form(_index, _name))


def _alias(index: int, name: str) -> TableFunction:
    def derived(t: CandidateTable) -> Array:
        return (t.candidates.aliases >> index) & 1

    derived.__name__ = f"alias_{name}"
    derived.__doc__ = f"The surface is an alias made from the title: {name}."
    return derived


for _index, _name in enumerate(ALIAS_KINDS):
    row_feature("look-up")(_alias(_index, _name))


@row_feature("look-up")
def only_alias(t: CandidateTable) -> Array:
    """No source lists the surface for this entity; the title alone suggests it."""
    alone: Array = (t.candidates.sources == 0) & (t.candidates.aliases > 0)
    return alone


@row_feature("look-up")
def unlisted_title(t: CandidateTable) -> Array:
    """The title is a guess: the knowledge base does not have it."""
    return ~t.known


@once
def _likenesses(t: CandidateTable) -> Likeness:
    """How n-grams resemble titles, computed once for each different pair of them, on every row."""
    keys, titles, pairs, which = t.distinct_pairs
    return Likeness(*(values[which] for values in compare(keys, titles, pairs)))


@row_feature("string similarity")
def title_dice(t: CandidateTable) -> Array:
    """Dice coefficient of the letter trigrams of n-gram and title."""
    return _likenesses(t).dice


@row_feature("string similarity")
def same_letters(t: CandidateTable) -> Array:
    """The n-gram has the letters and digits of the title without its bracket."""
    return _likenesses(t).same_letters


@row_feature("string similarity")
def same_title(t: CandidateTable) -> Array:
    """The n-gram is the whole title, bracket and comma included."""
    return _likenesses(t).same_title


@row_feature("string similarity")
def title_covered(t: CandidateTable) -> Array:
    """Share of the title's words that occur in the n-gram."""
    return _likenesses(t).covered


@row_feature("string similarity")
def title_starts_alike(t: CandidateTable) -> Array:
    """Title and n-gram start with the same four letters."""
    return _likenesses(t).starts_alike


@lru_cache(maxsize=KEPT)
def _title_facts(title: str) -> tuple[float, ...]:
    """The values of the title features below, in order."""
    plain, words = plain_title(title).split(), words_of(title)
    rest = [word for word in plain[1:] if len(word) > 3]
    known = words or (title.lower(),)
    return (
        "(" in title,
        ", " in title,
        len(plain),
        len([word for word in rest if word[:1].isupper()]) / len(rest) if rest else 0.5,
        len([word for word in known if word in COMMON]) / len(known),
        any(word.isdigit() and len(word) == 4 for word in words),
    )


@once
def _titles(t: CandidateTable) -> list[Singles]:
    """One row per fact about the title, computed once for each different title."""
    titles, which = t.distinct_titles
    found = [_title_facts(title) for title in titles]
    return list(np.array(found, dtype=np.float32).reshape(len(titles), 6).T[:, which])


@row_feature("title")
def title_has_bracket(t: CandidateTable) -> Array:
    """The title has a bracket, so it has better-known namesakes."""
    return _titles(t)[0]


@row_feature("title")
def title_has_comma(t: CandidateTable) -> Array:
    """The title has a comma, as towns have."""
    return _titles(t)[1]


@row_feature("title")
def title_n_words(t: CandidateTable) -> Array:
    """Number of words of the title without its bracket."""
    return _titles(t)[2]


@row_feature("title")
def title_is_proper(t: CandidateTable) -> Array:
    """Share of the title's words after the first that start with a capital; 0.5 for one word."""
    return _titles(t)[3]


@row_feature("title")
def title_is_common(t: CandidateTable) -> Array:
    """Share of the title's words that are common English words."""
    return _titles(t)[4]


@row_feature("title")
def title_has_year(t: CandidateTable) -> Array:
    """A year is in the title, as in the names of events."""
    return _titles(t)[5]


@row_feature("context similarity")
def description_overlap(t: CandidateTable) -> Array:
    """Words of the entity's description that occur in the text outside the span."""
    kb = t.inventory.entities
    described: dict[int, frozenset[str]] = {}
    result = np.zeros(t.candidates.n_rows, dtype=np.float32)
    for row in np.flatnonzero(has_description(t)):
        number = int(t.number[row])
        if number not in described:
            described[number] = frozenset(fold(kb.description(number).lower()).replace(",", " ").split()) - COMMON
        result[row] = len(described[number] & t.outside[t.mention[row]])
    return result


@row_feature("context similarity")
def title_overlap(t: CandidateTable) -> Array:
    """Words of the title, its bracket included, that occur in the text outside the span."""
    titles, which = t.distinct_titles
    words = [_all_words(title) for title in titles]
    outside = t.outside
    rows = zip(which.tolist(), t.mention.tolist(), strict=True)
    counts = [len(words[title] & outside[m]) if len(words[title]) > 1 else 0 for title, m in rows]
    return np.array(counts, dtype=np.float32)


@lru_cache(maxsize=KEPT)
def _all_words(title: str) -> frozenset[str]:
    return frozenset(w.strip("(),.") for w in fold(title.lower()).split())


@row_feature("context similarity")
def remembered_context(t: CandidateTable) -> Array:
    """Content words of the text that other training texts with this entity share, by their number."""
    contexts = t.contexts
    document = t.candidates.document[t.mention]
    result = np.zeros(t.candidates.n_rows, dtype=np.float32)
    for row in np.flatnonzero(t.tweet_links > 0):
        view = t.candidates.views[document[row]]
        title = t.titles[row]
        if view.count("entities", title) > 0:
            result[row] = sum(view.count("context", title, w) > 0 for w in contexts[document[row]])
    return result


@row_feature("form")
def noun_frequency(t: CandidateTable) -> Array:
    """Log of the descriptions that use the span's rarest word in small letters: how much of a common noun it is."""
    counts = t.inventory.described
    rarest = t.spans.lowest(t.spans.of_lower(lambda word: counts.get(word, 0)))
    return np.log1p(rarest.astype(np.float32))[t.mention]
