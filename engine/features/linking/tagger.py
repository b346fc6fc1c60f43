"""A small tagger that says of every token whether a linked mention starts or continues there, from its surroundings.

Its probabilities are features of spans: words, affixes, shapes and neighbours that are too many to be columns. It is a
softmax regression on hashed features, trained by AdaGrad. A training text is tagged by a tagger that has not seen its
fold, so that the features of training and unseen texts mean the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import Final
from zlib import crc32

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.data.document import Document
from engine.features.linking.candidates import Candidates, supported_aliases
from engine.features.linking.inventory import FAMILIES, Inventory
from engine.features.linking.memory import View
from engine.features.linking.tokens import Tokens
from engine.features.linking.words import BEFORE_PLACES, GIVEN_NAMES, GROUP_WORDS, RANKS, TITLES

BITS: Final = 16
OUTSIDE, STARTS, CONTINUES = 0, 1, 2
EPOCHS: Final = 8
RATE: Final = 0.05
L2: Final = 3e-4
FOLDS: Final = 5

Floats = NDArray[np.float32]


def _shape(word: str) -> str:
    """Capitals X, small letters x, digits 0, runs shortened: 'iPhone4' is xXx0."""
    shape = ""
    for c in word:
        kind = "X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c
        if not shape.endswith(kind):
            shape += kind
    return shape[:6]


@dataclass(frozen=True)
class Listed:
    """What the lexicon says of the longest listed span over a token: its length, its likeliest entity in classes."""

    length: int
    family: str
    counts: str
    sources: int
    renown: int


def listed_tokens(candidates: Candidates, inventory: Inventory) -> list[list[Listed | None]]:
    """Per document and token the longest span over it that a source lists, the text at hand left out."""
    c = candidates
    found: list[list[Listed | None]] = [[None] * len(text) for text in c.tokens]
    for m in range(c.n_mentions):
        rows = [row for row in range(c.offsets[m], c.offsets[m + 1]) if c.sources[row]]
        if not rows:
            continue
        places = found[c.document[m]]
        length = int(c.last[m] - c.first[m])
        over = [i for i in range(c.first[m], c.last[m]) if places[i] is None or places[i].length < length]
        if over:
            listed = _listed(c, rows, length, inventory)
            for i in over:
                places[i] = listed
    return found


def _listed(c: Candidates, rows: Sequence[int], length: int, inventory: Inventory) -> Listed:
    known = [row for row in rows if c.entity[row] < c.n_known]
    tweets = min(3, int(sum(c.tweet_count[row] for row in rows)))
    others = min(5, int(log1p(sum(c.other_count[row] for row in rows))))
    if not known:
        return Listed(length, "?", f"{others}|{tweets}", 0, 0)
    renown = inventory.renown
    best = max(known, key=lambda r: 3 * c.tweet_count[r] + c.other_count[r] ** 0.5 + 0.3 * renown[c.entity[r]])
    entity = int(c.entity[best])
    families = [name for name, holds in zip(FAMILIES, inventory.families[entity], strict=True) if holds]
    return Listed(
        length,
        families[0] if families else "?",
        f"{others}|{tweets}",
        int(c.sources[best]),
        min(6, int(renown[entity] / 3)),
    )


def token_features(
    text: Tokens, listed: Sequence[Listed | None], view: View, inventory: Inventory
) -> list[NDArray[np.int32]]:
    """Hashed features of every token."""
    n = len(text)
    shapes = [_shape(word) for word in text.words]
    lower = ("<", "<", *text.lower, ">", ">")
    capitals = int(4 * sum(word[:1].isupper() for word in text.words) / max(1, n))
    has_link = "http" in text.text
    rows = []
    for i in range(n):
        before2, before, low, after, after2 = lower[i : i + 5]
        shape = shapes[i]
        case = shape[:1]
        shape_before = shapes[i - 1] if i else "<"
        shape_after = shapes[i + 1] if i + 1 < n else ">"
        rank = RANKS.get(low, 0)
        used = view.count("words", low)
        inside = view.count("inside", low)
        rate = "new" if not used else f"{min(9, int(10 * inside / used))}/{min(3, used)}"
        aliases = supported_aliases(low, view, inventory)
        first = min(2, sum(kind == "first" for _, kind in aliases))
        last = min(2, sum(kind == "last" for _, kind in aliases))
        noun = min(3, int(log1p(inventory.described.get(low, 0))))
        names = [
            "bias",
            f"w={low}",
            f"b={before}",
            f"a={after}",
            f"bw={before}|{low}",
            f"wa={low}|{after}",
            f"s={shape}",
            f"sb={shape_before}|{shape}",
            f"sa={shape}|{shape_after}",
            f"sss={shape_before}|{shape}|{shape_after}",
            f"p3={low[:3]}",
            f"p4={low[:4]}",
            f"f2={low[-2:]}|{case}",
            f"f3={low[-3:]}",
            f"f4={low[-4:]}",
            f"sign={text.signs[i]}|{case}",
            f"rank={rank}|{shape[:2]}",
            f"noun={noun}|{case}",
            f"rate={rate}",
            f"rate={rate}|{case}",
            f"place={before in BEFORE_PLACES}|{case}",
            f"title={before in TITLES}|{case}",
            f"given={low in GIVEN_NAMES}|{shape_after[:1]}",
            f"givenb={before in GIVEN_NAMES}|{case}",
            f"group={low in GROUP_WORDS}|{shape_before[:1]}",
            f"groupa={after in GROUP_WORDS}|{case}",
            f"names={first}|{last}|{case}",
            f"capitals={capitals}|{case}|{i == 0}",
            f"link={has_link}|{case}",
            f"b2={before2}",
            f"a2={after2}",
        ]
        known = listed[i]
        if known is None:
            names += [f"no={case}", f"no={rank}", f"no={case}|{rank}", f"no={shape_before}|{case}", "no"]
        else:
            length = min(3, known.length)
            names += [
                f"length={length}|{case}",
                f"length={length}|{rank}",
                f"family={known.family}|{case}|{length}",
                f"counts={known.counts}|{case}",
                f"renown={known.renown}|{length}|{case}|{rank > 0}|{known.sources}",
            ]
        rows.append(np.array([crc32(name.encode()) & ((1 << BITS) - 1) for name in names], dtype=np.int32))
    return rows


def gold_tags(document: Document, text: Tokens) -> NDArray[np.int8]:
    """Per token whether a linked mention starts there, continues there, or neither."""
    tags = np.zeros(len(text), dtype=np.int8)
    for mention in document.gold.mentions:
        if not mention.is_linked:
            continue
        inside = [i for i in range(len(text)) if text.starts[i] < mention.end and text.ends[i] > mention.start]
        tags[inside] = CONTINUES
        tags[inside[:1]] = STARTS
    return tags


def train(rows: Sequence[NDArray[np.int32]], tags: NDArray[np.int8], seed: int) -> Floats:
    """Weights [feature, tag]."""
    weights = np.zeros((1 << BITS, 3), dtype=np.float32)
    if not rows:
        return weights
    matrix = np.stack(rows)
    rng = np.random.default_rng(seed)
    squares = np.full((1 << BITS, 3), 1e-3, dtype=np.float32)
    for _ in range(EPOCHS):
        _epoch(matrix, tags, rng.permutation(len(matrix)), weights, squares, RATE, L2)
    return weights


def probabilities(weights: Floats, rows: Sequence[NDArray[np.int32]]) -> Floats:
    """P(outside, starts, continues) of every token."""
    if not rows:
        return np.zeros((0, 3), dtype=np.float32)
    scores = weights[np.stack(rows)].sum(axis=1)
    scores -= scores.max(axis=1, keepdims=True)
    exp = np.exp(scores)
    return exp / exp.sum(axis=1, keepdims=True)


def cross_fit(
    rows: Sequence[Sequence[NDArray[np.int32]]], tags: Sequence[NDArray[np.int8]], groups: Sequence[int], seed: int
) -> tuple[Floats, list[Floats]]:
    """Weights learned from all texts, and each text's probabilities by weights that have not seen its fold."""
    order = np.random.default_rng(seed).permutation(np.unique(groups))
    place = {group: i % FOLDS for i, group in enumerate(order)}
    folds = np.array([place[group] for group in groups])

    def learn(members: NDArray[np.intp]) -> Floats:
        flat = [row for d in members.tolist() for row in rows[d]]
        labels = np.concatenate([tags[d] for d in members.tolist()]) if len(members) else np.zeros(0, dtype=np.int8)
        return train(flat, labels, seed)

    out: list[Floats] = [np.zeros((0, 3), dtype=np.float32)] * len(rows)
    for fold in range(FOLDS):
        weights = learn(np.flatnonzero(folds != fold))
        for d in np.flatnonzero(folds == fold).tolist():
            out[d] = probabilities(weights, rows[d])
    return learn(np.arange(len(rows))), out


@njit(cache=True, nogil=True)
def _epoch(matrix, tags, order, weights, squares, rate, l2):
    """One pass of AdaGrad over the tokens; weights and squares change in place."""
    p = np.empty(3, np.float32)
    for i in order:
        p[:] = 0.0
        for f in matrix[i]:
            for k in range(3):
                p[k] += weights[f, k]
        top = p.max()
        total = np.float32(0.0)
        for k in range(3):
            p[k] = np.exp(p[k] - top)
            total += p[k]
        for k in range(3):
            p[k] /= total
        p[tags[i]] -= 1.0
        for f in matrix[i]:
            for k in range(3):
                g = p[k] + l2 * weights[f, k]
                squares[f, k] += g * g
                weights[f, k] -= rate * g / np.sqrt(squares[f, k])
