"""Decoding documents with a trained forest at an abstain bias."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.data.document import NIL, Document
from engine.learners.sgtb.blocks import Search
from engine.learners.sgtb.learner import NIL_ROW, Block, Choices, Decoded, FlatForest
from engine.learners.sgtb.pools import Trees
from engine.tasks.base import DocumentPins, Model
from engine.tasks.disambiguation import pinning
from engine.tasks.disambiguation.settings import DisambiguationSettings, search_of
from engine.tasks.disambiguation.state import Corpus, State

NEVER: Final = -100.0
"""The bias of a model that links everything, as in-KB accuracy asks: log-odds of NIL stay far within 100."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Documents ready to be decoded at any bias."""

    corpus: Corpus
    block: Block
    forest: Trees
    how: Search

    def decode(self, bias: float) -> Decoded:
        self.block.choices = with_bias(self.corpus.choices, bias)
        return self.block.decode(self.forest, 0, self.how, self.corpus.nil + bias)

    def entity(self, row: int) -> str:
        table = self.corpus.table
        return NIL if row == NIL_ROW else table.titles[table.entity[row]]


def with_bias(choices: Choices, bias: float) -> Choices:
    """Declining is open to every mention that is not pinned, unless the bias rules it out."""
    if bias <= NEVER:
        return choices
    # A mention whose rows are restricted by a pin keeps what the pin says.
    open_rows = np.logical_and.reduceat(np.append(choices.allowed, True), choices.row_offsets[:-1])
    open_rows |= np.diff(choices.row_offsets) == 0
    return replace(choices, nil_allowed=choices.nil_allowed | open_rows)


def settings_of(model: Model) -> DisambiguationSettings:
    assert isinstance(model.settings, DisambiguationSettings)
    return model.settings


def prepare(documents: Sequence[Document], model: Model, pins: DocumentPins | None = None) -> Prepared:
    state: State = model.state
    settings = settings_of(model)
    how = search_of(model.learner, settings)
    placed = pinning.place_all(documents, pins)
    corpus = state.corpus(documents, settings, structured=how.policy != "local", forced=pinning.forced_entities(placed))
    corpus = replace(corpus, choices=pinning.restrict(corpus.choices, corpus.table, placed))
    return Prepared(corpus, Block(corpus.choices), FlatForest(state.forest.trees).arrays, how)
