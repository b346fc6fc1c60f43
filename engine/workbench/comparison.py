"""Compares systems on the same documents: what differs, by how much, and whether it is more than chance.

Each score gets the paired bootstrap interval of its difference and a paired permutation p-value; if several are tested
at once, the p-value is also given with Holm's correction. A system is anything with predicted layers: a run, or
predictions of an outside system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from engine.arrays import Floats
from engine.data.document import NIL, Document, Layer
from engine.data.errors import InputError
from engine.metrics.differences import Decision, DecisionKind, decisions
from engine.metrics.errors import Error, Kind, Span
from engine.metrics.significance import (
    Interval,
    ScoreDifference,
    Statistic,
    as_counts,
    bootstrap_interval,
    holm,
    paired_bootstrap,
    paired_permutation,
)
from engine.tasks.base import AnyTask, Report
from engine.tasks.scored import Scored


@dataclass(frozen=True, eq=False)
class Counted:
    """What each document contributes to the scores of a system (Task.counts), one row each: all that tests need."""

    names: tuple[str, ...]
    rows: Floats

    @classmethod
    def of(cls, task: AnyTask, gold: Sequence[Document], layers: Sequence[Layer]) -> Counted:
        rows = task.counts(gold, layers)
        names = tuple(rows[0]) if rows else ()
        return cls(names, as_counts(rows, names))

    def columns(self, names: Sequence[str]) -> Floats:
        return self.rows[:, [self.names.index(name) for name in names]]


@dataclass(frozen=True)
class ScoreDelta:
    """One score of both systems; `difference` is second minus first."""

    name: str
    first: float
    second: float
    difference: ScoreDifference
    p_permutation: float
    p_corrected: float
    """The permutation p-value after Holm's correction over all scores compared."""


@dataclass(frozen=True)
class Comparison:
    n_documents: int
    scores: tuple[ScoreDelta, ...]
    all_scores: Mapping[str, tuple[float, float]]
    """Every number of both reports, by its path; without intervals."""


def compare(
    task: AnyTask,
    gold: Sequence[Document],
    first: Sequence[Layer],
    second: Sequence[Layer],
    *,
    scored: tuple[Scored | None, Scored | None] = (None, None),
    samples: int = 2_000,
    seed: int = 0,
) -> Comparison:
    """All scores of two systems side by side, tested over documents."""
    if not gold:
        raise InputError("there is no document to compare on")
    reports = [task.evaluate(gold, layers, known) for layers, known in zip((first, second), scored, strict=True)]
    counted = [Counted.of(task, gold, layers) for layers in (first, second)]
    return compare_counts(task.judged(gold), counted, reports, samples=samples, seed=seed)


def compare_counts(
    judged: Mapping[str, tuple[tuple[str, ...], Statistic]],
    counted: Sequence[Counted],
    reports: Sequence[Report],
    *,
    samples: int = 2_000,
    seed: int = 0,
    tick: Callable[[int], None] = lambda _: None,
) -> Comparison:
    """The same from the counts of the documents for both systems, and all their scores. `tick` is called with the
    number of scores tested."""
    rows: list[tuple[str, float, float, ScoreDifference, float]] = []
    for number, (name, (columns, statistic)) in enumerate(judged.items(), 1):
        a, b = (one.columns(columns) for one in counted)
        difference = paired_bootstrap(a, b, statistic, samples=samples, seed=seed)
        p = paired_permutation(a, b, statistic, samples=samples, seed=seed)
        rows.append((name, float(statistic(a.sum(axis=0))), float(statistic(b.sum(axis=0))), difference, p))
        tick(number)
    corrected = holm([row[4] for row in rows])
    return Comparison(
        len(counted[0].rows),
        tuple(ScoreDelta(*row, p_corrected=p) for row, p in zip(rows, corrected, strict=True)),
        _side_by_side(reports[0], reports[1]),
    )


