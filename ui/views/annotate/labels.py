"""The Labels tab: the corpus's label set, its guideline, and changes that reach every document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import pandas as pd
import streamlit as st

from engine.corpora import labels as files
from engine.data.edits import Edit
from engine.data.errors import InputError
from engine.data.labels import (
    COLOURS,
    LabelSet,
    RelationType,
    from_documents,
    from_json,
    keys,
    to_json,
    with_labels,
)
from engine.store.annotations import LABELS, AnnotationLog
from engine.store.workspace import CorpusInfo
from engine.workbench.team import labelling
from ui.shell import cache, layout
from ui.tab import session
from ui.views.annotate import words

_TYPE: Final = ("name", "key", "colour", "deprecated", "about", "examples")
_RELATION: Final = ("name", "heads", "tails", "symmetric", "deprecated", "about", "examples")
_LABEL: Final = ("name", "deprecated", "about", "examples")
_LISTS: Final = ("heads", "tails", "examples")


@dataclass
class _Used:
    """What people have given since the set was defined, read once and then only what is new: the log is long."""

    upto: int
    edits: list[Edit] = field(default_factory=list)


@st.cache_resource(show_spinner=False, max_entries=16)
def _used(directory: str, corpus: str, hash: str, since: int) -> _Used:
    return _Used(since)


@st.cache_resource(show_spinner=False, max_entries=16)
def _imported(directory: str, corpus: str, hash: str) -> LabelSet:
    return from_documents(cache.original_documents(cache.known_corpus(corpus))[: cache.LARGE])


def current(corpus: CorpusInfo) -> tuple[LabelSet, bool]:
    """The labels that can be given now, and whether somebody has defined them."""
    log = cache.workspace().annotations(corpus.id)
    found = log.labels()
    directory = str(cache.directory())
    base = _imported(directory, corpus.id, corpus.hash) if found is None else from_json(found[0])
    if base.locked:
        return base, True
    used = _used(directory, corpus.id, corpus.hash, 0 if found is None else found[1])
    rows = log.history(after=used.upto)
    used.edits += labelling.given(rows)
    used.upto = rows[-1].number if rows else used.upto
    return labelling.with_used(base, used.edits), found is not None


def show(corpus: CorpusInfo, user: str, *, may_change: bool) -> None:
    """The set as tables; whoever may change it can also import one, rename, merge, lock and take back."""
    known, defined = current(corpus)
    st.text(_summary(known, defined))
    if told := session.value("labels.told", ""):
        session.keep("labels.told", "")
        st.text(layout.visible(told))
    if may_change:
        _add(corpus, known, user)
    else:
        st.text(words.LEAD_ONLY)
    made = _tables(corpus, known, may_change)
    with st.container(horizontal=True):
        if made is not None and st.button("Save the label set", key="labels.save", type="primary"):
            _do(lambda: labelling.define(_log(corpus), made(), user=user), words.LABELS_SAVED)
        if may_change and st.button("Take back my last change", key="labels.undo"):
            done = labelling.undo(_log(corpus), user=user)
            session.keep("labels.told", words.LABELS_UNDONE if done else words.NOTHING_TO_UNDO)
            st.rerun()
        text = json.dumps(to_json(known), indent=1, ensure_ascii=False)
        st.download_button("Download the set", text, "labels.json", key="labels.get")
    if may_change:
        left, right = st.columns(2)
        with left:
            _everywhere(corpus, known, user)
        with right:
            _import(corpus, known, user)


def _log(corpus: CorpusInfo) -> AnnotationLog:
    return cache.workspace().annotations(corpus.id)


def _summary(known: LabelSet, defined: bool) -> str:
    counts = ", ".join(
        (
            layout.counted(len(known.types), "type"),
            layout.counted(len(known.relations), "relation"),
            layout.counted(len(known.labels), "document label"),
        )
    )
    state = words.LOCKED if known.locked else words.OPEN_SET if defined else words.NOT_DEFINED
    return f"{counts}. {state}"


def rows_of(items: Sequence[Any], columns: Sequence[str]) -> pd.DataFrame:
    """Labels as a table; lists are written with commas between."""
    rows = [{name: _cell(asdict(one)[name]) for name in columns} for one in items]
    return pd.DataFrame(rows, columns=list(columns))


def _cell(value: Any) -> Any:
    return ", ".join(value) if isinstance(value, tuple | list) else value


def set_of(tables: dict[str, pd.DataFrame], **rest: Any) -> LabelSet:
    """The set that tables describe. A new type without a key or colour gets the next that is free."""
    record: dict[str, Any] = {name: [_item(row) for row in _filled(table)] for name, table in tables.items()}
    unfinished = [one for one in record["types"] if not one.get("key")]
    taken = {one.get("key") for one in record["types"]}
    free = (key for key in keys() if key not in taken)
    for one in unfinished:
        one["key"] = next(free, "")
    used = {one["colour"] for one in record["types"] if "colour" in one}
    spare = [colour for colour in range(COLOURS) if colour not in used] or list(range(COLOURS))
    for i, one in enumerate(one for one in record["types"] if "colour" not in one):
        one["colour"] = spare[i % len(spare)]
    return from_json({**record, **rest})


def _filled(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [row for row in table.to_dict("records") if isinstance(row.get("name"), str) and row["name"].strip()]


def _item(row: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {"name": row["name"].strip()}
    for name, value in row.items():
        if name == "name" or value is None or (isinstance(value, float) and pd.isna(value)):
            continue
        if name in _LISTS:
            made[name] = listed(str(value))
        elif name in ("deprecated", "symmetric"):
            made[name] = bool(value)
        elif name == "colour":
            made[name] = int(value)
        else:
            made[name] = str(value).strip()
    return made


def _tables(corpus: CorpusInfo, known: LabelSet, may_change: bool) -> Callable[[], LabelSet] | None:
    """The three tables and the flags; what they say now, as a set."""
    version = f"{corpus.id}.{_log(corpus).version(layer=LABELS)}"
    tables: dict[str, pd.DataFrame] = {}
    columns = {"types": _TYPE, "relations": _RELATION, "labels": _LABEL}
    for name, title in words.LABEL_TABLES.items():
        st.caption(title)
        frame = rows_of(getattr(known, name), columns[name])
        tables[name] = st.data_editor(
            frame,
            key=f"labels.{name}.{version}",
            num_rows="dynamic" if may_change else "fixed",
            disabled=not may_change,
            hide_index=True,
            width="stretch",
            column_config=_columns(),
        )
    with st.container(horizontal=True):
        links = st.checkbox("Links", known.links, key=f"labels.links.{version}", disabled=not may_change)
        chains = st.checkbox("Chains", known.chains, key=f"labels.chains.{version}", disabled=not may_change)
        locked = st.checkbox(
            "Locked", known.locked, key=f"labels.locked.{version}", disabled=not may_change, help=words.LOCK_HELP
        )
        base = st.text_input(
            "Knowledge base", known.knowledge_base, key=f"labels.kb.{version}", disabled=not may_change, width=240
        )
    guideline = st.text_area(
        "Guideline (Markdown)",
        known.guideline,
        key=f"labels.guideline.{version}",
        disabled=not may_change,
        height=140,
        help=words.GUIDELINE_HELP,
    )
    if not may_change:
        return None
    return lambda: set_of(
        tables, links=links, chains=chains, locked=locked, knowledge_base=base or "", guideline=guideline or ""
    )


def _columns() -> dict[str, Any]:
    names = words.COLOUR_NAMES
    return {
        "name": st.column_config.TextColumn(required=True),
        "key": st.column_config.TextColumn(help=words.KEYS_HELP, width=70),
        "colour": st.column_config.SelectboxColumn(
            options=range(COLOURS), format_func=lambda n: names[int(n)], width=110
        ),
        "deprecated": st.column_config.CheckboxColumn(help=words.DEPRECATED_HELP, width=110),
        "symmetric": st.column_config.CheckboxColumn(width=110),
        "about": st.column_config.TextColumn(width="medium"),
        "heads": st.column_config.TextColumn(help=words.SIDES_HELP),
        "tails": st.column_config.TextColumn(help=words.SIDES_HELP),
    }


def _everywhere(corpus: CorpusInfo, known: LabelSet, user: str) -> None:
    """Rename or merge a label in the set, in gold and in everybody's layer: one action."""
    names = {
        "type": [one.name for one in known.types],
        "relation": [one.name for one in known.relations],
        "label": [one.name for one in known.labels],
    }
    with st.container(border=True):
        st.caption(words.EVERYWHERE)
        kind: labelling.Kind = st.selectbox("What", labelling.KINDS, key="labels.kind")
        old = st.selectbox("Label", names[kind], key=f"labels.old.{kind}")
        new = st.text_input("New name, or a label to merge it into", key="labels.new", max_chars=200).strip()
        if st.button("Rename everywhere", key="labels.rename", disabled=not (old and new)):
            originals = cache.original_documents(corpus)

            def act() -> str:
                n = labelling.rename(_log(corpus), originals, kind, str(old), new, user=user)
                return words.RENAMED.format(documents=layout.counted(n, "document"))

            _do(act, "")


