"""The Versions tab: name and freeze gold, score a run on old and new gold, train again from the
corrections and see what they changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import streamlit as st

from engine.data.document import GOLD, Document
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, RunInfo
from engine.tuning import guard
from engine.workbench.team.changes import Change, changelog, version_changes
from engine.workbench.verdicts import p_in_words, points
from ui.background import jobs, opened
from ui.shell import cache, layout, naming
from ui.shell.sidebar import Choice
from ui.tab import session
from ui.views.annotate import efforts, words
from ui.views.compare import results
from ui.views.compare.widgets import show_scores

SHOWN: Final = 500
"""Differences listed; the changelog has them all."""


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
        if listed := _listed(corpus):
            st.dataframe(listed, hide_index=True, width="stretch")
        else:
            st.text(words.NO_VERSIONS)
        differences(corpus)
        st.text(words.NO_SCORES)
        return
    percent = st.column_config.NumberColumn(format="%.1f")
    only_done = st.checkbox("Score only documents that are done", key="annotate.score_done")
    rows = scores(run, corpus, only_done=only_done)
    st.dataframe(rows, hide_index=True, width="stretch", column_config={"score, %": percent})
    differences(corpus)
    layout.link_to("corpora", "Export a version", view="Export")
    _retraining(run, corpus)
    efforts.show(run, corpus)


def _listed(corpus: CorpusInfo) -> list[dict[str, Any]]:
    return [
        {"gold": v.name, "layer": v.layer, "frozen by": v.user, "when (UTC)": layout.moment(v.time)}
        for v in cache.workspace().versions(corpus.id)
    ]


def differences(corpus: CorpusInfo) -> None:
    """What was added, removed and changed between two versions, and by whom."""
    workspace = cache.workspace()
    known = {words.IMPORTED: 0, **{v.name: v.upto for v in workspace.versions(corpus.id) if v.layer == GOLD}}
    log = workspace.annotations(corpus.id)
    known[words.NOW] = log.version(layer=GOLD)
    with st.expander(words.DIFFERENCES):
        with st.container(horizontal=True):
            first = st.selectbox("From", list(known), key="versions.from", width=240)
            last = st.selectbox("To", list(known), index=len(known) - 1, key="versions.to", width=240)
        if known[last] <= known[first]:
            st.text(words.SAME_VERSION)
            return
        found = version_changes(log, cache.original_documents(corpus), known[first], known[last], layer=GOLD)
        st.text(layout.counted(len(found), "difference"))
        st.dataframe(change_rows(found[:SHOWN]), hide_index=True, width="stretch")
        st.download_button("Download the changelog", changelog(found, first, last), "changes.md", key="versions.get")


def change_rows(found: Sequence[Change]) -> list[dict[str, Any]]:
    return [
        {
            "document": one.document,
            "what": one.what,
            "before": layout.visible(one.before),
            "after": layout.visible(one.after),
            "by": one.by,
            "when (UTC)": layout.moment(one.time),
        }
        for one in found
    ]


def scores(run: RunInfo, corpus: CorpusInfo, *, only_done: bool = False) -> list[dict[str, Any]]:
    """The run's main score on gold as imported, on each frozen version, and on gold as it stands now."""
    cache.ask_first(corpus, run)
    task, scored, workspace = cache.task(run.task), cache.scored(run, corpus), cache.workspace()
    originals = cache.original_documents(corpus)
    unfrozen = {"layer": GOLD, "frozen by": "", "when (UTC)": ""}
    golds: list[tuple[dict[str, Any], list[Document]]] = [({"gold": words.IMPORTED, **unfrozen}, list(originals))]
    golds += [(row, workspace.gold_documents(corpus.id, row["gold"], originals=originals)) for row in _listed(corpus)]
    golds += [({"gold": words.NOW, **unfrozen}, list(cache.documents(corpus)))]
    predicted = cache.predictions(run, corpus)
    done = workspace.done_documents(corpus.id) if only_done else {document.id for document in originals}
    kept = [i for i, document in enumerate(originals) if document.id in done]
    if not kept:
        return []
    scored = scored if len(kept) == len(originals) else task.scored([originals[i] for i in kept], cache.model(run))
    rows = []
    for row, documents in golds:
        judged = task.evaluate([documents[i] for i in kept], [predicted[i] for i in kept], scored)
        score = layout.percent_at(judged, task.main_score)
        rows.append({**row, "what": task.main_name, "score, %": score, "n": len(kept), "run": run.id})
    return rows


def _retraining(run: RunInfo, corpus: CorpusInfo) -> None:
    """Train again from gold as it stands; the new run is in the address, so a reload finds it."""
    labels = naming.corpus_labels(cache.corpora())
    before = [id for id in run.train.split(",") if id in labels]
    usable = [id for id in labels if id in before or id == corpus.id]
    # What the run is chosen or tested on is not learnt from, unless somebody wants that.
    held_out = corpus.id in run.dev.split(",") or corpus.split in ("dev", guard.TEST)
    wanted = before if held_out else list(dict.fromkeys([*before, corpus.id]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        train = st.multiselect(
            "Learn from",
            usable,
            default=wanted or [corpus.id],
            format_func=lambda id: labels[id],
            key=f"annotate.train.{run.id}.{corpus.id}",
            width=420,
            help=words.RETRAIN_HELP,
        )
        only_done = st.checkbox(
            "Only documents that are done", _any_done(corpus), key="annotate.only_done", help=words.ONLY_DONE_HELP
        )
        if st.button("Retrain with the corrections", key="annotate.retrain", type="primary", disabled=not train):
            session.put("retrained", _retrain(run, train, only_done))
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
    moved = main.difference
    st.text(layout.visible(judged_on(info, new.train.split(","))))
    st.metric(
        f"{' '.join(path).replace('_', ' ')}, %",
        layout.percent(main.second),
        f"{points(moved.value)} points (95 % interval {points(moved.low)} to {points(moved.high)},"
        f" p {p_in_words(main.p_permutation)}, n = {result.n_documents})",
        # Streamlit knows a loss by a hyphen only, which is not our minus sign.
        delta_color="off" if not moved.value else "normal" if moved.value > 0 else "inverse",
        delta_arrow="off" if not moved.value else "up" if moved.value > 0 else "down",
    )
    with st.expander(words.BEFORE_AND_AFTER):
        show_scores(old, new.id, info, result)


def judged_on(info: CorpusInfo, train: Sequence[str]) -> str:
    """The line above a change: the corpus, and whether the new run learnt from it."""
    return f"On {info.label}{', which it learnt from' if info.id in train else ''}:"


def _any_done(corpus: CorpusInfo) -> bool:
    """Whether somebody works through this corpus document by document; then what is not done is no gold."""
    return bool(opened.project(corpus.id).members)


def _retrain(run: RunInfo, train: list[str], only_done: bool) -> str:
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
        asked=["only done"] if only_done else [],
    )
