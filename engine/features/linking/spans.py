"""Features of the span alone: capitals, form, neighbours, and NER-style flags."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, Floats
from engine.features.linking.memory import View
from engine.features.linking.registry import CandidateTable, mention_feature, once
from engine.features.linking.text.words import (
    BEFORE_PLACES,
    COMMON,
    DATE_WORDS,
    EVENT_WORDS,
    GIVEN_NAMES,
    GROUP_WORDS,
    RANKS,
    TITLES,
)

_JOINTS = (".", "-", "/", "&", "_")
_USER, _HASHTAG = ord("@"), ord("#")


@mention_feature("capitalisation")
@once
def capital_share(t: CandidateTable) -> Array:
    """Share of the span's words that start with a capital."""
    s = t.spans
    return s.total(s.capital) / (s.n_tokens - s.total(s.of_word(lambda word: word == "-")))


@mention_feature("capitalisation")
@once
def first_capital(t: CandidateTable) -> Array:
    """The first word starts with a capital."""
    return t.spans.capital[t.spans.first]


@mention_feature("capitalisation")
def all_capitals(t: CandidateTable) -> Array:
    """Every letter is a capital."""
    s = t.spans
    # A word without letters is neutral: next to capitals it changes nothing.
    small = s.of_word(lambda word: not f"A{word}".isupper())
    return s.any(s.of_word(str.isupper)) & ~s.any(small)


@mention_feature("capitalisation")
def inner_capital(t: CandidateTable) -> Array:
    """A capital stands inside a word, as in CamelCase."""
    s = t.spans
    return s.any(s.of_word(lambda word: any(map(str.isupper, word[1:])) and not word.isupper()))


@mention_feature("capitalisation")
def capital_rate(t: CandidateTable) -> Array:
    """Share of uses of the span's words in training texts, away from sentence starts, that are capitalised."""
    s = t.spans
    return (s.total(s.count("capital")) + 0.3) / (s.total(s.count("words")) + 1.0)


@mention_feature("capitalisation")
def starts_sentence(t: CandidateTable) -> Array:
    """The span opens the text or follows a full stop, so that its capital says little."""
    s = t.spans
    return np.equal(t.candidates.first, 0) | s.is_lower((".", "!", "?", ":", '"', "", "rt"))[s.before]


@mention_feature("context capitalisation")
def text_capital_rate(t: CandidateTable) -> Array:
    """Share of the text's words that start with a capital: in a headline capitals say little."""
    s = t.spans
    return s.total_of_text(s.capital & s.bounds) / np.maximum(1, s.total_of_text(s.bounds))


@mention_feature("context capitalisation")
@once
def capital_before(t: CandidateTable) -> Array:
    """The word before the span starts with a capital: the name may be longer."""
    return (t.spans.bounds & t.spans.capital)[t.spans.neighbour]


@mention_feature("context capitalisation")
@once
def capital_after(t: CandidateTable) -> Array:
    """The word after the span starts with a capital: the name may be longer."""
    return (t.spans.bounds & t.spans.capital)[t.spans.after]


@mention_feature("context capitalisation")
def text_is_shouting(t: CandidateTable) -> Array:
    """Most letters of the text are capitals."""
    return t.of_text(lambda text: _shout_rate(text.text))


def _shout_rate(text: str) -> float:
    letters = list(filter(str.isalpha, text))
    return sum(map(str.isupper, letters)) / max(1, len(letters))


@mention_feature("form")
def n_tokens(t: CandidateTable) -> Array:
    """Number of tokens."""
    return t.spans.n_tokens


@mention_feature("form")
def n_characters(t: CandidateTable) -> Array:
    """Number of characters."""
    return np.fromiter(map(len, t.candidates.keys), np.float64, t.candidates.n_mentions)


@mention_feature("form")
def has_digit(t: CandidateTable) -> Array:
    """A digit occurs."""
    return np.array([any(map(str.isdigit, key)) for key in t.candidates.keys])


@mention_feature("form")
def has_mark(t: CandidateTable) -> Array:
    """Something other than letters, digits and spaces occurs."""
    return np.array([not key.replace(" ", "").isalnum() for key in t.candidates.keys])


