"""What annotations of a corpus are made of, so that the editor can offer it: types, relations, labels, entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.data.document import Document


@dataclass(frozen=True)
class RelationType:
    """A relation and the mention types it was seen between; these are what it is offered for."""

    type: str
    heads: tuple[str, ...]
    tails: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """What annotations of a corpus are made of, most frequent first."""

    types: tuple[str, ...]
    relations: tuple[RelationType, ...]
    labels: tuple[str, ...]
    entities: Mapping[str, int] = field(repr=False)

    @classmethod
    def of(cls, documents: Sequence[Document]) -> Vocabulary:
        types: Counter[str] = Counter()
        entities: Counter[str] = Counter()
        labels: Counter[str] = Counter()
        sides: dict[str, tuple[set[str], set[str]]] = {}
        for document in documents:
            gold = document.gold
            types.update(m.type for m in gold.mentions if m.type)
            entities.update(m.entity for m in gold.mentions if m.is_linked and m.entity)
            labels.update(gold.labels)
            for relation in gold.relations:
                heads, tails = sides.setdefault(relation.type, (set(), set()))
                heads.add(gold.mentions[relation.head].type or "")
                tails.add(gold.mentions[relation.tail].type or "")
        return cls(
            tuple(name for name, _ in types.most_common()),
            tuple(
                RelationType(name, tuple(sorted(heads - {""})), tuple(sorted(tails - {""})))
                for name, (heads, tails) in sorted(sides.items())
            ),
            tuple(name for name, _ in labels.most_common()),
            entities,
        )

    def with_more(self, now: Vocabulary) -> Vocabulary:
        """With what was added since, behind what was there: the keys of types and relations stay what they are."""
        known = {relation.type: relation for relation in now.relations}
        relations = {relation.type: known.get(relation.type, relation) for relation in self.relations}
        return Vocabulary(
            (*self.types, *(name for name in sorted(now.types) if name not in self.types)),
            tuple({**relations, **{name: one for name, one in known.items() if name not in relations}}.values()),
            (*self.labels, *(name for name in sorted(now.labels) if name not in self.labels)),
            now.entities,
        )

    def search(self, query: str, limit: int = 20) -> list[tuple[str, int]]:
        """Entities whose name holds the query, those that start with it first."""
        wanted = query.casefold().strip()
        found = [(name, n) for name, n in self.entities.items() if wanted in name.casefold()]
        return sorted(found, key=lambda pair: (not pair[0].casefold().startswith(wanted), -pair[1], pair[0]))[:limit]
