"""Named features of a mention: two entities in a sentence, and what stands between and around them.

In the style of Mintz et al. (2009) and Riedel et al. (2010): words between, windows beside, order and types of the
entities, part-of-speech sequence and dependency path where the corpus has them, and the entity strings themselves.
Every template is a free function that yields texts `template=value`; a mention's features are the set of all of them.
Corpora that bring their own features (`Member.features`) use those instead.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.data.document import Document, Mention

Range: TypeAlias = tuple[int, int]

BIAS: Final = "always"


@dataclass(frozen=True, eq=False)
class Site:
    """A sentence with its two entities, as the templates see it; ranges are tokens within the sentence."""

    words: Sequence[str]
    lower: Sequence[str]
    first: Range
    second: Range
    """The entities by position in the sentence."""
    direction: str
    """'>' when the pair's first entity comes first."""
    head: str
    tail: str
    head_type: str | None
    tail_type: str | None
    columns: Mapping[str, Sequence[object]]

    @property
    def between(self) -> Range:
        return self.first[1], max(self.first[1], self.second[0])


def entity_strings(site: Site) -> Iterator[str]:
    yield f"head={site.head}"
    yield f"tail={site.tail}"


def entity_words(site: Site) -> Iterator[str]:
    for side, name in (("head", site.head), ("tail", site.tail)):
        pieces = _pieces(name)
        for piece in pieces:
            yield f"{side} word={piece}"
        yield f"{side} last={pieces[-1] if pieces else ''}"
        yield f"{side} length={min(len(pieces), 4)}"
        yield f"{side} ending={name[-3:].lower()}"
        yield f"{side} shape={_shape(name)}"
    yield f"lengths={min(len(_pieces(site.head)), 4)},{min(len(_pieces(site.tail)), 4)}"


def entity_types(site: Site) -> Iterator[str]:
    if site.head_type or site.tail_type:
        yield f"types={site.head_type},{site.tail_type}"
        yield f"head type={site.head_type}"
        yield f"tail type={site.tail_type}"


def shared_words(site: Site) -> Iterator[str]:
    head, tail = set(_pieces(site.head)), set(_pieces(site.tail))
    if head & tail:
        yield "entities share a word"
    if site.tail and site.tail in site.head:
        yield "tail within head"
    if site.head and site.head in site.tail:
        yield "head within tail"


def order_and_distance(site: Site) -> Iterator[str]:
    start, end = site.between
    yield f"order={site.direction}"
    yield f"distance={_bucket(end - start)}{site.direction}"


def words_between(site: Site) -> Iterator[str]:
    start, end = site.between
    words = site.lower[start:end]
    for word in dict.fromkeys(words[:12]):
        yield f"between={word}{site.direction}"
        yield f"between, any order={word}"
    for left, right in itertools.pairwise(words[:12]):
        yield f"between pair={left} {right}{site.direction}"
    if len(words) <= 6:
        yield f"all between={' '.join(words)}{site.direction}"
    names = sum(w[:1].isupper() for w in site.words[start:end])
    yield f"names between={min(names, 3)}"
    if words:
        yield f"first between={words[0]}{site.direction}"
        yield f"last between={words[-1]}{site.direction}"


def windows(site: Site) -> Iterator[str]:
    start, end = site.first[0], max(site.first[1], site.second[1])
    left = [site.lower[i] if i >= 0 else "<s>" for i in range(start - 3, start)]
    right = [site.lower[i] if i < len(site.lower) else "</s>" for i in range(end, end + 3)]
    yield f"left 1={left[2]}{site.direction}"
    yield f"left 2={left[1]} {left[2]}{site.direction}"
    yield f"right 1={right[0]}{site.direction}"
    yield f"right 2={right[0]} {right[1]}{site.direction}"
    for word in dict.fromkeys([*left, *right]):
        yield f"beside={word}"
    between = site.lower[slice(*site.between)]
    if len(between) <= 4:
        yield f"left and between={left[2]} | {' '.join(between)}{site.direction}"
        yield f"between and right={' '.join(between)} | {right[0]}{site.direction}"


