"""What a report says of a system on a corpus, as it is gathered block by block. A corpus in memory is a single block,
so the command line and the app draw the same report from the same summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.data.document import Document
from engine.data.errors import InputError
from engine.metrics.errors import STAGES, Doubts, Stage, blame_gold
from engine.metrics.tally import Tally
from engine.tasks.base import AnyTask, Report
from engine.tasks.extra import Rows
from engine.tasks.registry import get
from engine.tuning.sketch import Sketch, sketch
from engine.workbench.blocks.blaming import NOW, Blamed, blame_tallies
from engine.workbench.blocks.comparing import Together, counted_of, counted_tally
from engine.workbench.blocks.corpus import Corpus
from engine.workbench.blocks.curves import Joining, Tracing, curve_tallies
from engine.workbench.blocks.portions import Portion
from engine.workbench.blocks.running import Running
from engine.workbench.blocks.sources import Answered, Item, parsed
from engine.workbench.comparison import Comparison, compare_counts, gold_items, main_judged, shared
from engine.workbench.repair import without
from engine.workbench.reporting.typical import Typical, typical_records

# Names of tallies, beside those of Blamed and Joining; two of them concern another system, by its number.
_TYPES, _WITHOUT, _EXTRA, _COUNTED, _SHARED = "types", "without", "extra", "counted {}", "shared {}"
_ADDED: Final = ("types", "counted", "shared")
"""The beginnings of the names of those that are simply added up."""

FOUND_BY: Final = ("both", "only_first", "only_second", "neither")
"""The lists of engine.workbench.comparison.Shared that a report counts."""


@dataclass(frozen=True)
class Reporting(Together):
    """The work: what a block contributes to the report on the first source, compared with the others."""

    def __call__(self, made: Sequence[Any], items: list[Item]) -> Portion:
        ours, *others = self.answered(made, items)
        return report_portion(get(self.sources[0].task), ours, others, asked=self.asked)


def report_portion(
    task: AnyTask,
    ours: Answered,
    others: Sequence[Answered] = (),
    *,
    asked: frozenset[str] | None = None,
    doubts: Mapping[str, Doubts] | None = None,
) -> Portion:
    """The portion of a block. `doubts` are the places where people marked gold as wrong, by document."""
    errors = blame_gold(ours.errors(task), doubts or {})
    # Answers that came without scores are judged as what they are: answers.
    known = None if ours.scored is None or ours.scored.answers is not None else ours.scored
    judged = replace(ours, scored=known)
    tallies = blame_tallies(task, judged, errors)
    types = tallies[_TYPES] = Tally()
    for error in errors:
        types.count(error.stage, error.type)
    wrong = [error for error in errors if error.stage == STAGES[0]]
    if wrong:
        tallies[_WITHOUT] = task.tally(*without(task, ours.documents, ours.layers, wrong), known)
    if known is not None:
        tallies |= curve_tallies(task, known, None, steps=True)
        tallies[_EXTRA] = task.extra_tally(known)
    for number, found in enumerate([ours, *others] if others else []):
        tallies[_COUNTED.format(number)] = counted_tally(task, found, asked)
    for number, theirs in enumerate(others, 1):
        if theirs.scored is not None or task.exchange is not None:
            both = shared(gold_items(task, ours.documents), errors, theirs.errors(task))
            numbers = {name: getattr(both, name) for name in FOUND_BY}
            tally = tallies[_SHARED.format(number)] = Tally()
            tally.count_all(numbers={name: n if isinstance(n, int) else len(n) for name, n in numbers.items()})
    return Portion(len(ours.documents), tallies, records=tuple(typical_records(ours.documents, errors)))


@dataclass(frozen=True)
class Against:
    """The comparison with another system."""

    name: str
    result: Comparison
    main: str
    """The score by which the two are ranked."""
    found_by: Mapping[str, int]
    """Gold items by who found them; empty if nobody can tell."""


@dataclass(frozen=True)
class Summary:
    """All that a report draws."""

    n_documents: int
    scores: Report
    sketch: Sketch | None
    """The curve; None if the answers came without scores."""
    stages: Mapping[Stage, Counter[str]]
    """The errors of every stage by type."""
    fixed: Mapping[Stage, Report]
    """All scores without the errors of a stage, for stages that have some."""
    without: Report | None
    """All scores without what was marked as wrong in gold; None if nothing was."""
    typical: Sequence[str]
    """Cases as HTML."""
    against: Sequence[Against]
    extra: Mapping[str, Rows]
    """The system's own tables."""


