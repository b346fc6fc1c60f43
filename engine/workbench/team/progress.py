"""Project management: assigning documents, and everybody's progress.

Working time is estimated from the log: the pauses between a person's edits of a document, if they are short enough to
have been spent on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import numpy as np

from engine.data.document import Document
from engine.data.edits import State
from engine.data.errors import InputError
from engine.store.annotations import AnnotationLog, LogRow, fold
from engine.store.projects import Project
from engine.workbench.adjudication import weights

PAUSE: Final = 300.0
"""A pause of more seconds than this is not counted as work."""
FIRST: Final = 20.0
"""Seconds that are assumed for the first edit of a session."""

Progress: TypeAlias = Literal["", "assigned", "begun", "done"]


def dealt(
    documents: Sequence[str],
    names: Sequence[str],
    each: int,
    *,
    seed: int = 0,
    before: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Assign documents at random so that `each` people annotate every one, and nobody has more than one document more
    than anybody else. Earlier assignments are kept and count."""
    if not 1 <= each <= len(set(names)):
        raise InputError(f"{each} people a document cannot be chosen from {len(set(names))}")
    rng = np.random.default_rng(seed)
    given = {document: tuple((before or {}).get(document, ())) for document in documents}
    load = Counter(name for who in given.values() for name in who)
    for i in rng.permutation(len(documents)):
        document = documents[i]
        free = [name for name in dict.fromkeys(names) if name not in given[document]]
        chance = rng.permutation(len(free))
        ranked = sorted(range(len(free)), key=lambda k: (load[free[k]], chance[k]))
        chosen = [free[k] for k in ranked[: max(0, each - len(given[document]))]]
        given[document] = tuple(sorted((*given[document], *chosen)))
        load.update(chosen)
    return given


def seconds_spent(times: Iterable[str]) -> float:
    """How long somebody worked, estimated from the ordered times of their edits."""
    moments = [datetime.fromisoformat(time).timestamp() for time in times]
    if not moments:
        return 0.0
    pauses = [after - before for before, after in pairwise(moments)]
    return FIRST + sum(pause if pause <= PAUSE else FIRST for pause in pauses)


@dataclass(frozen=True)
class Share:
    """One person's progress on one document."""

    progress: Progress
    seconds: float


@dataclass(frozen=True)
class Overview:
    """People and documents."""

    names: tuple[str, ...]
    shares: Mapping[tuple[str, str], Share]
    """(Person, document) -> progress; without an entry the document is not assigned to that person."""
    agreement: Mapping[str, float | None]
    """Person -> mean F1 of their decisions with everybody else's on documents that both have done."""

    def count(self, name: str, *progress: Progress) -> int:
        return sum(who == name and share.progress in progress for (who, _), share in self.shares.items())

    def seconds(self, name: str) -> float:
        return sum(share.seconds for (who, _), share in self.shares.items() if who == name)


def overview(log: AnnotationLog, documents: Sequence[Document], project: Project) -> Overview:
    """Everybody's progress and agreement so far."""
    rows: dict[tuple[str, str], list[LogRow]] = {}
    for row in log.history():
        rows.setdefault((row.layer, row.document), []).append(row)
    names = tuple(sorted({*project.annotators, *(name for who in project.assigned.values() for name in who)}))
    shares: dict[tuple[str, str], Share] = {}
    done: dict[str, dict[str, State]] = {name: {} for name in names}
    for name in names:
        for document in documents:
            own = rows.get((name, document.id), [])
            state = fold(document, own, name) if own else None
            if state is not None and state.done:
                done[name][document.id] = state
            progress = _progress(state, name in project.assigned.get(document.id, ()))
            if progress:
                shares[name, document.id] = Share(progress, seconds_spent(row.time for row in own))
    return Overview(names, shares, {name: _agreement(name, done) for name in names})


def _progress(state: State | None, assigned: bool) -> Progress:
    if state is None:
        return "assigned" if assigned else ""
    return "done" if state.done else "begun"


def _agreement(name: str, done: Mapping[str, Mapping[str, State]]) -> float | None:
    """The mean agreement with the others, on documents that both have done; None if there are none."""
    found = []
    for other in done:
        common = sorted(done[name].keys() & done[other].keys()) if other != name else []
        if common:
            layers = {who: [done[who][id].layer() for id in common] for who in (name, other)}
            found.append(weights(layers)[name])
    return sum(found) / len(found) if found else None