def sentence_words(site: Site) -> Iterator[str]:
    inside = {*range(*site.first), *range(*site.second)}
    for word in dict.fromkeys(w for i, w in enumerate(site.lower) if i not in inside and len(w) > 3):
        yield f"word={word}"


def pos_between(site: Site) -> Iterator[str]:
    tags = site.columns.get("pos")
    if tags is None:
        return
    start, end = site.between
    if end - start <= 8:
        yield f"pos between={' '.join(map(str, tags[start:end]))}{site.direction}"


def dependency_path(site: Site) -> Iterator[str]:
    heads, relations = site.columns.get("head"), site.columns.get("deprel")
    if heads is None or relations is None:
        return
    path = _path(site.first[1] - 1, site.second[1] - 1, heads, relations, site.lower)
    if path and len(path) <= 6:
        yield f"path={' '.join(path)}{site.direction}"


Template: TypeAlias = Callable[[Site], Iterator[str]]

TEMPLATES: Final[tuple[tuple[str, Template, str], ...]] = (
    ("entity", entity_strings, "The two names as they are: which pairs and places occur with which relation."),
    ("entity", entity_words, "Words, endings, length and shape of the names."),
    ("entity", entity_types, "Types of the entities, where the corpus has them."),
    ("entity", shared_words, "Whether the names share words."),
    ("order", order_and_distance, "Which name comes first and how far apart they are."),
    ("between", words_between, "Words, word pairs and the whole sequence between the names."),
    ("window", windows, "Words beside the names."),
    ("sentence", sentence_words, "All other words of the sentence."),
    ("syntax", pos_between, "Part-of-speech tags between the names."),
    ("syntax", dependency_path, "The dependency path from one name to the other."),
)


def member_features(document: Document) -> list[list[tuple[str, float]]]:
    """Features with values of every member of the document's bag."""
    if document.bag is None:
        raise ValueError(f"document {document.id} has no bag")
    rows: list[list[tuple[str, float]]] = []
    for position, member in enumerate(document.bag.members):
        if member.features:
            row = [(str(name), float(value)) for name, value in member.features.items()]
        else:
            site = _site(document, position)
            row = [(name, 1.0) for name in dict.fromkeys(_all(site))] if site else []
        row.append((BIAS, 1.0))
        rows.append(row)
    return rows


_OF_THE_PAIR: Final = ("head", "tail", "head word", "tail word", "head last", "tail last", "head ending", "tail ending")
_OF_THE_PAIR_TOO: Final = ("head length", "tail length", "lengths", "types")


def bag_features(members: Sequence[Sequence[tuple[str, float]]]) -> list[tuple[str, float]]:
    """Features of the pair as a whole, from those of its members: the names, and how many mentions there are."""
    size = _size(len(members))
    names = [
        name
        for name, _ in (members[0] if members else [])
        if name.split("=", 1)[0] in _OF_THE_PAIR or name.split("=", 1)[0] in _OF_THE_PAIR_TOO
    ]
    names += [f"{name}, {size}" for name in names if name.startswith(("head=", "tail="))]
    return [(f"pair: {name}", 1.0) for name in [*names, size, BIAS]]


def _size(n: int) -> str:
    return f"{n} mentions" if n < 4 else "4 to 7 mentions" if n < 8 else "8 mentions or more"


