"""The widgets of the Annotate page: who works on which layer, the editor, and what happens to what it sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from engine.data.document import GOLD
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo
from engine.tasks.capabilities import FindsEntities, RanksEntities
from ui.components.editor import editor
from ui.shell import cache, layout, login, session
from ui.shell.messages import Message
from ui.shell.sidebar import Choice, model_for
from ui.views.annotate import queue, words
from ui.views.annotate.data import payload
from ui.views.annotate.desk import Desk, Outcome, own_layer, perform_all
from ui.views.annotate.history import history
from ui.views.annotate.vocabulary import Vocabulary
from ui.views.see import frame as see

COOKIE: Final = "espalier-user"
"""Where the browser remembers the annotator's name; written by the editor."""


@dataclass(frozen=True)
class Seat:
    """Who works on which layer, and how sure the model must be to suggest."""

    user: str
    layer: str
    sees_others: bool
    least: float


def choose_seat(choice: Choice) -> Seat:
    """The three controls above the editor."""
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
        least = st.slider(
            "Suggest from confidence",
            0.0,
            1.0,
            0.0,
            0.05,
            key="annotate.least",
            width=220,
            help=words.LEAST_HELP,
        )
    user = _user()
    session.keep("user.name", user)  # the address is cleared when another page is opened
    return Seat(user, GOLD if mode == "shared" else own_layer(user), mode == "seeing", float(least))


def _who(choice: Choice) -> None:
    """Whose edits these are: the login where there is one, else a name that the browser remembers."""
    known_as, user = login.name(), _user()
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
    task, model = model_for(choice)
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
        next_up=lambda: queue.next_up(choice, seat.layer),
    )


@st.fragment
def show_editor(corpus: CorpusInfo, seat: Seat, desk: Desk, offered: Vocabulary) -> None:
    """The editor, drawn again by itself after each of its edits. What it offers stays until the page is drawn again:
    counting a whole corpus takes longer than an edit may."""
    if session.value("annotate.moved", False):  # an undo or the queue led to another document
        session.keep("annotate.moved", False)
        st.rerun()
    shown = payload(
        desk,
        offered,
        outcome=_told(desk),
        candidates=_candidates(desk, offered),
        least=seat.least,
        unsaved=f"espalier unsaved {corpus.id} {seat.user}",
        place=see.landed(),
    )
    session.keep("annotate.drawn", shown["version"])
    editor({**shown, "user": seat.user, "cookie": COOKIE}, key="annotate.editor", hear=lambda new: _hear(desk, new))


@st.fragment(run_every=2.0)
def watch(desk: Desk) -> None:
    """Show what others have done to this document meanwhile."""
    if desk.log.version(desk.document.id, layer=desk.layer) != session.value("annotate.drawn", 0):
        st.rerun()


@st.fragment(run_every=2.0)
def show_history(desk: Desk) -> None:
    st.dataframe(history(desk.document, desk.rows(), desk.layer), hide_index=True, width="stretch")


def _hear(desk: Desk, new: Iterator[Message]) -> None:
    """What the editor told, written down; then the document that it changed is on screen."""
    # The editor is drawn without the rest of the page, which asks for the login.
    login.must_still_be_in()
    told = perform_all(desk, _without_questions(new))
    if told is None:
        return
    session.keep("annotate.told", (desk.document.id, told))
    if told.document is not None and told.document != desk.document.id and told.clash is None:
        session.choose("doc", told.document)
        session.keep("annotate.moved", True)


def _without_questions(new: Iterator[Message]) -> Iterator[Message]:
    """Questions for entities are answered with the next drawing; the rest is to be written down."""
    for message in new:
        if message["action"] == "ask":
            session.keep("annotate.asked", message)
        else:
            yield message


def _told(desk: Desk) -> Outcome | None:
    """What the last action at this document came to."""
    document, outcome = session.value("annotate.told", ("", None))
    return outcome if document == desk.document.id else None


def _candidates(desk: Desk, vocabulary: Vocabulary) -> dict[str, Any]:
    """Entities for the mention that is being linked: the model's own first, then those of the corpus and of the
    knowledge base by name."""
    query: Message = session.value("annotate.asked", {})
    if query.get("id") is None:
        return {"id": None, "items": []}
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
    return {"id": query["id"], "items": items[:40]}


def _ranked(desk: Desk, start: Any, end: Any) -> list[tuple[str, float]]:
    """The task's own candidates for this span, where it links."""
    if desk.task is None or desk.model is None or not isinstance(start, int) or not isinstance(end, int):
        return []
    if not isinstance(desk.task, RanksEntities):
        return []
    return desk.task.rank_entities(desk.task.scored([desk.document], desk.model), (start, end))


@st.cache_resource(show_spinner=False, max_entries=16)
def _vocabulary(directory: str, corpus: str, hash: str) -> Vocabulary:
    info = cache.known_corpus(corpus)
    return Vocabulary.of(cache.original_documents(info)).with_more(Vocabulary.of(cache.documents(info)))


def vocabulary(corpus: CorpusInfo) -> Vocabulary:
    return _vocabulary(str(cache.directory()), corpus.id, cache.content(corpus))


def _on_user() -> None:
    name = str(session.value("annotate.user") or "").strip()
    session.put("user", name or None)
    session.keep("user.name", name)


def _user() -> str:
    """Who is here: the login, the name in the address, the one given before, the one this browser remembers."""
    named = login.name() or session.get("user") or session.value("user.name", "")
    return named or session.cookie(COOKIE) or "annotator"
