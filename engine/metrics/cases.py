"""Wrong answers as people read them: one case each, even if it counts as two errors.

If gold has one answer and the system gives another, the scores count a miss and a false alarm. Somebody who goes
through the errors wants to see the two as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from engine.data.document import NIL, Document
from engine.metrics.errors import Error, Span


@dataclass(frozen=True)
class Case:
    """A wrong answer: what was missed, what was predicted instead, or both."""

    missed: Error | None
    said: Error | None

    def __post_init__(self) -> None:
        if self.missed is None and self.said is None:
            raise ValueError("a case is at least one error")

    @property
    def errors(self) -> tuple[Error, ...]:
        """The one or two errors that it counts as."""
        return tuple(error for error in (self.missed, self.said) if error is not None)

    @property
    def main(self) -> Error:
        """The error that represents the case: the miss if there is one, since it has the gold span."""
        return self.errors[0]

    @property
    def key(self) -> str:
        """Its identifier in addresses; the same as long as its answers are the same."""
        error = self.main
        place = ",".join(f"{start}-{end}" for start, end in error.spans)
        return f"{error.document}|{error.kind}|{place}|{error.gold}|{error.predicted}|{error.type}"

    @property
    def confidence(self) -> float:
        """The system's confidence in its answer, or in giving none."""
        return self.errors[-1].confidence

    @property
    def counts(self) -> bool:
        """Whether the main score counts any of it."""
        return any(error.counts for error in self.errors)

    def of_kind(self, kind: str) -> bool:
        """Whether it counts as a "miss" or as a "false alarm"."""
        return any(error.kind == kind for error in self.errors)


def cases(errors: Iterable[Error]) -> list[Case]:
    """Every error in exactly one case, in order of each case's first error. A miss and a false alarm form one case if
    each names the other's answer and both concern the same place."""
    found = list(errors)
    waiting: dict[tuple[object, ...], list[Error]] = {}
    for error in found:
        if error.kind == "false alarm":
            waiting.setdefault(_answers(error), []).append(error)
    partner: dict[int, Error] = {}
    for error in found:
        if error.kind == "miss":
            said = waiting.get(_answers(error), [])
            match = next((one for one in said if is_same_place(error, one)), None)
            if match is not None:
                said.remove(match)
                partner[id(error)], partner[id(match)] = match, error
    out, told = [], set[int]()
    for error in found:
        if id(error) in told:
            continue
        other = partner.get(id(error))
        told |= {id(error), id(other)}
        out.append(Case(error, other) if error.kind == "miss" else Case(other, error))
    return out


def surest_first(found: Iterable[Case]) -> list[Case]:
    """The cases by confidence, highest first; those that the main score does not count come last."""
    return sorted(found, key=sureness)


def sureness(one: Case) -> tuple[bool, float, str, int, int]:
    """What such an order goes by."""
    return not one.counts, -one.confidence, one.main.document, one.main.start, one.main.end


def with_any(found: Sequence[Case], kept: Collection[Error]) -> list[Case]:
    """The cases of which at least one error is kept."""
    wanted = {id(error) for error in kept}
    return [case for case in found if any(id(error) in wanted for error in case.errors)]


def place_in_words(error: Error, document: Document) -> str:
    """What an error concerns, as written in the text: a mention, or head and tail of a relation."""
    if document.bag is not None:
        return f"{document.bag.first} → {document.bag.second}"
    return " → ".join(_surface(document, span) for span in error.spans)


def answers_in_words(case: Case, document: Document) -> tuple[str, str]:
    """The gold answer and the system's answer; "" for none. For a bag, gold is all of its relations, found or not."""
    error = case.main
    gold = ", ".join(document.gold.labels) if document.bag is not None else error.gold
    return "" if gold == NIL else gold, "" if error.predicted == NIL else error.predicted


def _surface(document: Document, span: Span, most: int = 40) -> str:
    words = " ".join(document.text[slice(*span)].split())
    return words if len(words) <= most else words[: most - 15] + " … " + words[-12:]


def _answers(error: Error) -> tuple[object, ...]:
    return error.document, error.gold, error.predicted, error.arguments


def is_same_place(a: Error, b: Error) -> bool:
    if a.arguments is not None or not a.spans or not b.spans:
        return a.spans == b.spans
    return a.start < b.end and b.start < a.end
