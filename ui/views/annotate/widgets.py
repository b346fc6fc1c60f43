"""The widgets of the Annotate page: who works on which layer, the editor, and what happens to what it sends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from engine.data.document import GOLD
from engine.data.edits import State
from engine.data.errors import InputError
from engine.data.labels import LabelSet
from engine.store.annotations import LABELS, LogRow
from engine.store.workspace import CorpusInfo, Project
from engine.tasks.capabilities import FindsEntities, RanksEntities
from engine.workbench.suggestions import Suggestion
from engine.workbench.team import labelling
from ui.components.editor import editor
from ui.shell import cache, layout, login
from ui.shell.sidebar import Choice, model_for
from ui.tab import session
from ui.tab.messages import Message
from ui.views.annotate import labels, queue, rules, words
from ui.views.annotate.data import payload
from ui.views.annotate.desk import Desk, Outcome, Seat, own_layer, perform_all
from ui.views.annotate.history import history
from ui.views.annotate.offers import offers
from ui.views.annotate.team import comments
from ui.views.annotate.vocabulary import Vocabulary
from ui.views.see import frame as see

LONG: Final = 5000
"""Characters from which on a document is decided about beside the page."""
SHOWN: Final = 40
"""Entities offered at once."""


def choose_seat(choice: Choice, project: Project) -> Seat:
    """The three controls above the editor; of a blind annotator there is nothing to choose but the name."""
    if project.is_blind_to(login.person()):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            _who(choice)
            st.text(words.BLIND_HERE)
        user = login.person()
        session.keep("user.name", user)
        return Seat(user, own_layer(user), False, 0.0, blind=True)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _who(choice)
        shown = session.get("layer")
        mode = shown if shown in words.LAYERS else "shared"
        session.sync("annotate.layer", mode)
        st.segmented_control(
            "Work on",
            list(words.LAYERS),
            format_func=words.LAYERS.__getitem__,
            key="annotate.layer",
            on_change=session.writes("layer", "annotate.layer"),
            help=words.LAYER_HELP,
        )
        least = 0.0
        if model_for(choice)[1] is not None:
            least = st.slider(
                "Least confidence shown", 0.0, 1.0, 0.0, 0.05, key="annotate.least", width=220, help=words.LEAST_HELP
            )
    user = login.person()
    session.keep("user.name", user)  # the address is cleared when another page is opened
    return Seat(user, GOLD if mode == "shared" else own_layer(user), mode == "seeing", float(least))


def _who(choice: Choice) -> None:
    """Whose edits these are: the login where there is one, else a name that the browser remembers."""
    known_as, user = login.name(), login.person()
    known = cache.workspace().annotations(choice.corpus.id).users() if choice.corpus else set()
    session.sync("annotate.user", user)
    st.selectbox(
        "Annotator",
        sorted({*known, user}) if known_as is None else [known_as],
        key="annotate.user",
        accept_new_options=known_as is None,
        disabled=known_as is not None,
        width=170,
        on_change=_on_user,
        help=words.WHO_HELP,
    )


def desk_at(choice: Choice, seat: Seat) -> Desk:
    """The desk of the document on screen."""
    if choice.corpus is None or choice.document is None:
        raise InputError("there is no document to annotate")
    task, model = (None, None) if seat.blind else model_for(choice)
    log = cache.workspace().annotations(choice.corpus.id)
    documents, places = cache.original_documents(choice.corpus), cache.positions(choice.corpus)
    return Desk(
        log,
        documents[choice.position or 0],
        seat.user,
        seat.layer,
        task,
        model,
        beside=tuple(sorted(log.layers() - {GOLD, seat.layer})) if seat.sees_others else (),
        find=lambda id: documents[places[id]] if id in places else None,
        labels=labelling.defined(log),
        own_only=seat.blind,
        next_up=lambda: queue.next_up(choice, seat),
    )


@st.fragment
def show_editor(corpus: CorpusInfo, seat: Seat, desk: Desk, offered: Vocabulary) -> None:
    """The editor, drawn again by itself after each of its edits. The entities it offers stay until the page is drawn
    again: counting a whole corpus takes longer than an edit may. Labels do not: a type that was given just now has its
    key at once, and keeps it."""
    if session.value("annotate.moved", False):  # an undo or the queue led to another document
        session.keep("annotate.moved", False)
        st.rerun()
    session.keep("annotate.labels_drawn", desk.log.version(layer=LABELS))
    known, defined = labels.current(corpus)
    offered = replace(offered, labels=known, defined=defined)
    shown = payload(
        desk,
        offered,
        outcome=_told(desk),
        candidates=_candidates(desk, offered),
        least=seat.least,
        unsaved=f"espalier unsaved {corpus.id} {seat.user}",
        place=see.landed(),
        offer=_offer,
    )
    session.keep("annotate.drawn", shown["version"])
    session.keep("annotate.heard", False)
    # Nothing waits here for a model: while this runs, no further edit is written. The page asks again instead.
    deciding = not session.value("annotate.decided", True)
    told = {**shown, "cookie": login.COOKIE, "deciding": deciding}
    editor(told, key="annotate.editor", hear=lambda new: _hear(corpus, desk, new))


def _offer(desk: Desk, rows: Sequence[LogRow], state: State) -> tuple[list[Suggestion], str]:
    """What is suggested. A short document is decided about at once; of a long one what is known is shown, and whether
    more is on its way is remembered: then the page asks again."""
    if len(desk.document.text) < LONG:
        session.keep("annotate.decided", True)
        return desk.suggestions(rows, state)
    offered, decided = offers().now(desk, rows, state)
    session.keep("annotate.decided", decided)
    return offered


@st.fragment(run_every=2.0)
def watch(corpus: CorpusInfo, seat: Seat, desk: Desk) -> None:
    """Show what others have done to this document meanwhile, to the label set, and to who may see what."""
    if session.value("annotate.heard", False):
        session.keep("annotate.heard", False)  # an edit of one's own, which the editor is about to draw
        return
    drawn = session.value("annotate.drawn", 0), session.value("annotate.labels_drawn", 0)
    now = desk.log.version(desk.document.id, layer=desk.layer), desk.log.version(layer=LABELS)
    if now != drawn or _is_blind(corpus) != seat.blind:
        st.rerun()


def _is_blind(corpus: CorpusInfo) -> bool:
    return cache.workspace().project(corpus.id).is_blind_to(login.person())


def show_past(corpus: CorpusInfo, seat: Seat, desk: Desk) -> None:
    """What was done to this document and, unless somebody works blind, what people wrote about the corpus."""
    views = (words.EDITS, words.COMMENTS)
    chosen: str | None = words.EDITS
    if not seat.blind:
        chosen = st.segmented_control(
            "View", views, default=words.EDITS, key="annotate.past", label_visibility="collapsed"
        )
    if chosen == words.COMMENTS:
        comments.show(corpus)
    else:
        _show_history(desk)


@st.fragment(run_every=2.0)
def _show_history(desk: Desk) -> None:
    rows = history(desk.document, desk.rows(), desk.layer)
    if not rows:
        st.text(words.NO_EDITS)
        return
    st.dataframe(rows, hide_index=True, width="stretch", column_config={"no.": st.column_config.NumberColumn(width=60)})


def _hear(corpus: CorpusInfo, desk: Desk, new: Iterator[Message]) -> None:
    """What the editor told, written down; then the document that it changed is on screen."""
    # The editor is drawn without the rest of the page, which asks for the login.
    login.must_still_be_in()
    # Nor is it drawn again at once when somebody changes the label set, or makes the project blind.
    desk = replace(desk, labels=labelling.defined(desk.log), own_only=_is_blind(corpus))
    told = perform_all(desk, _without_questions(new))
    if told is None:
        return
    session.keep("annotate.told", (desk.document.id, told))
    session.keep("annotate.heard", True)
    if told.document is not None and told.document != desk.document.id and told.clash is None:
        session.choose("doc", told.document)
        session.keep("annotate.moved", True)


def _without_questions(new: Iterator[Message]) -> Iterator[Message]:
    """Questions for entities are answered with the next drawing, and what is to be done to all like it is looked at on
    the Bulk tab; the rest is to be written down."""
    for message in new:
        if message["action"] == "ask":
            session.keep("annotate.asked", message)
        elif message["action"] == "alike":
            rules.like(message)
            session.keep("annotate.part", words.BULK)
            session.keep("annotate.moved", True)
        else:
            yield message
            if _is_done(message):
                session.keep("annotate.moved", True)  # the queue has one less


def _is_done(message: Message) -> bool:
    """Whether somebody says that a document is done, or is not."""
    edit = message.get("edit")
    return message["action"] == "edit" and isinstance(edit, Mapping) and edit.get("kind") == "MarkDone"


def _told(desk: Desk) -> Outcome | None:
    """What the last action at this document came to."""
    document, outcome = session.value("annotate.told", ("", None))
    return outcome if document == desk.document.id else None


def _candidates(desk: Desk, vocabulary: Vocabulary) -> dict[str, Any]:
    """Entities for the mention that is being linked: the model's own first, then those of the corpus and of the
    knowledge base by name."""
    query: Message = session.value("annotate.asked", {})
    if query.get("id") is None:
        return {"id": None, "text": "", "items": []}
    text = str(query.get("text", ""))
    items = [
        {"entity": name, "note": f"model {100 * score:.1f} %"}
        for name, score in _ranked(desk, query.get("start"), query.get("end"))
    ]
    known = {item["entity"] for item in items}
    for name, n in vocabulary.search(text):
        if name not in known:
            known.add(name)
            items.append({"entity": name, "note": f"{layout.count(n)} × in the corpus"})
    if isinstance(desk.task, FindsEntities) and desk.model is not None:
        found = desk.task.find_entities(desk.model, text)
        items += [{"entity": name, "note": "knowledge base"} for name in found if name not in known]
    return {"id": query["id"], "text": text, "items": items[:SHOWN]}


def _ranked(desk: Desk, start: Any, end: Any) -> list[tuple[str, float]]:
    """The task's own candidates for this span, where it links."""
    if desk.task is None or desk.model is None or not isinstance(start, int) or not isinstance(end, int):
        return []
    if not isinstance(desk.task, RanksEntities):
        return []
    return desk.task.rank_entities(desk.task.scored([desk.document], desk.model), (start, end))


@st.cache_resource(show_spinner=False, max_entries=16)
def _entities(directory: str, corpus: str, hash: str) -> Mapping[str, int]:
    # Of a large corpus the first documents: an edit must not wait for all to be counted again.
    return Vocabulary.of(cache.documents(cache.known_corpus(corpus))[: cache.LARGE], LabelSet()).entities


def vocabulary(corpus: CorpusInfo, seat: Seat) -> Vocabulary:
    """What can be given in this corpus now. Whoever works blind is offered the entities of their own layer: those of
    gold would tell what others have found."""
    known, defined = labels.current(corpus)
    if seat.blind:
        originals = cache.original_documents(corpus)
        own = cache.workspace().gold_documents(corpus.id, layer=seat.layer, originals=originals)
        return Vocabulary.of(own, known, defined=defined)
    return Vocabulary(known, _entities(str(cache.directory()), corpus.id, cache.content(corpus)), defined)


def _on_user() -> None:
    name = str(session.value("annotate.user") or "").strip()
    session.put("user", name or None)
    session.keep("user.name", name)
