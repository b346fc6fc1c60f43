"""A real Label Studio: connected to our backend and asked for predictions, then pulled from and pushed to."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from engine import corpora
from engine.cli.main import main
from engine.data.document import Document, Layer
from engine.tasks.registry import get
from engine.tasks.saving import load_model
from tests.service import label_studio
from tests.service.label_studio import ROOT, TOKEN, Studio, free_port
from tests.service.serving import model_file
from tests.service.test_labelstudio import kinds, region, typed
from tests.tasks.test_contract import sample

LINKS = """<View><Text name="text" value="$text"/><Labels name="label" toName="text"><Label value="Entity"/></Labels>
<TextArea name="entity" toName="text" perRegion="true"/></View>"""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    with label_studio.serving(tmp_path_factory.mktemp("label-studio")) as running:
        yield running


@contextmanager
def backend(*arguments: str) -> Iterator[str]:
    """Our service as a process; its address."""
    port = free_port()
    command = [sys.executable, "-m", "engine", "serve", *arguments, "--port", str(port)]
    # A pipe that nobody reads would stop the server when it is full.
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 300
        while not _is_ready(url):
            assert server.poll() is None and time.monotonic() < until, "the service did not start"
            time.sleep(0.2)
        yield url
    finally:
        server.terminate()
        server.wait(60)


def _is_ready(url: str) -> bool:
    try:
        with urlopen(f"{url}/ready", timeout=5) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def asked(address: str) -> Any:
    with urlopen(address, timeout=60) as answer:
        return json.loads(answer.read())


def links(layer: Layer) -> set[tuple[int, int, str | None]]:
    return {(mention.start, mention.end, mention.entity) for mention in layer.mentions}


@pytest.mark.slow
def test_a_project_is_filled_predicted_annotated_and_read_back(studio: Studio, tmp_path: Path) -> None:
    # A character that Label Studio's browser counts twice stands before everything.
    dev = [Document(f"d{i}", f"😀 {one.text}") for i, one in enumerate(sample("linking", "dev")[:6])]
    model, data, token = model_file("linking"), tmp_path / "dev.jsonl", tmp_path / "token"
    corpora.write(dev, data)
    token.write_text(TOKEN)
    token.chmod(0o600)
    project = studio.ask("/api/projects", {"title": "Links", "label_config": LINKS})["id"]
    there = ["label-studio", "--url", studio.url, "--project", str(project), "--token-file", str(token)]
    assert main(["push", *there, str(data)]) == 0
    with backend("--model", f"linking={model}") as url:
        made = studio.ask("/api/ml", {"url": f"{url}/label-studio/linking", "project": project, "title": "ours"})
        assert made["readable_state"] == "Connected", made
        everything = {"selectedItems": {"all": True, "excluded": []}, "project": str(project)}
        asked = studio.ask(f"/api/dm/actions?id=retrieve_tasks_predictions&project={project}", everything)
        assert asked["processed_items"] == len(dev)
    # The server has stored what `predict` says, and gives it back as a layer.
    notes = tmp_path / "notes.jsonl"
    assert main(["pull", *there, "--out", str(notes)]) == 0
    task = get("linking")
    wanted = dict(zip((one.id for one in dev), task.predict(dev, load_model(task, model)), strict=True))
    pulled = {one.id: one for one in corpora.read(notes)}
    assert pulled.keys() == wanted.keys() and any(links(layer) for layer in wanted.values())
    for id, layer in wanted.items():
        [name] = pulled[id].layers
        assert name.startswith("linking ") and links(pulled[id].layers[name]) == links(layer)
    # Somebody annotates; a layer of ours is kept, and one that is pushed comes back.
    first = pulled["d0"]
    region: dict[str, Any] = {"id": "r1", "from_name": "label", "to_name": "text", "type": "labels"}
    value = {"start": 2, "end": 5, "text": first.text[2:5], "labels": ["Entity"]}
    studio.ask(f"/api/tasks/{first.extra['number']}/annotations/", {"result": [{**region, "value": value}]})
    linked = tmp_path / "linked.jsonl"
    assert (
        main(
            ["predict", "linking", "--model", str(model), "--data", str(data), "--layer", "mine", "--out", str(linked)]
        )
        == 0
    )
    assert main(["push", *there, "--layer", "mine", str(linked)]) == 0
    kept = [one.with_layer("kept", Layer()) for one in corpora.read(notes)]
    corpora.write(kept, notes)
    assert main(["pull", *there, "--out", str(notes)]) == 0
    again = {one.id: one for one in corpora.read(notes)}
    assert list(again) == list(pulled)
    assert [mention.span for mention in again["d0"].gold.mentions] == [(2, 5)]
    for id, layer in wanted.items():
        assert "kept" in again[id].layers and links(again[id].layers["mine"]) == links(layer)
    # What the project has is not sent twice.
    assert main(["push", *there, str(data)]) == 0
    assert len(studio.ask(f"/api/tasks?project={project}")["tasks"]) == len(dev)


@pytest.mark.slow
def test_a_configuration_without_a_place_for_answers_is_not_connected(studio: Studio) -> None:
    config = (
        '<View><Text name="text" value="$text"/><Choices name="c" toName="text"><Choice value="a"/></Choices></View>'
    )
    project = studio.ask("/api/projects", {"title": "Nothing to fill", "label_config": config})["id"]
    wanted = {"project": project, "title": "ours"}
    with backend("--model", f"linking={model_file('linking')}") as url, pytest.raises(HTTPError) as refused:
        studio.ask("/api/ml", {**wanted, "url": f"{url}/label-studio/linking"})
    assert refused.value.code == 400 and "incompatible with the current labeling" in refused.value.read().decode()


@pytest.mark.slow
def test_what_is_annotated_there_is_learnt_when_its_button_is_pressed(studio: Studio) -> None:
    """Label Studio itself sends the annotations and the wish to train; the next predictions are the new model's."""
    train = sample("joint", "train")[:3]
    project = studio.ask("/api/projects", {"title": "Types", "label_config": typed(*kinds()[0], relations=kinds()[1])})
    number = project["id"]
    tasks = [{"data": {"text": document.text}} for document in train]
    studio.ask(f"/api/projects/{number}/import", tasks)
    more = ["--learn", "--train", f"joint={ROOT / 'sample_data' / 'joint' / 'train.jsonl'}"]
    with backend("--model", f"joint={model_file('joint')}", *more) as url:
        made = studio.ask("/api/ml", {"url": f"{url}/label-studio/joint", "project": number, "title": "ours"})
        before = asked(f"{url}/v1/models/joint")["version"]
        listed = studio.ask(f"/api/tasks?project={number}")["tasks"]
        for document, task in zip(train, sorted(listed, key=lambda one: one["id"]), strict=True):
            result = [region(document, i, labelled=True) for i in range(len(document.gold.mentions))]
            studio.ask(f"/api/tasks/{task['id']}/annotations/", {"result": result})
        studio.ask(f"/api/ml/{made['id']}/train", {})
        until = time.monotonic() + 300
        while (after := asked(f"{url}/v1/models/joint")["version"]) == before:
            assert time.monotonic() < until, "nothing was learnt"
            time.sleep(1)
        everything = {"selectedItems": {"all": True, "excluded": []}, "project": str(number)}
        studio.ask(f"/api/dm/actions?id=retrieve_tasks_predictions&project={number}", everything)
        found = studio.ask(f"/api/predictions/?project={number}")
        assert len(found) == len(train) and {one["model_version"] for one in found} == {f"joint {after}"}
        assert all(one["result"] for one in found)
