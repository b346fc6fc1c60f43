"""Writes the answers of a source as documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine import corpora
from engine.corpora.formats import jsonl
from engine.corpora.scores.records import read_record
from engine.data.document import Document, Layer
from engine.data.errors import InputError
from engine.metrics.differences import decisions
from engine.metrics.tally import Tally
from engine.tasks.base import AnyTask
from engine.tasks.outside.records import scored_pairs, written
from engine.tasks.registry import get
from engine.tasks.scored import Scored
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Item, Source


@dataclass(frozen=True)
class Predicting:
    """The work: documents with the answers as the layer of this name, and with all parts if requested; as bytes if
    they are for a native file, since who writes it has enough to do."""

    source: Source
    layer: str
    format: str
    parts: bool = False

    def __call__(self, made: object, items: list[Item]) -> Portion:
        task = get(self.source.task)
        found = self.source.answered(made, items)
        assert found.scored is not None
        documents = [
            _answered(one, layer, task, self.layer) for one, layer in zip(found.documents, found.layers, strict=True)
        ]
        counts = Tally()
        if self.parts:
            documents = list(written(task, found.scored, documents))
            counts.count("otherwise", n=_otherwise(task, found.scored, found.layers, documents))
        for layer in found.layers:
            for what, things in (
                ("mentions", layer.mentions),
                ("clusters", layer.clusters),
                ("relations", layer.relations),
                ("labels", layer.labels),
            ):
                counts.count(what, n=len(things))
        counts.count_all("lost", numbers=dict.fromkeys(corpora.losses(documents, self.format), 1))
        tallies = {"counts": counts, "notes": task.notable(found.scored)}
        if self.format == "jsonl":
            return Portion(len(items), tallies, rendered=jsonl.rendered(documents))
        return Portion(len(items), tallies, tuple(documents))


@dataclass
class Predicted:
    """Statistics of the predictions so far."""

    documents: int = 0
    counts: Tally = field(default_factory=Tally)
    notes: Tally = field(default_factory=Tally)

    @property
    def lost(self) -> list[str]:
        """What is lost because the format cannot hold it."""
        return list(self.counts.below("lost"))


def predict(work: Predicting, corpus: Corpus | None, running: Running, told: Predicted) -> Iterator[Portion]:
    """The documents with their answers, block by block; `told` is up to date with each."""
    for portion in running.portions(work, work.source, work.source.items(corpus), doing="predicting"):
        told.documents += portion.n_documents
        told.counts.take(portion.tallies["counts"])
        told.notes.take(portion.tallies["notes"])
        yield portion


def _answered(document: Document, layer: Layer, task: AnyTask, name: str) -> Document:
    """The document with the prediction as the layer of this name."""
    try:
        return document.with_layer(name, layer)
    except ValueError as error:
        # A bag refers to mentions, so only a system that keeps them can answer about it.
        raise InputError(f"document {document.id!r} cannot take the answers of {task.name}: {error}") from error


def _otherwise(task: AnyTask, scored: Scored, layers: Sequence[Layer], documents: Sequence[Document]) -> int:
    """The number of documents that would be decided differently from the written scores alone."""
    records = [read_record(json.loads(json.dumps(jsonl.record(one))), {}) for one in documents]
    again = task.decide(scored_pairs(task, zip(scored.documents, records, strict=True)))
    return sum(
        decisions(one, task.decides) != decisions(other, task.decides) for one, other in zip(layers, again, strict=True)
    )
