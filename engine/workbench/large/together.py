"""Compares two systems on a large corpus, from the stored results of each: tests over documents, and shared errors.

Documents are independent of each other, so they are processed in blocks; the misses and false alarms of each group
become a casebook, and the items that both found a separate list.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final

from engine.data.document import Document
from engine.metrics.errors import Error, most_confident_first
from engine.metrics.significance import ScoreDifference
from engine.store.large.casebook import Casebook, CasebookWriter
from engine.store.large.room import Room
from engine.store.large.shown import ShownDecisions, ShownWriter
from engine.tasks.base import AnyTask
from engine.workbench.comparison import (
    Comparison,
    ScoreDelta,
    compare_counts,
    found_by_both,
    gold_items,
    shared,
)
from engine.workbench.large.results import KeptErrors

GROUPS: Final = ("only_first", "only_second", "neither", "wrong_first", "wrong_second", "wrong_both")
"""The lists of engine.workbench.comparison.Shared."""
_ABOUT, _BOTH = "comparison.json", "both.db"
_AT_ONCE: Final = 256


@dataclass(frozen=True)
class Pair:
    """The stored results of two systems on the same documents; `sample` has a document of every kind."""

    task: AnyTask
    first: KeptErrors
    second: KeptErrors
    documents: Sequence[Document]
    sample: Sequence[Document]


@dataclass(frozen=True)
class KeptComparison:
    """The stored comparison, in a folder."""

    folder: Path

    @cached_property
    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / _ABOUT).read_text(encoding="utf-8"))
        return told

    @property
    def comparison(self) -> Comparison:
        told = self._told["comparison"]
        scores = (ScoreDelta(**{**one, "difference": ScoreDifference(**one["difference"])}) for one in told["scores"])
        numbers = {name: (float(a), float(b)) for name, (a, b) in told["all_scores"].items()}
        return Comparison(int(told["n_documents"]), tuple(scores), numbers)

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of errors in each group, and the number of gold items that both found ("both")."""
        return {name: int(n) for name, n in self._told["numbers"].items()}

    def group(self, name: str) -> Casebook:
        return Casebook(self.folder / f"{name}.db")

    @property
    def both(self) -> ShownDecisions:
        """The items that both found, in corpus order."""
        return ShownDecisions(self.folder / _BOTH)


def compare(
    room: Room,
    key: tuple[str, ...],
    pair: Pair,
    begin: Callable[[str, int, str], None],
    tick: Callable[[int], None],
) -> None:
    """Compare the two, and store the result."""
    with room.making(*key) as folder:
        begin("Who found what", len(pair.documents), "documents")
        numbers = _share(folder, pair, tick)
        reports = [one.reports(pair.task)["now"] for one in (pair.first, pair.second)]
        counted = [pair.first.counted, pair.second.counted]
        judged = pair.task.judged(pair.sample)
        begin("Testing the difference over documents", len(judged), "scores")
        found = compare_counts(judged, counted, reports, tick=tick)
        told = {"comparison": dataclasses.asdict(found), "numbers": numbers}
        (folder / _ABOUT).write_text(json.dumps(told), encoding="utf-8")


def _share(folder: Path, pair: Pair, tick: Callable[[int], None]) -> dict[str, int]:
    """Write the casebook of every group and the list of items that both found; returns the size of each."""
    numbers = dict.fromkeys(("both", *GROUPS), 0)
    done = 0
    with ExitStack() as stack:
        books = {name: stack.enter_context(CasebookWriter(folder / f"{name}.db")) for name in GROUPS}
        both = stack.enter_context(ShownWriter(folder / _BOTH))
        for block in _blocks(pair.documents):
            ids = [document.id for document in block]
            ours, theirs = (_by_document(one.cases, ids) for one in (pair.first, pair.second))
            for document in block:
                own = shared(gold_items(pair.task, [document]), ours.get(document.id, ()), theirs.get(document.id, ()))
                numbers["both"] += own.both
                for name, book in books.items():
                    errors: tuple[Error, ...] = getattr(own, name)
                    numbers[name] += len(errors)
                    book.add([vars(error) for error in errors])
                missed = (*own.only_first, *own.only_second, *own.neither)
                both.add(found_by_both(pair.task.decides, [document], missed))
            done += len(block)
            tick(done)
    return numbers


def _by_document(book: Casebook, ids: Sequence[str]) -> dict[str, list[Error]]:
    """The errors of some documents as originally found, in page order."""
    found: dict[str, list[Error]] = {}
    for error in most_confident_first(book.of_documents(ids)):
        found.setdefault(error.document, []).append(error)
    return found


def _blocks(documents: Sequence[Document]) -> Iterator[list[Document]]:
    coming = iter(documents)
    while block := list(islice(coming, _AT_ONCE)):
        yield block
