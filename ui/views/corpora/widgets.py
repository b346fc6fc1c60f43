"""The widgets of the Corpora page: documents, statistics, export. Adding is in adding.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from engine import corpora
from engine.data.document import GOLD, Document
from engine.data.errors import InputError
from engine.store.workspace import CorpusInfo, GoldVersion, RunInfo
from engine.workbench.team.changes import changelog, version_changes
from ui.components.chart import chart
from ui.figures import counts
from ui.shell import cache, layout, login, naming, sidebar
from ui.shell.large import surveys
from ui.tab import download, session
from ui.views.corpora import data, words

PAGE: Final = 200
"""Number of documents of a large corpus in the table at once."""


def choose_view() -> str:
    """Choose the view, which is kept in the address."""
    shown = session.get("view")
    view = shown if shown in words.VIEWS else (words.DOCUMENTS if cache.corpora() else words.ADD)
    session.sync("corpora.view", view)
    st.segmented_control(
        "View",
        words.VIEWS,
        key="corpora.view",
        label_visibility="collapsed",
        on_change=session.writes("view", "corpora.view"),
    )
    return view


@st.cache_resource(show_spinner="Counting …", max_entries=16)
def _tables(directory: str, corpus: str, hash: str) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    documents = cache.documents(cache.known_corpus(corpus))
    return data.by_document(documents), data.frequencies(documents)


def tables(info: CorpusInfo) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    return _tables(str(cache.directory()), info.id, cache.content(info))


def browse(info: CorpusInfo) -> None:
    """The documents as a table; selecting one opens it."""
    found = sidebar.matches(info, session.value("sidebar.search", ""))
    counted = layout.counted(len(found), "document")
    st.caption(words.LISTED.format(found=counted, all=layout.count(info.n_documents)))
    places = found if not cache.is_large(info) else _choose_page(found)
    documents = cache.documents_at(info, places)
    frame = data.by_document(documents) if cache.is_large(info) else tables(info)[0].iloc[list(places)]
    shown = frame.assign(beginning=[layout.visible(one.text[:160]) for one in documents])
    chosen = layout.choose_row(
        shown,
        key="corpora.documents",
        height=620 if len(places) > 16 else "content",
        column_config={"beginning": st.column_config.TextColumn(width="large")},
    )
    if chosen is not None:
        st.switch_page("pages/document.py", query_params={"corpus": info.id, "doc": documents[chosen].id})


def _choose_page(found: sidebar.Places) -> sidebar.Places:
    """The part of a long list that is on screen."""
    pages = max(1, -(-len(found) // PAGE))
    if pages == 1:
        return found
    page = st.number_input(words.PAGE.format(pages=layout.count(pages)), 1, pages, 1, key="corpora.page", width=220)
    return found[(page - 1) * PAGE : page * PAGE]


def show_statistics(info: CorpusInfo) -> None:
    frame, frequencies = tables(info)
    dark = layout.is_dark()
    totals = list(data.totals(frame).items())
    for start in range(0, len(totals), 6):
        numbers = totals[start : start + 6]
        for column, (name, value) in zip(st.columns(6), numbers, strict=False):
            column.metric(name, layout.count(value))
    spread = [name for name in ("tokens", "mentions", "members", "characters") if name in frame][:2]
    places = st.columns(2, gap="medium")
    for column, name in zip(places, spread, strict=False):
        with column:
            chart(
                counts.histogram(frame[name], f"{name} per document, n = {layout.count(len(frame))}", dark=dark),
                key=f"corpora.spread.{name}",
                config={"displayModeBar": False},
                alt=f"histogram of {name} per document",
            )
    for number, (name, counted) in enumerate(frequencies.items()):
        with places[number % 2]:
            chart(
                counts.ranking(
                    list(counted[name]),
                    list(counted["n"]),
                    f"{name}: {layout.count(len(counted))} different",
                    dark=dark,
                ),
                key=f"corpora.ranking.{name}",
                config={"displayModeBar": False},
                alt=f"most frequent {name}",
            )
            with st.expander(f"All {name} as a table"):
                st.dataframe(counted, hide_index=True, key=f"corpora.table.{name}")


def export(info: CorpusInfo, run: RunInfo | None) -> None:
    """Download in any format, after showing what the format would lose."""
    left, _ = st.columns([2, 1])
    with left:
        chosen = st.selectbox(
            "Format",
            list(corpora.FORMATS),
            format_func=lambda name: corpora.FORMATS[name].title,
            key="corpora.export.format",
        )
        documents = _choose_annotation(info, run)
        lost = corpora.losses(documents, chosen)
        if lost:
            st.warning(words.LOSSES.format(format=corpora.FORMATS[chosen].title), icon=":material/warning:")
            for loss in lost[:12]:
                st.text(f"· {layout.visible(loss)}")
        else:
            st.caption(words.NO_LOSS)
        if st.button("Prepare the file", key="corpora.prepare"):
            try:
                name, content = download.pack(documents, info.id, chosen)
            except InputError as error:
                layout.failure(words.NOT_WRITTEN, str(error))
                return
            st.download_button(
                f"Download {name} ({len(content) / 1e6:.1f} MB)", content, name, key="corpora.download", type="primary"
            )


def _choose_annotation(info: CorpusInfo, run: RunInfo | None) -> Sequence[Document]:
    """The documents with the current gold, a version of it, somebody's layer, or the run's predictions."""
    workspace = cache.workspace()
    versions = {f"gold version {v.name}": v.name for v in workspace.versions(info.id)}
    layers = {f"layer of {n}": n for n in sorted(workspace.annotations(info.id).layers() - {GOLD})}
    predicted = [f"predictions of {naming.run_label(run)}"] if run and cache.fits(info, run.task) != "no" else []
    sources = [words.AS_IT_STANDS, *versions, *layers, *predicted]
    source = st.selectbox("Annotation", sources, key="corpora.export.source", disabled=len(sources) < 2)
    originals = cache.original_documents(info)
    only_done = source not in predicted and st.checkbox(words.ONLY_DONE, key="corpora.export.done")
    if source in versions:
        _offer_changes(info, workspace.version(info.id, versions[source]))
        return workspace.gold_documents(
            info.id, versions[source], originals=originals, only_done=only_done, comments=True
        )
    if source in layers:
        return workspace.gold_documents(
            info.id, layer=layers[source], originals=originals, only_done=only_done, comments=True
        )
    if run is not None and source in predicted:
        layers_of_run = cache.predictions(run, info, session.bias_of(run.id))
        return download.with_predictions(cache.documents(info), layers_of_run)
    return workspace.gold_documents(info.id, originals=originals, only_done=only_done, comments=True)


def _offer_changes(info: CorpusInfo, version: GoldVersion) -> None:
    """A download of the changes since the previous version, or since the import."""
    workspace = cache.workspace()
    earlier = [one for one in workspace.versions(info.id) if one.layer == version.layer and one.upto < version.upto]
    first, name = (earlier[-1].upto, earlier[-1].name) if earlier else (0, "the import")
    found = version_changes(
        workspace.annotations(info.id), cache.original_documents(info), first, version.upto, layer=version.layer
    )
    text = changelog(found, name, version.name)
    st.download_button(
        "Download the changelog", text, f"{download.stem(version.name)}-changes.md", key="corpora.changes"
    )


def remove(info: CorpusInfo) -> None:
    """Remove the corpus, after confirmation; files outside the workspace are not touched."""
    with st.expander(words.REMOVE):
        name = f"{layout.visible(info.name)} {info.split}"
        st.text(words.REMOVED.format(corpus=name, documents=layout.counted(info.n_documents, "document")))
        forbidden = login.may_not_remove()
        if forbidden is not None:
            st.text(forbidden)
            return
        sure = st.checkbox("I am sure", key="corpora.sure")
        if st.button("Remove", key="corpora.remove", disabled=not sure):
            login.must_be_allowed_to_remove()
            cache.workspace().remove_corpus(info.id)
            surveys.room(cache.directory()).forget(info.hash)
            session.choose("corpus", None)
            st.rerun()