@dataclass(frozen=True)
class Shared:
    """Gold items by who found them, and wrong answers by who gave them; the lists hold the errors behind each number.

    `only_first` are misses of the second system, which the first found; `wrong_first` are false alarms of the first
    that the second does not give.
    """

    both: int
    only_first: tuple[Error, ...]
    only_second: tuple[Error, ...]
    neither: tuple[Error, ...]
    wrong_first: tuple[Error, ...] = ()
    wrong_second: tuple[Error, ...] = ()
    wrong_both: tuple[Error, ...] = ()


def gold_items(task: AnyTask, documents: Sequence[Document]) -> int:
    """The number of gold items that a system of this task could find."""
    return sum(one.value != NIL for document in documents for one in decisions(document.gold, task.decides))


def shared(n_gold: int, first: Sequence[Error], second: Sequence[Error]) -> Shared:
    """Which gold items and wrong answers the systems share, from the errors of both on the same gold."""
    missed_first, missed_second = _by_item(first, "miss"), _by_item(second, "miss")
    said_first, said_second = _by_item(first, "false alarm"), _by_item(second, "false alarm")
    neither = missed_first.keys() & missed_second.keys()
    only_second = missed_first.keys() - neither
    only_first = missed_second.keys() - neither
    wrong = said_first.keys() & said_second.keys()
    return Shared(
        both=n_gold - len(neither) - len(only_first) - len(only_second),
        only_first=tuple(missed_second[key] for key in sorted(only_first)),
        only_second=tuple(missed_first[key] for key in sorted(only_second)),
        neither=tuple(missed_first[key] for key in sorted(neither)),
        wrong_first=tuple(said_first[key] for key in sorted(said_first.keys() - wrong)),
        wrong_second=tuple(said_second[key] for key in sorted(said_second.keys() - wrong)),
        wrong_both=tuple(said_first[key] for key in sorted(wrong)),
    )


def _by_item(errors: Sequence[Error], kind: Kind) -> dict[tuple[str, tuple[Span, ...], str, str], Error]:
    """Errors of one kind by their item: the gold item that was missed, or the answer that was given."""
    return {
        (error.document, error.spans, error.type, error.gold if kind == "miss" else error.predicted): error
        for error in errors
        if error.kind == kind
    }


def found_by_both(
    decides: Sequence[DecisionKind], documents: Iterable[Document], missed: Iterable[Error]
) -> list[tuple[Document, Decision]]:
    """The gold items that neither system missed, in text order; `missed` are the misses of both."""
    about_document = "label" in decides
    lost = {(error.document, _place_of_error(error, about_document=about_document)) for error in missed}
    return [
        (document, one)
        for document in documents
        for one in sorted(decisions(document.gold, decides))
        if one.value != NIL and (document.id, _place(one)) not in lost
    ]


def _place_of_error(error: Error, *, about_document: bool) -> tuple[Any, ...]:
    """The item that was missed, comparable with `_place`."""
    if about_document:
        return "label", error.type
    return ("relation", *error.arguments, error.gold) if error.arguments is not None else (error.start, error.end)


def _place(one: Decision) -> tuple[Any, ...]:
    if one.kind == "label":
        return "label", one.value
    return ("relation", (one.start, one.end), one.other, one.value) if one.kind == "relation" else (one.start, one.end)


def main_judged(task: AnyTask, gold: Sequence[Document]) -> str:
    """The score by which systems are ranked on this gold: the task's main score if it can be computed."""
    judged, main = task.judged(gold), task.main_score[-1]
    return main if main in judged else list(judged)[-1]


@dataclass(frozen=True)
class Beside:
    """One of several systems compared with the first, by one score; the first itself has no difference."""

    name: str
    score: float
    difference: ScoreDifference | None
    """This system minus the first."""
    p_permutation: float | None
    p_corrected: float | None
    """The p-value after Holm's correction over all systems compared with the first."""


