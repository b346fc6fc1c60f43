"""The input of the feature templates: a sentence's words, tags, mentions, and the word-list entries of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from engine.data.document import Document
from engine.data.plain_text import tokenised
from engine.features.wordlists import LISTS

Gazetteers = Mapping[str, frozenset[str]]
"""Name of a list -> its phrases, in lower case."""

EDGE: Final = "<>"

TELLING: Final = ("is ", "ends org", "starts given")
"""The list entries that are most informative about what a phrase names."""


@dataclass(frozen=True, eq=False)
class Sentence:
    """The input of the templates: words, tags, and the token ranges of the mentions."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    gazetteers: Gazetteers

    @classmethod
    def of(cls, document: Document, mentions: Sequence[tuple[int, int]], gazetteers: Gazetteers) -> Sentence:
        """`mentions` are character ranges of the document's text."""
        document = tokenised(document)
        # A text that consists only of spaces has no token, but may still contain a marked mention.
        words = document.words or ("",)
        tags = document.columns.get("pos")
        return cls(
            words=words,
            tags=tuple(map(str, tags)) if tags else tuple(map(shape, words)),
            spans=tuple(_tokens(document, mention) for mention in mentions),
            gazetteers=gazetteers,
        )

    @cached_property
    def low(self) -> tuple[str, ...]:
        """Lower-case words with digits folded: years and amounts generalise."""
        return tuple("".join("0" if c.isdigit() else c for c in word.lower()) for word in self.words)

    @cached_property
    def owner(self) -> tuple[int, ...]:
        """The mention that covers each token; -1 if none does."""
        owner = [-1] * len(self.words)
        for index, (start, end) in enumerate(self.spans):
            for token in range(start, end):
                owner[token] = index
        return tuple(owner)

    @cached_property
    def in_order(self) -> tuple[int, ...]:
        """The mentions by their place in the sentence."""
        return tuple(sorted(range(len(self.spans)), key=lambda index: self.spans[index]))

    @cached_property
    def rank(self) -> tuple[int, ...]:
        """The place of each mention among them."""
        return tuple(sorted(range(len(self.spans)), key=lambda index: self.in_order[index]))

    @cached_property
    def kinds(self) -> tuple[tuple[str, ...], ...]:
        """The list entries of each mention: of the phrase as a whole, and of its first, last and any word."""
        return tuple(tuple(self._kinds(start, end)) for start, end in self.spans)

    @cached_property
    def briefs(self) -> tuple[tuple[str, ...], ...]:
        """The few features of each mention that enter conjunctions over pairs."""
        return tuple(self._brief(index) for index in range(len(self.spans)))

    def word(self, token: int) -> str:
        return self.low[token] if 0 <= token < len(self.low) else EDGE

    def tag(self, token: int) -> str:
        return self.tags[token] if 0 <= token < len(self.tags) else EDGE

    def phrase(self, index: int) -> str:
        start, end = self.spans[index]
        return " ".join(self.words[start:end]).lower()

    def _kinds(self, start: int, end: int) -> list[str]:
        words = [word.lower() for word in self.words[start:end]]
        phrase = " ".join(words)
        found = []
        for name, entries in (*LISTS.items(), *self.gazetteers.items()):
            if phrase in entries:
                found.append(f"is {name}")
            if words[0] in entries:
                found.append(f"starts {name}")
            if words[-1] in entries:
                found.append(f"ends {name}")
            if any(word in entries for word in words):
                found.append(f"has {name}")
        # "Linden , Ala." and the like: a place name followed by its state.
        if "," in words and words[-1] in LISTS["state"]:
            found.append("is place, state")
        return found

    def _brief(self, index: int) -> tuple[str, ...]:
        start, end = self.spans[index]
        kinds = [kind for kind in self.kinds[index] if kind.startswith(TELLING)]
        return (f"last={self.low[end - 1]}", f"shape={phrase_shape(self.words[start:end])}", *kinds)


def _tokens(document: Document, mention: tuple[int, int]) -> tuple[int, int]:
    start, end = document.token_range(*mention)
    if start < end:
        return start, end
    # A position between tokens is represented by the next one.
    nearest = max(min(start, len(document.tokens) - 1), 0)
    return nearest, nearest + 1


def shape(word: str) -> str:
    """Case and kind of characters, runs folded: "McCain" -> "AaAa", "50-mph" -> "0-a"."""
    folded: list[str] = []
    for c in word:
        kind = "A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c
        if not folded or folded[-1] != kind:
            folded.append(kind)
    return "".join(folded[:6])


def phrase_shape(words: Sequence[str]) -> str:
    return " ".join(shape(word) for word in words[:4]) + ("+" if len(words) > 4 else "")
