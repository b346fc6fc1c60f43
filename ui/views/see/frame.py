"""The frame of a See page: title line, knob, and two columns — the structure on the left, why on the right.

    from ui.shell import navigation; navigation.guard()
    frame = see.frame(registry.the(Linking), words.SENTENCE)
    trace = frame.trace()
    with frame.left: ...
    with frame.right: ...

`frame` stops the page with an explanation if there is no run or no document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic

import streamlit as st

from engine.data.document import Document
from engine.data.pins import Pin
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.base import D, K, Model, S, T, Task
from engine.tasks.outside.brought import OUTSIDE
from engine.tasks.outside.records import UNTOLD
from engine.tasks.outside.run import caveat
from engine.tuning.curve import Curve
from engine.workbench.along import Along
from engine.workbench.glossary import tooltip
from ui.background import first, jobs
from ui.components.strip import NO_GOLD, Knob, strip
from ui.components.text import Interval
from ui.shell import cache, layout, sidebar
from ui.shell.cache import SoonCurve
from ui.shell.large import waiting
from ui.tab import session
from ui.tab.hidden import literal
from ui.tab.messages import Message
from ui.views.see import along, own, pins, words


@dataclass(frozen=True)
class Frame(Generic[S, K, D, T]):
    """Everything a See page needs: what is on screen, and where to draw."""

    task: Task[S, K, D, T]
    corpus: CorpusInfo
    run: RunInfo
    model: Model[S, K]
    documents: Sequence[Document]
    position: int
    bias: float
    pins: tuple[Pin, ...]
    curve: Curve | None
    awaited: SoonCurve | None
    """The curve, if it is still being computed."""
    knob: Any
    left: Any
    right: Any
    own: Document | None = None
    """The visitor's own text in place of the document, if one was entered."""

    @property
    def document(self) -> Document:
        return self.documents[self.position] if self.own is None else self.own

    @property
    def is_judged(self) -> bool:
        """Whether there is gold to judge by: not for the visitor's own text, nor in a corpus without gold. In an
        annotated corpus, what gold does not have is wrong."""
        return self.own is None and cache.fits(self.corpus, self.task.name) == "yes"

    @cached_property
    def scored(self) -> D:
        """The document with the run's scores at the current bias; items named by pins are among its parts."""
        pins = {self.document.id: self.pins} if self.pins else None
        return self.task.scored([self.document], self.model, pins=pins).at(self.bias)

    def trace(self) -> T:
        """What inference did on the document, under the pins."""
        return self.task.trace(self.scored, pins=self.pins)

    def with_curve(self, soon: SoonCurve | None) -> Frame[S, K, D, T]:
        """The frame with this curve: the run's own, or that of the page's own decisions."""
        if soon is not None and (not soon.is_here() or soon.stopped()):
            return replace(self, curve=None, awaited=soon)
        return replace(self, curve=None if soon is None else soon.future.result(), awaited=None)

    def draw_knob(self, decisions: Sequence[Sequence[Interval]] = (), *, empty: str = NO_GOLD) -> None:
        """The strip, above both columns. `decisions`: the bias intervals of each decision of this document; `empty`:
        the text shown if there is no curve."""
        with self.knob:
            if self.awaited is not None:
                _await(self.awaited, self.corpus.name, self.bias)
            else:
                score = along.main_along(self.run, self.corpus, self.curve)
                _strip(self.curve, self.run, self.bias, decisions, score=score, empty=empty)
                if self.curve is None and empty == NO_GOLD and self.own is None:
                    layout.link_to("annotate", f":material/edit_note: {words.MAKE_GOLD}", corpus=self.corpus.id)
            if missing := UNTOLD if self.scored.answers is not None else words.LISTED[self.scored.alternatives]:
                st.caption(missing)
            if mind := caveat(self.model):
                st.caption(mind)


def place(start: int, end: int) -> str:
    """A selection for a link to any view: whatever item has this span there."""
    return f"@{start}-{end}"


def landed() -> tuple[int, int] | None:
    """The span selected by a link."""
    found = re.fullmatch(r"@(\d{1,9})-(\d{1,9})", session.get("sel") or "")
    return None if found is None else (int(found[1]), int(found[2]))


def land(places: Iterable[tuple[int, int, str]]) -> None:
    """Turn a selection by span into a key of this view: that of the span itself, else of the first that overlaps it.

    `places` are (start, end, key), preferred ones first.
    """
    place = landed()
    if place is None:
        return
    start, end = place
    known = list(places)
    exact = [key for a, b, key in known if (a, b) == (start, end)]
    near = [key for a, b, key in known if a < end and start < b]
    session.found_selected(next(iter([*exact, *near]), None))


def bias_on_screen(run: RunInfo) -> float:
    """The bias in the address, else the run's own."""
    at = session.bias_of(run.id)
    return run.bias if at is None else at


