"""Turns a visitor's own text into a document that a system can decide: with the mentions, or the pair of arguments,
that the system starts from. These are proposed, and the visitor may name others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.corpora.tables.building import place
from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention
from engine.data.errors import InputError
from engine.data.plain_text import tokenised
from engine.features.coreference.plain_text import by_rule
from engine.features.span_proposals import propose
from engine.tasks.base import AnyTask

LONGEST: Final = 1000
"""Maximum number of characters that are read; drawings of longer texts would be too wide."""


def _id(text: str) -> str:
    """An id that depends on the text, so that cached results of one text are not shown for another."""
    return f"your text {hashlib.sha256(text.encode(errors='replace')).hexdigest()[:6]}"


def proposed(text: str) -> list[str]:
    """The distinct words of the mentions found by a simple proposer: runs of name words."""
    found = [text[start:end] for start, end in propose(by_rule(Document(_id(text), text)), ())]
    # Two names joined by "and" may be a single name; if so, the visitor can enter it.
    return list(dict.fromkeys(name for run in found for name in re.split(r"\s+(?:and|&)\s+", run)))


def own_document(task: AnyTask, text: str, names: Sequence[str]) -> Document:
    """The text with what the system starts from: nothing, mentions at these words, or a pair of them. InputError if the
    words are not in the text, or are too few for a pair."""
    if task.starts_from == "text":
        return Document(_id(text), text)
    if task.starts_from == "mentions":
        return _with_mentions(text, names)
    return _as_bag(text, names)


def _with_mentions(text: str, names: Sequence[str]) -> Document:
    spans: list[tuple[int, int]] = []
    for name in names:
        spans.append(place(text, name, spans))
    gold = Layer(tuple(Mention(*span) for span in sorted(spans)))
    return tokenised(Document(_id(text), text, layers={GOLD: gold}))


def _as_bag(text: str, names: Sequence[str]) -> Document:
    """A bag of all sentences of the text that contain both names."""
    if len(names) < 2:
        raise InputError("this system decides about a pair of names: give a first and a second one")
    first, second = names[0], names[1]
    read = tokenised(Document(_id(text), text))
    found: list[tuple[int, int, tuple[int, int], tuple[int, int]]] = []
    for begin, end in read.sentences:
        low, high = read.char_range(begin, end)
        if first in text[low:high] and second in text[low:high]:
            head = place(text[low:high], first, [])
            tail = place(text[low:high], second, [head])
            found.append((begin, end, (low + head[0], low + head[1]), (low + tail[0], low + tail[1])))
    if not found:
        raise InputError(f"no sentence has both {first!r} and {second!r}")
    bare = Document.from_words(_id(text), [read.words[begin:end] for begin, end, _, _ in found], shape="bag")
    mentions = []
    for number, (begin, _, *sides) in enumerate(found):
        shift = bare.sentences[number][0] - begin
        for span in sides:
            from_token, to_token = read.token_range(*span)
            mentions.append(Mention(*bare.char_range(shift + from_token, shift + to_token)))
    members = tuple(Member(2 * i, 2 * i + 1) for i in range(len(found)))
    return replace(bare, bag=Bag(first, second, members), layers={GOLD: Layer(tuple(mentions))})