@dataclass(frozen=True, eq=False)
class Rows:
    """Features of all mentions of a corpus, sparse: mention m has columns[starts[m]:starts[m + 1]]."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    n_columns: int

    @property
    def n_rows(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The features of the training corpus that occur often enough, numbered."""

    names: tuple[str, ...]
    index: Mapping[str, int]

    @classmethod
    def build(cls, mentions: Iterable[Sequence[tuple[str, float]]], least: int) -> Vocabulary:
        counts = Counter(name for row in mentions for name, _ in row)
        return cls.of([name for name, count in counts.items() if count >= least or name.endswith(BIAS)])

    @classmethod
    def of(cls, names: Sequence[str]) -> Vocabulary:
        return cls(tuple(names), {name: i for i, name in enumerate(names)})

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, mentions: Sequence[Sequence[tuple[str, float]]], length: float = 1.0) -> Rows:
        """Rows of equal length, so that a long sentence weighs no more than a short one."""
        starts = np.zeros(len(mentions) + 1, dtype=np.int64)
        columns: list[int] = []
        values: list[float] = []
        for m, row in enumerate(mentions):
            known = [(self.index[name], value) for name, value in row if name in self.index]
            norm = float(np.sqrt(sum(value * value for _, value in known))) or 1.0
            columns.extend(i for i, _ in known)
            values.extend(value * length / norm for _, value in known)
            starts[m + 1] = len(columns)
        return Rows(starts, np.array(columns, dtype=np.int32), np.array(values, dtype=np.float32), len(self))


def group_of(name: str) -> str:
    """Which group of templates a feature belongs to, from its name."""
    if name.startswith("pair: "):
        return "pair"
    return _GROUPS.get(name.split("=", 1)[0], "given" if name.isdigit() else "entity" if "entit" in name else "other")


_GROUPS: Final[dict[str, str]] = {
    **dict.fromkeys(("head", "tail", "head word", "tail word", "head last", "tail last"), "entity"),
    **dict.fromkeys(("head length", "tail length", "head ending", "tail ending", "head shape", "tail shape"), "entity"),
    **dict.fromkeys(("lengths", "types", "head type", "tail type", "tail within head", "head within tail"), "entity"),
    **dict.fromkeys(("order", "distance"), "order"),
    **dict.fromkeys(("between", "between, any order", "between pair", "all between", "names between"), "between"),
    **dict.fromkeys(("first between", "last between"), "between"),
    **dict.fromkeys(("left 1", "left 2", "right 1", "right 2", "beside"), "window"),
    **dict.fromkeys(("left and between", "between and right"), "window"),
    "word": "sentence",
    **dict.fromkeys(("pos between", "path"), "syntax"),
    BIAS: "bias",
}


def _all(site: Site) -> Iterator[str]:
    for _, template, _ in TEMPLATES:
        yield from template(site)


def _site(document: Document, position: int) -> Site | None:
    """The member's sentence with its two entities; None where the text does not mark both."""
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


@lru_cache(maxsize=100_000)
def _pieces(name: str) -> tuple[str, ...]:
    return tuple(piece.lower() for piece in re.split(r"[\s_]+", name) if piece)


@lru_cache(maxsize=100_000)
def _shape(name: str) -> str:
    text = re.sub(r"[A-ZÀ-Þ]", "A", name)
    text = re.sub(r"[a-zß-ÿ]+", "a", text)
    text = re.sub(r"\d+", "0", text)
    return re.sub(r"(Aa[ _]?)+", "Aa", text)[:12]


def _bucket(distance: int) -> str:
    for limit in (0, 1, 2, 3, 5, 8, 12, 20):
        if distance <= limit:
            return str(limit)
    return "far"


def _path(a: int, b: int, heads: Sequence[object], relations: Sequence[object], words: Sequence[str]) -> list[str]:
    """Relations up from a to the common ancestor and down to b, with the words passed on the way."""

    def chain(token: int) -> list[int]:
        above = [token]
        while isinstance(heads[above[-1]], int) and len(above) < len(heads):
            head = heads[above[-1]]
            if not isinstance(head, int) or head < 0 or head >= len(heads):
                break
            above.append(head)
        return above

    up, down = chain(a), chain(b)
    common = next((t for t in up if t in down), None)
    if common is None:
        return []
    path: list[str] = []
    for token in up[: up.index(common)]:
        path += [f"↑{relations[token]}"] if token == a else [words[token], f"↑{relations[token]}"]
    if common not in (a, b):
        path.append(words[common])
    for token in reversed(down[: down.index(common)]):
        path += [f"↓{relations[token]}"] if token == b else [f"↓{relations[token]}", words[token]]
    return path
