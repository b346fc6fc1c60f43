"""Errors, misses and false alarms, each attributed to exactly one stage.

The stages are listed in the order in which a decision passes through them; an error is attributed to the first stage
that lost the right answer. A false alarm on a span that gold links to another entity and the miss of that gold link are
two errors with the same stage; cases.py joins them into one case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    # Only for its type: programs that annotate nothing start without the edits.
    from engine.data.edits import State


Span: TypeAlias = tuple[int, int]

Stage: TypeAlias = Literal[
    "gold marked wrong",
    "mention not proposed",
    "candidate missing",
    "not listed",
    "declined by the bias",
    "forced by a constraint",
    "pruned by search",
    "scored lower",
]

STAGES: Final[tuple[Stage, ...]] = get_args(Stage)

NOT_LISTED: Final[Stage] = "not listed"
"""The right answer is not among the alternatives that another program listed. Since it did not list all of them, it is
unknown whether the mention was not proposed, the candidate was missing, or it was scored lower."""

MERGED: Final[tuple[Stage, ...]] = ("mention not proposed", "candidate missing")
"""The stages that become "not listed" where the alternatives are incomplete."""

Kind: TypeAlias = Literal["miss", "false alarm"]


@dataclass(frozen=True)
class Error:
    """One wrong decision of one document, and why."""

    document: str
    kind: Kind
    stage: Stage
    type: str
    start: int
    end: int
    gold: str
    predicted: str
    confidence: float
    attributes: Mapping[str, Any] = field(default_factory=dict)
    arguments: tuple[Span, Span] | None = None
    """Head and tail of a relation; in that case start and end span both."""
    counts: bool = True
    """Whether the system's main score counts it: accuracy of links, for example, ignores a link where gold has none."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans that the error concerns; empty if it concerns the document as a whole."""
        if self.arguments is not None:
            return self.arguments
        return ((self.start, self.end),) if self.end > self.start else ()

    def value(self, attribute: str) -> Any:
        """A field or attribute by name; None if the error has none of that name."""
        if attribute in _OWN:
            return getattr(self, attribute)
        return self.attributes.get(attribute)


_OWN: Final = ("document", "kind", "stage", "type", "gold", "predicted", "confidence")


@dataclass(frozen=True)
class Doubts:
    """Where annotators have marked gold as wrong: mentions and places by their spans, relations by head and tail,
    labels of the document by name."""

    spans: frozenset[Span] = frozenset()
    relations: frozenset[tuple[Span, Span]] = frozenset()
    labels: frozenset[str] = frozenset()

    @classmethod
    def of(cls, state: State) -> Doubts:
        spans = {state.mentions[id].span for id in state.doubted if id in state.mentions}
        arcs = [state.relations[id] for id in state.doubted if id in state.relations]
        places, labels = state.doubted_places, state.doubted_labels
        return cls(
            frozenset(spans | places),
            frozenset((state.mentions[arc.head].span, state.mentions[arc.tail].span) for arc in arcs),
            frozenset(labels),
        )

    def concern(self, error: Error) -> bool:
        if error.arguments in self.relations or error.type in self.labels:
            return True
        return any(a < end and start < b for a, b in self.spans for start, end in error.spans)


def blame_gold(errors: Iterable[Error], doubts: Mapping[str, Doubts]) -> list[Error]:
    """The errors, with gold as the cause where somebody marked it as wrong. `doubts` are keyed by document."""
    nothing = Doubts()
    return [
        replace(error, stage="gold marked wrong") if doubts.get(error.document, nothing).concern(error) else error
        for error in errors
    ]


def merge_unlisted(errors: Iterable[Error], *, complete: bool) -> list[Error]:
    """The errors, with those stages merged that cannot be distinguished if the alternatives are incomplete."""
    return [error if complete or error.stage not in MERGED else replace(error, stage=NOT_LISTED) for error in errors]


def stages_shown(possible: Collection[Stage], errors: Mapping[Stage, Counter[str]]) -> list[Stage]:
    """The rows of a table of stages: the stages of the system, and any others with errors. Stages that were merged have
    no row: 0 errors would say what is not known."""
    merged = MERGED if errors[NOT_LISTED] else ()
    return [stage for stage in STAGES if errors[stage] or (stage in possible and stage not in merged)]


def stages_absent(possible: Collection[Stage]) -> list[Stage]:
    """Stages at which a system can never lose an answer, wherever its scores come from."""
    return [stage for stage in STAGES if stage not in possible and stage != NOT_LISTED]


def stage_table(errors: Iterable[Error]) -> dict[Stage, Counter[str]]:
    """Stage -> how often each type went wrong there; every stage has a row."""
    table: dict[Stage, Counter[str]] = {stage: Counter() for stage in STAGES}
    for error in errors:
        table[error.stage][error.type] += 1
    return table


@dataclass(frozen=True)
class Filter:
    """One condition on errors: an attribute is one of some values, or lies in a range (None: open)."""

    attribute: str
    values: tuple[Any, ...] | None = None
    low: float | None = None
    high: float | None = None

    def keeps(self, error: Error) -> bool:
        value = error.value(self.attribute)
        if self.values is not None:
            return value in self.values
        if not isinstance(value, int | float):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)


def most_confident_first(errors: Iterable[Error]) -> list[Error]:
    return sorted(errors, key=lambda error: (-error.confidence, error.document, error.start, error.end, error.kind))


def select(errors: Iterable[Error], filters: Sequence[Filter]) -> list[Error]:
    """The errors that pass every filter, in their original order."""
    return [error for error in errors if all(one.keeps(error) for one in filters)]


def confusions(errors: Iterable[Error]) -> Counter[tuple[str, str]]:
    """(gold, predicted) -> how often. An item predicted where gold has nothing, or missed, is paired with "".

    The two errors of one wrong answer on a span (its miss and its false alarm) are one confusion.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for error in errors:
        if error.kind == "miss":
            counts[error.gold, error.predicted] += 1
        elif not error.gold:
            counts["", error.predicted] += 1
    return counts


def attributes(errors: Iterable[Error]) -> dict[str, list[Any]]:
    """Every attribute that can be filtered on, with the values it takes."""
    found: dict[str, set[Any]] = {name: set() for name in ("kind", "stage", "type", "confidence")}
    for error in errors:
        for name in ("kind", "stage", "type", "confidence"):
            found[name].add(getattr(error, name))
        for name, value in error.attributes.items():
            found.setdefault(name, set()).add(value)
    return {name: sorted(values, key=lambda value: (str(type(value)), value)) for name, values in found.items()}
