"""Every system answers over HTTP what `predict` writes on the command line, alone, in batches and 32 at a time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

from engine.cli.main import main
from engine.corpora.formats import jsonl
from engine.service.app import gated
from engine.service.state import Service
from engine.tasks.base import AnyTask
from engine.tasks.capabilities import ListsParts, RanksOutputs
from engine.tasks.registry import TASKS, get
from tests.service.serving import HERE, client_of, model_file, serving_systems
from tests.service.test_rest import check, refused
from tests.tasks.test_contract import sample
from ui.background.first import sample_files

pytestmark = pytest.mark.thorough

every_system = pytest.mark.parametrize("name", list(TASKS))
CONCURRENT = 32


def written(name: str, tmp_path: Path) -> list[dict[str, Any]]:
    """What the command line writes for the development sample."""
    out = tmp_path / "out.jsonl"
    dev = sample_files(name)["dev"]
    assert main(["predict", name, "--model", str(model_file(name)), "--data", str(dev), "--out", str(out)]) == 0
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(json.dumps(jsonl.record(document))) for document in sample(name, "dev")]


@every_system
def test_answers_are_those_of_the_command_line(name: str, tmp_path: Path) -> None:
    wanted, given = written(name, tmp_path), records(name)
    with client_of(serving_systems(name)) as client:
        path = f"/v1/models/{name}/predict"
        answer = client.post(path, json={"documents": given, "answer": "record"}).json()
        check("PredictAnswer", answer)
        assert [one["record"] for one in answer["documents"]] == wanted
        # Lines of a batch are decided together; a document that occurs twice is no worse for it.
        lines = client.post(
            path + "?answer=record",
            content="\n".join(map(json.dumps, [given[0], *given])),
            headers={"content-type": "application/x-ndjson"},
        )
        assert [json.loads(line)["record"] for line in lines.text.splitlines()] == [wanted[0], *wanted]


@every_system
def test_answers_stay_the_same_with_32_requests_at_a_time(name: str, tmp_path: Path) -> None:
    wanted, given = written(name, tmp_path), records(name)
    given = [given[i % len(given)] for i in range(max(CONCURRENT, len(given)))]
    answers = asyncio.run(asked_at_once(serving_systems(name), name, given))
    for position, answer in enumerate(answers):
        assert answer == wanted[position % len(wanted)]


async def asked_at_once(service: Service, name: str, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the service makes of the records, each of which is a request; there are always 32 under way."""
    transport = httpx2.ASGITransport(app=gated(service))
    free = asyncio.Semaphore(CONCURRENT)
    async with httpx2.AsyncClient(transport=transport, base_url=HERE, timeout=None) as client:

        async def one(record: dict[str, Any]) -> dict[str, Any]:
            async with free:
                answer = await client.post(f"/v1/models/{name}/predict", json={"document": record, "answer": "record"})
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()["documents"][0]["record"]
            return found

        return await asyncio.gather(*map(one, given))


@every_system
def test_parts_outputs_and_explanations_come_on_request(name: str) -> None:
    task: AnyTask = get(name)
    assert isinstance(task, ListsParts)
    given = records(name)[0]
    wishes = ["parts", "explanation", *(["k_best"] if isinstance(task, RanksOutputs) else [])]
    with client_of(serving_systems(name)) as client:
        path = f"/v1/models/{name}/predict"
        answer = client.post(path, json={"document": given, "with": wishes, "k": 3}).json()
        check("PredictAnswer", answer)
        [told] = answer["documents"]
        chosen = [part for part in told["parts"] if part["chosen"]]
        assert 0 < len(chosen) < len(told["parts"]) and len(told["explanation"]) == len(chosen)
        assert all(one["contributions"] for one in told["explanation"])
        if task.confidence == "probability":
            assert all(0 <= part["probability"] <= 1 for part in told["parts"])
        if "k_best" in wishes:
            scores = [output["score"] for output in told["k_best"]]
            assert scores == sorted(scores, reverse=True) and 1 < len(scores) <= 3
            spans = [(m["start"], m["end"], m["entity"]) for m in told["layer"]["mentions"]]
            assert [(m["start"], m["end"], m["entity"]) for m in told["k_best"][0]["layer"]["mentions"]] == spans
        else:
            refused(client.post(path, json={"document": given, "with": ["k_best"]}), 422, "one best output")


BARE: tuple[dict[str, Any], ...] = (
    {"text": ""},
    {"text": " \n"},
    {"text": "x"},
    {"tokens": ["x"]},
    {"tokens": ["x"], "entities": [{"start": 0, "end": 1}]},
    {"id": "b", "e1": "a", "e2": "b", "mentions": []},
    {"id": "t", "text": "x", "layers": {}},
    {"id": "m", "text": "x", "layers": {"gold": {"mentions": [{"start": 0, "end": 1}]}}},
)
"""Documents with next to nothing in them."""


