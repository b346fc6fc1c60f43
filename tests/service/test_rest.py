"""Our own REST on the toy: what it answers, what it refuses, and that no answer tells where files are."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route
from starlette.testclient import TestClient

from engine.logs import Lines
from engine.service.app import create
from engine.service.models.shelf import FileSource, RunSource
from engine.service.requests.limits import Limits
from engine.service.rest.openapi import SCHEMAS
from engine.service.state import Service
from engine.store import modelfile
from engine.store.workspace import Workspace
from tests.service.serving import client_of, service_of
from tests.ui.harness import add_samples, trained

PREDICT = "/v1/models/toy/predict"
RECORD = {"id": "d", "tokens": ["Ada", "met", "Babbage"]}


def check(name: str, value: Any) -> None:
    """The answer is what the OpenAPI document says."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": SCHEMAS}}
    Draft202012Validator(schema).validate(value)


def words(answer: dict[str, Any], text: str, position: int = 0) -> list[str]:
    return [text[m["start"] : m["end"]] for m in answer["documents"][position]["layer"]["mentions"]]


def refused(response: Any, status: int, says: str) -> None:
    assert response.status_code == status, response.text
    check("Error", response.json())
    assert says in response.json()["error"]["message"]


def test_a_record_is_decided_at_the_bias_of_the_model_or_of_the_request(client: TestClient) -> None:
    text = "Ada met Babbage"
    answer = client.post(PREDICT, json={"document": RECORD}).json()
    check("PredictAnswer", answer)
    assert words(answer, text) == ["Ada", "Babbage"] and answer["bias"] == 0.0
    assert words(client.post(PREDICT, json={"document": RECORD, "bias": 2.0}).json(), text) == ["Ada"]
    both = client.post(PREDICT, json={"documents": [RECORD, {**RECORD, "id": "e"}, "Ada"]}).json()
    assert [one["id"] for one in both["documents"]] == ["d", "e", "3"]
    whole = client.post(PREDICT, json={"document": RECORD, "answer": "record"}).json()["documents"][0]["record"]
    assert whole["tokens"] == RECORD["tokens"] and len(whole["entities"]) == 2


def test_what_is_served_is_described(client: TestClient) -> None:
    [model] = client.get("/v1/models").json()["models"]
    check("Model", model)
    assert client.get("/v1/models/toy").json() == model
    assert model["settings"]["epochs"] == 4 and model["scores"] == {"f1": 0.5} and model["model"] == "toy.zip"
    systems = client.get("/v1/systems").json()
    check("Systems", systems)
    assert {one["name"]: one["served"] for one in systems["systems"]}["toy"] is True
    assert client.get("/health").json() == {"status": "UP"}
    assert client.get("/ready").json() == {"ready": True, "systems": ["toy"]}


def test_the_document_lists_every_path_of_our_own(client: TestClient, toy_service: Service) -> None:
    described = client.get("/openapi.json").json()
    ours = {
        (route.path, method.lower())
        for route in create(toy_service).routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD" and (route.path.startswith("/v1/") or route.path.count("/") == 1)
    }
    told = {(path, method) for path, item in described["paths"].items() for method in item if method != "parameters"}
    assert ours == told
    for schema in described["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"\xff", 400, "not UTF-8"),
        (b"[" * 50_000, 400, "nested too deeply"),
        (b'{"bias": NaN}', 400, "NaN"),
        (b"[]", 422, "an object"),
        (b"{}", 422, "has none"),
        (b'{"text": "a", "document": {}}', 422, "text and document"),
        (b'{"text": 7}', 422, "a string"),
        (b'{"text": "a", "colour": 1}', 422, "'colour' is unknown"),
        (b'{"text": "a", "bias": 1e300}', 422, "1e+06"),
        (b'{"text": "a", "bias": true}', 422, "a number"),
        (b'{"text": "a", "k": 0}', 422, "from 1 to 100"),
        (b'{"text": "a", "with": ["gold"]}', 422, "'gold' is unknown"),
        (b'{"text": "a", "with": ["parts"]}', 422, "cannot list its parts"),
        (b'{"text": "a", "with": ["k_best"]}', 422, "one best output"),
        (b'{"text": "a", "answer": "xml"}', 422, "layer or record"),
        (b'{"text": "a", "pins": [{"kind": "link"}]}', 422, "pins of the kind type"),
        (b'{"text": "a", "pins": [{"kind": "type", "span": [0, 9], "type": "x"}]}', 422, "not a span"),
        (b'{"text": "a", "pins": {"7": []}}', 422, "no document"),
        (b'{"documents": ["a", {"id": "1", "text": "b"}]}', 422, "two documents"),
        (b'{"document": {"colour": 1}}', 422, "not a record"),
    ],
)
def test_a_request_that_cannot_be_answered_is_told_why(client: TestClient, body: bytes, status: int, says: str) -> None:
    refused(client.post(PREDICT, content=body, headers={"content-type": "application/json"}), status, says)


