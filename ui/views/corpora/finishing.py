"""The second half of adding a corpus: the contents, what each system can do with it, its name, next steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from engine.corpora.splits import overlap, split_of
from engine.corpora.splitting import split as divide
from engine.data.document import Document
from engine.store.corpora import free_corpus_name
from engine.store.workspace import CorpusInfo
from engine.tasks.readiness import Readiness
from ui.shell import cache, layout
from ui.tab import pages, session, upload
from ui.views.corpora import data, words

SHOWN = 8
"""Number of documents in the preview."""


def report(reading: upload.Reading, source: str) -> None:
    """The contents, their possible uses, and the form that adds the corpus."""
    documents = reading.documents
    frame = data.by_document(documents[: cache.LARGE]) if documents else pd.DataFrame({"id": []})
    st.success(words.READ.format(documents=layout.counted(len(documents), "document")), icon=":material/check_circle:")
    for remark in reading.remarks:
        st.caption(remark)
    shared = _shared(documents)
    if shared:
        st.warning(words.SHARED, icon=":material/content_copy:")
    for sentence in shared:
        st.text(layout.visible(sentence))
    _form(documents, source)
    beginnings = [layout.visible(one.text[:120]) for one in documents[:SHOWN]]
    st.dataframe(frame.head(SHOWN).assign(beginning=beginnings), hide_index=True, key="corpora.preview")
    _systems(_ready(documents))


def _ready(documents: Sequence[Document]) -> Mapping[str, Readiness]:
    """What each system can do with the documents; computed once, however often the page is redrawn."""
    known, ready = session.value("corpora.ready", (None, {}))
    if known is not documents:
        ready = {name: cache.task(name).readiness(documents) for name in cache.tasks()}
        session.keep("corpora.ready", (documents, ready))
    found: Mapping[str, Readiness] = ready
    return found


def _systems(ready: Mapping[str, Readiness]) -> None:
    st.caption(words.SYSTEMS)
    signs = {"yes": "✓", "no gold": "○", "no": "✗"}
    rows = [
        {
            "system": cache.task(name).title,
            "": f"{signs[one.verdict]} {one.title}",
            "because": f"{one.says} {one.remedy}",
        }
        for name, one in ready.items()
    ]
    st.table(pd.DataFrame(rows).set_index("system"))


def _shared(documents: Sequence[Document]) -> list[str]:
    """Sentences on the corpora of the workspace that have documents in common with these."""
    known, found = session.value("corpora.shared", (None, []))
    if known is documents:
        return list(found)
    found = []
    for info in cache.corpora():
        if cache.fault_of(info) is None:
            common = overlap(documents, cache.documents(info))
            if common.by_text:
                found.append(f"{common.sentence('What you add', info.label)}.")
    session.keep("corpora.shared", (documents, found))
    return found


def _form(documents: Sequence[Document], source: str) -> None:
    stem = source.split(".")[0]
    whole, name_box = st.columns([1, 1], vertical_alignment="bottom")
    shape = whole.segmented_control(
        "Add it as", (words.ONE, words.DIVIDED), default=words.ONE, key="corpora.shape", help=words.DIVIDED_HELP
    )
    name = name_box.text_input("Name", value=stem[:80], key=f"corpora.name.{stem[:80]}") or stem
    parts: dict[str, Sequence[Document]]
    if shape == words.DIVIDED:
        boxes = st.columns(4)
        shares = {
            part: boxes[i].number_input(f"{part}, %", 0, 100, share, step=5, key=f"corpora.share.{part}") / 100
            for i, (part, share) in enumerate({"train": 80, "dev": 10, "test": 10}.items())
        }
        seed = int(boxes[3].number_input("seed", 0, 10**6, 0, key="corpora.seed"))
        parts = dict(divide(documents, shares, seed=seed)) if sum(shares.values()) > 0 else {}
        st.caption(" · ".join(f"{part}: {layout.counted(len(found), 'document')}" for part, found in parts.items()))
    else:
        splits = ["", "train", "dev", "test"]
        part = st.selectbox(
            "Split",
            splits,
            splits.index(split_of(source)),
            format_func=words.SPLITS.__getitem__,
            key=f"corpora.split.{stem[:80]}",
            help=words.SPLIT_HELP,
        )
        parts = {part: documents}
    free = _free_name(name, list(parts))
    if free != name:
        st.text(layout.visible(words.TAKEN.format(name=free)))
    if st.button("Add", key="corpora.add", type="primary", disabled=not any(parts.values())):
        _add(free, parts, source)


def _free_name(name: str, parts: Sequence[str]) -> str:
    """A name that is free for all parts, which are connected by it."""
    taken = {info.label for info in cache.corpora()}
    found = " ".join(name.split())
    while (
        better := next((n for part in parts if (n := free_corpus_name(found, part, taken)) != found), None)
    ) is not None:
        found = better
    return found


def _add(name: str, parts: Mapping[str, Sequence[Document]], source: str) -> None:
    ids = [
        cache.workspace().add_corpus(name, found, split=part, source=source) for part, found in parts.items() if found
    ]
    session.keep("corpora.added", (*session.value("corpora.added", ()), *ids))
    session.keep("corpora.next", tuple(ids))
    session.choose("corpus", ids[0])
    for name in ("corpora.read", "corpora.ready", "corpora.shared"):
        session.keep(name, (None, None))
    st.rerun()


def number_added() -> int:
    """The number of corpora that this visitor has added, used to clear the boxes after each."""
    return len(session.value("corpora.added", ()))


def show_next() -> bool:
    """After adding: show only the possible next steps until the visitor continues; returns whether they are shown."""
    added = [info for id in session.value("corpora.next", ()) if (info := cache.corpus(id)) is not None]
    if not added:
        return False
    with st.container(border=True, key="corpora-next"):
        st.success(words.ADDED, icon=":material/check_circle:")
        st.text(layout.visible(" · ".join(_named(info) for info in added)))
        _links(added)
        st.button(words.ANOTHER, key="corpora.another", on_click=session.keep, args=("corpora.next", ()))
    _systems(_ready(cache.documents(added[0])))
    return True


def _named(info: CorpusInfo) -> str:
    return f"{info.label}: {layout.counted(info.n_documents, 'document')}"


def _links(added: Sequence[CorpusInfo]) -> None:
    first = added[0]
    with st.container(horizontal=True, gap="medium"):
        layout.link_to("annotate", f":material/edit_note: {words.ANNOTATE}", corpus=first.id, doc=None)
        layout.link_to(
            "corpora", f":material/folder_open: {words.BROWSE}", corpus=first.id, doc=None, view=words.DOCUMENTS
        )
        for name in cache.tasks():
            title = cache.task(name).title.lower()
            fits = cache.fits(first, name)
            if fits == "yes":
                label = f":material/model_training: {words.TRAIN.format(system=title)}"
                layout.link_to("train", label, corpus=first.id, task=name, run=None, job=None)
            if fits != "no" and pages.exists(name) and cache.runs(name, usable=True):
                label = f":material/visibility: {words.SEE.format(system=title)}"
                layout.link_to(name, label, corpus=first.id, doc=None, run=None)
