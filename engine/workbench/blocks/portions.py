"""Portions: what a block of documents contributes to the result of a piece of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.corpora.formats import jsonl
from engine.data.document import Document
from engine.metrics.tally import Tally


@dataclass(frozen=True)
class Portion:
    """Tallies by name, which are added up; documents, also as bytes of a native file, and records, which are appended
    to those of earlier blocks."""

    n_documents: int
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    documents: tuple[Document, ...] = ()
    records: tuple[Mapping[str, Any], ...] = ()
    rendered: bytes = b""

    def to_parts(self) -> dict[str, Any]:
        """Arrays and JSON values, for a file."""
        names = list(self.tallies)
        parts: dict[str, Any] = {
            "about": {"n_documents": self.n_documents, "tallies": names},
            "documents": [jsonl.record(document) for document in self.documents],
            "records": list(self.records),
            "rendered": np.frombuffer(self.rendered, dtype=np.uint8),
        }
        for number, tally in enumerate(self.tallies.values()):
            parts.update({f"{number}-{name}": part for name, part in tally.to_parts().items()})
        return parts

    @staticmethod
    def from_parts(parts: Mapping[str, Any]) -> Portion:
        tallies = {}
        for number, name in enumerate(parts["about"]["tallies"]):
            own = f"{number}-"
            tallies[name] = Tally.from_parts(
                {key.removeprefix(own): part for key, part in parts.items() if key.startswith(own)}
            )
        return Portion(
            n_documents=int(parts["about"]["n_documents"]),
            tallies=tallies,
            documents=tuple(jsonl.document(record, i + 1) for i, record in enumerate(parts["documents"])),
            records=tuple(parts["records"]),
            rendered=parts["rendered"].tobytes(),
        )
