"""The sidebar, the same on every page: corpus, run, document, and the keys that step through documents.

It determines what is on screen: the choice in the address if it exists, else what was used last and fits, else the best
guess; and writes it back to the address.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import streamlit as st

from engine.arrays import Ints
from engine.data.document import GOLD, Document, Layer, Mention
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.base import AnyModel, AnyTask
from ui.background import first, opened
from ui.components.keys import Steps, keys
from ui.shell import cache, glances, layout, login, naming
from ui.shell.large import surveys, waiting
from ui.tab import session
from ui.tab.messages import Message

Places: TypeAlias = Sequence[int] | Ints
"""Positions of documents, ascending."""
LISTED: Final = 200
"""Documents offered at once; the search narrows them down."""
BLIND: Final = "This corpus is annotated blind: until its lead opens it, you can see it only on the Annotate page."
SHOWN_BLIND: Final = ("annotate", "home")
"""Pages that show a blind annotator nothing but the text and their own work."""
READING: Final = "Reading a large corpus for the first time"
_MENTIONED: Final = Document("probe", "text", layers={GOLD: Layer((Mention(0, 4),))})
"""A document with a mention, to find out whether a model starts from given mentions."""
WALKING: Final = ("errors", "compare")
"""Pages that go from case to case: there the case determines the document on screen, and there are no other steps."""


@dataclass(frozen=True)
class Choice:
    """What is on screen. Parts are None if there is nothing to choose from."""

    corpus: CorpusInfo | None
    run: RunInfo | None
    documents: Sequence[Document]
    position: int | None

    @property
    def document(self) -> Document | None:
        return None if self.position is None else self.documents[self.position]


def draw() -> None:
    """Determine the choice and draw the sidebar; pages read it with `current`."""
    task = session.scope() or None
    if task is None:
        # Outside a system's page the corpus comes first, and the run is one that is related to it.
        corpus = _settle_corpus(None, None)
        run = _settle_run(None, corpus)
    else:
        run = _settle_run(task, None)
        corpus = _settle_corpus(task, run)
    blind = corpus is not None and opened.project(corpus.id).is_blind_to(login.person())
    if corpus and blind:
        run = None  # a blind annotator sees no model either
        if session.page() not in SHOWN_BLIND:
            _stop_blind(task, corpus)
    fault = cache.fault_of(corpus) if corpus else None
    if fault is not None:
        st.error("This corpus cannot be read. You can remove it on the Corpora page.", icon=":material/error:")
        st.text(layout.visible(fault))
    documents = cache.documents(corpus) if corpus and fault is None else ()
    if corpus and fault is None:
        _await_survey(task, corpus)
    position = _settle_document(corpus, documents)
    _write_back(corpus, run, documents[position] if position is not None else None)
    session.keep("choice", Choice(corpus, run, documents, position))
    session.keep(layout.CONDITION, _condition(corpus, run))
    seen = glances.note(session.page(), run, corpus, session.bias_of(run.id) if run else None)
    with st.sidebar:
        _corpus_box(task, corpus)
        if seen:
            st.caption(glances.NOTED)
        if not blind:
            _run_box(task, run)
        walks = session.page() in WALKING
        if not walks:
            _document_box(corpus, documents, position)
        keys(key="sidebar.keys", steps=None if walks else _steps(corpus, position), hear=_on_steps)


def _stop_blind(task: str | None, corpus: CorpusInfo) -> None:
    """Stop the page for a blind annotator of the corpus; another corpus can be chosen."""
    session.keep("choice", Choice(None, None, (), None))
    with st.sidebar:
        _corpus_box(task, corpus)
    st.text(BLIND)
    st.stop()


def _await_survey(task: str | None, corpus: CorpusInfo) -> None:
    """Wait for the survey of a large corpus before anything of it is shown; another corpus can be chosen meanwhile."""
    if not cache.is_large(corpus) or surveys.known(cache.directory(), corpus.hash) is not None:
        return
    if session.page() == "corpora" and session.get("view") == "Add":
        return
    soon = surveys.soon(cache.beside(), cache.directory(), corpus.hash, cache.original_documents(corpus))
    if not soon.is_here() or soon.failed():
        with st.sidebar:
            _corpus_box(task, corpus)
        session.keep("choice", Choice(None, None, (), None))
    waiting.for_all(soon, READING)


def _condition(corpus: CorpusInfo | None, run: RunInfo | None) -> str:
    """The caveats that apply to every score on this page."""
    if run is None or corpus is None or session.page() in glances.UNJUDGING or cache.fits(corpus, run.task) != "yes":
        return ""
    return glances.learnt_from(run, corpus)


def current() -> Choice:
    choice: Choice = session.value("choice")
    return choice


def model_for(choice: Choice) -> tuple[AnyTask, AnyModel] | tuple[None, None]:
    """The run's task and model, if they fit this corpus."""
    if choice.run is None or choice.corpus is None or cache.fits(choice.corpus, choice.run.task) == "no":
        return None, None
    return cache.task(choice.run.task), cache.model(choice.run)


