"""Adding a corpus: its source, how it is read, what it can be used for, its name, and the next steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from engine import corpora
from engine.corpora import pasting
from engine.tasks.base import AnyTask
from ui.shell import cache, layout
from ui.tab import download, session, upload
from ui.views.corpora import finishing, resources, words
from ui.views.corpora.columns import choose_columns

LONGEST: Final = 2_000_000
"""Maximum number of characters of a pasted text."""


def show() -> None:
    """The whole view: choosing and reading on the left, supported formats and templates on the right."""
    if finishing.show_next():
        return
    left, right = st.columns([2, 1], gap="medium")
    with left:
        source = _source()
        if source == words.OTHER:
            resources.show()
        elif source == words.PASTE:
            _pasted()
        else:
            _files()
    with right:
        _templates()
        _formats()


def _source() -> str:
    shown = session.get("from")
    source = shown if shown in words.SOURCES else words.FILES
    session.sync("corpora.source", source)
    st.segmented_control(
        "From",
        words.SOURCES,
        key="corpora.source",
        label_visibility="collapsed",
        on_change=session.writes("from", "corpora.source"),
    )
    return source


def _files() -> None:
    uploads = st.file_uploader(
        words.UPLOAD, accept_multiple_files=True, key=f"corpora.upload.{finishing.number_added()}"
    )
    chosen = st.selectbox(
        "Format",
        [None, *corpora.FORMATS],
        format_func=lambda name: words.BY_CONTENT if name is None else corpora.FORMATS[name].title,
        key="corpora.format",
    )
    if not uploads:
        return
    how = _how(uploads, chosen)
    if how is None:
        return
    _report(_read(uploads, how), uploads[0].name)


def _how(uploads: Sequence[Any], format: str | None) -> upload.How | None:
    """How to read the files, according to the visitor; None if a choice is still missing."""
    grid = upload.table_of(uploads, format)
    if grid is not None:
        return choose_columns(grid, format)
    if not upload.is_plain(uploads, format):
        return upload.How(format)
    text = uploads[0].getvalue()[: 1 << 16].decode("utf-8", errors="replace")
    alone = len(uploads) == 1 and not uploads[0].name.lower().endswith(".zip")
    return upload.How(format, unit=_unit(pasting.guess_unit(text) if alone else "whole", "corpora.files.unit"))


def _unit(guessed: str, key: str) -> str:
    units = list(pasting.UNITS)
    # A new box for another guess, so that the choice for one text is not kept for the next.
    return st.selectbox(
        words.UNIT, units, units.index(guessed), format_func=pasting.UNITS.__getitem__, key=f"{key}.{guessed}"
    )


def _pasted() -> None:
    text = st.text_area(
        words.PASTED,
        key=f"corpora.pasted.{finishing.number_added()}",
        placeholder=words.PASTE_HINT,
        height=220,
        max_chars=LONGEST,
    )
    if text and text.strip():
        unit = _unit(pasting.guess_unit(text), "corpora.paste.unit")
        _report(upload.paste(text, unit), "pasted text")


def _read(uploads: Sequence[Any], how: upload.How) -> upload.Reading:
    """The contents of the files; read once, however often the page is redrawn."""
    wanted = tuple(one.file_id for one in uploads), how.format, tuple(sorted(how.columns.items())), how.row, how.unit
    known, reading = session.value("corpora.read", (None, None))
    if known != wanted or reading is None:
        with st.spinner("Reading …", show_time=True):
            reading = upload.read(uploads, how)
        session.keep("corpora.read", (wanted, reading))
    return reading


def _report(reading: upload.Reading, name: str) -> None:
    if reading.fault is None:
        finishing.report(reading, name)
        return
    layout.failure(words.NOT_ADDED, reading.fault.sentence)
    if reading.fault.excerpt:
        st.caption(words.LINE)
        st.text(layout.visible(reading.fault.excerpt))


def _templates() -> None:
    st.subheader(words.TEMPLATES, anchor=False)
    st.caption(words.TEMPLATES_HELP)
    for name in cache.tasks():
        task = cache.task(name)
        if task.template:
            # The buttons go to the next line where the title leaves no room for them, so that no word is broken.
            with st.container(horizontal=True, vertical_alignment="center", key=f"corpora.template.{name}"):
                st.text(task.title, width="content")
                st.space("stretch")
                with st.container(horizontal=True, width="content"):
                    st.download_button(
                        "CSV", task.template, f"{name}.csv", key=f"corpora.template.{name}.csv", type="tertiary"
                    )
                    st.download_button(
                        "JSONL",
                        _lines_of(task),
                        f"{name}.jsonl",
                        key=f"corpora.template.{name}.jsonl",
                        type="tertiary",
                    )


def _lines_of(task: AnyTask) -> bytes:
    return _template_lines(task.name, task.template)


@st.cache_data(show_spinner=False)
def _template_lines(name: str, template: str) -> bytes:
    return download.pack(upload.read([_Text(f"{name}.csv", template)]).documents, name, "jsonl")[1]


class _Text:
    """A text of ours as an upload."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text = name, text

    def getvalue(self) -> bytes:
        return self._text.encode()


def _formats() -> None:
    rows = [
        {"format": f"{one.title} ({', '.join(one.extensions)})", "holds": one.about} for one in corpora.FORMATS.values()
    ]
    with st.expander(words.FORMATS):
        st.table(pd.DataFrame(rows).set_index("format"))
