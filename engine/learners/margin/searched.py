"""The best output of all bags when labels are raised by prices: of bags at hand, or asked for block by block.

Blocks give labels and the scores of what was chosen; these follow each other, and are summed in one place, so that the
cut does not show in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from engine.arrays import Flags, Floats
from engine.learners.bags import BagCorpus, BagScores, LinearBags, held
from engine.structures.bag import Labels, Solve, argmax_all
from engine.workers.crews import Crew, Keepers, spans

Prices: TypeAlias = tuple[float, float] | Floats
"""What a wrong label gains and a missing one loses; or what every label of every bag gains, [bags, labels]."""


class Found(NamedTuple):
    """The best output: labels of the mentions, labels that hold, and its score without prices."""

    labels: Labels
    held: Flags
    score: float


class Searched(Protocol):
    """Bags with their scores."""

    @property
    def corpus(self) -> BagCorpus: ...

    def best(self, prices: Prices) -> Found: ...


@dataclass(frozen=True, eq=False)
class Whole:
    """Bags at hand."""

    corpus: BagCorpus
    scores: BagScores
    solve: Solve = argmax_all

    def best(self, prices: Prices) -> Found:
        labels = _solved(self.corpus, self.scores, prices, self.solve)
        on = held(self.corpus, labels)
        return Found(labels, on, self.scores.total(labels, on))


def _solved(corpus: BagCorpus, scores: BagScores, prices: Prices, solve: Solve) -> Labels:
    if isinstance(prices, tuple):
        fp_price, fn_price = prices
        prices = np.where(corpus.gold, -fn_price, fp_price)
    return solve(scores.mentions, scores.labels + prices, corpus.offsets)


class _Question(NamedTuple):
    """Weights, by a number that tells them from those before."""

    number: int
    scorer: LinearBags


class _Told(NamedTuple):
    """The labels of a block's mentions, the scores of these, and those of the labels that hold."""

    labels: Labels
    mentions: Floats
    holding: Floats


class _Block:
    """Some bags. The scores under the latest weights are remembered: they are asked about at many prices."""

    def __init__(self, corpus: BagCorpus) -> None:
        self.corpus = corpus
        self._latest: tuple[int, BagScores] | None = None

    def __getstate__(self) -> BagCorpus:
        return self.corpus

    def __setstate__(self, corpus: BagCorpus) -> None:
        self.corpus, self._latest = corpus, None

    def scores(self, question: _Question) -> BagScores:
        if self._latest is None or self._latest[0] != question.number:
            self._latest = question.number, question.scorer.of_corpus(self.corpus)
        return self._latest[1]


def _told(block: _Block, question: _Question, prices: Prices) -> _Told:
    scores = block.scores(question)
    labels = _solved(block.corpus, scores, prices, argmax_all)
    chosen = scores.mentions[np.arange(len(labels)), labels]
    return _Told(labels, chosen, scores.labels[held(block.corpus, labels)])


@dataclass(frozen=True, eq=False)
class _Asked:
    """Bags that others keep, under some weights."""

    corpus: BagCorpus
    question: _Question
    keepers: Keepers[_Block]
    cuts: Sequence[tuple[int, int]]

    def best(self, prices: Prices) -> Found:
        own: list[Prices] = [prices if isinstance(prices, tuple) else prices[first:last] for first, last in self.cuts]
        told = self.keepers.ask(_told, self.question, own)
        labels, mentions, holding = (np.concatenate(arrays) for arrays in zip(*told, strict=True))
        return Found(labels, held(self.corpus, labels), float(mentions.sum() + holding.sum()))


class Bags:
    """The bags of a training: weights in, scored bags out."""

    def __init__(self, corpus: BagCorpus, solve: Solve, crew: Crew) -> None:
        self._corpus, self._solve, self._number = corpus, solve, 0
        self._keepers: Keepers[_Block] | None = None
        # Programs remember what they were asked before, and answer ties by it: theirs are never cut.
        if crew.blocks > 1 and solve is argmax_all:
            self._cuts = spans(corpus.offsets, crew.blocks)
            self._keepers = crew.keep([_Block(corpus.part(first, last)) for first, last in self._cuts])

    def under(self, scorer: LinearBags) -> Searched:
        """The bags with the scores of these weights."""
        if self._keepers is None:
            return Whole(self._corpus, scorer.of_corpus(self._corpus), self._solve)
        self._number += 1
        return _Asked(self._corpus, _Question(self._number, scorer), self._keepers, self._cuts)
