"""Every format gives back what it holds, and says what it does not hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine import corpora
from engine.data.document import GOLD, NIL, Document, Layer, Mention
from engine.data.errors import InputError
from tests.strategies import documents, plain_documents, tokenised_documents

NAMES = {
    "jsonl": "x.jsonl.gz",
    "conll2012": "x.conll",
    "aidayago": "x.aida.tsv",
    "neel": "x.gs",
    "neleval": "x.neleval.gz",
    "tac": "x.tac",
    "nif": "x.ttl",
    "brat": "folder",
    "spert": "x.spert.json",
    "labelstudio": "x.labelstudio.json.gz",
    "uimacas": "folder",
    "csv": "x.csv",
    "xlsx": "x.xlsx",
    "plain": "folder",
    "table": "x.tsv",
}

shared_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def content(document: Document) -> Any:
    """What a document says, without what a format adds to be able to say it."""
    layers = {name: _annotation(layer) for name, layer in document.layers.items()}
    layers.setdefault(GOLD, _annotation(Layer()))
    # A column that says nothing of any token is the same as none.
    columns = {name: values for name, values in document.columns.items() if name == "pos" and set(values) - {"-"}}
    return document.id, document.text, document.tokens, document.sentences, columns, layers, document.bag


def _annotation(layer: Layer) -> Any:
    mentions = [(m.start, m.end, m.type, m.entity, m.score) for m in layer.mentions]
    relations = [(r.head, r.tail, r.type, r.score) for r in layer.relations]
    return mentions, layer.clusters, relations, layer.labels


def through(items: list[Document], format: str, folder: Path) -> list[Document]:
    path = folder / NAMES[format]
    clean(folder)
    corpora.write(items, path, format)
    return corpora.read(path, format)


def clean(folder: Path) -> None:
    for item in sorted(folder.rglob("*"), reverse=True):
        item.rmdir() if item.is_dir() else item.unlink()


def test_every_registered_format_is_tested_here() -> None:
    assert set(NAMES) == set(corpora.FORMATS)


@pytest.mark.parametrize("format", [name for name in corpora.FORMATS if name != "table"])
@shared_folder
@given(document=documents())
def test_nothing_is_lost_silently(format: str, document: Document, tmp_path: Path) -> None:
    """Whatever the document: it comes back the same, or the loss is named, or writing is refused."""
    lost = corpora.losses([document], format)
    try:
        back = through([document], format, tmp_path)
    except InputError:
        return
    if not lost:
        assert [content(item) for item in back] == [content(document)]


NAMESAKES = {
    "data": None, "number": "x", "id": 3, "value": [], "labels": 1, "text": 2, "results": {}, "annotation": "a",
    "tokens": 1, "mentions": 1, "sentences": 1, "type": 1, "uri": 1, "offset": 1, "entities": 1, "%TYPES": 1,
}  # fmt: skip
"""Fields of the user's own whose names formats use for something else."""


@pytest.mark.parametrize("format", [name for name in corpora.FORMATS if name not in ("table", "jsonl")])
@pytest.mark.parametrize("name", NAMESAKES)
def test_a_field_with_a_name_the_format_uses_is_kept_or_its_loss_is_named(
    format: str, name: str, tmp_path: Path
) -> None:
    field = {name: NAMESAKES[name]}
    bare = Document.from_words("d", [["Paris", "is", "big"]])
    mention = Mention(0, 5, "LOC", "Paris")
    for document in (
        replace(bare, layers={GOLD: Layer((mention,))}, extra=field),
        replace(bare, layers={GOLD: Layer((mention,), extra=field)}),
        replace(bare, layers={GOLD: Layer((replace(mention, extra=field),))}),
    ):
        lost = corpora.losses([document], format)
        try:
            back = through([document], format, tmp_path)
        except InputError:
            continue
        if not lost:
            assert [content(item) for item in back] == [content(document)]


