"""Files as other tools write them: what they say arrives, and goes back out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.corpora.io.names import from_name, from_uri, to_name, to_uri
from engine.data.document import NIL, Document
from engine.data.errors import InputError

AIDA = """-DOCSTART- (1 EU)
EU\tB\tEU\t--NME--
rejects
S\u00e3o\tB\tS\u00e3o Paulo\tS\\u00e3o_Paulo\thttp://en.wikipedia.org/wiki/S%C3%A3o_Paulo\t390875\t/m/022pfj
Paulo\tI\tS\u00e3o Paulo\tS\\u00e3o_Paulo\thttp://en.wikipedia.org/wiki/S%C3%A3o_Paulo\t390875\t/m/022pfj
.

Peter\tB\tPeter

-DOCSTART- (2 Rare)
Hendrix\tB\tHendrix\tJimi_Hendrix

"""

NEEL = "92\t4\t10\tNIL1\t1.0\tPerson\n92\t16\t21\thttp://dbpedia.org/resource/New_York_City\t0.5\tLocation\n93\t0\t2\tNIL1\t1.0\tPerson\n"
TWEETS = "|92|,|RT @Lagana: the 🗽 NYC|\n|94|,|nothing|\n|93|,|La|\n"

GERBIL = """@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
@prefix itsrdf: <http://www.w3.org/2005/11/its/rdf#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<http://example.org/doc1#char=0,19> a nif:Context , nif:RFC5147String ;
  nif:beginIndex "0"^^xsd:nonNegativeInteger ; nif:endIndex "19"^^xsd:nonNegativeInteger ;
  nif:isString "😀 Paris met Zorblax"@en .

<http://example.org/doc1#char=2,7> a nif:Phrase ;
  nif:anchorOf "Paris" ; nif:beginIndex "2"^^xsd:int ; nif:endIndex "7"^^xsd:int ;
  nif:referenceContext <http://example.org/doc1#char=0,19> ;
  itsrdf:taIdentRef <http://dbpedia.org/resource/Paris,_Texas> .

<http://example.org/doc1#char=12,19> a nif:Phrase ;
  nif:anchorOf "Zorblax" ; nif:beginIndex "12"^^xsd:int ; nif:endIndex "19"^^xsd:int ;
  nif:referenceContext <http://example.org/doc1#char=0,19> ;
  itsrdf:taIdentRef <http://aksw.org/notInWiki/Zorblax> .

<http://example.org/doc1#char=8,11> a nif:Word ; nif:beginIndex "8" ; nif:endIndex "11" ;
  nif:referenceContext <http://example.org/doc1#char=0,19> .