def knob(run: RunInfo, corpus: CorpusInfo, bias: float) -> None:
    """The run's curve on the corpus with the cursor, if there is one; releasing it writes the bias to the address."""
    soon = cache.curve_soon(run, corpus)
    if soon is None:
        return
    if not soon.is_here() or soon.stopped():
        _await(soon, corpus.name, bias)
        return
    curve = soon.future.result()
    _strip(curve, run, bias, (), score=along.main_along(run, corpus, curve))


def knob_help(task: str) -> str:
    """The help text: what the bias is added to, in general and in this system."""
    return " ".join(filter(None, [tooltip("knob", "abstain"), tooltip("knob", task)]))


def _strip(
    curve: Curve | None,
    run: RunInfo,
    bias: float,
    decisions: Sequence[Sequence[Interval]],
    *,
    score: Along | None = None,
    empty: str = NO_GOLD,
) -> None:
    task = cache.task(run.task)
    knob = Knob(
        bias,
        chosen=run.bias,
        names=task.curve_names,
        help=knob_help(task.name),
        unit=task.unit,
        score=score,
        run=run.id,
        beta=session.get_float("beta") or 1.0,
        decisions=decisions,
        empty=empty,
    )
    strip(curve, knob, key="see.strip", on_release=released)


def frame(task: Task[S, K, D, T], sentence: str, *, own_curve: bool = True, own_text: bool = True) -> Frame[S, K, D, T]:
    """The frame for this task's current run and document, with the strip drawn by `draw_knob`.

    A page that decides differently from the run turns the run's curve off, and gives the frame another (`with_curve`).
    A page with its own field for the visitor's text turns `own_text` off.
    """
    layout.title_line(task.title, sentence)
    choice = sidebar.current()
    if choice.run is None and _is_coming(task.name):
        _watch(task.name)
        st.stop()
    if choice.run is None:
        layout.empty(
            f"Nothing has been trained for {task.title.lower()} yet, so there is nothing to look into.",
            "train",
            "Train one",
            task=task.name,
        )
        st.stop()
    if choice.corpus is None or choice.document is None or choice.position is None:
        layout.empty("There is no document to look at.", "corpora", "Add a corpus")
        st.stop()
    # An imported run knows only the documents for which it was imported.
    typed = own.field(task, choice.document.id) if own_text and choice.run.learner != OUTSIDE else None
    if cache.fits(choice.corpus, task.name) == "no" and typed is None:
        lacking = task.readiness(choice.documents[: cache.LARGE])
        layout.empty(f"{lacking.says} {lacking.remedy}", "annotate", "Annotate this corpus", corpus=choice.corpus.id)
        layout.empty("Or choose another corpus in the sidebar, or add one.", "corpora", "Add a corpus", view="Add")
        st.stop()
    cache.ask_first(choice.corpus, choice.run)
    place = st.container()
    soon = cache.curve_soon(choice.run, choice.corpus) if own_curve else None
    with st.container(key="see-frame"):
        left, right = st.columns([2, 1], gap="medium")
    return Frame(
        task=task,
        corpus=choice.corpus,
        run=choice.run,
        model=cache.model(choice.run),
        documents=choice.documents,
        position=choice.position,
        bias=bias_on_screen(choice.run),
        pins=pins.pins(),
        curve=None,
        awaited=None,
        knob=place,
        left=left,
        right=right,
        own=typed,
    ).with_curve(soon)


def _is_coming(task: str) -> bool:
    """Whether a first run of the system is being trained, or will be trained by the first start."""
    workspace = cache.workspace()
    return first.ensure(workspace).awaits(task) or any(run.task == task for run in jobs.running(workspace))


@st.fragment(run_every=1.0)
def _watch(task: str) -> None:
    """Shown instead of the page until there is a model."""
    if cache.runs(task, usable=True) or not _is_coming(task):
        st.rerun()
    workspace = cache.workspace()
    run = next((run for run in jobs.running(workspace) if run.task == task), None)
    state = jobs.state(workspace, run.id) if run is not None else None
    how = "About to be trained on the sample data" if state is None else f"In training, {first.how_far(state)}"
    with st.container(border=True):
        st.progress(
            0.0 if state is None else state.fraction,
            text=f"{how}: {cache.task(task).title.lower()}. This page opens by itself when there is a model.",
        )
        query = {"task": task} if run is None else {"task": task, "job": run.id}
        st.page_link("pages/train.py", label="Watch it learn", icon=":material/monitoring:", query_params=query)


@st.fragment(run_every=0.5)
def _await(soon: SoonCurve, corpus: str, bias: float) -> None:
    """Shown instead of the knob until there is a curve."""
    if soon.progress.outdated or (soon.future.done() and not soon.stopped()):
        st.rerun()
    if soon.stopped():
        st.button("Compute precision and recall", key="see.again", on_click=soon.forget)
        return
    waiting.show(
        soon,
        f"Computing precision and recall of all of {literal(corpus)} … the page shows bias {layout.three(bias)}",
    )


def released(at: Message) -> None:
    """Write the final position of the knob to the address."""
    if at["run"] != session.get("run"):
        return
    session.put("bias", float(at["bias"]))
    beta = float(at["beta"])
    session.put("beta", None if beta == 1.0 else beta)