def fitting(format: str) -> st.SearchStrategy[Document]:
    """Documents with all that the format can hold."""
    mentions: dict[str, Any] = {}
    layer: dict[str, Any] = {"labels": ()}
    if format in ("conll2012", "aidayago", "spert"):
        source = tokenised_documents()
    else:
        source = plain_documents()
    if format in ("conll2012", "brat", "uimacas", "csv", "xlsx"):
        mentions["score"] = None
    if format == "conll2012":
        mentions |= {"type": None, "entity": None}
    if format == "aidayago":
        mentions |= {"type": None, "score": None}
    if format in ("conll2012", "aidayago", "neel", "neleval", "tac", "csv", "xlsx"):
        layer["relations"] = ()
    if format == "plain":
        layer |= {"mentions": (), "relations": (), "clusters": ()}
    if format in ("aidayago", "spert"):
        layer["clusters"] = ()

    def fit(document: Document) -> Document:
        gold = document.gold
        found = [replace(m, **mentions) for m in gold.mentions]
        relations = tuple(replace(r, score=None if "score" in mentions else r.score) for r in gold.relations)
        gold = replace(gold, mentions=tuple(found), relations=relations)
        gold = replace(gold, **layer)
        if format in ("neel", "neleval", "tac"):
            found = [replace(m, entity=NIL if m.entity is None else m.entity) for m in found]
            gold = replace(gold, mentions=tuple(found))
            nil = [tuple(i for i in c if found[i].entity == NIL) for c in gold.clusters]
            gold = replace(gold, clusters=tuple(c for c in nil if len(c) > 1))
        if format in ("csv", "xlsx"):
            gold = replace(gold, clusters=tuple(sorted(tuple(sorted(c)) for c in gold.clusters)))
        if format == "labelstudio":
            gold = replace(gold, clusters=tuple(c for c in gold.clusters if len(c) > 1))
        if format in ("conll2012", "aidayago", "uimacas"):
            gold = _once(gold, format)
        if format == "spert":
            document = Document.from_words(document.id, [document.words], columns=document.columns)
        columns = {} if format in ("aidayago", "uimacas") else document.columns
        return replace(document, columns=columns, layers={GOLD: gold})

    return source.map(fit)


def _once(layer: Layer, format: str) -> Layer:
    """Mentions of different spans, in order; for AIDA-YAGO without overlap, for CoNLL all in clusters."""
    kept: list[Mention] = []
    for mention in sorted(layer.mentions, key=lambda m: m.span):
        overlaps = kept and mention.start < kept[-1].end
        if not (kept and kept[-1].span == mention.span) and not (overlaps and format != "uimacas"):
            kept.append(mention)
    chain = tuple(range(len(kept)))
    clusters = () if format == "aidayago" or not chain else (chain[:2], chain[2:]) if chain[2:] else (chain,)
    return Layer(tuple(kept), clusters)


@pytest.mark.parametrize("format", [name for name in corpora.FORMATS if name not in ("table", "jsonl")])
@shared_folder
@given(data=st.data())
def test_what_a_format_holds_comes_back(format: str, data: st.DataObject, tmp_path: Path) -> None:
    items = data.draw(st.lists(fitting(format), min_size=1, max_size=2, unique_by=lambda item: item.id))
    assume(corpora.losses(items, format) == [])
    try:
        back = through(items, format, tmp_path)
    except InputError as error:
        # A table has no place for some control characters in ids and words: refused, not mangled.
        assert "cannot" in str(error) or "place" in str(error)
        return
    assert sorted(map(content, back), key=repr) == sorted(map(content, items), key=repr)


@shared_folder
@given(items=st.lists(documents(), min_size=1, max_size=3))
def test_native_format_keeps_everything(items: list[Document], tmp_path: Path) -> None:
    assert through(items, "jsonl", tmp_path) == items
    assert corpora.losses(items, "jsonl") == []


@shared_folder
@given(items=st.lists(documents(), max_size=3))
def test_equal_content_gives_equal_bytes_and_hash(items: list[Document], tmp_path: Path) -> None:
    one, two = tmp_path / "1.jsonl.gz", tmp_path / "2.jsonl.gz"
    corpora.write(items, one)
    corpora.write(iter(items), two)
    assert one.read_bytes() == two.read_bytes()
    assert corpora.data_hash(items) == corpora.data_hash(iter(items))


@given(document=documents())
def test_data_hash_sees_a_change(document: Document) -> None:
    assert corpora.data_hash([document]) != corpora.data_hash([replace(document, id=document.id + "x")])


@shared_folder
@given(
    rows=st.lists(st.lists(st.text(st.characters(exclude_characters="\t\n", exclude_categories=("Cs",))), min_size=1))
)
def test_tables_come_back_byte_for_byte(rows: list[list[str]], tmp_path: Path) -> None:
    path, native, back = tmp_path / "x.tsv", tmp_path / "x.jsonl", tmp_path / "y.tsv"
    path.write_bytes(("\n".join("\t".join(row) for row in rows) or "a").encode())
    corpora.write(corpora.stream(path, "table"), native)
    corpora.write(corpora.stream(native), back, "table")
    assert back.read_bytes() == path.read_bytes()
