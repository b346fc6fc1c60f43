"""Results of a run on a large corpus: computed in the background in blocks, kept in files, and looked up by key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import streamlit as st

from engine.data.document import Document, Layer
from engine.tasks.base import AnyModel
from engine.tasks.registry import get
from engine.tuning.curve import Curve
from engine.workbench.large import flipping, judging, together
from engine.workbench.large.flipping import KeptFlips
from engine.workbench.large.judging import HeldSource, Judgement
from engine.workbench.large.results import KeptCurve, KeptErrors
from engine.workbench.large.together import KeptComparison, Pair
from ui.background.beside import Beside, Progress, Soon
from ui.shell.large.surveys import room


@dataclass(frozen=True)
class Subject:
    """A run and a large corpus. `version` changes whenever the model, the corpus or its gold does."""

    directory: Path
    task: str
    version: tuple[str, ...]
    model: Callable[[], AnyModel]
    documents: Sequence[Document]

    def judgement(self, key: tuple[str, ...], bias: float, progress: Progress) -> Judgement:
        source = HeldSource(self.task, self.model(), bias)
        return Judgement(room(self.directory), key, source, self.documents, progress.begin, progress.tick)


# Files are read once for all visitors; the arrays of a few curves are kept in memory.


@st.cache_resource(show_spinner=False, max_entries=8)
def _curve(folder: str) -> KeptCurve:
    return KeptCurve(Path(folder))


def curve_of(subject: Subject) -> KeptCurve | None:
    """The curve if it has been computed, with all scores at the run's bias at that time."""
    folder = room(subject.directory).folder("curve", *subject.version)
    return None if folder is None else _curve(str(folder))


def errors_of(subject: Subject, bias: float) -> KeptErrors | None:
    """The errors at a bias, if they have been computed."""
    folder = room(subject.directory).folder("errors", *subject.version, repr(float(bias)))
    return None if folder is None else KeptErrors(folder)


def curve_soon(beside: Beside, subject: Subject, bias: float) -> Soon[Curve]:
    """The curve; `bias` is the bias of the scores that are stored with it."""
    key = ("curve", *subject.version)
    known = curve_of(subject)
    if known is not None:
        beside.forget(key)
        return Soon.done(known.curve)

    def compute(progress: Progress) -> Curve:
        judging.trace(subject.judgement(key, bias, progress))
        return KeptCurve(_there(subject, key)).curve

    return beside.soon(key, compute, again=False)


def errors_soon(beside: Beside, subject: Subject, bias: float) -> Soon[KeptErrors]:
    """The errors at a bias."""
    key = ("errors", *subject.version, repr(float(bias)))
    known = errors_of(subject, bias)
    if known is not None:
        beside.forget(key)
        return Soon.done(known)

    def compute(progress: Progress) -> KeptErrors:
        judging.blame(subject.judgement(key, bias, progress))
        return KeptErrors(_there(subject, key))

    return beside.soon(key, compute, again=False)


def flips_soon(beside: Beside, subject: Subject, start: float, bias: float, *, begin: bool) -> Soon[KeptFlips] | None:
    """The decisions that differ between two biases; None if they have not been requested yet, unless `begin` starts the
    computation, which takes a pass over the corpus."""
    key = ("flips", *subject.version, repr(float(start)), repr(float(bias)))
    folder = room(subject.directory).folder(*key)
    if folder is not None:
        beside.forget(key)
        return Soon.done(KeptFlips(folder))
    if not begin and not beside.has(key):
        return None

    def compute(progress: Progress) -> KeptFlips:
        flipping.flip(subject.judgement(key, bias, progress), start)
        return KeptFlips(_there(subject, key))

    return beside.soon(key, compute, again=False)


def comparison_soon(
    beside: Beside, first: tuple[Subject, float], second: tuple[Subject, float], pair: Pair
) -> Soon[KeptComparison]:
    """The comparison of two runs, each at its bias, whose errors are known (`pair`)."""
    (one, at), (other, other_at) = first, second
    key = ("comparison", *one.version, repr(float(at)), *other.version, repr(float(other_at)))
    folder = room(one.directory).folder(*key)
    if folder is not None:
        beside.forget(key)
        return Soon.done(KeptComparison(folder))

    def compute(progress: Progress) -> KeptComparison:
        together.compare(room(one.directory), key, pair, progress.begin, progress.tick)
        return KeptComparison(_there(one, key))

    return beside.soon(key, compute, again=False)


def _there(subject: Subject, key: tuple[str, ...]) -> Path:
    folder = room(subject.directory).folder(*key)
    assert folder is not None
    return folder


class Answers(Sequence[Layer]):
    """The predictions of a run for the documents of a large corpus, decided on demand."""

    def __init__(self, task: str, documents: Sequence[Document], model: AnyModel, bias: float) -> None:
        self._task, self._documents, self._model, self._bias = get(task), documents, model, bias

    def __len__(self) -> int:
        return len(self._documents)

    @overload
    def __getitem__(self, index: int) -> Layer: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Layer]: ...
    def __getitem__(self, index: int | slice) -> Layer | Sequence[Layer]:
        if isinstance(index, slice):
            return self._decide(self._documents[index])
        return self._decide([self._documents[index]])[0]

    def _decide(self, documents: Sequence[Document]) -> Sequence[Layer]:
        # Not through the task's cache, which is for corpora that are needed again.
        scored = self._task.score(documents, self._model).at(self._bias)
        found: Sequence[Layer] = self._task.decide(scored)
        return found
