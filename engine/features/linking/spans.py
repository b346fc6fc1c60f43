"""Features of the span alone: capitals, form, neighbours, and NER-style flags."""

from __future__ import annotations

from functools import lru_cache
from math import log1p

from engine.features.linking.candidates import supported_aliases
from engine.features.linking.registry import MentionView, mention_feature
from engine.features.linking.tokens import Tokens
from engine.features.linking.words import (
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


def _is_capital(word: str) -> bool:
    return word[:1].isupper()


@mention_feature("capitalisation")
def capital_share(m: MentionView) -> float:
    """Share of the span's words that start with a capital."""
    words = [w for w in m.words if w != "-"]
    return sum(map(_is_capital, words)) / len(words)


@mention_feature("capitalisation")
def first_capital(m: MentionView) -> float:
    """The first word starts with a capital."""
    return float(_is_capital(m.words[0]))


@mention_feature("capitalisation")
def all_capitals(m: MentionView) -> float:
    """Every letter is a capital."""
    return float("".join(m.words).isupper())


@mention_feature("capitalisation")
def inner_capital(m: MentionView) -> float:
    """A capital stands inside a word, as in CamelCase."""
    return float(any(any(c.isupper() for c in w[1:]) and not w.isupper() for w in m.words))


@mention_feature("capitalisation")
def capital_rate(m: MentionView) -> float:
    """Share of uses of the span's words in training texts, away from sentence starts, that are capitalised."""
    used = sum(m.view.count("words", w) for w in m.lower)
    return (sum(m.view.count("capital", w) for w in m.lower) + 0.3) / (used + 1.0)


@mention_feature("capitalisation")
def starts_sentence(m: MentionView) -> float:
    """The span opens the text or follows a full stop, so that its capital says little."""
    return float(m.first == 0 or m.before() in (".", "!", "?", ":", '"', "", "rt"))


@mention_feature("context capitalisation")
def text_capital_rate(m: MentionView) -> float:
    """Share of the text's words that start with a capital: in a headline capitals say little."""
    return _capital_rate(m.text)


@lru_cache(maxsize=64)
def _capital_rate(text: Tokens) -> float:
    words = [w for w, bound in zip(text.words, text.bounds, strict=True) if bound]
    return sum(map(_is_capital, words)) / max(1, len(words))


@mention_feature("context capitalisation")
def capital_before(m: MentionView) -> float:
    """The word before the span starts with a capital: the name may be longer."""
    return float(m.first > 0 and m.text.bounds[m.first - 1] and _is_capital(m.text.words[m.first - 1]))


@mention_feature("context capitalisation")
def capital_after(m: MentionView) -> float:
    """The word after the span starts with a capital: the name may be longer."""
    return float(m.last < len(m.text) and m.text.bounds[m.last] and _is_capital(m.text.words[m.last]))


@mention_feature("context capitalisation")
def text_is_shouting(m: MentionView) -> float:
    """Most letters of the text are capitals."""
    return _shout_rate(m.text.text)


@lru_cache(maxsize=64)
def _shout_rate(text: str) -> float:
    letters = [c for c in text if c.isalpha()]
    return sum(c.isupper() for c in letters) / max(1, len(letters))


@mention_feature("form")
def n_tokens(m: MentionView) -> float:
    """Number of tokens."""
    return float(m.last - m.first)


@mention_feature("form")
def n_characters(m: MentionView) -> float:
    """Number of characters."""
    return float(len(m.key))


@mention_feature("form")
def has_digit(m: MentionView) -> float:
    """A digit occurs."""
    return float(any(c.isdigit() for c in m.key))


@mention_feature("form")
def has_mark(m: MentionView) -> float:
    """Something other than letters, digits and spaces occurs."""
    return float(any(not (c.isalnum() or c.isspace()) for c in m.key))


@mention_feature("form")
def goes_on_before(m: MentionView) -> float:
    """The span follows a letter and a mark without a space, as in an address or a compound."""
    start = m.text.starts[m.first]
    return float(m.text.text[start - 1 : start] in _JOINTS and m.text.text[start - 2 : start - 1].isalnum())


@mention_feature("form")
def goes_on_after(m: MentionView) -> float:
    """A mark and a letter follow without a space, as in an address or a compound; or a plus sign, as in Google+."""
    end = m.text.ends[m.last - 1]
    mark, letter = m.text.text[end : end + 1], m.text.text[end + 1 : end + 2]
    return float(mark == "+" or (mark in _JOINTS and letter.isalnum()))


@mention_feature("form")
def common_share(m: MentionView) -> float:
    """Share of the words that are common English words."""
    return sum(w in COMMON for w in m.lower) / len(m.lower)


@mention_feature("form")
def common_rank(m: MentionView) -> float:
    """How common the least common word is: 3 for the most frequent words, 0 for words not on our list."""
    return float(min(RANKS.get(w, 0) for w in m.lower))


@mention_feature("form")
def word_frequency(m: MentionView) -> float:
    """Log of the uses of the span's rarest word in training texts."""
    return log1p(min(m.view.count("words", w) for w in m.lower))


@mention_feature("form")
def lower_frequency(m: MentionView) -> float:
    """Log of the uses without a capital of the span's rarest word in training texts."""
    return log1p(max(0, min(m.view.count("words", w) - m.view.count("capital", w) for w in m.lower)))


@mention_feature("form")
def starts_with_article(m: MentionView) -> float:
    """The first word is an article."""
    return float(m.lower[0] in ("the", "a", "an"))


@mention_feature("context")
def link_rate_before(m: MentionView) -> float:
    """How often a linked mention follows the word before the span in training texts."""
    word = m.before()
    return (m.view.count("before", word) + 0.2) / (m.view.count("words", word) + 2.0)


@mention_feature("context")
def link_rate_after(m: MentionView) -> float:
    """How often a linked mention precedes the word after the span in training texts."""
    word = m.after()
    return (m.view.count("after", word) + 0.2) / (m.view.count("words", word) + 2.0)


@mention_feature("context")
def inside_rate(m: MentionView) -> float:
    """How often the span's words are part of a linked mention in training texts, the lowest of them."""
    return min((m.view.count("inside", w) + 0.1) / (m.view.count("words", w) + 1.0) for w in m.lower)


@mention_feature("context")
def inside_rate_before(m: MentionView) -> float:
    """How often the word before the span is part of a linked mention in training texts."""
    word = m.before()
    return (m.view.count("inside", word) + 0.05) / (m.view.count("words", word) + 1.0)


@mention_feature("context")
def inside_rate_after(m: MentionView) -> float:
    """How often the word after the span is part of a linked mention in training texts."""
    word = m.after()
    return (m.view.count("inside", word) + 0.05) / (m.view.count("words", word) + 1.0)


@mention_feature("context")
def position(m: MentionView) -> float:
    """Where in the text the span starts, from 0 to 1."""
    return m.first / len(m.text)


@mention_feature("context")
def text_length(m: MentionView) -> float:
    """Number of tokens of the text."""
    return float(len(m.text))


@mention_feature("context")
def has_link(m: MentionView) -> float:
    """The text holds a web address, as news do."""
    return float("http" in m.text.text)


@mention_feature("context")
def is_retweet(m: MentionView) -> float:
    """The text is a retweet."""
    return float("rt" in m.text.lower[:3])


@mention_feature("context")
def first_person(m: MentionView) -> float:
    """The text speaks of I, me or my, as chat does."""
    return float(any(w in ("i", "me", "my", "im", "i'm") for w in m.text.lower))


@mention_feature("NER")
def is_user(m: MentionView) -> float:
    """The span is a Twitter user name."""
    return float(m.sign == "@")


@mention_feature("NER")
def is_reply(m: MentionView) -> float:
    """The span is the user name that the text opens with, or the one that is retweeted."""
    return float(m.sign == "@" and (m.first <= 1 or m.before() == "rt"))


@mention_feature("NER")
def is_hashtag(m: MentionView) -> float:
    """The span is a hashtag."""
    return float(m.sign == "#")


@mention_feature("NER")
def person_like(m: MentionView) -> float:
    """A given name opens the span, or a title such as Mr stands before it."""
    return float(m.lower[0] in GIVEN_NAMES) + float(m.before() in TITLES)


@mention_feature("NER")
def location_like(m: MentionView) -> float:
    """A preposition of place stands before the span."""
    return float(m.before() in BEFORE_PLACES)


@mention_feature("NER")
def organisation_like(m: MentionView) -> float:
    """A word such as Bank, University or United is in the span."""
    return float(any(w in GROUP_WORDS for w in m.lower))


@mention_feature("NER")
def product_like(m: MentionView) -> float:
    """A capitalised word with a number, or an inner capital at the start, as in iPhone."""
    numbered = any(_is_capital(w) for w in m.words) and any(w[-1:].isdigit() for w in m.words)
    return float(numbered or any(w[:1].islower() and any(c.isupper() for c in w[1:2]) for w in m.words))


@mention_feature("NER")
def event_like(m: MentionView) -> float:
    """A word such as Cup or Festival, or a year, is in the span."""
    return float(any(w in EVENT_WORDS or (w.isdigit() and len(w) == 4) for w in m.lower))


@mention_feature("NER")
def date_like(m: MentionView) -> float:
    """The name of a day, a month or a feast is in the span."""
    return float(any(w in DATE_WORDS for w in m.lower))


@mention_feature("NER")
def possessive_after(m: MentionView) -> float:
    """A possessive 's follows."""
    return float(m.after() == "'s")


@mention_feature("NER")
def determiner_before(m: MentionView) -> float:
    """An article, a possessive pronoun or a demonstrative stands before the span."""
    return float(m.before() in ("the", "a", "an", "my", "your", "his", "her", "our", "their", "this", "that", "these"))


def _titles_with(m: MentionView, word: str, place: str) -> float:
    return float(sum(kind == place for _, kind in supported_aliases(word, m.view, m.inventory)))


@mention_feature("NER")
def first_word_names(m: MentionView) -> float:
    """Number of known titles that start with the span's first word, at most eight: given names and the like."""
    return _titles_with(m, m.lower[0], "first")


@mention_feature("NER")
def last_word_names(m: MentionView) -> float:
    """Number of known titles that end in the span's last word, at most eight: family names and the like."""
    return _titles_with(m, m.lower[-1], "last")


@mention_feature("capitalisation")
def is_capital_run(m: MentionView) -> float:
    """The span is a whole run of capitalised words: none before it, none after it."""
    return float(capital_share(m) == 1.0 and not capital_before(m) and not capital_after(m))
