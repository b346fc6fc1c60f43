"""The benefit of more annotation: the score of a model by the number of finished documents it was trained on.

Documents are taken in the order in which people finished them, so that every point is a past state of the project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.data.document import GOLD, Document
from engine.data.edits import MarkDone
from engine.data.errors import InputError
from engine.settings import Settings
from engine.store.annotations import AnnotationLog, fold, live_numbers
from engine.tasks.base import AnyTask, Resources
from engine.workbench.experiments.choosing import judge, trained
from engine.workbench.team.progress import seconds_spent


@dataclass(frozen=True)
class Finished:
    """A finished document with its gold, when it was marked as done, and how long people worked on it in any layer."""

    document: Document
    time: str
    seconds: float


@dataclass(frozen=True)
class Point:
    """A model trained on the first documents."""

    documents: int
    minutes: float
    """The time that people spent on them."""
    score: float


def finished(log: AnnotationLog, originals: Sequence[Document], *, layer: str = GOLD) -> list[Finished]:
    """The documents that are done in this layer, in the order in which they were finished."""
    rows = log.history()
    found = []
    for document in originals:
        own = [row for row in rows if row.document == document.id and row.layer == layer]
        alive = live_numbers(own)
        said = [row.time for row in own if row.number in alive and row.edit == MarkDone(True)]
        state = fold(document, own, layer)
        if state.done and said:
            by_writer: dict[tuple[str, str], list[str]] = {}
            for row in rows:
                if row.document == document.id:
                    by_writer.setdefault((row.user, row.layer), []).append(row.time)
            spent = sum(seconds_spent(times) for times in by_writer.values())
            found.append(Finished(state.document(document), said[-1], spent))
    return sorted(found, key=lambda one: one.time)


def sizes(n: int, points: int = 6) -> list[int]:
    """The numbers of training documents: all of them, half, a quarter, ..., ascending."""
    return sorted({max(1, round(n / 2**i)) for i in range(points)}) if n else []


def effort(
    task: AnyTask,
    learner: str,
    settings: Settings,
    done: Sequence[Finished],
    dev: Sequence[Document],
    resources: Resources,
    points: int = 6,
) -> Iterator[Point]:
    """A model for every size, evaluated on the same documents; each is yielded as soon as it is trained."""
    if not done:
        raise InputError("no document is marked as done, so there is nothing to learn from")
    if not dev:
        raise InputError("the learning curve needs documents to judge on")
    for n in sizes(len(done), points):
        model, _ = trained(task, ([one.document for one in done[:n]], dev), learner, settings, resources)
        score = task.main_number(judge(task, model, dev))
        yield Point(n, sum(one.seconds for one in done[:n]) / 60, score)
