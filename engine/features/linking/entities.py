"""Features of the entity, and of how its title and description fit the span and its text."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, Singles
from engine.features.linking.inventory import FAMILIES
from engine.features.linking.proposing.forms import FORMS
from engine.features.linking.registry import CandidateTable, TableFunction, once, row_feature
from engine.features.linking.text.likeness import Likeness, compare
from engine.lexicon.lexicon import ALIAS_KINDS


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
    """How the n-gram of every row resembles its title."""
    keys, key = t.distinct_keys
    return compare(keys, t.distinct_titles, (key, t.title))


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


@once
def _titles(t: CandidateTable) -> list[Singles]:
    """One row per fact about the title, computed once for each different title."""
    return list(t.distinct_titles.facts[:, t.title])


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
    result = np.zeros(t.candidates.n_rows, dtype=np.float32)
    rows = np.flatnonzero(has_description(t))
    numbers, bag = np.unique(t.number[rows], return_inverse=True)
    result[rows] = t.shared_words([t.inventory.words_about(number) for number in numbers.tolist()], rows, bag)
    return result


@row_feature("context similarity")
def title_overlap(t: CandidateTable) -> Array:
    """Words of the title, its bracket included, that occur in the text outside the span."""
    # A title of one word says no more than its n-gram.
    return t.shared_words(t.distinct_titles.all_words, np.arange(t.candidates.n_rows), t.title, least=2)


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
