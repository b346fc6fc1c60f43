"""Label Studio's ML backend. Predictions are checked with the validator of its SDK where that is installed; `make
test-all` installs it and checks the answers of every system about its sample."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from engine.data.document import Document
from engine.service.models.learning import Lessons
from engine.service.models.shelf import FileSource
from engine.tasks.registry import get
from tests.service import sdk
from tests.service.label_studio import command
from tests.service.serving import client_of, service_of, serving_systems
from tests.service.test_inception import as_text
from tests.service.test_rest import refused
from tests.tasks.test_contract import sample, trained

TOY = """<View><Text name="body" value="$content"/>
<Labels name="kind" toName="body"><Label value="word"/><Label value="other"/></Labels></View>"""
LINKS = """<View><Text name="text" value="$text"/><Labels name="label" toName="text"><Label value="Entity"/></Labels>
<TextArea name="link" toName="text" perRegion="true"/></View>"""
BARE = '<View><Text name="text" value="$text"/><Labels name="l" toName="text"><Label value="Entity"/></Labels></View>'

CHOICES = '<View><Text name="text" value="$text"/><Choices name="c" toName="text"><Choice value="a"/></Choices></View>'


def typed(*names: str, relations: tuple[str, ...] = ()) -> str:
    labels = "".join(f'<Label value="{name}"/>' for name in names)
    arcs = "".join(f'<Relation value="{name}"/>' for name in relations)
    return (
        f'<View><Relations>{arcs}</Relations><Text name="text" value="$text"/>'
        f'<Labels name="label" toName="text">{labels}</Labels></View>'
    )


def kinds() -> tuple[list[str], tuple[str, ...]]:
    """Types and relations of the joint sample."""
    train = sample("joint", "train")
    names = sorted({str(mention.type) for one in train for mention in one.gold.mentions})
    return names, tuple(sorted({relation.type for one in train for relation in one.gold.relations}))


def validate(config: str, prediction: dict[str, Any]) -> None:
    """What Label Studio itself would say of the prediction, where it is installed (`make test-all` does it)."""
    assert 0 <= prediction.get("score", 0) <= 1
    assert not sdk.faults(config, prediction)


TAKES_REGIONS = ("disambiguation", "joint")
PLACES = {
    "linking": LINKS,
    "disambiguation": LINKS,
    "coreference": BARE,
    "joint": None,
}
"""A configuration with a place for what a system says; joint's lists the types of its sample."""


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PLACES))
def test_the_sdk_accepts_every_answer_about_the_sample(name: str) -> None:
    command()
    config = PLACES[name] or typed(*kinds()[0], relations=kinds()[1])
    wrong = {"result": [{"id": "a", "type": "labels", "from_name": "no", "to_name": "text", "value": {}}], "score": 2.0}
    assert sdk.faults(config, wrong), "the validator accepts anything"
    tasks = []
    for number, document in enumerate(sample(name, "dev")):
        drawn = [region(document, i) for i in range(len(document.gold.mentions))] if name in TAKES_REGIONS else []
        tasks.append({"id": number, "data": {"text": document.text}, "annotations": [{"result": drawn}]})
    with client_of(serving_systems(name)) as client:
        answer = client.post(f"/label-studio/{name}/predict", json={"tasks": tasks, "label_config": config})
        assert answer.status_code == 200, answer.text
        results = answer.json()["results"]
    assert len(results) == len(tasks)
    assert any(one["result"] for one in results)
    for prediction in results:
        validate(config, prediction)


def test_a_system_that_decides_about_bags_is_not_connected() -> None:
    with client_of(serving_systems("distant")) as client:
        says = "bags of sentences"
        refused(client.post("/label-studio/distant/setup", json={"schema": CHOICES}), 422, says)
        asked = {"tasks": [{"id": 1, "data": {"text": "Rome"}}], "label_config": CHOICES}
        refused(client.post("/label-studio/distant/predict", json=asked), 422, says)


