"""Systems on the same documents: what differs, by how much, and whether it is more than luck.

Each score gets the paired bootstrap interval of its difference and a paired permutation p-value; where several are
tested at once, Holm's correction stands beside the plain p-value. A system is anything with predicted layers: a run, or
predictions of an outside system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from engine.data.document import NIL, Document, Layer
from engine.data.errors import InputError
from engine.metrics.differences import decisions
from engine.metrics.errors import Error
from engine.metrics.significance import (
    Interval,
    ScoreDifference,
    as_counts,
    bootstrap_interval,
    holm,
    paired_bootstrap,
    paired_permutation,
)
from engine.tasks.base import AnyTask
from engine.tasks.scored import Scored


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
    counts = [task.counts(gold, layers) for layers in (first, second)]
    rows: list[tuple[str, float, float, ScoreDifference, float]] = []
    for name, (columns, statistic) in task.judged(gold).items():
        a, b = (as_counts(one, columns) for one in counts)
        difference = paired_bootstrap(a, b, statistic, samples=samples, seed=seed)
        p = paired_permutation(a, b, statistic, samples=samples, seed=seed)
        rows.append((name, float(statistic(a.sum(axis=0))), float(statistic(b.sum(axis=0))), difference, p))
    corrected = holm([row[4] for row in rows])
    reports = [task.evaluate(gold, layers, known) for layers, known in zip((first, second), scored, strict=True)]
    return Comparison(
        len(gold),
        tuple(ScoreDelta(*row, p_corrected=p) for row, p in zip(rows, corrected, strict=True)),
        _side_by_side(reports[0], reports[1]),
    )


@dataclass(frozen=True)
class Shared:
    """Gold items by who found them; the lists hold the misses behind each number."""

    both: int
    only_first: tuple[Error, ...]
    only_second: tuple[Error, ...]
    neither: tuple[Error, ...]


def gold_items(task: AnyTask, documents: Sequence[Document]) -> int:
    """How many things gold says that a system of this task could find."""
    return sum(one.value != NIL for document in documents for one in decisions(document.gold, task.decides))


def shared(n_gold: int, first: Sequence[Error], second: Sequence[Error]) -> Shared:
    """Who found what, from the errors of both systems on the same gold."""
    missed_first = {_item(error): error for error in first if error.kind == "miss"}
    missed_second = {_item(error): error for error in second if error.kind == "miss"}
    neither = missed_first.keys() & missed_second.keys()
    only_second = missed_first.keys() - neither
    only_first = missed_second.keys() - neither
    return Shared(
        both=n_gold - len(neither) - len(only_first) - len(only_second),
        only_first=tuple(missed_second[key] for key in sorted(only_first)),
        only_second=tuple(missed_first[key] for key in sorted(only_second)),
        neither=tuple(missed_first[key] for key in sorted(neither)),
    )


def main_judged(task: AnyTask, gold: Sequence[Document]) -> str:
    """The score that systems are ranked by on this gold: the task's main one where gold can tell it."""
    judged, main = task.judged(gold), task.main_score[-1]
    return main if main in judged else list(judged)[-1]


@dataclass(frozen=True)
class Beside:
    """A system beside the first of several, by one score; the first has no difference from itself."""

    name: str
    score: float
    difference: ScoreDifference | None
    """This system minus the first."""
    p_permutation: float | None
    p_corrected: float | None
    """After Holm's correction over all systems that stand beside the first."""


def beside_first(
    task: AnyTask,
    gold: Sequence[Document],
    systems: Mapping[str, Sequence[Layer]],
    score: str = "",
    *,
    samples: int = 2_000,
    seed: int = 0,
) -> list[Beside]:
    """Each system's difference from the first by the task's main score, or another; in the order given."""
    if not gold:
        raise InputError("there is no document to compare on")
    columns, statistic = task.statistics()[score or main_judged(task, gold)]
    counts = [as_counts(task.counts(gold, layers), columns) for layers in systems.values()]
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
    """A system on the leaderboard. Systems that share a letter do not differ beyond luck."""

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
    columns, statistic = task.statistics()[score or main_judged(task, gold)]
    counts = {name: as_counts(task.counts(gold, layers), columns) for name, layers in systems.items()}
    values = {name: bootstrap_interval(c, statistic, samples=samples, seed=seed) for name, c in counts.items()}
    order = sorted(systems, key=lambda name: -values[name].value)
    pairs = list(combinations(order, 2))
    p_values = holm([paired_permutation(counts[a], counts[b], statistic, samples=samples, seed=seed) for a, b in pairs])
    differ = {pair for pair, p in zip(pairs, p_values, strict=True) if p < level}
    letters = _letters(order, differ)
    return [Ranked(name, values[name], letters[name]) for name in order]


def _letters(order: Sequence[str], differ: set[tuple[str, str]]) -> dict[str, str]:
    """Letters for the longest stretches of the ranking without a significant pair."""
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


def _item(error: Error) -> tuple[str, int, int, str, str]:
    return error.document, error.start, error.end, error.type, error.gold


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
