"""Conditions that a score must not be shown without: whether a run learnt from what it is scored on, and whether two
systems can be ranked together at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from engine.arrays import Words
from engine.corpora.splits import overlap
from engine.data.document import Document
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.base import AnyModel, AnyTask
from engine.tasks.capabilities import NamesLabels
from engine.tasks.outside.run import OUTSIDE

GIVEN: Final = "starts from gold mentions"
OWN: Final = "finds its own mentions"

LEARNT: Final = "The run learnt from this corpus: scores here say what it remembers, not how well it does on new texts."

_LOOKED_AT: Final = 200
"""Documents that are asked what a model starts from: the first with a gold mention tells."""


def ids(listed: str) -> list[str]:
    """The corpora that a run names as what it learnt from or chose on."""
    return [id for id in listed.split(",") if id]


def learnt_from(run: RunInfo, corpus: CorpusInfo, documents: Sequence[Document], training: Iterable[Document]) -> str:
    """The note if a run is scored on documents that it was trained on, by corpus or by text; otherwise empty."""
    if corpus.id in ids(run.train):
        return LEARNT
    shared = overlap(documents, training)
    return _too_good(shared.by_text, shared.of)


def learnt_from_texts(run: RunInfo, corpus: CorpusInfo, texts: Words, training: Words) -> str:
    """The same, by digests of the texts."""
    if corpus.id in ids(run.train):
        return LEARNT
    return _too_good(int(np.isin(texts, training).sum()), corpus.n_documents)


def _too_good(shared: int, of: int) -> str:
    if not shared:
        return ""
    return (
        f"{shared} of {of} documents were among those that the run learnt from, by their text: scores here are too"
        " good."
    )


class ForeignLabels(InputError):
    """A run is to be scored on a corpus whose names it never learnt."""


def refuse_foreign(task: AnyTask, model: AnyModel | None, documents: Iterable[Document]) -> None:
    """ForeignLabels where gold has names of a kind, and the model can give none of them: a score would say that it
    fails at what it was never asked to learn. Reading stops at the first documents that have a name in common."""
    if model is None or not isinstance(task, NamesLabels):
        return
    known = task.names_known(model)
    lacking: dict[str, set[str]] = {kind: set() for kind in known}
    for document in documents if lacking else ():
        wanted = task.names_wanted(document)
        for kind in list(lacking):
            if wanted[kind] & known[kind]:
                del lacking[kind]
            else:
                lacking[kind] |= wanted[kind]
        if not lacking:
            return
    for kind, names in lacking.items():
        if names:
            raise ForeignLabels(
                f"the run knows none of the {kind} of this corpus, so there is nothing to score: the corpus has"
                f" {_some(names)}; the run learnt {_some(known[kind])}. Choose another run, or train one on these names"
            )


def _some(names: Iterable[str], most: int = 6) -> str:
    listed = sorted(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")


def starting_point(task: AnyTask, model: AnyModel | None, documents: Sequence[Document]) -> str:
    """What a system is given besides the text; empty if this is unknown because its answers come from elsewhere."""
    if model is None or model.learner == OUTSIDE:
        return ""
    some = [document for document in documents[:_LOOKED_AT] if document.gold.mentions]
    if not some:
        return ""
    return GIVEN if any(task.given(document, model) for document in some) else OWN


def apart(points: Mapping[str, str]) -> str:
    """Why systems with these starting points are not ranked together; empty where they may be."""
    known = {name: point for name, point in points.items() if point}
    if len(set(known.values())) < 2:
        return ""
    first = next(iter(known))
    other = next(name for name in known if known[name] != known[first])
    return f"{first} {known[first]} and {other} {known[other]}: their scores cannot be compared"


def comparable_with(first: str, points: Mapping[str, str]) -> list[str]:
    """The systems that may be ranked together with the first one, in their order."""
    own = points[first]
    return [name for name, point in points.items() if not own or not point or point == own]


def same_dev(runs: Sequence[RunInfo]) -> bool:
    """Whether the runs' scores during training are about the same documents."""
    return len({tuple(sorted(ids(run.dev))) for run in runs}) < 2
