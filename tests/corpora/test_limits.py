"""Small files that would take much memory or time are refused; every format writes or refuses what others read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import corpora
from engine.cli.main import main
from engine.corpora.io import texts
from engine.data.errors import InputError

TAC_ROW = "run\tQ1\tAda\tdoc1:0-{end}\tE0001\tPER\tNAM\t1.0\n"
NELEVAL_ROW = "doc1\t0\t{end}\tE0001\t1.0\tPER\n"
NEEL_ROW = "1\t0\t{end}\tE0001\t1.0\tPerson\n"


@pytest.mark.parametrize("end", [3_000_000_000, 10**15])
@pytest.mark.parametrize(
    ("format", "row"), [("tac", TAC_ROW), ("neleval", NELEVAL_ROW), ("neel", NEEL_ROW)], ids=["tac", "neleval", "neel"]
)
def test_an_offset_beyond_any_text_is_refused_before_the_text_is_made(
    tmp_path: Path, format: str, row: str, end: int
) -> None:
    (tmp_path / "x.tsv").write_text(row.format(end=end))
    with pytest.raises(InputError, match="offset"):
        corpora.read(tmp_path / "x.tsv", format)


def test_many_long_texts_that_are_made_up_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_MADE_UP", 10_000)
    rows = [NELEVAL_ROW.format(end=4_000).replace("doc1", f"doc{i}") for i in range(2)]
    (tmp_path / "x.tsv").write_text("".join(rows))
    assert len(corpora.read(tmp_path / "x.tsv", "neleval")) == 2
    (tmp_path / "x.tsv").write_text("".join([*rows, rows[0].replace("doc0", "doc9")]))
    with pytest.raises(InputError, match="offset"):
        corpora.read(tmp_path / "x.tsv", "neleval")


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 20))
RDF = """<?xml version="1.0"?>{doctype}
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:nif="http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#">
<rdf:Description rdf:about="urn:d"><nif:isString>{text}</nif:isString></rdf:Description></rdf:RDF>"""


@pytest.mark.parametrize(
    ("doctype", "text"),
    [
        (f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]>', "&l19;"),
        ('<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]>', "&e;"),
        ('<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">', "Ada"),
    ],
    ids=["grows", "file", "address"],
)
def test_document_types_are_refused(tmp_path: Path, doctype: str, text: str) -> None:
    (tmp_path / "x.rdf").write_text(RDF.format(doctype=doctype, text=text))
    with pytest.raises(InputError, match="document type"):
        corpora.read(tmp_path / "x.rdf")
    (tmp_path / "x.rdf").write_text(RDF.format(doctype="", text="Ada"))
    assert [document.text for document in corpora.read(tmp_path / "x.rdf")] == ["Ada"]


def test_a_tac_table_can_be_written_as_uima_cas(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text(TAC_ROW.format(end=3))
    arguments = ["convert", "--from", "tac", "--to", "uimacas", str(tmp_path / "x.tsv"), str(tmp_path / "x.json")]
    assert main(arguments) == 0
    [there] = corpora.read(tmp_path / "x.tsv", "tac")
    [back] = corpora.read(tmp_path / "x.json", "uimacas")
    assert [(m.span, m.type, m.entity) for m in back.gold.mentions] == [
        (m.span, m.type, m.entity) for m in there.gold.mentions
    ]


WORDS = (
    *("layer", "label", "kind", "start", "end", "begin", "features", "self", "%ID", "@sofa", "identifier", "@Governor"),
    *("id", "fragments", "source", "arguments", "chain", "value", "labels", "text", "from_name", "run", "query", "nil"),
)
"""Names that mean something to one format or another."""


@pytest.mark.parametrize("value", ["x", ["x"], {"a": 1}, 3, None])
@pytest.mark.parametrize("word", [*WORDS, "types", "structures", "sofa", "conll", "data", "number", "other"])
def test_fields_of_ones_own_never_break_a_writer(tmp_path: Path, word: str, value: object) -> None:
    """SpERT with fields whose names mean something to UIMA CAS: a TypeError, or an unhashable list."""
    record = {
        "tokens": ["Ada", "met", "Bob"],
        "entities": [{"start": 0, "end": 1, "type": "P"}, {"start": 2, "end": 3, "type": "P"}],
        "relations": [{"head": 0, "tail": 1, "type": "Met"}],
    }
    if word in WORDS and word not in ("start", "end"):
        record["entities"][0][word] = value  # type: ignore[index, call-overload]
        record["relations"][0][word] = value  # type: ignore[index, call-overload]
    else:
        record[word] = value  # type: ignore[assignment]
    (tmp_path / "x.spert.json").write_text(json.dumps([record]))
    [document] = corpora.read(tmp_path / "x.spert.json", "spert")
    for format in corpora.FORMATS:
        try:
            corpora.write([document], tmp_path / f"out-{format}", format)
        except InputError:
            continue
    corpora.write([document], tmp_path / "x.json", "uimacas")
    [back] = corpora.read(tmp_path / "x.json", "uimacas")
    assert (back.text, len(back.gold.mentions), len(back.gold.relations)) == ("Ada met Bob", 2, 1)
