"""INCEpTION's external recommender, with dkpro-cassis on the other side: what it sends, and what it reads back."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.data.document import Document
from engine.service.inception.documents import ENDS, PREDICTED
from engine.service.models.learning import Lessons
from engine.service.models.shelf import FileSource
from engine.service.state import Service
from engine.tasks.registry import get
from tests.service.serving import client_of, service_of, serving_systems
from tests.service.test_rest import refused
from tests.tasks.test_contract import sample, trained

cassis = pytest.importorskip("cassis", reason="dkpro-cassis is not installed: pip install -r requirements-test.txt")

CORE = "de.tudarmstadt.ukp.dkpro.core.api."
ENTITY, TOKEN, SENTENCE = (
    CORE + "ner.type.NamedEntity",
    *(CORE + f"segmentation.type.{n}" for n in ("Token", "Sentence")),
)
RELATION = "webanno.custom.EntityRelation"
STRING, FLAG, NUMBER = "uima.cas.String", "uima.cas.Boolean", "uima.cas.Double"


def types(*, scored: bool = True) -> Any:
    """The type system of a project as INCEpTION sends it; `scored`: with the features that suggestions may fill."""
    made = cassis.TypeSystem()
    for name in (TOKEN, SENTENCE):
        made.create_type(name)
    layers = {ENTITY: ("value", "identifier"), RELATION: ("label",)}
    for name, features in layers.items():
        layer = made.create_type(name)
        for feature in features:
            made.create_feature(layer, feature, STRING)
            if scored:
                made.create_feature(layer, f"{feature}_score", NUMBER)
                made.create_feature(layer, f"{feature}_score_explanation", STRING)
        made.create_feature(layer, PREDICTED, FLAG)
    for end in ENDS:
        made.create_feature(made.get_type(RELATION), end, ENTITY)
    return made


def cas_of(document: Document, system: Any, *, named: bool = False, typed: bool = False) -> Any:
    """The document as a CAS; `named`: with its mentions, `typed`: and their types."""
    cas = cassis.Cas(system)
    cas.sofa_string = document.text
    cas.sofa_mime = "text/plain"
    for start, end in document.tokens:
        cas.add(system.get_type(TOKEN)(begin=start, end=end))
    for first, last in document.sentences:
        start, end = document.char_range(first, last)
        cas.add(system.get_type(SENTENCE)(begin=start, end=end))
    for mention in document.gold.mentions if named else ():
        value = mention.type if typed else None
        cas.add(system.get_type(ENTITY)(begin=mention.start, end=mention.end, value=value))
    return cas


def request_of(cas: Any, layer: str, feature: str, **metadata: Any) -> dict[str, Any]:
    about = {"layer": layer, "feature": feature, "projectId": 7, "anchoringMode": "characters", "crossSentence": True}
    return {
        "metadata": {**about, **metadata},
        "document": {"xmi": cas.to_xmi(), "documentId": 3, "userId": "ada"},
        "typeSystem": cas.typesystem.to_xml(),
    }


def suggested(answer: dict[str, Any], layer: str) -> list[Any]:
    system = types()
    cas = cassis.load_cas_from_xmi(answer["document"], typesystem=system)
    return [one for one in cas.select(layer) if getattr(one, PREDICTED)]


def as_text(documents: Sequence[Document]) -> Document:
    """A text with something to link in it, and characters before it that INCEpTION counts twice."""
    found = next(one for one in documents if get("linking").predict([one], trained("linking"))[0].mentions)
    return Document("text", f"😀😀 {found.text}")


def test_links_are_suggested_with_scores_and_alternatives_at_the_right_characters() -> None:
    document = as_text(sample("linking", "dev"))
    [layer] = get("linking").predict([document], trained("linking"))
    with client_of(serving_systems("linking")) as client:
        asked = request_of(cas_of(document, types()), ENTITY, "identifier")
        answer = client.post("/inception/linking/predict", json=asked)
        assert answer.status_code == 200, answer.text
        found = suggested(answer.json(), ENTITY)
    best: dict[tuple[int, int], Any] = {}
    for one in found:
        assert one.identifier.startswith("http") and 0 <= one.identifier_score <= 1
        best.setdefault((one.begin, one.end), []).append(one)
    assert sorted(best) == [mention.span for mention in layer.mentions]
    for mention in layer.mentions:
        first = next(one for one in best[mention.span] if one.identifier_score == mention.score)
        assert str(mention.entity).replace(" ", "_") in first.identifier or "%" in first.identifier
        assert first.identifier_score_explanation
        assert len({one.identifier for one in best[mention.span]}) == len(best[mention.span]) <= 3


def test_only_features_that_the_project_has_are_filled() -> None:
    document = as_text(sample("linking", "dev"))
    with client_of(serving_systems("linking")) as client:
        asked = request_of(cas_of(document, types(scored=False)), ENTITY, "identifier")
        answer = client.post("/inception/linking/predict", json=asked)
        assert answer.status_code == 200 and "identifier_score" not in answer.json()["document"]
        assert suggested(answer.json(), ENTITY)


def test_what_is_asked_for_decides_where_suggestions_stand() -> None:
    document = as_text(sample("linking", "dev"))
    with client_of(serving_systems("linking")) as client:

        def spans(**metadata: Any) -> list[tuple[int, int]]:
            asked = request_of(cas_of(document, types()), ENTITY, "identifier", **metadata)
            answer = client.post("/inception/linking/predict", json=asked)
            assert answer.status_code == 200, answer.text
            return sorted({(one.begin, one.end) for one in suggested(answer.json(), ENTITY)})

        everywhere = spans()
        units = len(document.text.encode("utf-16-le")) // 2
        assert everywhere and spans(range={"begin": 0, "end": units}) == everywhere
        assert spans(range={"begin": 0, "end": 4}) == []
        # There are no tokens in this text, so nothing covers one.
        assert spans(anchoringMode="tokens") == []


def test_types_and_relations_of_joint_stand_on_the_spans_that_are_there() -> None:
    document = next(one for one in sample("joint", "dev") if get("joint").predict([one], trained("joint"))[0].relations)
    [layer] = get("joint").predict([document], trained("joint"))
    with client_of(serving_systems("joint")) as client:
        cas = cas_of(document, types(), named=True)
        answer = client.post("/inception/joint/predict", json=request_of(cas, ENTITY, "value"))
        found = {(one.begin, one.end): one for one in suggested(answer.json(), ENTITY)}
        assert {span: one.value for span, one in found.items()} == {m.span: m.type for m in layer.mentions}
        answer = client.post("/inception/joint/predict", json=request_of(cas, RELATION, "label"))
        arcs = [
            (one.Governor.begin, one.Dependent.begin, one.label, one.begin)
            for one in suggested(answer.json(), RELATION)
        ]
        wanted = [
            (layer.mentions[r.head].start, layer.mentions[r.tail].start, r.type, layer.mentions[r.tail].start)
            for r in layer.relations
        ]
        assert sorted(arcs) == sorted(wanted)
        lonely = cas_of(document, types())
        answer = client.post("/inception/joint/predict", json=request_of(lonely, RELATION, "label"))
        assert suggested(answer.json(), RELATION) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"typeSystem": "<x"}, "not a readable CAS"),
        ({"typeSystem": 7}, "a string"),
        ({"document": {"xmi": "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"}}, "not read"),
        ({"document": {"xmi": "<xmi:XMI xmlns:xmi='http://www.omg.org/XMI'/>"}}, "CAS"),
        ({"document": {}}, "missing"),
        ({"metadata": {"layer": "nowhere.Layer", "feature": "value"}}, "no layer"),
        ({"metadata": {"layer": ENTITY, "feature": "colour"}}, "no feature"),
        ({"metadata": {"layer": ENTITY, "feature": "value", "anchoringMode": "pages"}}, "characters"),
        ({"metadata": {"layer": ENTITY, "feature": "value", "range": {"begin": "a"}}}, "whole number"),
    ],
)
def test_what_is_no_request_of_inception_is_refused(toy_service: Service, change: dict[str, Any], says: str) -> None:
    asked = request_of(cas_of(Document("d", "Ada met Babbage"), types()), ENTITY, "value")
    with client_of(toy_service) as client:
        assert client.post("/inception/toy/predict", json=asked).status_code == 200
        refused(client.post("/inception/toy/predict", json={**asked, **change}), 422, says)


def lesson(cas: Any) -> dict[str, Any]:
    asked = request_of(cas, ENTITY, "value")
    return {"metadata": asked["metadata"], "typeSystem": asked["typeSystem"], "documents": [asked["document"]]}


def test_without_leave_to_learn_training_is_refused(toy_service: Service) -> None:
    cas = cas_of(Document("d", "Ada met Babbage"), types())
    with client_of(toy_service) as client:
        refused(client.post("/inception/toy/train", json=lesson(cas)), 403, "--learn")


def test_what_people_annotate_is_learnt_one_training_at_a_time(toy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that trains is a stand-in: it keeps what it was given, and hands over a model when it is let."""
    service = service_of(FileSource("toy", toy_file), lessons=Lessons(("--lexicon", "names")))
    document = Document.from_words("d", [["Ada", "met", "Babbage"]])
    gate = toy_file.parent / "gate"
    given: list[list[str]] = []

    def command(system: str, learnt: Path, made: Path) -> list[str]:
        given.append([system, learnt.read_text(encoding="utf-8")])
        script = f"while [ ! -e '{gate}' ]; do sleep 0.05; done; cp '{toy_file}' '{made}'"
        return ["/bin/sh", "-c", script]

    monkeypatch.setattr(service.learning, "_command", command)
    first = service.shelf.get("toy")
    cas = cas_of(document, types())
    cas.add(cas.typesystem.get_type(ENTITY)(begin=0, end=3, value="PER"))
    with client_of(service) as client:
        assert client.post("/inception/toy/train", json=lesson(cas)).status_code == 204
        busy = client.post("/inception/toy/train", json=lesson(cas))
        refused(busy, 429, "under way")
        gate.touch()
        assert client.portal is not None
        client.portal.call(service.learning.wait)
        assert service.shelf.get("toy").file.path != first.file.path
        assert client.get("/v1/models/toy").json()["version"] == first.version
    [[system, text]] = given
    assert system == "toy" and '"PER"' in text and "Ada met Babbage" in text


