"""Evaluates a run on a large corpus, in blocks; the results are computed once and kept for the pages.

There are two works, since not every page needs both: the curve with its band and all scores at the run's bias; and
every error with its stage, what each document contributes to the scores, and the probability of every answer. The
blocks and their summaries are those of the command line (engine/workbench/blocks), so the numbers are too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from engine.data.document import Document
from engine.metrics.tally import Tally
from engine.store.large.casebook import CasebookWriter
from engine.store.large.room import Room
from engine.tasks.base import AnyModel
from engine.tasks.registry import get
from engine.tuning.band import places, resampled
from engine.tuning.window import useful_window
from engine.workbench.answers import scored_answers
from engine.workbench.blocks.blaming import Blamed, Blaming
from engine.workbench.blocks.comparing import counted_tally
from engine.workbench.blocks.curves import Joining, Tracing
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Item, Source
from engine.workbench.comparison import gold_items
from engine.workbench.large import results
from engine.workers.base import Places, as_named

Begin: TypeAlias = Callable[[str, int], None]
Tick: TypeAlias = Callable[[int], None]


@dataclass(frozen=True)
class HeldSource(Source):
    """A loaded model, at a bias."""

    held: AnyModel
    bias: float

    @property
    def files(self) -> tuple[()]:
        return ()

    def make(self, places: Places = as_named) -> AnyModel:
        return self.held

    def items(self, corpus: Any) -> Iterator[Item]:
        for document in corpus:
            yield document, None

    def scored(self, made: AnyModel, items: Sequence[Item]) -> Any:
        return get(self.task).score([document for document, _ in items], made).at(self.bias)


@dataclass(frozen=True)
class Judgement:
    """What to evaluate, where to store the result, and callbacks for progress."""

    room: Room
    key: tuple[str, ...]
    source: HeldSource
    documents: Sequence[Document]
    begin: Begin
    tick: Tick

    def portions(self, work: Any, doing: str) -> Iterator[Portion]:
        self.begin(doing, len(self.documents))
        done = 0
        for portion in Running().portions(work, self.source, self.source.items(self.documents), doing=doing):
            done += portion.n_documents
            yield portion
            self.tick(done)


@dataclass(frozen=True)
class _Tracing:
    """The work for the curve: the changes of a block's curve at each bias, and its contribution to the scores."""

    tracing: Tracing

    def __call__(self, made: object, items: list[Item]) -> Portion:
        source = self.tracing.source
        task, found = get(source.task), source.answered(made, items)
        assert found.scored is not None
        scores = task.tally(found.documents, found.layers, found.scored)
        return Portion(len(items), {**self.tracing.tallies(found.scored), "scores": scores})


def trace(wanted: Judgement) -> None:
    """Compute the curve, its resamples if it has counts per document, and all scores at the run's bias."""
    scores, found = Tally(), Joining()
    with wanted.room.making(*wanted.key) as folder:
        for portion in wanted.portions(_Tracing(Tracing(wanted.source, steps=True)), "Scoring"):
            scores.take(portion.tallies["scores"])
            found.take(portion.tallies)
        if found.needs_outline:
            outline, found = found.outline, Joining()
            for portion in wanted.portions(Tracing(wanted.source, outline, steps=True), "Tracing the curve"):
                found.take(portion.tallies)
        traced = found.traced
        curve = traced.curve.whole()
        results.write_curve(folder, curve, scores, wanted.source.bias)
        if traced.steps is not None and len(traced.steps):
            wanted.begin("Resampling documents", len(wanted.documents))
            at = places(curve, results.BAND_POINTS, useful_window(curve))
            results.write_resampled(folder, resampled(traced.steps, at, tick=wanted.tick))


@dataclass(frozen=True)
class _Blaming:
    """The work for errors: a block's errors as on the command line, what each document contributes to the scores, and
    the probabilities of answers that have one."""

    blaming: Blaming
    asked: frozenset[str]

    def __call__(self, made: object, items: list[Item]) -> Portion:
        source = self.blaming.source
        task, found = get(source.task), source.answered(made, items)
        errors = found.errors(task)
        portion = self.blaming.portion(found, errors)
        beside = counted_tally(task, found, self.asked)
        beside.count("gold items", n=gold_items(task, found.documents))
        if task.confidence == "probability":
            said, right = scored_answers(found.documents, found.layers, errors)
            beside.extend("said", said)
            beside.extend("right", right)
        return replace(portion, tallies={**portion.tallies, "beside": beside})


def blame(wanted: Judgement) -> None:
    """Find every error and its stage, and the scores without the errors of each stage."""
    found, beside = Blamed(), Tally()
    task = get(wanted.source.task)
    wanted.begin("Reading gold", len(wanted.documents))
    asked: set[str] = set()
    for number, document in enumerate(wanted.documents, 1):
        asked |= task.asked([document])
        wanted.tick(number)
    work = _Blaming(Blaming(wanted.source), frozenset(asked))
    with wanted.room.making(*wanted.key) as folder:
        with CasebookWriter(folder / results.CASES) as book:
            for portion in wanted.portions(work, "Scoring"):
                found.take(portion)
                beside.take(portion.tallies["beside"])
                book.add(portion.records)
        results.write_blame(folder, found, beside)
