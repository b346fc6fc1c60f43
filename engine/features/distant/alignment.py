"""The alignment step of distant supervision: makes bags from documents with entity links and a table of facts.

Every ordered pair of entities in the same sentence is looked up in the table. A pair with facts becomes a bag with
those relations and all sentences that mention both; a pair without facts in either order becomes a nil bag (its
entities in alphabetical order). Sentences need not state the fact; which of them do is for the learner to find out
(Mintz et al. 2009).

A pair may occur anywhere in a corpus, so its sentences wait elsewhere until all documents are read: on disk, if memory
is not to grow with the corpus.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from engine.data.document import GOLD, Bag, Document, Layer, Member, Mention
from engine.data.errors import InputError


@dataclass(frozen=True)
class Facts:
    """(first entity, second entity) -> relations."""

    relations: dict[tuple[str, str], tuple[str, ...]]

    def of(self, first: str, second: str) -> tuple[str, ...]:
        return self.relations.get((first, second), ())


def read_facts(paths: Iterable[Path]) -> Facts:
    """Tab-separated lines: first entity, relation, second entity. Lines that start with # are comments."""
    found: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for path in paths:
        if not path.is_file():
            raise InputError("there is no such file", file=path)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"the table of facts must be UTF-8 text ({error.reason})", file=path) from error
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split("\t")]
            if len(fields) != 3 or not all(fields):
                raise InputError(
                    "a fact is three fields separated by tabs: first entity, relation, second entity",
                    file=path,
                    line=number,
                )
            found[fields[0], fields[2]][fields[1]] = None
    if not found:
        raise InputError("the table of facts is empty")
    return Facts({pair: tuple(relations) for pair, relations in found.items()})


class Place(NamedTuple):
    """Two mentions in one sentence: words, and token ranges of the two."""

    sentence: str
    words: Sequence[str]
    first: tuple[int, int]
    second: tuple[int, int]


class Store(Protocol):
    """Where sentences wait: lines under the name of a pair."""

    def keep(self, name: str, line: str) -> None: ...

    def lines(self, name: str) -> list[str]:
        """The lines kept under a name, in order."""
        ...

    def names(self) -> Iterator[str]:
        """The distinct names, in order of first arrival."""
        ...


def build_bags(
    documents: Iterable[Document],
    facts: Facts,
    places: Store,
    *,
    by_name: bool = False,
    nil_share: float = 1.0,
    seed: int = 0,
) -> Iterator[Document]:
    """Bags of all pairs, in order of occurrence; a random share of the nil pairs is kept. `places` is an empty store.

    `by_name` uses the surface of a mention as its entity, for corpora without links.
    """
    for document in documents:
        for pair, place in _pairs(document, facts, by_name):
            places.keep(json.dumps(pair), json.dumps(place))
    rng = np.random.default_rng(seed)
    n_bags, is_empty = 0, True
    for name in places.names():
        is_empty = False
        first, second = json.loads(name)
        relations = facts.of(first, second)
        if relations or rng.random() < nil_share:
            here = [Place(*json.loads(line)) for line in places.lines(name)]
            yield bag_of(f"bag-{n_bags}", first, second, relations, here)
            n_bags += 1
    if is_empty:
        raise InputError("no sentence mentions two linked entities; link the documents first, or use --names")


def _pairs(document: Document, facts: Facts, by_name: bool) -> Iterable[tuple[tuple[str, str], Place]]:
    tokens = document.tokens or tuple((m.start(), m.end()) for m in re.finditer(r"\w+|[^\w\s]", document.text))
    sentences = document.sentences or ((0, len(tokens)),)
    for number, (start, end) in enumerate(sentences):
        words = tuple(document.text[a:b] for a, b in tokens[start:end])
        inside: list[tuple[str, tuple[int, int]]] = []
        for mention in document.gold.mentions:
            name = document.surface(mention) if by_name else mention.entity if mention.is_linked else None
            covered = [i - start for i in range(start, end) if _meets(tokens[i], mention)]
            if name and covered:
                inside.append((name, (covered[0], covered[-1] + 1)))
        for i, (a, at) in enumerate(inside):
            for b, other in inside[i + 1 :]:
                if a == b:
                    continue
                where = f"{document.id}:{number}"
                forward, backward = facts.of(a, b), facts.of(b, a)
                if forward or (not backward and a < b):
                    yield (a, b), Place(where, words, at, other)
                if backward or (not forward and b < a):
                    yield (b, a), Place(where, words, other, at)


def _meets(token: tuple[int, int], mention: Mention) -> bool:
    return token[0] < mention.end and mention.start < token[1]


def bag_of(id: str, first: str, second: str, relations: tuple[str, ...], places: Sequence[Place]) -> Document:
    """The bag of a pair: a member for each place."""
    bare = Document.from_words(id, [place.words for place in places])
    mentions: list[Mention] = []
    members: list[Member] = []
    for place, (start, _) in zip(places, bare.sentences, strict=True):
        for span in (place.first, place.second):
            mentions.append(Mention(*bare.char_range(start + span[0], start + span[1])))
        members.append(Member(len(mentions) - 2, len(mentions) - 1, extra={"sid": place.sentence}))
    return Document(
        id=id,
        text=bare.text,
        tokens=bare.tokens,
        sentences=bare.sentences,
        layers={GOLD: Layer(tuple(mentions), labels=relations)},
        bag=Bag(first, second, tuple(members)),
        shape="bag",
    )
