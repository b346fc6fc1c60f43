"""Blocks of documents: their gradient points and best sequences, with a cache of their scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.arrays import Bytes, Floats, Ints
from engine.learners.sgtb import corpus, local
from engine.learners.sgtb.cache import Cache, FlatForest
from engine.learners.sgtb.choices import Choices
from engine.learners.sgtb.corpus import Answers, Plan
from engine.learners.sgtb.points import LOSS, N_POINTS, Gradients
from engine.learners.sgtb.pools import Trees
from engine.learners.sgtb.search import EARLY, FREE, GOLD_PATH, LASO, Memory
from engine.structures.beam import NIL_ROW

Policy: TypeAlias = Literal["local", "early", "laso", "gold-path", "bidirectional"]

_MODES: Final = {"early": EARLY, "laso": LASO, "gold-path": GOLD_PATH, "bidirectional": GOLD_PATH}


@dataclass(frozen=True)
class Points:
    """Gradient points of some documents: rows, pooled codes, residuals, and the loss of each document."""

    rows: Ints
    pooled: Bytes
    residuals: Floats
    losses: Floats


@dataclass(frozen=True)
class Search:
    """How to search: the policy for the gold prefix, the beam width, the weight of backward scores in the final choice
    (0: the search only runs forward), and the number of rounds in which forward and backward search look ahead to each
    other with one F, after which the likelier answer is taken (0: they are independent)."""

    policy: Policy
    width: int
    backward: float = 0.0
    look_ahead: int = 0

    def plan(self, mode: int) -> Plan:
        return Plan(mode, self.width, self.backward, self.look_ahead)


@dataclass(frozen=True)
class Decoded:
    """Row (or NIL_ROW) and confidence of every choice, the log-odds of declining up to which it is kept, and the score
    of every document. If decisions depend on each other, the log-odds are only approximate."""

    rows: Ints
    confidence: Floats
    thresholds: Floats
    totals: Floats


@dataclass
class Block:
    """Some documents with a cache of their scores."""

    choices: Choices
    cache: Cache = field(init=False)

    def __post_init__(self) -> None:
        self.cache = Cache(self.choices.n_pooled, len(self.choices.codes))

    def __getstate__(self) -> Choices:
        """The documents only: the receiver starts with an empty cache."""
        return self.choices

    def __setstate__(self, choices: Choices) -> None:
        self.choices = choices
        self.__post_init__()

    def remember(self, scores: Floats) -> None:
        """Fill the cache with given scores of all rows, for independent decisions; trees are added to these."""
        memory = Memory(FlatForest().arrays, self.cache.arrays, 0)
        local.remember(self.choices.data, memory, scores)

    def points(self, documents: Ints, forest: Trees, epoch: int, how: Search) -> Points:
        """The gradient points of these documents, in this order."""
        choices = self.choices
        alone = how.policy == "local"
        passes = 2 * max(how.look_ahead, 1) if how.backward else 1
        most = len(choices.codes) if alone else (how.width + 1) * len(choices.gold) * passes
        out = Gradients(
            rows=np.zeros(most, dtype=np.int64),
            codes=np.zeros((most, choices.n_pooled), dtype=np.uint8),
            residuals=np.zeros(most),
            counts=np.zeros((len(documents), 2)),
        )
        if alone:
            local.local_gradients(documents, choices.arrays, Memory(forest, self.cache.arrays, epoch), out)
        else:
            plan = how.plan(_MODES[how.policy])
            at = 0
            while at < len(documents):
                memory = Memory(forest, self.cache.arrays, epoch)
                at = corpus.gradients(documents, at, choices.arrays, memory, plan, out)
                if at < len(documents):
                    self.cache.make_room(epoch)
        n = int(out.counts[:, N_POINTS].sum())
        return Points(out.rows[:n], out.codes[:n], out.residuals[:n], out.counts[:, LOSS])

    def decode(self, forest: Trees, epoch: int, how: Search, nil: Floats) -> Decoded:
        """The best sequence of every document; `nil` holds the log-odds of declining each choice."""
        choices = self.choices
        n_mentions = len(choices.gold)
        answers = Answers(
            chosen=np.full(n_mentions, NIL_ROW, dtype=np.int64),
            confidence=np.zeros(n_mentions),
            thresholds=np.zeros(n_mentions),
            totals=np.zeros(choices.n_documents),
        )
        if how.policy == "local":
            local.local_decode(choices.arrays, Memory(forest, self.cache.arrays, epoch), nil, answers)
            return Decoded(*answers)
        documents = np.arange(choices.n_documents)
        at = 0
        while at < len(documents):
            memory = Memory(forest, self.cache.arrays, epoch)
            at = corpus.decode(documents, at, choices.arrays, memory, how.plan(FREE), nil, answers)
            if at < len(documents):
                self.cache.make_room(epoch)
        return Decoded(*answers._replace(thresholds=np.log(np.maximum(answers.confidence, 1e-9))))
