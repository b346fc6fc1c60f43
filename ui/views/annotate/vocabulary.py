"""What annotations of a corpus are made of, so that the editor can offer it: its labels and its entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.data.document import Document
from engine.data.labels import LabelSet, from_documents


@dataclass(frozen=True)
class Vocabulary:
    """The labels that can be given and the entities that are known."""

    labels: LabelSet
    entities: Mapping[str, int] = field(repr=False)
    """How often each is linked to."""
    defined: bool = False
    """Whether somebody has defined the label set; else it was read off the corpus, and licenses are only hints."""

    @classmethod
    def of(cls, documents: Sequence[Document], labels: LabelSet | None = None, *, defined: bool = False) -> Vocabulary:
        entities: Counter[str] = Counter()
        for document in documents:
            entities.update(m.entity for m in document.gold.mentions if m.is_linked and m.entity)
        return cls(from_documents(documents) if labels is None else labels, entities, defined)

    def search(self, query: str, limit: int = 20) -> list[tuple[str, int]]:
        """Entities whose name holds the query, those that start with it first."""
        wanted = _plain(query)
        found = [(name, n, _plain(name)) for name, n in self.entities.items()]
        fitting = [(name, n, plain) for name, n, plain in found if all(word in plain for word in wanted.split())]
        ranked = sorted(fitting, key=lambda one: (one[2] != wanted, not one[2].startswith(wanted), -one[1], one[0]))
        return [(name, n) for name, n, _ in ranked[:limit]]


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())
