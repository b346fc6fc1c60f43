"""Turns documents into scored candidates, using features and trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from engine.arrays import Bytes, Floats
from engine.data.document import NIL, Document
from engine.features.disambiguation import text_vectors
from engine.features.disambiguation.all import Features, extract
from engine.features.disambiguation.priors import Links
from engine.features.disambiguation.strings import normalise
from engine.features.disambiguation.table import Table, tabulate
from engine.learners.sgtb.cache import FlatForest
from engine.learners.sgtb.pools import Trees, add_trees
from engine.tasks.base import DocumentPins, Model
from engine.tasks.disambiguation.deciding import Placed, place_all
from engine.tasks.disambiguation.scored import GOLD_NIL, DisambiguationScored
from engine.tasks.disambiguation.search.steps import TreeSteps
from engine.tasks.disambiguation.settings import DisambiguationSettings, search_of
from engine.tasks.disambiguation.state import DisambiguationState
from engine.tasks.training.reusing import prepared

Forced: TypeAlias = Mapping[str, Mapping[int, Sequence[str]]]
"""Document id -> mention -> entities that must be among its candidates."""

ROWS: Final = 256
"""Number of rows that all trees process together, so that the rows stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Documents as the learner sees them."""

    table: Table
    features: Features
    codes: Bytes
    """Own columns, in the bins of the trees."""
    nil: Floats
    """Log-odds of NIL per mention, before any bias."""

    def steps(self, trees: Trees, backward: float = 0.0, look_ahead: int = 0) -> TreeSteps:
        surfaces: dict[str, int] = {}
        table, pairs = self.table, self.features.pairs
        return TreeSteps(
            trees=trees,
            codes=self.codes,
            slot=table.slot.astype(np.int64),
            surface=np.array([surfaces.setdefault(name, len(surfaces)) for name in table.surfaces], dtype=np.int64),
            n_slots=np.diff(table.slot_offsets),
            pair_offsets=pairs.offsets,
            pairs=pairs.values,
            backward=backward,
            look_ahead=look_ahead,
        )


def prepare(
    documents: Sequence[Document],
    state: DisambiguationState,
    settings: DisambiguationSettings,
    *,
    structured: bool,
    forced: Forced | None = None,
) -> Prepared:
    """New documents, with statistics of all training documents."""
    given = settings.source == "given"
    table = tabulate(documents, state.priors, most=settings.candidates, given=given, forced=forced)
    features = extract(
        table,
        state.knowledge,
        settings.features,
        own=False,
        leave_out=0,
        vectors=state.vectors,
        # Older models, which lack these columns, can have vectors too.
        text=text_vectors.NAMES[0] in state.names,
        paired=structured,
    )
    return Prepared(table, features, state.bins.transform(features.own), state.declining.log_odds(table, features.own))


def prepare_for(
    documents: Sequence[Document],
    model: Model[DisambiguationSettings, DisambiguationState],
    pins: DocumentPins | None,
) -> Prepared:
    """Documents as the model sees them, with entities named by pins added to the candidates."""
    structured = search_of(model.learner, model.settings).policy != "local"
    if not pins:
        return prepare_once(documents, model.state, model.settings, structured=structured)
    forced = _forced(place_all(documents, pins))
    return prepare(documents, model.state, model.settings, structured=structured, forced=forced)


def prepare_once(
    documents: Sequence[Document], state: DisambiguationState, settings: DisambiguationSettings, *, structured: bool
) -> Prepared:
    """The same without pins; computed once if several trainings share their knowledge."""
    known = (state.knowledge, state.priors, state.bins, state.declining)
    told = (settings.source, settings.candidates, settings.features, structured)
    made_of = ("disambiguation", known, told)
    return prepared(documents, made_of, lambda: prepare(documents, state, settings, structured=structured))


def score(
    documents: Sequence[Document],
    model: Model[DisambiguationSettings, DisambiguationState],
    pins: DocumentPins | None = None,
) -> DisambiguationScored:
    """Every candidate with its score, or with the inputs of the trees if its score depends on other decisions."""
    how = search_of(model.learner, model.settings)
    ready = prepare_for(documents, model, pins)
    table, trees = ready.table, FlatForest(model.state.forest.trees).arrays
    alone = how.policy == "local"
    return DisambiguationScored(
        documents=tuple(documents),
        bias=model.bias,
        mention_offsets=table.document_offsets,
        row_offsets=table.row_offsets,
        entity=table.entity.astype(np.int64),
        titles=table.titles,
        gold=np.where(table.nil, GOLD_NIL, table.gold),
        nil=ready.nil,
        score=_alone(ready.codes, trees) if alone else None,
        steps=None if alone else ready.steps(trees, how.backward, how.look_ahead),
        width=how.width,
        familiar=_familiar(documents, model.state.priors.links),
    )


def _alone(codes: Bytes, trees: Trees) -> Floats:
    """The sum of the trees for every row."""
    scores = np.zeros(len(codes))
    no_pools = np.zeros((ROWS, 0), dtype=np.uint8)
    for first in range(0, len(codes), ROWS):
        add_trees(scores[first : first + ROWS], codes[first : first + ROWS], no_pools, trees, 0)
    return scores


def _forced(placed: Mapping[str, Placed]) -> Forced:
    """Entities that pins name and that must therefore be candidates."""
    return {
        document: {
            mention: [pin.entity for pin in pins if pin.holds and pin.entity is not None and pin.entity != NIL]
            for mention, pins in by_mention.items()
        }
        for document, by_mention in placed.items()
    }


def _familiar(documents: Sequence[Document], links: Links) -> dict[str, tuple[str, ...]]:
    """The entities to which training linked the names of these documents."""
    names = {document.surface(mention) for document in documents for mention in document.gold.mentions}
    return {name: links.titles(normalise(name)) for name in sorted(names)}
