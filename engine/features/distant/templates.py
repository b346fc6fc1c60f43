"""Feature templates: each is a function that yields texts `template=value` for two entities in a sentence."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, TypeAlias

from engine.features.distant.dependencies import path_between
from engine.features.distant.known import known_names
from engine.features.distant.sites import Site

BIAS: Final = "always"
"""The feature that every row has."""


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
    path = path_between(site.first[1] - 1, site.second[1] - 1, heads, relations, site.lower)
    if path and len(path) <= 6:
        yield f"path={' '.join(path)}{site.direction}"


Template: TypeAlias = Callable[[Site], Iterator[str]]

TEMPLATES: Final[tuple[tuple[str, Template, str], ...]] = (
    ("entity", entity_strings, "The two names as they are: which pairs and places occur with which relation."),
    ("entity", entity_words, "Words, endings, length and shape of the names."),
    ("entity", entity_types, "Types of the entities, where the corpus has them."),
    ("entity", shared_words, "Whether the names share words."),
    ("entity", known_names, "What word lists know the names as: a country, a city, a person."),
    ("order", order_and_distance, "Which name comes first and how far apart they are."),
    ("between", words_between, "Words, word pairs and the whole sequence between the names."),
    ("window", windows, "Words beside the names."),
    ("sentence", sentence_words, "All other words of the sentence."),
    ("syntax", pos_between, "Part-of-speech tags between the names."),
    ("syntax", dependency_path, "The dependency path from one name to the other."),
)


def features_at(site: Site) -> Iterator[str]:
    """The features of all templates at a site; there may be duplicates."""
    for _, template, _ in TEMPLATES:
        yield from template(site)


def group_of(name: str) -> str:
    """Which group of templates a feature belongs to, from its name."""
    if name.startswith("pair: "):
        return "pair"
    return _GROUPS.get(name.split("=", 1)[0], "given" if name.isdigit() else "entity" if "entit" in name else "other")


_GROUPS: Final[dict[str, str]] = {
    **dict.fromkeys(("head", "tail", "head word", "tail word", "head last", "tail last"), "entity"),
    **dict.fromkeys(("head length", "tail length", "head ending", "tail ending", "head shape", "tail shape"), "entity"),
    **dict.fromkeys(("lengths", "types", "head type", "tail type", "tail within head", "head within tail"), "entity"),
    **dict.fromkeys(("head known", "tail known", "known"), "entity"),
    **dict.fromkeys(("order", "distance"), "order"),
    **dict.fromkeys(("between", "between, any order", "between pair", "all between", "names between"), "between"),
    **dict.fromkeys(("first between", "last between"), "between"),
    **dict.fromkeys(("left 1", "left 2", "right 1", "right 2", "beside"), "window"),
    **dict.fromkeys(("left and between", "between and right"), "window"),
    "word": "sentence",
    **dict.fromkeys(("pos between", "path"), "syntax"),
    BIAS: "bias",
}


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
