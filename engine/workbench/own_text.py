"""A text of the visitor's own as a document that a system can decide: with the mentions, or the pair of arguments, that
it starts from. They are proposed, and whoever asks may name others."""

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
"""Characters of an own text that are read: pictures of more are too wide to look at."""


def _id(text: str) -> str:
    """Another text, another document: what is remembered of one by its id is not shown for the next."""
    return f"your text {hashlib.sha256(text.encode(errors='replace')).hexdigest()[:6]}"


def proposed(text: str) -> list[str]:
    """The words of the mentions that a simple proposer finds, each once: runs of name words."""
    found = [text[start:end] for start, end in propose(by_rule(Document(_id(text), text)), ())]
    # Two names with "and" between them may be one; somebody who means that can say so.
    return list(dict.fromkeys(name for run in found for name in re.split(r"\s+(?:and|&)\s+", run)))


def own_document(task: AnyTask, text: str, names: Sequence[str]) -> Document:
    """The text with what the system starts from: nothing, mentions at these words, or a pair of them. InputError where
    the words do not stand in the text, or are too few for a pair."""
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
    """Every sentence of the text that has both names, as the sentences of their pair."""
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
