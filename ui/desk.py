"""The widgets around the editor: who annotates which layer, the queue, bulk answers, gold versions and their scores."""

from __future__ import annotations

from typing import Any, Final, get_args

import streamlit as st

from engine.data.document import GOLD, Document
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tasks.annotation import Order, queue
from engine.tasks.suggestions import accept_all
from ui import annotate, data, jobs, layout, session
from ui.annotate import Desk, Vocabulary
from ui.sidebar import Choice

SHOWN: Final = 200


def controls(choice: Choice) -> tuple[str, str, float]:
    """Annotator, layer, and how sure the model must be to suggest."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        session.sync("annotate.user", _user())
        st.text_input(
            "Annotator",
            key="annotate.user",
            width=160,
            on_change=session.writes("user", "annotate.user"),
            disabled=_login() is not None,
            help="Whose edits these are. Taken from the login where one is configured.",
        )
        blind = session.get("layer") == "own"
        session.sync("annotate.layer", "my own layer" if blind else "shared gold")
        st.segmented_control(
            "Work on",
            ["shared gold", "my own layer"],
            key="annotate.layer",
            on_change=_on_layer,
            help="On your own layer you see nobody else's annotation, and start from an empty page.",
        )
        least = st.slider(
            "Suggest from confidence",
            0.0,
            1.0,
            0.0,
            0.05,
            key="annotate.least",
            width=220,
            help="Suggestions of the run in the sidebar that the model is less sure of are hidden.",
        )
    user = _user()
    return user, user if blind else GOLD, float(least)


def at(choice: Choice, user: str, layer: str) -> Desk:
    if choice.corpus is None or choice.document is None:
        raise InputError("there is no document to annotate")
    task, model = _model_for(choice)
    log = data.workspace().annotations(choice.corpus.id)
    original = data.original_documents(choice.corpus)[choice.position or 0]
    return Desk(log, original, user, layer, task, model)


def on_ops(desk: Desk) -> None:
    """What the editor sent, written down; then the document that it changed is on screen."""
    actions = session.component("annotate.editor", "ops") or []
    ack, told = annotate.perform_all(desk, actions, session.value("annotate.ack", {}))
    session.keep("annotate.ack", ack)
    session.keep("annotate.message", told.message)
    if told.document is not None and told.document != desk.document.id:
        session.choose("doc", told.document)
        session.keep("annotate.moved", True)


def candidates(desk: Desk, vocabulary: Vocabulary) -> dict[str, Any]:
    """Entities for the mention that is being linked: the model's own first, then those of the corpus by name."""
    query = session.component("annotate.editor", "query")
    if not query or query.get("id") is None:
        return {"id": None, "items": []}
    text = str(query.get("text", ""))
    items = [
        {"entity": name, "note": f"model {100 * score:.1f} %"}
        for name, score in _ranked(desk, query.get("start"), query.get("end"))
    ]
    known = {item["entity"] for item in items}
    items += [
        {"entity": name, "note": f"{layout.count(n)} × in the corpus"}
        for name, n in vocabulary.search(text)
        if name not in known
    ]
    return {"id": query["id"], "items": items[:30]}


def _ranked(desk: Desk, start: Any, end: Any) -> list[tuple[str, float]]:
    """The task's own candidates for this span, where it links."""
    if desk.task is None or desk.model is None or not isinstance(start, int) or not isinstance(end, int):
        return []
    return desk.task.rank_entities(desk.document, desk.model, (start, end))


@st.cache_resource(show_spinner=False, max_entries=16)
def _vocabulary(directory: str, corpus: str, hash: str) -> Vocabulary:
    return Vocabulary.of(data.workspace().documents(corpus))


def vocabulary(corpus: CorpusInfo) -> Vocabulary:
    return _vocabulary(str(data.directory()), corpus.id, corpus.hash)


def show_queue(choice: Choice, user: str, layer: str) -> None:
    corpus = choice.corpus
    if corpus is None:
        return
    orders = list(get_args(Order))
    task, model = _model_for(choice)
    if model is None:
        st.text("Without a run that fits this corpus, documents come in their own order.")
        orders = ["document order", "diversity"]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        order = st.selectbox("Order", orders, key="annotate.order", width=220)
        other = _other_run(choice) if order == "disagreement" else None
    if order == "disagreement" and other is None:
        st.text("Disagreement needs a second run of the same system; train one first.")
        return
    documents = data.documents(corpus)
    done = data.workspace().annotations(corpus.id).edited_documents(layer=layer)
    predicted = data.predictions(choice.run, corpus) if choice.run and model else [d.gold for d in documents]
    rows = queue(
        documents,
        predicted,
        order,
        other=data.predictions(other, corpus) if other else None,
        decides=task.decides if task else (),
        done=done,
    )
    st.text(f"{len(rows)} of {len(documents)} documents are untouched." + (f" Gain: {rows[0].reason}." if rows else ""))
    table = [
        {"document": documents[one.position].id, "gain": one.gain, "text": _first_words(documents[one.position])}
        for one in rows[:SHOWN]
    ]
    picked = st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        key="annotate.queue",
        on_select="rerun",
        selection_mode="single-row",
        column_config={"gain": st.column_config.NumberColumn(format="%.3f")},
    )
    chosen = picked.selection.rows if picked else []
    with st.container(horizontal=True):
        if rows and st.button("Open the next", key="annotate.next", type="primary"):
            _open(documents[rows[0].position].id)
        if chosen and st.button("Open the marked one", key="annotate.open"):
            _open(documents[rows[chosen[0]].position].id)


