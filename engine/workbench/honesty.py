"""Caveats that must be shown with a score: whether a run was trained on the documents it is scored on, and whether two
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
from engine.tasks.outside.brought import OUTSIDE

GIVEN: Final = "starts from gold mentions"
OWN: Final = "finds its own mentions"

LEARNT: Final = "The run learnt from this corpus: scores here say what it remembers, not how well it does on new texts."

_LOOKED_AT: Final = 200
"""Maximum number of documents examined to find what a model starts from; the first with a gold mention decides."""


def ids(listed: str) -> list[str]:
    """The corpora that a run lists for training or for choosing settings."""
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
        f"{shared} of {of} documents have the text of a document that the run learnt from, so scores here are too good."
    )


class ForeignLabels(InputError):
    """A run is about to be scored on a corpus whose names it never learnt."""


def refuse_foreign(task: AnyTask, model: AnyModel | None, documents: Iterable[Document]) -> None:
    """Raise ForeignLabels if gold has names of some kind and the model knows none of them: its score would be
    meaningless, since it never had a chance to learn them. Reading stops at the first document with a known name."""
    if model is None or model.outside is not None or not isinstance(task, NamesLabels):
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
    """Why systems with these starting points cannot be ranked together; empty if they can."""
    known = {name: point for name, point in points.items() if point}
    if len(set(known.values())) < 2:
        return ""
    first = next(iter(known))
    other = next(name for name in known if known[name] != known[first])
    return f"{first} {known[first]} and {other} {known[other]}: their scores cannot be compared"


def comparable_with(first: str, points: Mapping[str, str]) -> list[str]:
    """The systems that may be ranked together with the first one, in order."""
    own = points[first]
    return [name for name, point in points.items() if not own or not point or point == own]


def same_dev(runs: Sequence[RunInfo]) -> bool:
    """Whether the runs' scores during training were measured on the same documents."""
    return len({tuple(sorted(ids(run.dev))) for run in runs}) < 2