"""

BRAT_TEXT = "North and South America\nmet Sony 😀 Corp.\n"
BRAT = """T3\tLocation 0 5;16 23\tNorth America
T1\tOrg 28 40\tSony 😀 Corp.
R1\tLive_In Anaphora:T3 Antecedent:T1\t
*\tEquiv T1 T3
N1\tReference T1 Wikidata:Q41187\tSony
E1\tMeet:T1 Theme:T3
A1\tNegation E1
#1\tAnnotatorNotes T1\tsure?
"""

CAS: dict[str, Any] = {
    "%TYPES": {"webanno.custom.PHI": {"%NAME": "webanno.custom.PHI", "%SUPER_TYPE": "uima.tcas.Annotation"}},
    "%FEATURE_STRUCTURES": [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "sofaString": "😀 Ada met her."},
        {"%ID": 2, "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData", "@sofa": 1}
        | {"begin": 0, "end": 15, "language": "x", "documentTitle": "note.txt", "isLastSegment": False},
        {"%ID": 3, "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity", "@sofa": 1}
        | {"begin": 3, "end": 6, "value": "PER", "identifier": "http://www.wikidata.org/entity/Q7259"},
        {"%ID": 4, "%TYPE": "webanno.custom.PHI", "@sofa": 1, "begin": 11, "end": 14, "kind": "NAME_OTHER"},
        {"%ID": 5, "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token", "@sofa": 1}
        | {"begin": 0, "end": 2},
        {"%ID": 6, "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token", "@sofa": 1}
        | {"begin": 3, "end": 6},
        {"%ID": 7, "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence", "@sofa": 1}
        | {"begin": 0, "end": 6},
        {"%ID": 8, "%TYPE": "webanno.custom.Link", "@sofa": 1, "begin": 11, "end": 14, "label": "same"}
        | {"@Governor": 3, "@Dependent": 4},
        {"%ID": 9, "%TYPE": "custom.Unknown", "note": "kept"},
    ],
    "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3, 4, 5, 6, 7, 8, 9]}},
}


def label_studio(start: int, end: int) -> list[dict[str, Any]]:
    region = {"value": {"start": start, "end": end, "text": "annotation", "labels": ["Thing"]}, "id": "a1b2"}
    region |= {"from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"}
    annotation = {"id": 5, "completed_by": 1, "result": [region], "was_cancelled": False, "lead_time": 8.4}
    task = {"id": 17, "annotations": [annotation], "file_upload": "x.txt", "predictions": []}
    return [task | {"data": {"text": "💩This is an annotation.", "source": "web"}, "meta": {}}]


def put(folder: Path, **contents: str) -> None:
    for name, content in contents.items():
        (folder / name.replace("__", ".")).write_bytes(content.encode())


def spans(document: Document) -> list[tuple[str, str | None, str | None]]:
    return [(document.surface(mention), mention.type, mention.entity) for mention in document.gold.mentions]


def test_aida_yago_comes_back_byte_for_byte(tmp_path: Path) -> None:
    put(tmp_path, x__tsv=AIDA)
    one, two = corpora.read(tmp_path / "x.tsv")
    assert (one.id, two.id) == ("1 EU", "2 Rare")
    assert spans(one) == [("EU", None, NIL), ("S\u00e3o Paulo", None, "S\u00e3o Paulo"), ("Peter", None, None)]
    assert spans(two) == [("Hendrix", None, "Jimi Hendrix")]
    corpora.write([one, two], tmp_path / "y.tsv", "aidayago")
    assert (tmp_path / "y.tsv").read_text() == AIDA


def test_neel_takes_texts_as_the_challenge_gave_them(tmp_path: Path) -> None:
    put(tmp_path, x__gs=NEEL, x__texts__tsv=TWEETS)
    documents = corpora.read(tmp_path / "x.gs")
    assert [document.id for document in documents] == ["92", "94", "93"]
    assert spans(documents[0]) == [("Lagana", "Person", NIL), ("🗽 NYC", "Location", "New York City")]
    assert [mention.score for mention in documents[0].gold.mentions] == [None, 0.5]
    corpora.write([documents[0], documents[2], documents[1]], tmp_path / "y.gs")
    assert (tmp_path / "y.gs").read_text() == NEEL


def test_tables_without_texts_stand_on_a_made_up_text(tmp_path: Path) -> None:
    put(tmp_path, x__neleval="d\t3\t4\tkb_A\t1.0\tGPE\nd\t0\t1\tNIL000\t0.5\tPER\tE2\t0.1\tORG\n")
    (document,) = corpora.read(tmp_path / "x.neleval")
    assert document.text == "□" * 5
    assert [m.span for m in document.gold.mentions] == [(3, 5), (0, 2)]
    assert [m.entity for m in document.gold.mentions] == ["kb A", NIL]
    corpora.write([document], tmp_path / "y.neleval")
    assert (tmp_path / "y.neleval").read_text() == (tmp_path / "x.neleval").read_text()
    put(tmp_path, x__tac="run1\tq1\tGo\tdoc:x:3-4\tNIL001\tPER\tNOM\t0.9\n")
    (document,) = corpora.read(tmp_path / "x.tac")
    assert (document.id, document.text) == ("doc:x", "□□□Go")
    corpora.write([document], tmp_path / "y.tac")
    assert (tmp_path / "y.tac").read_text() == (tmp_path / "x.tac").read_text()


@pytest.mark.parametrize(
    "row", ["d\t4\t3\tE\t1.0\tX", "d\tx\t3\tE", "d\t1", "d\t1\t2\tE\tsure\tX", "d\t0\t9\tE\t1.0\tX"]
)
def test_rows_that_make_no_sense_are_refused_with_their_line(row: str, tmp_path: Path) -> None:
    put(tmp_path, x__neleval=f"d\t0\t1\tE\t1.0\tX\n{row}\n", x__texts__tsv="d\tabc\n")
    with pytest.raises(InputError) as caught:
        corpora.read(tmp_path / "x.neleval")
    assert caught.value.line == 2


def test_nif_of_another_tool(tmp_path: Path) -> None:
    put(tmp_path, x__ttl=GERBIL)
    (document,) = corpora.read(tmp_path / "x.ttl")
    assert document.id == "http://example.org/doc1"
    assert spans(document) == [("Paris", None, "Paris, Texas"), ("Zorblax", None, NIL)]


def test_brat_of_another_tool(tmp_path: Path) -> None:
    put(tmp_path, x__ann=BRAT, x__txt=BRAT_TEXT)
    (document,) = corpora.read(tmp_path / "x.ann")
    assert spans(document) == [
        ("North and South America", "Location", None),
        ("Sony 😀 Corp.", "Org", "Q41187"),
    ]
    assert document.gold.clusters == ((0, 1),)
    assert [(r.head, r.tail, r.type) for r in document.gold.relations] == [(0, 1, "Live_In")]
    assert corpora.losses([document], "brat") == []
    corpora.write([document], tmp_path / "folder", "brat")
    assert (tmp_path / "folder" / "x.txt").read_text() == BRAT_TEXT
    lines = (tmp_path / "folder" / "x.ann").read_text().splitlines()
    surface = "Sony 😀 Corp."
    wanted = BRAT.replace("\tSony\n", f"\t{surface}\n").replace("T1\t\n", "T1\n").replace("T1 T3", "T3 T1")
    assert sorted(lines) == sorted(wanted.splitlines())
    assert corpora.read(tmp_path / "folder")[0].gold == document.gold


def test_a_brat_surface_that_contradicts_the_text_is_refused(tmp_path: Path) -> None:
    put(tmp_path, x__ann=BRAT.replace("28 40", "27 39"), x__txt=BRAT_TEXT)
    with pytest.raises(InputError, match="at this place") as caught:
        corpora.read(tmp_path / "x.txt")
    assert caught.value.line == 2


@pytest.mark.parametrize("offsets", [(12, 22), (13, 23)])
def test_label_studio_offsets_are_code_points_or_utf16_as_the_text_says(offsets: Any, tmp_path: Path) -> None:
    tasks = label_studio(*offsets)
    put(tmp_path, x__json=json.dumps(tasks))
    (document,) = corpora.read(tmp_path / "x.json")
    assert (document.id, spans(document)) == ("17", [("annotation", "Thing", None)])
    corpora.write([document], tmp_path / "y.labelstudio.json")
    assert json.loads((tmp_path / "y.labelstudio.json").read_text()) == label_studio(12, 22)


def test_inception_export(tmp_path: Path) -> None:
    put(tmp_path, x__json=json.dumps(CAS))
    (document,) = corpora.read(tmp_path / "x.json")
    assert document.id == "note.txt"
    assert spans(document) == [
        ("Ada", "PER", "http://www.wikidata.org/entity/Q7259"),
        ("her", "NAME_OTHER", None),
    ]
    assert document.words == ("😀", "Ada")
    assert document.sentences == ((0, 2),)
    assert [(r.head, r.tail, r.type) for r in document.gold.relations] == [(0, 1, "same")]
    corpora.write([document], tmp_path / "y.cas.json")
    written = json.loads((tmp_path / "y.cas.json").read_text())
    structures = {
        tuple(sorted((k, str(v)) for k, v in item.items() if k[0] not in "%@"))
        for item in written["%FEATURE_STRUCTURES"]
    }
    wanted = {
        tuple(sorted((k, str(v)) for k, v in item.items() if k[0] not in "%@")) for item in CAS["%FEATURE_STRUCTURES"]
    }
    assert structures == wanted
    assert corpora.read(tmp_path / "y.cas.json") == [document]


def test_spert_file_comes_back(tmp_path: Path) -> None:
    records = [
        {"tokens": ["Ada", "met", "Bob"], "entities": [{"type": "Peop", "start": 0, "end": 1}], "relations": []},
        {"tokens": ["x"], "entities": [], "relations": [], "orig_id": 1441},
    ]
    put(tmp_path, x__json=json.dumps(records))
    documents = corpora.read(tmp_path / "x.json")
    assert [document.id for document in documents] == ["1", "1441"]
    corpora.write(documents, tmp_path / "y.json", "spert")
    assert json.dumps(json.loads((tmp_path / "y.json").read_text())) == json.dumps(records)


@pytest.mark.parametrize(
    "title", ["New York", "AC/DC", "a_b", "100%", "NIL", "NILE", "É 東京", "http://x/y", "a\tb\u2028"]
)
def test_titles_survive_as_names_and_uris(title: str) -> None:
    assert from_name(to_name(title)) == title
    assert from_uri(to_uri(title)) == title
    assert not to_name(title).startswith("NIL")
    assert len(to_name(title).split()) == 1


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.conll", "#begin document (x)", "conll2012"),
        ("a.response", "", "conll2012"),
        ("a.txt", "#begin document (x)", "conll2012"),
        ("a.tsv", "-DOCSTART- (1)", "aidayago"),
        ("a.tsv", "x\ty", "table"),
        ("a.json", '[{"tokens": []}]', "spert"),
        ("a.json", '[{"data": {}}]', "labelstudio"),
        ("a.json", '{"%TYPES": {}}', "uimacas"),
        ("a.json", '{"id": "1", "text": "x"}', "jsonl"),
        ("a.unknown", '{"id": "1", "text": "x"}', "jsonl"),
        ("a.unknown", "@prefix nif: <x> .", "nif"),
        ("A.JSONL", "", "jsonl"),
    ],
)
def test_formats_are_told_apart(name: str, content: str, format: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert corpora.detect(tmp_path / name).name == format