@pytest.mark.parametrize(
    ("changes", "is_valid"),
    [
        ({}, True),
        ({"bias": -1e6, "k": 100, "with": [], "answer": "record"}, True),
        ({"bias": 1.1e6}, False),
        ({"k": 0}, False),
        ({"k": 101}, False),
        ({"with": ["gold"]}, False),
        ({"answer": "xml"}, False),
        ({"colour": 1}, False),
        ({"documents": ["Ada"]}, False),
        ({"text": 7}, False),
        ({"pins": [{"kind": "type", "span": [0, 3], "type": "PER", "holds": False}]}, True),
        ({"pins": {"1": [{"kind": "type", "span": [0, 3], "type": "PER"}]}}, True),
        ({"pins": [{"kind": "type", "span": [0, 3]}]}, False),
        ({"pins": [{"kind": "type", "span": [0, 3], "type": "PER", "entity": "Ada"}]}, False),
        ({"pins": [{"kind": "type", "span": [0, -1], "type": "PER"}]}, False),
        ({"pins": [{"kind": "type", "span": [0], "type": "PER"}]}, False),
        ({"pins": [{"kind": "colour"}]}, False),
    ],
)
def test_the_description_allows_what_is_answered_and_nothing_that_is_refused(
    client: TestClient, changes: dict[str, Any], is_valid: bool
) -> None:
    request = {"text": "Ada met Babbage", **changes}
    answer = client.post(PREDICT, json=request)
    assert (answer.status_code == 200) == is_valid, answer.text
    schema = {"$ref": "#/components/schemas/PredictRequest", "components": {"schemas": SCHEMAS}}
    assert Draft202012Validator(schema).is_valid(request) == is_valid


def test_options_in_the_address_of_a_single_request_are_refused_rather_than_lost(client: TestClient) -> None:
    for path in (PREDICT, "/v1/models/toy/curve"):
        refused(client.post(f"{path}?bias=1", json={"text": "Ada"}), 422, "'bias' is in the address")


def test_sizes_are_limited(client: TestClient) -> None:
    refused(client.post(PREDICT, json={"text": "x" * 5001}), 413, "5000 are allowed")
    refused(client.post(PREDICT, json={"documents": ["x"] * 21}), 413, "20 are allowed")
    refused(client.post(PREDICT, json={"text": "x" * 100_001}), 413, "larger than 100000")
    # Without a length in the header the body is counted as it comes.
    refused(client.post(PREDICT, content=(b"x" * 1000 for _ in range(101))), 413, "larger than")
    refused(client.post(PREDICT, content=b"a", headers={"content-encoding": "gzip"}), 415, "compressed")
    refused(client.post(PREDICT, content=b"a", headers={"content-type": "text/html"}), 415, "application/json")