@mention_feature("form")
def goes_on_before(t: CandidateTable) -> Array:
    """The span follows a letter and a mark without a space, as in an address or a compound."""
    texts, starts = t.texts, t.starts
    return np.array(
        [
            text[start - 1 : start] in _JOINTS and text[start - 2 : start - 1].isalnum()
            for text, start in zip(texts, starts, strict=True)
        ]
    )


@mention_feature("form")
def goes_on_after(t: CandidateTable) -> Array:
    """A mark and a letter follow without a space, as in an address or a compound; or a plus sign, as in Google+."""
    texts, ends = t.texts, t.ends
    return np.array([_goes_on(text[end : end + 2]) for text, end in zip(texts, ends, strict=True)])


def _goes_on(rest: str) -> bool:
    return rest[:1] == "+" or (rest[:1] in _JOINTS and rest[1:].isalnum())


@mention_feature("form")
def common_share(t: CandidateTable) -> Array:
    """Share of the words that are common English words."""
    return t.spans.total(t.spans.is_lower(COMMON)) / t.spans.n_tokens


@mention_feature("form")
def common_rank(t: CandidateTable) -> Array:
    """How common the least common word is: 3 for the most frequent words, 0 for words not on our list."""
    return t.spans.lowest(t.spans.of_lower(lambda word: RANKS.get(word, 0)))


@mention_feature("form")
def word_frequency(t: CandidateTable) -> Array:
    """Log of the uses of the span's rarest word in training texts."""
    return np.log1p(t.spans.lowest(t.spans.count("words")))


@mention_feature("form")
def lower_frequency(t: CandidateTable) -> Array:
    """Log of the uses without a capital of the span's rarest word in training texts."""
    return np.log1p(np.maximum(0, t.spans.lowest(t.spans.count("words") - t.spans.count("capital"))))


@mention_feature("form")
def starts_with_article(t: CandidateTable) -> Array:
    """The first word is an article."""
    return t.spans.is_lower(("the", "a", "an"))[t.spans.first]


def _rate(t: CandidateTable, table: str, more: float, uses: float) -> Floats:
    """How often each token occurs in this position in training texts, smoothed towards more / uses."""
    return (t.spans.count(table) + more) / (t.spans.count("words") + uses)


@mention_feature("context")
def link_rate_before(t: CandidateTable) -> Array:
    """How often a linked mention follows the word before the span in training texts."""
    return _rate(t, "before", 0.2, 2.0)[t.spans.before]


@mention_feature("context")
def link_rate_after(t: CandidateTable) -> Array:
    """How often a linked mention precedes the word after the span in training texts."""
    return _rate(t, "after", 0.2, 2.0)[t.spans.after]


@mention_feature("context")
def inside_rate(t: CandidateTable) -> Array:
    """How often the span's words are part of a linked mention in training texts, the lowest of them."""
    return t.spans.lowest(_rate(t, "inside", 0.1, 1.0))


@mention_feature("context")
def inside_rate_before(t: CandidateTable) -> Array:
    """How often the word before the span is part of a linked mention in training texts."""
    return _rate(t, "inside", 0.05, 1.0)[t.spans.before]


@mention_feature("context")
def inside_rate_after(t: CandidateTable) -> Array:
    """How often the word after the span is part of a linked mention in training texts."""
    return _rate(t, "inside", 0.05, 1.0)[t.spans.after]


@mention_feature("context")
def position(t: CandidateTable) -> Array:
    """Where in the text the span starts, from 0 to 1."""
    return t.candidates.first / t.spans.text_lengths


@mention_feature("context")
def text_length(t: CandidateTable) -> Array:
    """Number of tokens of the text."""
    return t.spans.text_lengths


@mention_feature("context")
def has_link(t: CandidateTable) -> Array:
    """The text holds a web address, as news do."""
    return t.of_text(lambda text: "http" in text.text)


@mention_feature("context")
def is_retweet(t: CandidateTable) -> Array:
    """The text is a retweet."""
    return t.of_text(lambda text: "rt" in text.lower[:3])