def test_the_order_of_connecting(client: TestClient) -> None:
    assert client.get("/label-studio/toy/health").json() == {"status": "UP", "model_class": "Espalier toy"}
    assert client.get("/label-studio/toy").status_code == 200
    setup = {"project": "1.1700000000", "schema": TOY, "hostname": "", "access_token": "", "extra_params": None}
    version = client.post("/label-studio/toy/setup", json=setup).json()["model_version"]
    assert client.get("/label-studio/toy/versions").json() == {"versions": [version]}
    unfit = {**setup, "schema": "<View><Text name='t' value='$t'/></View>"}
    refused(client.post("/label-studio/toy/setup", json=unfit), 422, "needs <Labels>")


def test_every_task_gets_one_prediction_in_order(client: TestClient) -> None:
    drawn = {
        "id": "r1",
        "type": "labels",
        "from_name": "kind",
        "to_name": "body",
        "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["word"]},
    }
    tasks = [
        {"id": 5, "data": {"content": "Ada met Babbage"}, "annotations": [{"result": [drawn]}]},
        {"id": 6, "data": {"content": "nobody"}},
    ]
    asked = {"tasks": tasks, "project": "1.2", "label_config": TOY, "params": {"login": None, "context": None}}
    answer = client.post("/label-studio/toy/predict", json=asked)
    assert answer.status_code == 200, answer.text
    first, second = answer.json()["results"]
    for prediction in (first, second):
        validate(TOY, prediction)
    # The toy knows words only where there are tokens, and Label Studio sends none.
    assert second["result"] == [] and "score" not in second


def test_links_fill_the_text_area_of_their_region() -> None:
    document = as_text(sample("linking", "dev"))
    [layer] = get("linking").predict([document], trained("linking"))
    with client_of(serving_systems("linking")) as client:
        for config in (LINKS, BARE):
            asked = {"tasks": [{"id": 1, "data": {"text": document.text}}], "label_config": config}
            [prediction] = client.post("/label-studio/linking/predict", json=asked).json()["results"]
            validate(config, prediction)
            regions = [one for one in prediction["result"] if one["type"] == "labels"]
            assert [(one["value"]["start"], one["value"]["end"]) for one in regions] == [m.span for m in layer.mentions]
            assert [one["score"] for one in regions] == [m.score for m in layer.mentions]
            assert prediction["score"] == min(one["score"] for one in regions)
            if config is LINKS:
                areas = {one["id"]: one["value"]["text"] for one in prediction["result"] if one["type"] == "textarea"}
                assert [areas[one["id"]] for one in regions] == [[m.entity] for m in layer.mentions]
            else:
                assert [one["meta"]["text"] for one in regions] == [[m.entity] for m in layer.mentions]


def region(document: Document, i: int, *, labelled: bool = False) -> dict[str, Any]:
    """A mention of gold as somebody has drawn it, with or without its type."""
    mention = document.gold.mentions[i]
    labels = [mention.type] if labelled else []
    value = {"start": mention.start, "end": mention.end, "text": document.surface(mention), "labels": labels}
    return {"id": f"r{i}", "type": "labels", "from_name": "label", "to_name": "text", "value": value}