@every_system
def test_documents_with_nothing_to_decide_are_answered_or_refused(name: str) -> None:
    task = get(name)
    wishes = ["parts", "explanation", *(["k_best"] if isinstance(task, RanksOutputs) else [])]
    with client_of(serving_systems(name)) as client:
        for record in BARE:
            answer = client.post(f"/v1/models/{name}/predict", json={"document": record, "with": wishes})
            assert answer.status_code in (200, 422), (record, answer.text)


def test_who_brings_nothing_to_decide_about_is_told_so() -> None:
    with client_of(serving_systems("linking", "joint", "distant")) as client:
        starts = {one["system"]: one["starts_from"] for one in client.get("/v1/models").json()["models"]}
        assert starts == {"linking": "text", "joint": "mentions", "distant": "bag"}
        answer = client.post("/v1/models/joint/predict", json={"text": "Rome is a city."}).json()
        check("PredictAnswer", answer)
        assert answer["documents"][0]["note"].startswith("joint decides about mentions")
        refused(client.post("/v1/models/distant/predict", json={"text": "Rome is a city."}), 422, "is not a bag")
        for name in starts:
            [full] = client.post(f"/v1/models/{name}/predict", json={"document": records(name)[0]}).json()["documents"]
            assert "note" not in full


PINS: dict[str, Any] = {
    "linking": lambda layer: [{"kind": "link", "span": _span(layer["mentions"][0]), "entity": None}],
    "disambiguation": lambda layer: [
        {"kind": "link", "span": _span(layer["mentions"][0]), "entity": layer["mentions"][0]["entity"], "holds": False}
    ],
    "coreference": lambda layer: [
        {
            "kind": "cluster",
            "first": _span(layer["mentions"][layer["clusters"][0][0]]),
            "second": _span(layer["mentions"][layer["clusters"][0][1]]),
            "holds": False,
        }
    ],
    "distant": lambda layer: [{"kind": "label", "label": layer["labels"][0], "holds": False}],
    "joint": lambda layer: [
        {
            "kind": "type",
            "span": _span(layer["mentions"][0]),
            "type": layer["mentions"][0]["type"],
            "holds": False,
        }
    ],
}
"""System -> pins against something that a layer says."""


def _span(mention: dict[str, Any]) -> list[int]:
    return [mention["start"], mention["end"]]


@every_system
def test_pins_change_the_answer(name: str) -> None:
    with client_of(serving_systems(name)) as client:
        path = f"/v1/models/{name}/predict"
        answers = client.post(path, json={"documents": records(name)}).json()["documents"]
        field = {"coreference": "clusters", "distant": "labels"}.get(name, "mentions")
        at = next(i for i, one in enumerate(answers) if any(len(c) > 1 for c in one["layer"][field]))
        free = answers[at]["layer"]
        pins = PINS[name](free)
        held = client.post(path, json={"document": records(name)[at], "pins": pins})
        assert held.status_code == 200, held.text
        assert held.json()["documents"][0]["layer"] != free
        by_id = client.post(path, json={"documents": records(name), "pins": {answers[at]["id"]: pins}}).json()
        assert by_id["documents"][at] == held.json()["documents"][0]
        others = [one for i, one in enumerate(by_id["documents"]) if i != at]
        assert others == [one for i, one in enumerate(answers) if i != at]


@every_system
def test_the_curve_is_that_of_the_command_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--model", str(model_file(name)), "--data", str(sample_files(name)["dev"])]
    capsys.readouterr()
    assert main(["curve", name, *files, "--json"]) == 0
    wanted = json.loads(capsys.readouterr().out)
    with client_of(serving_systems(name)) as client:
        answer = client.post(f"/v1/models/{name}/curve", json={"documents": records(name), "points": 100_000}).json()
    check("CurveAnswer", answer)
    for field in ("points", "best", "area", "exact"):
        assert answer[field] == wanted[field]


@pytest.mark.slow
def test_processes_answer_like_threads(tmp_path: Path) -> None:
    """Two workers of their own load the model by themselves."""
    wanted, given = written("joint", tmp_path), records("joint")
    with client_of(serving_systems("joint", workers=2)) as client:
        path = "/v1/models/joint/predict?answer=record"
        headers = {"content-type": "application/x-ndjson"}
        lines = client.post(path, content="\n".join(map(json.dumps, given)), headers=headers)
        assert [json.loads(line)["record"] for line in lines.text.splitlines()] == wanted
        refused(client.post("/v1/models/joint/predict", json={"document": {}}), 422, "not a record")


def test_nothing_of_a_request_is_kept() -> None:
    """Pages keep the corpora they scored; a server that did would grow with every request."""
    task = get("joint")
    before = len(task._kept._known)
    with client_of(serving_systems("joint")) as client:
        for record in records("joint")[:5]:
            assert client.post("/v1/models/joint/predict", json={"document": record}).status_code == 200
    assert len(task._kept._known) == before