class Gathering:
    """The portions of a corpus, added up."""

    def __init__(self, task: AnyTask) -> None:
        self.task, self.n_documents = task, 0
        self.curve, self._blamed, self._typical, self._extra = Joining(), Blamed(), Typical(), task.extra()
        self._has_scores = False
        self._without: Tally | None = None
        self._added: dict[str, Tally] = {}

    def take(self, portion: Portion) -> None:
        """Add the portion of the next block."""
        tallies = portion.tallies
        self.n_documents += portion.n_documents
        if self._without is None and _WITHOUT in tallies:
            # Nothing was marked in earlier documents.
            self._without = self._blamed.now.copy()
        if self._without is not None:
            self._without.take(tallies.get(_WITHOUT, tallies[NOW]))
        self._blamed.take(portion)
        self._typical.take(portion.records)
        self.curve.take(tallies)
        if _EXTRA in tallies:
            self._has_scores = True
            self._extra.take(tallies[_EXTRA])
        for name, tally in tallies.items():
            if name.startswith(_ADDED):
                self._added.setdefault(name, Tally()).take(tally)

    def summary(self, names: Sequence[str], kinds: Sequence[Document]) -> Summary:
        """The report on all documents; `names` are those of the other systems, `kinds` has a document of every kind."""
        task, types = self.task, self._added.get(_TYPES, Tally())
        traced = self.curve.traced if self._has_scores else None
        return Summary(
            n_documents=self.n_documents,
            scores=task.report(self._blamed.now),
            sketch=None if traced is None else sketch(traced.curve, traced.steps, traced.bias),
            stages={stage: types.below(stage) for stage in STAGES},
            fixed={stage: task.report(tally) for stage, tally in self._blamed.fixed.items()},
            without=None if self._without is None else task.report(self._without),
            typical=self._typical.shown(),
            against=[self._against(number, name, kinds) for number, name in enumerate(names, 1)],
            extra=self._extra.tables() if self._has_scores else {},
        )

    def _against(self, number: int, name: str, kinds: Sequence[Document]) -> Against:
        task = self.task
        if not self.n_documents:
            raise InputError("there is no document to compare on")
        counted = [counted_of(self._added[_COUNTED.format(one)]) for one in (0, number)]
        result = compare_counts(task.judged(kinds), counted, ({}, {}))
        both = self._added.get(_SHARED.format(number))
        found_by = {} if both is None else {who: both.number(who) for who in FOUND_BY}
        return Against(name, result, main_judged(task, kinds), found_by)


def gather(
    work: Reporting, corpus: Corpus, running: Running, watch: Callable[[Document], None] = lambda _: None
) -> Gathering:
    """The whole corpus; `watch` sees every document once, in order."""
    source = work.sources[0]
    found = Gathering(get(source.task))

    def items() -> Iterator[Item]:
        for item in parsed(work.items(corpus)):
            watch(item[0])
            yield item

    for portion in running.portions(work, work, items(), doing="scoring"):
        found.take(portion)
    if found.curve.needs_outline:
        tracing = Tracing(source, found.curve.outline, steps=True)
        found.curve = Joining()
        for portion in running.portions(tracing, source, source.items(corpus), doing="tracing the curve"):
            found.curve.take(portion.tallies)
    return found
