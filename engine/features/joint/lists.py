"""Features of one mention from the word lists: the class of each of its words, and the lists that cover it whole."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from engine.features.joint.sentence import EDGE, Sentence, phrase_shape, shape
from engine.features.wordlists import LISTS

_TELLING_FIRST: Final = (
    "title",
    "given",
    "surname",
    "state",
    "country",
    "city",
    "region",
    "orgword",
    "placeword",
    "people",
    "time",
    "event",
)
"""A word is given the first of these lists that has it."""


def word_classes(s: Sentence, i: int) -> list[str]:
    """The classes of the words of the phrase in order, such as "given A. surname", and those of the words beside it."""
    start, end = s.spans[i]
    classes = [_class(s, token) for token in range(start, end)]
    left, right = _class(s, start - 1), _class(s, end)
    out = [f"classes={' '.join(classes[:5])}", f"first class={classes[0]}", f"last class={classes[-1]}"]
    out += [f"class pair={a} {b}" for a, b in pairwise(classes)]
    out += [f"class ends={classes[0]} {classes[-1]} {min(end - start, 4)}"]
    out += [f"left class={left}", f"left class={left} {classes[0]}"]
    out += [f"right class={right}", f"right class={classes[-1]} {right}"]
    return out


def lists_of_all(s: Sentence, i: int) -> list[str]:
    """The lists that have every word of the phrase, those that have the phrase, and these with the words beside it."""
    start, end = s.spans[i]
    words = s.low[start:end]
    lists = (*LISTS.items(), *s.gazetteers.items())
    out = [f"all {name} {min(len(words), 3)}" for name, entries in lists if entries.issuperset(words)]
    if not s.kinds[i]:
        out.append("no list")
    whole = [kind for kind in s.kinds[i] if kind.startswith("is ")]
    out.append(f"lists={'+'.join(whole) or phrase_shape(s.words[start:end])[:6]}")
    for kind in whole or ["no phrase"]:
        out += [f"{kind} right of {s.word(start - 1)}", f"{kind} left of {s.word(end)}"]
    return out


def _class(s: Sentence, token: int) -> str:
    """The list that has the word; without one the word itself if it is short and lower case, else its shape."""
    if not 0 <= token < len(s.words):
        return EDGE
    word = s.words[token]
    listed = next((name for name in _TELLING_FIRST if word.lower() in LISTS[name]), None)
    if listed is not None:
        return listed
    plain = word.isalpha() and not word[:1].isupper()
    return (word.lower() if len(word) < 4 else "a") if plain else shape(word)