def listed(text: str) -> list[str]:
    """Names that are written with commas between."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _add(corpus: CorpusInfo, known: LabelSet, user: str) -> None:
    """New labels by name, behind those that are there, a line for each kind: Enter in a field adds what it says."""
    if known.locked:
        return

    def define(made: Callable[[], LabelSet]) -> None:
        _do(lambda: labelling.define(_log(corpus), made(), user=user), words.LABELS_SAVED)

    with st.container(border=True, gap="small"):
        with _line("types"):
            types = listed(_field("New types", "types", words.TYPES_EXAMPLE, words.LISTED_HELP))
            if st.form_submit_button("Add types") and types:
                define(lambda: with_labels(known, types=types))
        with _line("relation"):
            names = [one.name for one in known.types if not one.deprecated]
            name = _field("New relation", "relation", words.RELATION_EXAMPLE, None).strip()
            heads = st.multiselect("From (none: any type)", names, key="labels.add.heads", width=220)
            tails = st.multiselect("To (none: any type)", names, key="labels.add.tails", width=220)
            symmetric = st.checkbox("Holds both ways", key="labels.add.symmetric")
            if st.form_submit_button("Add the relation") and name:
                define(lambda: with_relation(known, RelationType(name, tuple(heads), tuple(tails), symmetric)))
        with _line("labels"):
            more = listed(_field("New labels of the document", "labels", "", words.LISTED_HELP))
            if st.form_submit_button("Add document labels") and more:
                define(lambda: with_labels(known, document_labels=more))


@contextmanager
def _line(name: str) -> Iterator[None]:
    with (
        st.form(f"labels.new.{name}", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        yield


def _field(label: str, name: str, example: str, help: str | None) -> str:
    return str(st.text_input(label, key=f"labels.add.{name}", placeholder=example, help=help, width=260))


def with_relation(known: LabelSet, relation: RelationType) -> LabelSet:
    """The set with one more relation. InputError where it has one of that name: the table changes those."""
    if any(one.name == relation.name for one in known.relations):
        raise InputError(f"there is a relation {relation.name!r} already; change it in the table")
    return with_labels(known, relations=[relation])


def _import(corpus: CorpusInfo, known: LabelSet, user: str) -> None:
    """Labels of the corpus, or of a file of ours or of another tool, behind those that are there."""
    with st.container(border=True):
        st.caption(words.IMPORT_LABELS)
        if st.button("From the corpus as it stands", key="labels.read"):
            found = from_documents(cache.documents(corpus))
            _do(lambda: labelling.define(_log(corpus), joined(known, found), user=user), words.LABELS_SAVED)
        file = st.file_uploader("From a file", key="labels.file", help=words.LABEL_FILES)
        if file is not None and st.button("Add what the file names", key="labels.import"):
            content = file.getvalue()
            _do(
                lambda: labelling.define(_log(corpus), joined(known, files.parse(content)), user=user),
                words.LABELS_SAVED,
            )


def joined(known: LabelSet, more: LabelSet) -> LabelSet:
    """The set with what another one has and it has not."""
    made = with_labels(
        known,
        types=[one.name for one in more.types],
        relations=more.relations,
        document_labels=[one.name for one in more.labels],
    )
    guideline = known.guideline or more.guideline
    return replace(made, guideline=guideline, knowledge_base=known.knowledge_base or more.knowledge_base)


def _do(act: Callable[[], str | None], done: str) -> None:
    """Carry out a change and say what came of it."""
    try:
        told = act() or done
    except InputError as error:
        layout.failure(words.LABELS_REFUSED, str(error))
        return
    session.keep("labels.told", told)
    st.rerun()
