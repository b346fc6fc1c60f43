"""A document of spaCy as bags: for every ordered pair of different names, the sentences that have both.

A name is the knowledge-base id of an entity, or its text where it has none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

from spacy.tokens import Doc, Span

from engine.data.document import Document
from engine.features.distant.alignment import Place, bag_of
from engine.spacy.conversion import UNKNOWN


class PairBag(NamedTuple):
    """A bag, and where each of its mentions stands in the document."""

    bag: Document
    spans: list[Span]


def bags_of(doc: Doc) -> Iterator[PairBag]:
    places: dict[tuple[str, str], list[Place]] = defaultdict(list)
    spans: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for number, sentence in enumerate(doc.sents if doc.has_annotation("SENT_START") else [doc[:]]):
        tokens = [token for token in sentence if not token.is_space]
        words = tuple(token.text for token in tokens)
        position = {token.i: i for i, token in enumerate(tokens)}
        inside = [ent for ent in doc.ents if sentence.start <= ent.start and ent.end <= sentence.end]
        for head, tail in permutations([ent for ent in inside if ent.text.strip()], 2):
            pair = _name(head), _name(tail)
            if pair[0] != pair[1]:
                places[pair].append(Place(str(number), words, _range(head, position), _range(tail, position)))
                spans[pair] += [head, tail]
    for i, (pair, found) in enumerate(places.items()):
        yield PairBag(bag_of(f"bag-{i}", *pair, (), found), spans[pair])


def _name(ent: Span) -> str:
    return ent.text if ent.kb_id_ in ("", UNKNOWN) else str(ent.kb_id_)


def _range(ent: Span, position: dict[int, int]) -> tuple[int, int]:
    covered = [position[token.i] for token in ent if token.i in position]
    return covered[0], covered[-1] + 1
