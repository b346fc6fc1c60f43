"""Makes label sets from a corpus, and assigns keys and colours to labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from string import ascii_lowercase
from typing import Final

from engine.data.document import Document
from engine.data.labels.kinds import DocumentLabel, EntityType, LabelSet, RelationType

COLOURS: Final = 12
"""The number of distinguishable colours; further types start over."""


def keys() -> Iterator[str]:
    """Keys in the order in which they are assigned: 1 to 9, then f and a digit or letter."""
    yield from (str(digit) for digit in range(1, 10))
    yield from (f"f{second}" for second in (*map(str, range(1, 10)), *ascii_lowercase))


def with_labels(
    labels: LabelSet,
    *,
    types: Iterable[str] = (),
    relations: Iterable[RelationType] = (),
    document_labels: Iterable[str] = (),
) -> LabelSet:
    """The set with these labels appended; existing ones are unchanged. Colours are assigned in turn, keys as long as
    there are any."""
    made = list(labels.types)
    for name in types:
        if all(one.name != name for one in made):
            taken = {one.key for one in made}
            key = next((key for key in keys() if key not in taken), "")
            made.append(EntityType(name, key, _colour(made)))
    known = {one.name for one in labels.relations}
    more = [one for one in relations if one.name not in known]
    named = {one.name for one in labels.labels}
    further = [DocumentLabel(name) for name in dict.fromkeys(document_labels) if name not in named]
    return replace(labels, types=tuple(made), relations=(*labels.relations, *more), labels=(*labels.labels, *further))


def _colour(types: list[EntityType]) -> int:
    """The least used colour."""
    used = Counter(one.colour for one in types)
    return min(range(COLOURS), key=lambda colour: (used[colour], colour))


def from_documents(documents: Iterable[Document]) -> LabelSet:
    """The label set found in the gold of these documents: types by frequency, relations with the types between which
    they occur."""
    types: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    sides: dict[str, tuple[set[str], set[str]]] = {}
    links = chains = False
    for document in documents:
        gold = document.gold
        types.update(m.type for m in gold.mentions if m.type)
        labels.update(gold.labels)
        links = links or any(m.entity is not None for m in gold.mentions)
        chains = chains or bool(gold.clusters)
        for relation in gold.relations:
            heads, tails = sides.setdefault(relation.type, (set(), set()))
            heads.add(gold.mentions[relation.head].type or "")
            tails.add(gold.mentions[relation.tail].type or "")
    seen = [
        RelationType(name, () if "" in heads else tuple(sorted(heads)), () if "" in tails else tuple(sorted(tails)))
        for name, (heads, tails) in sorted(sides.items())
    ]
    names = [name for name, _ in sorted(types.items(), key=lambda item: (-item[1], item[0]))]
    found = [name for name, _ in sorted(labels.items(), key=lambda item: (-item[1], item[0]))]
    empty = LabelSet(links=links or not types, chains=chains or not types)
    return with_labels(empty, types=names, relations=seen, document_labels=found)