def _settle_run(task: str | None, corpus: CorpusInfo | None) -> RunInfo | None:
    usable = cache.runs(task, usable=True)
    by_id = {run.id: run for run in usable}
    named = session.get("run")
    wanted = [by_id[id] for id in session.remembered("run") if id in by_id]
    found = by_id.get(named or "")
    if corpus is None:
        return found or _first(wanted, usable, lambda run: True)
    # On returning to a corpus, the user finds the run that was shown last, whatever was trained meanwhile.
    found = found or by_id.get(session.value(f"sidebar.run of {corpus.id}", ""))
    found = found or _first(wanted, usable, lambda run: _related(run, corpus))
    found = found or _first(wanted, usable, lambda run: cache.fits(corpus, run.task) == "yes")
    found = found or cache.leading(_able(corpus, wanted, usable)) or _first(wanted, usable, lambda run: True)
    if found is not None:
        session.keep(f"sidebar.run of {corpus.id}", found.id)
    return found


def _able(corpus: CorpusInfo, wanted: list[RunInfo], usable: list[RunInfo]) -> list[RunInfo]:
    """The run to show for each system that can use this corpus and predict something on it: one that starts from
    mentions predicts nothing on plain text."""
    found = []
    for task in dict.fromkeys(run.task for run in usable):
        run = _first(wanted, [one for one in usable if one.task == task], lambda one: True)
        if run is not None and cache.fits(corpus, task) != "no" and cache.has_model(run.id):
            found += [] if cache.task(task).given(_MENTIONED, cache.model(run)) else [run]
    return found


def _write_back(corpus: CorpusInfo | None, run: RunInfo | None, document: Document | None) -> None:
    """Write the choice to the address, and remove a bias that was set for another run."""
    settled: dict[str, str | float | None] = {
        "corpus": corpus.id if corpus else None,
        "run": run.id if run else None,
        "doc": document.id if document else None,
    }
    if run is None or session.get("run") not in (None, run.id):
        settled["bias"] = None
    session.put_together(settled)


def _first(wanted: list[RunInfo], usable: list[RunInfo], suits: Callable[[RunInfo], bool]) -> RunInfo | None:
    """Among the suitable runs: the one used last, else the default."""
    used = next((run for run in wanted if suits(run)), None)
    return used or cache.leading([run for run in usable if suits(run)])


def _related(run: RunInfo, corpus: CorpusInfo) -> bool:
    """Whether the run was trained on this corpus or on another split of it."""
    called = {info.id: info.name for info in cache.corpora()}
    return any(called.get(id) == corpus.name for id in (*run.train.split(","), *run.dev.split(",")))


def _settle_corpus(task: str | None, run: RunInfo | None) -> CorpusInfo | None:
    by_id = {info.id: info for info in cache.corpora()}
    named = session.get("corpus")
    if named in by_id:
        return by_id[named]
    wanted = _candidates("corpus") + ([*run.dev.split(","), *run.train.split(",")] if run else [])
    # Without any hint: a dev corpus, which is the usual one to look into.
    others = sorted(by_id.values(), key=lambda info: info.split != "dev")
    order = [by_id[id] for id in wanted if id in by_id] + others
    if task is None:
        return order[0] if order else None
    usable = [info for info in order if cache.fits(info, task) != "no"]
    return next((info for info in usable if not _is_anothers(info, task)), usable[0] if usable else None)


def _is_anothers(corpus: CorpusInfo, task: str) -> bool:
    """Whether the corpus is the sample of another system and was not used on this system's page before; then the
    system's own sample is the better guess."""
    return first.system_of(corpus) not in (None, task) and corpus.id != session.remembered_here("corpus")


def _settle_document(corpus: CorpusInfo | None, documents: Sequence[Document]) -> int | None:
    if corpus is None or not documents:
        return None
    places = cache.positions(corpus)
    return next((places[id] for id in _candidates("doc") if id in places), 0)


def _candidates(name: str) -> list[str]:
    named = session.get(name)
    return ([named] if named is not None else []) + session.remembered(name)


def _corpus_box(task: str | None, corpus: CorpusInfo | None) -> None:
    offered = [info for info in cache.corpora() if task is None or cache.fits(info, task) != "no" or info == corpus]
    labels = naming.corpus_labels(offered)
    session.sync("sidebar.corpus", corpus.id if corpus else None)
    st.selectbox(
        "Corpus",
        list(labels),
        format_func=lambda id: labels[id],
        key="sidebar.corpus",
        placeholder="no corpus yet",
        disabled=not labels,
        on_change=_choose_corpus,
        args=(task,),
    )
    gold = cache.gold_name(corpus) if corpus else "as imported"
    if gold != "as imported":  # else there is nothing to say: every score is about gold as it came
        st.text(layout.visible(f"Gold: {gold}"), help="The version of gold that every score on this page refers to.")


def _choose_corpus(task: str | None) -> None:
    if task is None:
        # The run follows the corpus; on a system's page it stays, so that it can be tried on other data.
        session.choose("run", None)
    session.choose("corpus", session.value("sidebar.corpus"))


