"""Files besides corpora on the Corpora page: lexicons, vectors, gazetteers and constraints, by name."""

from __future__ import annotations

import streamlit as st

from engine.data.errors import InputError
from engine.store.resources import KINDS
from ui.shell import cache, layout, login
from ui.tab import session
from ui.views.corpora import words


def show() -> None:
    kind = st.selectbox(words.KIND, list(KINDS), key="corpora.kind")
    st.caption(
        f"{KINDS[kind].about[:1].upper()}{KINDS[kind].about[1:]}. Names end in {', '.join(KINDS[kind].endings)}."
    )
    allowed = sorted({ending.rsplit(".", 1)[1] for ending in KINDS[kind].endings})
    number = session.value("corpora.resources", 0)
    sent = st.file_uploader(words.RESOURCE, type=allowed, key=f"corpora.resource.{kind}.{number}")
    if sent is not None:
        name = st.text_input(
            words.RESOURCE_NAME, sent.name.split(".")[0][:80], key=f"corpora.resource.name.{sent.name}"
        )
        if st.button("Add", key="corpora.resource.add", type="primary"):
            try:
                cache.workspace().add_resource(kind, sent.name, sent.getvalue(), name=name or "")
            except InputError as error:
                layout.failure(words.NOT_ADDED, str(error))
                return
            session.keep("corpora.resources", number + 1)
            st.toast(words.RESOURCE_ADDED)
            st.rerun()
    _list(kind)


def _list(kind: str) -> None:
    there = cache.workspace().resources(kind)
    if not there:
        st.caption(words.NO_RESOURCES)
    forbidden = login.may_not_remove()
    for info in there:
        label, button = st.columns([5, 1], vertical_alignment="center")
        size = f"{info.size / 1e6:.1f} MB" if info.size >= 1e5 else f"{layout.count(info.size)} bytes"
        label.text(layout.visible(f"{info.name} · {info.file} · {size} · {layout.moment(info.created)}"))
        button.button(
            words.REMOVE_RESOURCE,
            key=f"corpora.resource.remove.{info.id}",
            on_click=_remove,
            args=(info.id,),
            disabled=forbidden is not None,
            help=forbidden,
        )


def _remove(id: str) -> None:
    login.must_be_allowed_to_remove()
    cache.workspace().remove_resource(id)