def beside_first(
    task: AnyTask,
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Layer]],
    score: str = "",
    *,
    samples: int = 2_000,
    seed: int = 0,
) -> list[Beside]:
    """Each system's difference from the first by the task's main score, or another one; in the given order."""
    if not gold:
        raise InputError("there is no document to compare on")
    counted = {name: Counted.of(task, gold, layers) for name, layers in systems.items()}
    return beside_first_counts(task.statistics()[score or main_judged(task, gold)], counted, samples=samples, seed=seed)


def beside_first_counts(
    score: tuple[tuple[str, ...], Statistic],
    systems: Mapping[str, Counted],
    *,
    samples: int = 2_000,
    seed: int = 0,
) -> list[Beside]:
    """The same from the documents' counts for one score of each system."""
    columns, statistic = score
    counts = [one.columns(columns) for one in systems.values()]
    values = [float(statistic(one.sum(axis=0))) for one in counts]
    first, *others = counts
    differences = [paired_bootstrap(first, one, statistic, samples=samples, seed=seed) for one in others]
    plain = [paired_permutation(first, one, statistic, samples=samples, seed=seed) for one in others]
    tests = zip(differences, plain, holm(plain), strict=True)
    names = list(systems)
    return [
        Beside(names[0], values[0], None, None, None),
        *(Beside(name, value, *test) for name, value, test in zip(names[1:], values[1:], tests, strict=True)),
    ]


@dataclass(frozen=True)
class Ranked:
    """A system on the leaderboard. Systems that share a letter do not differ significantly."""

    name: str
    score: Interval
    letters: str


def leaderboard(
    task: AnyTask,
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Layer]],
    score: str = "",
    *,
    samples: int = 2_000,
    level: float = 0.05,
    seed: int = 0,
) -> list[Ranked]:
    """Systems by score, best first, with the groups within which no difference is significant.

    Every pair is tested by permutation; p-values are corrected for all pairs (Holm).
    """
    counted = {name: Counted.of(task, gold, layers) for name, layers in systems.items()}
    chosen = task.statistics()[score or main_judged(task, gold)]
    return leaderboard_counts(chosen, counted, samples=samples, level=level, seed=seed)


def leaderboard_counts(
    score: tuple[tuple[str, ...], Statistic],
    systems: Mapping[str, Counted],
    *,
    samples: int = 2_000,
    level: float = 0.05,
    seed: int = 0,
) -> list[Ranked]:
    """The same from the documents' counts for one score of each system."""
    columns, statistic = score
    counts = {name: one.columns(columns) for name, one in systems.items()}
    values = {name: bootstrap_interval(c, statistic, samples=samples, seed=seed) for name, c in counts.items()}
    order = sorted(systems, key=lambda name: -values[name].value)
    pairs = list(combinations(order, 2))
    p_values = holm([paired_permutation(counts[a], counts[b], statistic, samples=samples, seed=seed) for a, b in pairs])
    differ = {pair for pair, p in zip(pairs, p_values, strict=True) if p < level}
    letters = _letters(order, differ)
    return [Ranked(name, values[name], letters[name]) for name in order]


def _letters(order: Sequence[str], differ: set[tuple[str, str]]) -> dict[str, str]:
    """Letters for the longest runs of the ranking without a significant pair."""
    groups: list[range] = []
    for i in range(len(order)):
        end = i + 1
        while end < len(order) and not any((order[k], order[end]) in differ for k in range(i, end)):
            end += 1
        if not groups or end > groups[-1].stop:
            groups.append(range(i, end))
    return {
        name: "".join(chr(ord("a") + g % 26) for g, group in enumerate(groups) if i in group)
        for i, name in enumerate(order)
    }


def _side_by_side(
    first: Mapping[str, Any], second: Mapping[str, Any], path: str = ""
) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for name, value in first.items():
        other = second.get(name)
        where = f"{path} {name}".strip()
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            found |= _side_by_side(value, other, where)
        elif isinstance(value, int | float) and isinstance(other, int | float) and not isinstance(value, bool):
            found[where] = float(value), float(other)
    return found
