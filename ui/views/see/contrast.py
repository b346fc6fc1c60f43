"""Why this answer and not gold's: two outputs side by side, the features that distinguish them, and the smallest change
that reverses the answer.

It is the same on every page that shows a wrong answer, and computed on request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from engine.data.document import Document
from engine.data.errors import InputError
from engine.metrics.cases import Case, answers_in_words, cases, place_in_words
from engine.metrics.errors import Error
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.outside.run import has_scores
from engine.tasks.scored import Scored
from engine.workbench.why import Contrast, contrast, wording
from engine.workbench.why.contrast import Side
from engine.workbench.why.telling import Telling
from ui.components.bars import Contribution, bars
from ui.shell import cache, layout
from ui.tab.hidden import literal
from ui.views.see.frame import Frame

ASK: Final = "Why this and not gold?"
HELP: Final = (
    "What was said beside the best output that is right here, the features that tell them apart, and the smallest"
    " change that turns the answer round."
)
LOOKING: Final = "Looking for the best output that is right …"
_SHOWN: Final = 12
"""Maximum number of differences shown on each side."""


def asked(run: RunInfo, corpus: CorpusInfo, case: Case, bias: float, *, key: str) -> None:
    """The switch, and the explanation if it is on. It stays on from case to case."""
    if not has_scores(cache.model(run)):
        return
    if not st.toggle(ASK, key=f"{key}.why", help=HELP):
        return
    try:
        found = _contrast(*cache.version(run, corpus), bias, repr(case.main), case)
    except InputError as error:
        st.caption(literal(str(error)))
        return
    show(found, key=key)


def on_page(frame: Frame[Any, Any, Any, Any], scored: Scored, place: tuple[int, int] | None = None) -> None:
    """On a See page: explain one of the document's wrong answers, by default the one at the selected place. `scored` is
    the document as the page decides it."""
    if frame.own is not None or frame.pins or scored.answers is not None:
        return
    if cache.fits(frame.corpus, frame.task.name) != "yes":
        return
    found = cases(frame.task.errors(scored, frame.task.decide(scored)))
    if not found:
        return
    key = f"{frame.task.name}.contrast"
    if not st.toggle(ASK, key=f"{key}.why", help=HELP):
        return
    near = [i for i, case in enumerate(found) if place is not None and any(_touches(e, place) for e in case.errors)]
    titles = {str(i): layout.visible(_title(case, frame.document)) for i, case in enumerate(found)}
    # Keyed by the place, so that the selected item is the one explained.
    at = st.selectbox(
        "Wrong answer",
        list(titles),
        index=near[0] if near else 0,
        key=f"{key}.{frame.document.id}.{place}",
        format_func=lambda one: titles[one],
    )
    try:
        with st.spinner(LOOKING):
            answer = contrast(frame.task, scored, found[int(at)], frame.model)
        show(answer, key=key)
    except InputError as error:
        st.caption(literal(str(error)))


def show(found: Contrast, *, key: str) -> None:
    """Both outputs, the sentences, the features."""
    for sentence in wording.sentences(found):
        st.text(layout.visible(sentence))
    if found.right is None:
        return
    said, right = st.columns(2, gap="small")
    with said:
        _side("What was said", found.said, found)
    with right:
        _side("Right here", found.right, found)
    if found.features:
        bars(
            _contributions(found.features),
            key=f"{key}.features",
            caption="What speaks for the right output (+) and for what was said (−)",
            heads=("feature", "right | said", "adds"),
        )


def _side(title: str, side: Side, found: Contrast) -> None:
    st.caption(f"{title} · scores {layout.three(side.value)}")
    lines = [layout.visible(wording.decision(one, found.document)) for one in side.decisions]
    rest = len(lines) - _SHOWN
    st.text("\n".join(lines[:_SHOWN] + ([f"and {rest} more"] if rest > 0 else [])) or "nothing more")


def _contributions(features: Sequence[Telling]) -> list[Contribution]:
    return [
        Contribution(layout.visible(one.name), one.adds, _values(one), layout.visible(one.group)) for one in features
    ]


def _values(one: Telling) -> str:
    def told(values: Sequence[float | str]) -> str:
        shown = [layout.three(value) if isinstance(value, float) else str(value) for value in values[:2]]
        return ", ".join(shown) + (" …" if len(values) > 2 else "") if values else "–"

    return layout.visible(f"{told(one.right)} | {told(one.said)}")


def _title(case: Case, document: Document) -> str:
    gold, said = answers_in_words(case, document)
    return f"{place_in_words(case.main, document)}: {said or 'nothing'} – gold: {gold or 'nothing'}"


def _touches(error: Error, place: tuple[int, int]) -> bool:
    return any(start < place[1] and place[0] < end for start, end in error.spans)


@st.cache_resource(show_spinner=LOOKING, max_entries=64)
def _contrast(
    directory: str, run: str, version: str, corpus: str, content: str, bias: float, about: str, _case: Case
) -> Contrast:
    info, of = cache.known_corpus(corpus), cache.known_run(run)
    place = cache.positions(info)[_case.main.document]
    [document] = cache.documents_at(info, [place])
    task, model = cache.task(of.task), cache.model(of)
    return contrast(task, task.scored([document], model).at(bias), _case, model)