def show_bulk(choice: Choice, user: str, layer: str) -> None:
    """Accept what the model is sure of, in every document that is untouched; each document is one undo."""
    corpus, run = choice.corpus, choice.run
    task, model = _model_for(choice)
    if corpus is None or run is None or task is None or model is None:
        st.text("Bulk answers need a run that fits this corpus.")
        return
    least = st.slider("Accept suggestions from confidence", 0.5, 1.0, 0.95, 0.01, key="annotate.bulk")
    log = data.workspace().annotations(corpus.id)
    done = log.edited_documents(layer=layer)
    waiting: list[tuple[Document, Any]] = []
    predicted = data.predictions(run, corpus)
    states = log.states(data.original_documents(corpus), layer=layer)
    for (document, state), layer_predicted in zip(states, predicted, strict=True):
        if document.id in done:
            continue
        sure = [
            one
            for one in annotate.suggestions(state, layer_predicted, task.decides)
            if one.score is not None and one.score >= least
        ]
        if sure:
            waiting.append((document, accept_all(state, sure, f"bulk{document.id}")))
    n = sum(len(edit.edits) for _, edit in waiting)
    st.text(f"{n} suggestions in {len(waiting)} untouched documents are at least that sure.")
    if waiting and st.button(f"Accept {n}", key="annotate.accept"):
        for document, edit in waiting:
            log.append(document, edit, user=user, layer=layer)
        st.rerun()


def show_versions(choice: Choice, user: str, layer: str) -> None:
    """Name and freeze gold; score a run on old and new gold; retrain from the corrections."""
    corpus, run = choice.corpus, choice.run
    if corpus is None:
        return
    workspace = data.workspace()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the version", key="annotate.version", width=240)
        if st.button("Freeze", key="annotate.freeze", disabled=not name):
            workspace.freeze(corpus.id, name, user=user, layer=layer)
            st.rerun()
    versions = workspace.versions(corpus.id)
    if versions:
        st.dataframe(
            [
                {"version": v.name, "layer": v.layer, "who": v.user, "when": v.time[:19].replace("T", " ")}
                for v in versions
            ],
            hide_index=True,
            width="stretch",
        )
    task, model = _model_for(choice)
    if run is None or task is None or model is None:
        st.text("Scores need a run that fits this corpus.")
        return
    predicted = data.predictions(run, corpus)
    golds: dict[str, list[Document]] = {"as imported": workspace.documents(corpus.id)}
    golds |= {v.name: workspace.gold_documents(corpus.id, v.name) for v in versions}
    golds["now"] = workspace.gold_documents(corpus.id)
    rows = []
    for version, documents in golds.items():
        score = layout.score_at(task.evaluate(documents, predicted, model), task.main_score)
        rows.append({"gold": version, f"{' '.join(task.main_score)} of {run.id}, %": 100 * (score or 0.0)})
    st.dataframe(rows, hide_index=True, width="stretch")
    with st.container(horizontal=True):
        if st.button("Retrain with the corrections", key="annotate.retrain", type="primary"):
            _retrain(run)
        layout.link_to("train", "Watch training")
        layout.link_to("compare", "Compare with the run before")


def _retrain(run: RunInfo) -> None:
    """The same system and settings again; training reads gold as it stands now."""
    workspace = data.workspace()
    known = jobs.spec_path(workspace.directory, run.id).is_file()
    files = jobs.read_spec(workspace.directory, run.id).files if known else {}
    started = jobs.start(
        workspace,
        run.task,
        run.learner,
        run.settings,
        train=[id for id in run.train.split(",") if id],
        dev=[id for id in run.dev.split(",") if id],
        files=files,
    )
    session.keep("annotate.message", "")
    st.toast(f"Training {started} with the corrected gold.")


def _model_for(choice: Choice) -> tuple[Any, Any]:
    """The run's task and model, where they fit this corpus."""
    if choice.run is None or choice.corpus is None or data.fits(choice.corpus, choice.run.task) == "no":
        return None, None
    return data.task(choice.run.task), data.model(choice.run)


def _other_run(choice: Choice) -> RunInfo | None:
    if choice.run is None:
        return None
    others = [run for run in data.runs(choice.run.task, usable=True) if run.id != choice.run.id]
    if not others:
        return None
    by_id = {run.id: run for run in others}
    return by_id[st.selectbox("Against run", list(by_id), key="annotate.other", width=280)]


def _open(document: str) -> None:
    session.choose("doc", document)
    st.rerun()


def _on_layer() -> None:
    session.put("layer", "own" if session.value("annotate.layer") == "my own layer" else None)


def _user() -> str:
    return _login() or session.get("user") or "annotator"


def _login() -> str | None:
    """The name of whoever is logged in, where a login is configured."""
    user = st.user
    if not getattr(user, "is_logged_in", False):
        return None
    return str(user.get("email") or user.get("name") or "") or None


def _first_words(document: Document, n: int = 90) -> str:
    text = " ".join(document.text.split())
    return layout.visible(text if len(text) <= n else text[: n - 1] + "…")
