"""The Versions tab: name and freeze gold, score a run on old and new gold, train again from the
corrections and see what they changed."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.data.document import Document
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, RunInfo
from ui.background import jobs
from ui.shell import cache, layout, session, sidebar
from ui.shell.sidebar import Choice
from ui.views.annotate import words
from ui.views.compare import results
from ui.views.compare.widgets import show_scores


def show(choice: Choice, user: str, layer: str) -> None:
    corpus, run = choice.corpus, choice.run
    if corpus is None:
        return
    st.caption(words.FROZEN)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the version", key="annotate.version", width=240).strip()
        if st.button("Freeze", key="annotate.freeze", disabled=not name):
            try:
                cache.workspace().freeze(corpus.id, name, user=user, layer=layer)
            except InputError as error:
                layout.failure(words.NOT_FROZEN, str(error))
            else:
                st.rerun()
    if run is None or cache.fits(corpus, run.task) != "yes":
        st.dataframe(_listed(corpus), hide_index=True, width="stretch")
        st.text(words.NO_SCORES)
        return
    percent = st.column_config.NumberColumn(format="%.1f")
    st.dataframe(scores(run, corpus), hide_index=True, width="stretch", column_config={"score, %": percent})
    layout.link_to("corpora", "Export a version", view="Export")
    _retraining(run, corpus)


def _listed(corpus: CorpusInfo) -> list[dict[str, Any]]:
    return [
        {"gold": v.name, "layer": v.layer, "frozen by": v.user, "when (UTC)": layout.moment(v.time)}
        for v in cache.workspace().versions(corpus.id)
    ]


def scores(run: RunInfo, corpus: CorpusInfo) -> list[dict[str, Any]]:
    """The run's main score on gold as imported, on each frozen version, and on gold as it stands now."""
    task, scored, workspace = cache.task(run.task), cache.scored(run, corpus), cache.workspace()
    originals = cache.original_documents(corpus)
    golds: list[tuple[dict[str, Any], list[Document]]] = [({"gold": "as imported"}, list(originals))]
    golds += [(row, workspace.gold_documents(corpus.id, row["gold"], originals=originals)) for row in _listed(corpus)]
    golds += [({"gold": "now"}, list(cache.documents(corpus)))]
    predicted = cache.predictions(run, corpus)
    rows = []
    for row, documents in golds:
        score = layout.percent_at(task.evaluate(documents, predicted, scored), task.main_score)
        rows.append({**row, "what": task.main_name, "score, %": score, "run": run.id})
    return rows


def _retraining(run: RunInfo, corpus: CorpusInfo) -> None:
    """Train again from gold as it stands; the new run is in the address, so a reload finds it."""
    names = sidebar.corpus_labels(cache.corpora())
    before = [id for id in run.train.split(",") if id in names]
    usable = [id for id in names if id in before or id == corpus.id]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        train = st.multiselect(
            "Learn from",
            usable,
            default=before or [corpus.id],
            format_func=lambda id: names[id],
            key=f"annotate.train.{run.id}",
            width=420,
            help=words.RETRAIN_HELP,
        )
        if st.button("Retrain with the corrections", key="annotate.retrain", type="primary", disabled=not train):
            session.put("retrained", _retrain(run, train))
            st.rerun()
    if corpus.id not in train:
        st.text(words.NOT_LEARNT_FROM)
    new = cache.run(session.get("retrained"))
    if new is not None and new.task == run.task:
        # While it trains this part looks again every second; the rest of the page is left alone.
        alive = jobs.state(cache.workspace(), new.id).alive
        st.fragment(_follow, run_every=1.0 if alive else None)(run.id, new.id, corpus)


def _follow(old: str, new: str, corpus: CorpusInfo) -> None:
    """The new run while it trains, then what it changed, document by document."""
    state = jobs.state(cache.workspace(), new)
    if state.alive:
        st.progress(state.fraction, f"{new} is training: {len(state.rounds)} of {state.total or '?'} rounds")
        return
    if state.run.status != "done" or not cache.has_model(new):
        layout.failure(words.NOT_FINISHED, state.run.message)
        return
    if session.value("annotate.followed") != new:
        session.keep("annotate.followed", new)
        st.rerun(scope="app")
    before = cache.run(old)
    if before is None or old == new:
        st.text(f"{new} is the run on screen.")
        return
    ids = [*(id for id in state.run.dev.split(",") if id and id != corpus.id), corpus.id]
    judged = [info for id in ids if (info := cache.corpus(id)) is not None and cache.fits(info, before.task) == "yes"]
    for column, info in zip(st.columns(max(2, len(judged))), judged, strict=False):
        with column:
            _change(before, state.run, info)
    layout.link_to("annotate", "Go on with the new run", run=new, retrained=new)


def _change(old: RunInfo, new: RunInfo, info: CorpusInfo) -> None:
    """The score after, and how far it moved: paired over documents."""
    result = results.comparison(old, new.id, info)
    path = cache.task(old.task).main_score
    main = next((score for score in result.scores if score.name == path[-1]), result.scores[0])
    seen = ", which it learnt from" if info.id in new.train.split(",") else ""
    moved = main.difference
    st.text(layout.visible(f"On {info.name} {info.split}{seen}:"))
    st.metric(
        f"{' '.join(path).replace('_', ' ')}, %",
        layout.percent(main.second),
        f"{100 * moved.value:+.1f} points (95 % interval {100 * moved.low:+.1f} to {100 * moved.high:+.1f},"
        f" p = {main.p_permutation:.3f}, n = {result.n_documents})",
        delta_color="normal" if moved.value else "off",
        delta_arrow="auto" if moved.value else "off",
    )
    with st.expander(words.BEFORE_AND_AFTER):
        show_scores(result)


def _retrain(run: RunInfo, train: list[str]) -> str:
    """The same system and settings again; training reads gold as it stands now."""
    workspace = cache.workspace()
    known = jobs.spec_path(workspace.directory, run.id).is_file()
    return jobs.start(
        workspace,
        run.task,
        run.learner,
        run.settings,
        train=train,
        dev=[id for id in run.dev.split(",") if id],
        files=jobs.read_spec(workspace.directory, run.id).files if known else {},
    )
