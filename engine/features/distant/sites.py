"""Sites: a sentence with two entities, the input of the feature templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.data.document import Document, Mention

Range: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Site:
    """A sentence with its two entities; ranges are token numbers within the sentence."""

    words: Sequence[str]
    lower: Sequence[str]
    first: Range
    second: Range
    """The entities by position in the sentence."""
    direction: str
    """'>' if the pair's first entity comes first."""
    head: str
    tail: str
    head_type: str | None
    tail_type: str | None
    columns: Mapping[str, Sequence[object]]

    @property
    def between(self) -> Range:
        return self.first[1], max(self.first[1], self.second[0])


def site_of(document: Document, position: int) -> Site | None:
    """The member's sentence with its two entities; None if they are not both marked in the text."""
    assert document.bag is not None
    member = document.bag.members[position]
    if member.head is None or member.tail is None:
        return None
    mentions = document.gold.mentions
    head, tail = mentions[member.head], mentions[member.tail]
    head_at, tail_at = document.token_range(*head.span), document.token_range(*tail.span)
    start, end = _sentence_of(document, head_at, tail_at)
    words = document.words[start:end]
    forward = head_at <= tail_at
    first, second = (head_at, tail_at) if forward else (tail_at, head_at)
    return Site(
        words=words,
        lower=[w.lower() for w in words],
        first=(first[0] - start, first[1] - start),
        second=(second[0] - start, second[1] - start),
        direction=">" if forward else "<",
        head=_name(document, head, document.bag.first),
        tail=_name(document, tail, document.bag.second),
        head_type=head.type,
        tail_type=tail.type,
        columns={name: values[start:end] for name, values in document.columns.items()},
    )


def _name(document: Document, mention: Mention, given: str) -> str:
    return given or document.surface(mention)


def _sentence_of(document: Document, *ranges: Range) -> Range:
    low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
    for start, end in document.sentences:
        if start <= low < end:
            return start, max(end, high)
    return 0, len(document.tokens)