def test_a_training_that_brings_no_model_is_named_in_the_log(
    toy_file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = service_of(FileSource("toy", toy_file), lessons=Lessons())
    first = service.shelf.get("toy")
    cas = cas_of(Document.from_words("d", [["Ada", "met", "Babbage"]]), types())
    cas.add(cas.typesystem.get_type(ENTITY)(begin=0, end=3, value="PER"))
    monkeypatch.setattr(service.learning, "_command", lambda *_: ["/bin/sh", "-c", "exit 0"])
    with client_of(service) as client:
        assert client.post("/inception/toy/train", json=lesson(cas)).status_code == 204
        assert client.portal is not None
        client.portal.call(service.learning.wait)
    assert service.shelf.get("toy") is first
    [told] = [record for record in caplog.records if record.name == "espalier.serve"]
    assert told.getMessage() == "a training failed" and "no such model file" in vars(told)["fields"]["reason"]


def learnt_from(name: str, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    """The documents that a training of a system would get."""
    service = serving_systems(name, lessons=Lessons())
    given: list[list[Document]] = []
    monkeypatch.setattr(service.learning, "start", lambda system, documents: given.append(documents))
    with client_of(service) as client:
        answer = client.post(f"/inception/{name}/train", json=body)
        assert answer.status_code == 204, answer.text
    [documents] = given
    return documents


def test_chains_are_learnt_from_relations_and_from_labels_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coreference is suggested as relations or as numbered spans, and what people make of either is a chain."""
    document = Document.from_words("d", [["Ada", "said", "she", "met", "him", ".", "Her", "note"]])
    spans = [document.char_range(i, i + 1) for i in (0, 2, 4, 6)]
    system = types()
    cas = cas_of(document, system)
    labels = ("entity 1", "entity 1", None, "entity 1")
    ada, she, _, her = marked = [
        system.get_type(ENTITY)(begin=start, end=end, value=label)
        for (start, end), label in zip(spans, labels, strict=True)
    ]
    cas.add_all(marked)
    for governor, dependent in ((ada, she), (she, her)):
        ends = dict(zip(ENDS, (governor, dependent), strict=True))
        cas.add(system.get_type(RELATION)(begin=dependent.begin, end=dependent.end, label="coreference", **ends))
    for layer, feature in ((RELATION, "label"), (ENTITY, "value")):
        asked = request_of(cas, layer, feature)
        [found] = learnt_from("coreference", {**asked, "documents": [asked["document"]]}, monkeypatch)
        assert [mention.span for mention in found.gold.mentions] == spans
        assert found.gold.clusters == ((0, 1, 3),) and not found.gold.relations


def test_documents_that_nobody_has_annotated_are_not_learnt_from(monkeypatch: pytest.MonkeyPatch) -> None:
    system = types()
    empty = cas_of(Document("e", "Nobody was here"), system)
    full = cas_of(Document("d", "Ada met Babbage"), system)
    full.add(system.get_type(ENTITY)(begin=0, end=3, identifier="http://dbpedia.org/resource/Ada_Lovelace"))
    asked = request_of(empty, ENTITY, "identifier")
    body = {**asked, "documents": [asked["document"], request_of(full, ENTITY, "identifier")["document"]]}
    [found] = learnt_from("linking", body, monkeypatch)
    assert found.text == "Ada met Babbage" and found.gold.mentions[0].entity == "Ada Lovelace"
    with client_of(serving_systems("linking", lessons=Lessons())) as client:
        twice = {**body, "documents": body["documents"][1:] * 2}
        refused(client.post("/inception/linking/train", json=twice), 422, "two documents have the id '3'")
        nothing = {**body, "documents": body["documents"][:1]}
        refused(client.post("/inception/linking/train", json=nothing), 409, "none of the 1 documents")


def test_the_command_that_trains_repeats_learner_and_settings(toy_file: Path) -> None:
    service = service_of(FileSource("toy", toy_file), lessons=Lessons(("--lexicon", "names"), {"toy": [Path("more")]}))
    command = service.learning._command("toy", Path("learnt"), Path("made"))
    assert command[1:5] == ["-m", "engine", "train", "toy"]
    assert command[command.index("--train") + 1 : command.index("--train") + 3] == ["more", "learnt"]
    assert "epochs=4" in command and "stops=" in command and command[-2:] == ["--lexicon", "names"]
    assert asyncio.run(service.learning.close()) is None