def _run_box(task: str | None, run: RunInfo | None) -> None:
    offered = {one.id: one for one in cache.runs(task, usable=True)}
    # One box per system, since the browser distinguishes options by their labels: the value of another page's box would
    # come back here as a label that no option has.
    key = f"sidebar.run.{task or 'any'}"
    session.sync(key, run.id if run else None)
    st.selectbox(
        "Run",
        list(offered),
        format_func=lambda id: naming.run_label(offered[id], with_task=task is None),
        key=key,
        placeholder="nothing trained yet",
        disabled=not offered,
        on_change=lambda: session.choose("run", session.value(key)),
    )


def _document_box(corpus: CorpusInfo | None, documents: Sequence[Document], position: int | None) -> None:
    search = st.text_input(
        "Find a document",
        key="sidebar.search",
        placeholder="id or words",
        persist_state="session",
        disabled=not documents,
        on_change=_jump_to_match,
    )
    found = matches(corpus, search or "")
    offered = _window(found, position)
    # One box per document: the browser sends the value of every box, and after a step with the keys the old value of
    # the box would come back as if it had been chosen.
    key = f"sidebar.document.{position}"
    ids = [] if corpus is None else cache.ids_at(corpus, offered)
    drawn = documents[position].id if position is not None and _rank(offered, position) is not None else None
    session.sync(key, drawn)
    st.selectbox(
        f"Document {_place(position, found)}",
        ids,
        key=key,
        placeholder="nothing found" if documents else "no document",
        disabled=not ids,
        on_change=_on_document,
        args=(key, drawn),
    )
    before, after = st.columns(2)
    last = not len(found) or position is None
    before.button("‹ previous", key="sidebar.previous", width="stretch", disabled=last, on_click=step, args=(-1,))
    after.button("next ›", key="sidebar.next", width="stretch", disabled=last, on_click=step, args=(1,))


def matches(corpus: CorpusInfo | None, search: str) -> Places:
    """Positions of the documents that match the search, ascending."""
    return range(0) if corpus is None or cache.fault_of(corpus) is not None else cache.found(corpus, search)


def _rank(found: Places, position: int) -> int | None:
    """The rank of this document among the matches; None if it is not among them."""
    at = bisect_left(found, position)
    return at if at < len(found) and found[at] == position else None


def step(by: int) -> None:
    """Move by `by` documents among those that match the search; stops at both ends."""
    choice = current()
    found = matches(choice.corpus, session.value("sidebar.search", ""))
    # If steps follow each other quickly, neither the last redraw nor the address sent with this step includes the
    # previous step, but the remembered position does.
    shown = next(iter(session.remembered("doc")), None)
    position = None if choice.corpus is None or shown is None else cache.positions(choice.corpus).get(shown)
    if position is None:
        return
    rank = _rank(found, position)
    _go((-1 if by > 0 else 0) + by if rank is None else rank + by)


def _go(rank: int) -> None:
    """Show the document of this rank among those that match the search; beyond the ends, the first or last one."""
    corpus = current().corpus
    found = matches(corpus, session.value("sidebar.search", ""))
    if corpus is not None and len(found):
        place = int(found[max(0, min(len(found) - 1, rank))])
        session.choose("doc", cache.ids_at(corpus, [place])[0])


def _steps(corpus: CorpusInfo | None, position: int | None) -> Steps | None:
    """The starting point of the keys."""
    if position is None:
        return None
    return {"at": _rank(matches(corpus, session.value("sidebar.search", "")), position)}


def _on_document(key: str, drawn: str | None) -> None:
    chosen = session.value(key)
    if chosen != drawn:
        session.choose("doc", chosen)


def _on_steps(new: Iterator[Message]) -> None:
    heard = False
    # One by one: a message interrupted by another key press is not acknowledged and comes again. It names the target
    # rank, so processing it twice does no harm.
    for message in new:
        heard = True
        _go(int(message["to"]))
    shown = next(iter(session.remembered("doc")), None)
    if not heard and shown is not None:
        # A repeated message: the address sent with it may be older than the last step.
        session.choose("doc", shown)


def _jump_to_match() -> None:
    choice = current()
    found = matches(choice.corpus, session.value("sidebar.search", ""))
    if choice.corpus is None or not len(found):
        return
    if choice.position is None or _rank(found, choice.position) is None:
        session.choose("doc", cache.ids_at(choice.corpus, [int(found[0])])[0])


def _window(found: Places, position: int | None) -> Places:
    if len(found) <= LISTED:
        return found
    at = (None if position is None else _rank(found, position)) or 0
    start = max(0, min(len(found) - LISTED, at - LISTED // 2))
    return found[start : start + LISTED]


def _place(position: int | None, found: Places) -> str:
    if position is None or not len(found):
        return ""
    rank = _rank(found, position)
    return f"{'–' if rank is None else rank + 1} of {len(found):,}".replace(",", "\u2009")