def test_paths_and_methods_that_are_not_there(client: TestClient) -> None:
    refused(client.get("/nowhere"), 404, "nothing at this path")
    refused(client.get(PREDICT), 405, "another method")
    refused(client.post("/v1/models/joint/predict", json={"text": "a"}), 404, "there is: toy")


def test_time_is_limited_and_the_server_answers_meanwhile(toy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.ui.toy import Toy

    release = threading.Event()
    decide = Toy.decide

    def waiting(self: Toy, scored: Any, *, pins: Any = None) -> Any:
        release.wait(30)
        return decide(self, scored, pins=pins)

    service = service_of(FileSource("toy", toy_file), limits=Limits(seconds=0.3, waiting=2))
    with client_of(service) as client:
        monkeypatch.setattr(Toy, "decide", waiting)
        refused(client.post(PREDICT, json={"text": "a"}), 504, "within 0.3 seconds")
        refused(client.post(PREDICT, json={"text": "a"}), 504, "within 0.3 seconds")
        # Both are still at work: a third would wait for nothing.
        last = client.post(PREDICT, json={"text": "a"})
        refused(last, 503, "2 requests")
        assert last.headers["retry-after"] == "1"
        assert client.get("/health").status_code == 200
        release.set()


def test_a_server_has_decided_once_before_it_is_asked(toy_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is loaded when it is first needed would otherwise take the time of the first request."""
    from tests.ui.toy import Toy

    seen: list[str] = []
    decide = Toy.decide

    def noting(self: Toy, scored: Any, *, pins: Any = None) -> Any:
        seen.extend(document.id for document in scored.documents)
        return decide(self, scored, pins=pins)

    monkeypatch.setattr(Toy, "decide", noting)
    with client_of(toy_service) as client:
        assert seen == ["rehearsal"]
        assert "espalier_documents_total{" not in client.get("/metrics").text


def test_batches_are_answered_line_by_line(client: TestClient) -> None:
    lines = [json.dumps({**RECORD, "id": f"d{i}"}) for i in range(50)]
    lines[7:7] = ["", "{", '"Ada"']
    body = "\n".join(lines)
    response = client.post(PREDICT + "?bias=2", content=body, headers={"content-type": "application/x-ndjson"})
    assert response.status_code == 200 and response.headers["content-type"].startswith("application/x-ndjson")
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert len(answers) == 52
    assert answers[7]["line"] == 9 and "not JSON" in answers[7]["error"]["message"]
    assert [one["id"] for one in answers if "id" in one] == [*(f"d{i}" for i in range(7)), "10"] + [
        f"d{i}" for i in range(7, 50)
    ]
    assert [len(one["layer"]["mentions"]) for one in answers if one.get("id", "").startswith("d")] == [1] * 50


def test_a_fault_in_a_batch_is_told_of_its_line_alone(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.ui.toy import Toy

    decide = Toy.decide

    def broken(self: Toy, scored: Any, *, pins: Any = None) -> Any:
        if any("Bad" in document.text for document in scored.documents):
            raise RuntimeError("cannot open /home/somebody/secret")
        return decide(self, scored, pins=pins)

    monkeypatch.setattr(Toy, "decide", broken)
    lines = [json.dumps({**RECORD, "id": f"d{i}"}) for i in range(20)]
    lines[5] = json.dumps({"tokens": ["Bad"]})
    response = client.post(PREDICT, content="\n".join(lines), headers={"content-type": "application/x-ndjson"})
    answers = [json.loads(line) for line in response.text.splitlines()]
    assert len(answers) == 20 and "secret" not in response.text
    assert answers[5]["line"] == 6 and answers[5]["error"]["status"] == 500
    assert [one["id"] for i, one in enumerate(answers) if i != 5] == [f"d{i}" for i in range(20) if i != 5]


def test_a_batch_is_limited_too(client: TestClient) -> None:
    lines = {"content-type": "application/jsonl"}
    refused(client.post(PREDICT + "?colour=red", content=b"{}", headers=lines), 422, "'colour' is unknown")
    refused(client.post(PREDICT + "?bias=much", content=b"{}", headers=lines), 422, "numbers")
    refused(client.post(PREDICT + "?bias=nan", content=b"{}", headers=lines), 422, "number from")
    refused(client.post(PREDICT, content=b"x\n" * 500_001, headers=lines), 413, "larger than 1000000")
    long = client.post(PREDICT, content=b'"a"\n' + b"x" * 10_001, headers=lines)
    assert "line 2 is longer" in json.loads(long.text.splitlines()[-1])["error"]["message"]
    assert client.post(PREDICT, content=b"", headers=lines).text == ""


def test_a_batch_is_refused_while_too_many_requests_wait(client: TestClient, toy_service: Service) -> None:
    toy_service.pool.busy = toy_service.limits.waiting
    for kind, body in (("application/jsonl", b'"a"'), ("application/json", b'{"text": "a"}')):
        answer = client.post(PREDICT, content=body, headers={"content-type": kind})
        refused(answer, 503, "try again")
        assert answer.headers["retry-after"] == "1"
    toy_service.pool.busy = 0


def test_the_curve_of_documents_with_gold(client: TestClient) -> None:
    gold = {**RECORD, "entities": [{"start": 0, "end": 1, "type": "word"}]}
    answer = client.post("/v1/models/toy/curve", json={"document": gold, "precision": 1.0, "recall": 1.0}).json()
    check("CurveAnswer", answer)
    assert answer["chosen"]["precision"] == 0.5 and answer["best"]["f1"] == 1.0
    assert answer["for_precision"]["recall"] == answer["for_recall"]["precision"] == 1.0
    again = client.post(PREDICT, json={"document": RECORD, "bias": answer["best"]["bias"]}).json()
    assert words(again, "Ada met Babbage") == ["Ada"]
    refused(client.post("/v1/models/toy/curve", json={"document": RECORD}), 422, "holds nothing")
    refused(client.post("/v1/models/toy/curve", json={"document": gold, "recall": 2}), 422, "from 0 to 1")


def test_without_a_token_only_this_machine_is_answered_and_no_page_of_another_site(client: TestClient) -> None:
    refused(client.get("/v1/models", headers={"host": "evil.example"}), 400, "answers as localhost")
    refused(client.get("/v1/models", headers={"host": "["}), 400, "answers as localhost")
    refused(client.get("/v1/models", headers={"origin": "https://evil.example"}), 403, "other sites")
    assert client.get("/v1/models", headers={"origin": "http://localhost"}).status_code == 200
    assert client.get("/v1/models", headers={"host": "127.0.0.1:8600"}).status_code == 200


def test_a_token_is_wanted_in_one_of_three_places(toy_file: Path) -> None:
    token = "a-long-enough-token"
    with client_of(service_of(FileSource("toy", toy_file), token=token)) as client:
        refused(client.get("/v1/models"), 401, "Bearer TOKEN")
        for wrong in ("Bearer", "Bearer nonsense", "Basic !!!", "Basic " + "QTpi", "Negotiate x", f"Bearer {token}x"):
            refused(client.get("/v1/models", headers={"authorization": wrong}), 401, "token")
        refused(client.get("/with/nonsense/v1/models"), 401, "token")
        assert client.get("/v1/models", headers={"authorization": f"Bearer {token}"}).status_code == 200
        assert client.get("/v1/models", auth=("label-studio", token)).status_code == 200
        assert client.get(f"/with/{token}/v1/models", headers={"host": "somewhere.example"}).status_code == 200
        assert client.get("/health").status_code == 200


def test_a_changed_file_is_served_and_a_broken_one_is_not(
    client: TestClient, toy_service: Service, toy_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = client.get("/v1/models/toy").json()
    assert toy_service.shelf.refresh() == []
    modelfile.restate(toy_file, bias=2.0)  # what `tune` does; the file keeps its time
    assert toy_service.shelf.refresh() == ["toy"]
    second = client.get("/v1/models/toy").json()
    assert second["bias"] == 2.0 and second["version"] != first["version"]
    assert words(client.post(PREDICT, json={"document": RECORD}).json(), "Ada met Babbage") == ["Ada"]
    sound = toy_file.read_bytes()
    toy_file.write_bytes(b"half a mod")
    assert toy_service.shelf.refresh() == [] == toy_service.shelf.refresh()
    assert len(caplog.records) == 1  # a server looks every second, and says what is wrong once
    assert client.get("/v1/models/toy").json()["version"] == second["version"]
    assert words(client.post(PREDICT, json={"document": RECORD}).json(), "Ada met Babbage") == ["Ada"]
    toy_file.write_bytes(sound)
    assert toy_service.shelf.refresh() == ["toy"]
    toy_file.write_bytes(b"half a mod")
    assert toy_service.shelf.refresh() == []
    assert len(caplog.records) == 2


def test_a_run_is_served_at_its_operating_point_and_follows_it(toy_file: Path, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "workspace")
    run = trained(workspace, *add_samples(workspace))
    service = service_of(RunSource(workspace, run))
    text = "Ada in London"
    record = {"tokens": text.split()}
    with client_of(service) as client:
        before = words(client.post(PREDICT, json={"document": record}).json(), text)
        workspace.set_bias(run, 1e5)
        assert service.shelf.refresh() == ["toy"]
        assert client.get("/v1/models/toy").json()["bias"] == 1e5
        assert before and words(client.post(PREDICT, json={"document": record}).json(), text) == []


def test_metrics_are_in_the_text_format(client: TestClient) -> None:
    client.post(PREDICT, json={"documents": ["a", "b"]})
    client.post(PREDICT, json={})
    client.get("/nowhere")
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    line = re.compile(r'[a-z_]+(\{([a-z]+="(\\.|[^"\\])*",?)+\})? [0-9.e+-]+|# (HELP|TYPE) [a-z_]+ .+')
    for one in response.text.splitlines():
        assert line.fullmatch(one), one
    found = response.text.splitlines()
    assert 'espalier_documents_total{system="toy"} 2' in found
    route = "/v1/models/{system}/predict"
    assert f'espalier_requests_total{{route="{route}",status="200"}} 1' in found
    assert f'espalier_requests_total{{route="{route}",status="422"}} 1' in found
    assert 'espalier_requests_total{route="unknown",status="404"} 1' in found
    assert f'espalier_request_seconds_count{{route="{route}"}} 2' in found


def test_a_fault_of_ours_tells_nothing_of_the_machine(
    toy_service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tests.ui.toy import Toy

    def broken(self: Toy, scored: Any, *, pins: Any = None) -> Any:
        raise RuntimeError("cannot open /home/somebody/secret")

    with client_of(toy_service) as client:
        monkeypatch.setattr(Toy, "decide", broken)
        response = client.post(PREDICT, json={"text": "a"})
        refused(response, 500, "failure")
        assert "secret" not in response.text and "Traceback" not in response.text
        [told] = [record for record in caplog.records if record.name == "espalier.serve"]
        assert vars(told)["fields"] == {"failure": response.json()["error"]["message"].split()[-1]}
        assert "RuntimeError" in Lines().format(told) and "secret" not in Lines().format(told)
        batch = client.post(PREDICT, content=b'"a"', headers={"content-type": "application/jsonl"})
        assert "failure" in batch.text and "secret" not in batch.text


def test_no_answer_names_the_folder_of_a_model(client: TestClient) -> None:
    for path in ("/v1/models", "/v1/models/toy", "/v1/systems", "/metrics", "/openapi.json", "/ready"):
        assert "secret-folder" not in client.get(path).text