@mention_feature("context")
def first_person(t: CandidateTable) -> Array:
    """The text speaks of I, me or my, as chat does."""
    return t.spans.total_of_text(t.spans.is_lower(("i", "me", "my", "im", "i'm"))) > 0


@mention_feature("NER")
def is_user(t: CandidateTable) -> Array:
    """The span is a Twitter user name."""
    return np.equal(t.spans.signs, _USER)


@mention_feature("NER")
def is_reply(t: CandidateTable) -> Array:
    """The span is the user name that the text opens with, or the one that is retweeted."""
    opens = (t.candidates.first <= 1) | t.spans.is_lower(("rt",))[t.spans.before]
    return np.equal(t.spans.signs, _USER) & opens


@mention_feature("NER")
def is_hashtag(t: CandidateTable) -> Array:
    """The span is a hashtag."""
    return np.equal(t.spans.signs, _HASHTAG)


@mention_feature("NER")
def person_like(t: CandidateTable) -> Array:
    """A given name opens the span, or a title such as Mr stands before it."""
    s = t.spans
    return s.is_lower(GIVEN_NAMES)[s.first].astype(np.float64) + s.is_lower(TITLES)[s.before]


@mention_feature("NER")
def location_like(t: CandidateTable) -> Array:
    """A preposition of place stands before the span."""
    return t.spans.is_lower(BEFORE_PLACES)[t.spans.before]


@mention_feature("NER")
def organisation_like(t: CandidateTable) -> Array:
    """A word such as Bank, University or United is in the span."""
    return t.spans.any(t.spans.is_lower(GROUP_WORDS))


@mention_feature("NER")
def product_like(t: CandidateTable) -> Array:
    """A capitalised word with a number, or an inner capital at the start, as in iPhone."""
    s = t.spans
    numbered = s.any(s.capital) & s.any(s.of_word(lambda word: word[-1:].isdigit()))
    return numbered | s.any(s.of_word(lambda word: word[:1].islower() and word[1:2].isupper()))


@mention_feature("NER")
def event_like(t: CandidateTable) -> Array:
    """A word such as Cup or Festival, or a year, is in the span."""
    return t.spans.total(t.spans.of_lower(lambda word: word in EVENT_WORDS or (word.isdigit() and len(word) == 4))) > 0


@mention_feature("NER")
def date_like(t: CandidateTable) -> Array:
    """The name of a day, a month or a feast is in the span."""
    return t.spans.any(t.spans.is_lower(DATE_WORDS))


@mention_feature("NER")
def possessive_after(t: CandidateTable) -> Array:
    """A possessive 's follows."""
    return t.spans.is_lower(("'s",))[t.spans.after]


@mention_feature("NER")
def determiner_before(t: CandidateTable) -> Array:
    """An article, a possessive pronoun or a demonstrative stands before the span."""
    words = ("the", "a", "an", "my", "your", "his", "her", "our", "their", "this", "that", "these")
    return t.spans.is_lower(words)[t.spans.before]


@once
def _titles_with(t: CandidateTable) -> list[Floats]:
    """For each token, the numbers of titles that begin and end with it."""

    def n_titles(view: View, word: str) -> tuple[int, int]:
        first, last, rest = t.inventory.titles_with(word)
        kinds = [kind for entity, kind in rest if view.count("entities", t.inventory.entities.title(entity)) > 0]
        return first + kinds.count("first"), last + kinds.count("last")

    # Without any token the array has no second dimension.
    return list(t.spans.of_view(n_titles).reshape(-1, 2).T)


@mention_feature("NER")
def first_word_names(t: CandidateTable) -> Array:
    """Number of known titles that start with the span's first word, at most eight: given names and the like."""
    return _titles_with(t)[0][t.spans.first]


@mention_feature("NER")
def last_word_names(t: CandidateTable) -> Array:
    """Number of known titles that end in the span's last word, at most eight: family names and the like."""
    return _titles_with(t)[1][t.spans.last - 1]


@mention_feature("capitalisation")
def is_capital_run(t: CandidateTable) -> Array:
    """The span is a whole run of capitalised words: none before it, none after it."""
    return np.equal(capital_share(t), 1.0) & ~capital_before(t) & ~capital_after(t)