def test_regions_on_the_screen_are_typed_and_related_under_their_own_ids() -> None:
    document = next(one for one in sample("joint", "dev") if get("joint").predict([one], trained("joint"))[0].relations)
    [layer] = get("joint").predict([document], trained("joint"))
    names, arcs = kinds()
    config = typed(*names, relations=arcs)
    context = {"result": [region(document, i) for i in range(len(document.gold.mentions))], "annotation_id": 1}
    task = {"id": 1, "data": {"text": document.text}}
    with client_of(serving_systems("joint")) as client:
        asked = {"tasks": [task], "label_config": config, "params": {"context": context}}
        answer = client.post("/label-studio/joint/predict", json=asked)
        assert answer.status_code == 200, answer.text
        [prediction] = answer.json()["results"]
        validate(config, prediction)
        drawn = {one["id"]: one for one in prediction["result"] if one["type"] == "labels"}
        assert sorted(drawn) == sorted(f"r{i}" for i in range(len(layer.mentions)))
        related = [one for one in prediction["result"] if one["type"] == "relation"]
        assert related and all({one["from_id"], one["to_id"]} <= drawn.keys() for one in related)
        # A project without a label for a type gets none of its mentions.
        fewer = typed(names[0])
        answer = client.post("/label-studio/joint/predict", json={**asked, "label_config": fewer})
        [prediction] = answer.json()["results"]
        validate(fewer, prediction)
        assert all(one["value"]["labels"] == [names[0]] for one in prediction["result"] if one["type"] == "labels")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"label_config": "<View>"}, "not XML"),
        ({"label_config": "<!DOCTYPE a><View/>"}, "document type"),
        ({"label_config": "<View/>"}, "no <Text"),
        ({"tasks": [{"data": {}}]}, "missing"),
        ({"tasks": ["x"]}, "an object"),
        ({"tasks": [{"data": {"content": "a"}, "annotations": [{"result": [{"type": "relation"}]}]}]}, "from_id"),
    ],
)
def test_what_is_no_request_of_label_studio_is_refused(client: TestClient, change: dict[str, Any], says: str) -> None:
    asked = {"tasks": [{"id": 1, "data": {"content": "Ada"}}], "label_config": TOY}
    assert client.post("/label-studio/toy/predict", json=asked).status_code == 200
    answer = client.post("/label-studio/toy/predict", json={**asked, **change})
    assert answer.status_code == 422, answer.text
    assert says in str(answer.json()["error"])


def event(action: str, text: str = "Ada", task: int = 1) -> dict[str, Any]:
    value = {"start": 0, "end": 3, "text": text[:3], "labels": ["word"]}
    result = [{"id": "r", "type": "labels", "from_name": "kind", "to_name": "body", "value": value}]
    return {
        "action": action,
        "project": {"id": 4, "label_config": TOY},
        "task": {"id": task, "data": {"content": text}},
        "annotation": {"id": 9, "result": result},
    }


def test_annotations_are_collected_and_learnt_when_asked(toy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_of(FileSource("toy", toy_file), lessons=Lessons())
    learnt: list[list[Document]] = []
    monkeypatch.setattr(service.learning, "start", lambda system, documents: learnt.append(documents))
    with client_of(service) as client:

        def sent(body: dict[str, Any]) -> Any:
            return client.post("/label-studio/toy/webhook", json=body)

        refused(sent({"action": "START_TRAINING", "project": {"id": 4}}), 409, "nothing has been annotated")
        assert sent(event("ANNOTATION_CREATED")).status_code == 201
        assert sent(event("ANNOTATIONS_CREATED", "Babbage", task=2)).json()["result"] == {"collected": 2}
        assert sent(event("ANNOTATION_UPDATED", "Ada again")).json()["result"] == {"collected": 2}
        assert sent(event("ANNOTATIONS_DELETED", task=2)).json()["result"] == {"collected": 1}
        unknown = sent(event("PROJECT_UPDATED"))
        assert unknown.status_code == 200 and unknown.json() == {"status": "Unknown event"}
        assert sent({"action": "START_TRAINING", "project": {"id": 4}}).status_code == 201
    [[document]] = learnt
    assert document.text == "Ada again" and document.gold.mentions[0].type == "word"


def test_doccano_gets_spans_for_its_template() -> None:
    document = as_text(sample("linking", "dev"))
    [layer] = get("linking").predict([document], trained("linking"))
    with client_of(serving_systems("linking")) as client:
        found = client.post("/doccano/linking", json={"text": document.text}).json()
        assert found == [
            {"label": mention.entity, "start_offset": mention.start, "end_offset": mention.end}
            for mention in layer.mentions
        ]
        refused(client.post("/doccano/linking", json={"text": "a", "more": 1}), 422, "nothing else")
