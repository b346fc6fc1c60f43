"""GERBIL's handshake and documents, with pynif on the other side."""

from __future__ import annotations

from typing import Any

import pytest

from engine.corpora.io.names import from_uri
from engine.data.document import Document
from engine.service.state import Service
from engine.tasks.registry import get
from tests.service.serving import client_of, serving_systems
from tests.service.test_inception import as_text
from tests.service.test_rest import refused
from tests.tasks.test_contract import sample, trained

pynif = pytest.importorskip("pynif", reason="pynif is not installed: pip install -r requirements-test.txt")

GERBIL = {"content-type": "application/x-turtle;charset=UTF-8", "accept": "application/x-turtle"}
CONTEXT = "http://www.aksw.org/gerbil/NifWebService/request_0#char=0,{}"


def asked(document: Document, *, spans: bool = False) -> str:
    """What GERBIL posts: a context, for D2KB with spans that say nothing else."""
    collection = pynif.NIFCollection(uri="http://www.aksw.org/gerbil/NifWebService/collection")
    context = collection.add_context(uri=CONTEXT.format(len(document.text)), mention=document.text)
    for mention in document.gold.mentions if spans else ():
        context.add_phrase(beginIndex=mention.start, endIndex=mention.end)
    text = collection.dumps(format="turtle")
    return text if isinstance(text, str) else text.decode("utf-8")


def phrases(text: str) -> list[Any]:
    [context] = pynif.NIFCollection.loads(text, format="turtle").contexts
    return sorted(context.phrases, key=lambda one: one.beginIndex)


def test_a_text_is_annotated_and_the_answer_keeps_its_name() -> None:
    document = as_text(sample("linking", "dev"))
    [layer] = get("linking").predict([document], trained("linking"))
    with client_of(serving_systems("linking")) as client:
        answer = client.post("/nif/linking", content=asked(document), headers=GERBIL)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("application/x-turtle")
        [context] = pynif.NIFCollection.loads(answer.text, format="turtle").contexts
        assert str(context.uri) == CONTEXT.format(len(document.text)) and context.mention == document.text
        found = [(one.beginIndex, one.endIndex, from_uri(str(one.taIdentRef))) for one in phrases(answer.text)]
        assert found == [(*mention.span, mention.entity) for mention in layer.mentions]
        # GERBIL would choose a threshold on the gold data.
        assert "taConfidence" not in answer.text and "espalier" not in answer.text
        told = client.post("/nif/linking?confidence=1", content=asked(document), headers=GERBIL)
        assert [one.score for one in phrases(told.text)] == [mention.score for mention in layer.mentions]


def test_any_content_type_is_read() -> None:
    document = as_text(sample("linking", "dev"))
    with client_of(serving_systems("linking")) as client:
        plain = client.post("/nif/linking", content=asked(document), headers=GERBIL).text
        for kind in ({}, {"content-type": "text/turtle"}, {"content-type": "application/octet-stream"}):
            answer = client.post("/nif/linking", content=asked(document), headers=kind)
            assert answer.text == plain and answer.headers["content-type"].startswith("text/turtle")


def test_given_spans_are_disambiguated() -> None:
    document = sample("disambiguation", "dev")[0]
    with client_of(serving_systems("disambiguation")) as client:
        answer = client.post("/nif/disambiguation", content=asked(document, spans=True), headers=GERBIL)
        assert answer.status_code == 200, answer.text
        found = [(one.beginIndex, one.endIndex) for one in phrases(answer.text)]
        assert found == sorted({mention.span for mention in document.gold.mentions})
        assert all(one.taIdentRef is not None for one in phrases(answer.text))


def test_the_handshake_gets_an_answer_that_parses() -> None:
    """GERBIL posts one sentence of its own and asks for nothing but Turtle."""
    with client_of(serving_systems("linking")) as client:
        document = Document("d", "This is a simple test.")
        answer = client.post("/nif/linking", content=asked(document), headers=GERBIL)
        assert answer.status_code == 200
        [context] = pynif.NIFCollection.loads(answer.text, format="turtle").contexts
        assert context.mention == document.text


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "empty"),
        (b"\xff", 400, "UTF-8"),
        (b"<a> <b", 422, "not Turtle"),
        (b"<http://a> <http://b> <http://c> .", 422, "no nif:Context"),
    ],
)
def test_what_is_no_nif_is_refused(body: bytes, status: int, says: str) -> None:
    with client_of(serving_systems("linking")) as client:
        answer = client.post("/nif/linking", content=body, headers=GERBIL)
        refused(answer, status, says)
        assert "request" not in answer.json()["error"]["message"]


def test_a_system_that_links_nothing_says_so(toy_service: Service) -> None:
    with client_of(toy_service) as client:
        refused(client.post("/nif/toy", content=b"x"), 422, "links nothing")
