"""Pulling and pushing, against stand-ins that keep projects as the REST interfaces of the two tools describe them."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from engine import corpora
from engine.cli.main import main
from engine.corpora.formats import labelstudio, uimacas
from engine.data.document import Document, Layer, Mention
from engine.data.errors import InputError
from engine.service.remote import label_studio
from engine.service.remote.http import Server
from engine.service.remote.merging import merged

Answer = tuple[int, Any]


@contextmanager
def standing_in(answer: Callable[[str, str, dict[str, str], bytes], Answer]) -> Iterator[str]:
    """A server whose answers a function gives: method, path, headers, body -> status, JSON."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer("GET")

        def do_POST(self) -> None:
            self._answer("POST")

        def _answer(self, method: str) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            status, value = answer(method, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            content = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "http://elsewhere.invalid/")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Studio:
    """A project of Label Studio."""

    def __init__(self) -> None:
        self.tasks: list[dict[str, Any]] = []
        self.predictions: list[dict[str, Any]] = []

    def add(self, task: dict[str, Any]) -> None:
        self.tasks.append({**task, "id": len(self.tasks) + 101})

    def __call__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        if headers.get("authorization") != "Token a-token-of-ours":
            return 401, {"detail": "Authentication credentials were not provided."}
        if method == "GET" and path.startswith("/api/projects/3/export?exportType=JSON"):
            # The export of a real server knows the predictions by their numbers only.
            numbers = {n: p["task"] for n, p in enumerate(self.predictions, 1)}
            return 200, [
                {**task, "predictions": [n for n, of in numbers.items() if of == task["id"]]} for task in self.tasks
            ]
        if method == "GET" and path == "/api/predictions/?project=3":
            return 200, [{"id": n, **one} for n, one in enumerate(self.predictions, 1)]
        if method == "POST" and path == "/api/projects/3/import":
            for task in json.loads(body):
                self.add(task)
            return 201, {"task_count": len(self.tasks)}
        if method == "POST" and path == "/api/predictions/":
            self.predictions.append(json.loads(body))
            return 201, {}
        return 404, {"detail": "Not found."}


class Inception:
    """A project of INCEpTION: documents by number, with CASes by user."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.cases: dict[tuple[int, str], Any] = {}

    def add(self, name: str, cas: Any, user: str = "") -> None:
        number = next((n for n, known in self.names.items() if known == name), len(self.names) + 1)
        self.names[number] = name
        self.cases[number, user] = cas

    def __call__(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        if not headers.get("authorization", "").startswith("Basic "):
            return 401, {}
        place = re.fullmatch(
            r"/api/aero/v1/projects/1/documents(?:/(\d+))?(/annotations)?(?:/(\w+))?(\?format=jsoncas)?", path
        )
        if place is None:
            return 404, {}
        number, annotations, user, _ = place.groups()
        if method == "POST":
            head = f"Content-Type: {headers['content-type']}\r\n\r\n".encode()
            form = {part.get_param("name", header="content-disposition"): part for part in _parts(head + body)}
            assert form["format"].get_payload() == "jsoncas"
            self.add(form["name"].get_payload(), json.loads(form["content"].get_payload(decode=True)))
            return 201, {"body": {}}
        if number is None:
            return 200, {
                "messages": [],
                "body": [{"id": n, "name": name, "state": "NEW"} for n, name in self.names.items()],
            }
        if annotations and user is None:
            users = [known for n, known in self.cases if n == int(number) and known]
            return 200, {"messages": [], "body": [{"user": known, "state": "COMPLETE"} for known in users]}
        return 200, self.cases[int(number), user or ""]


def _parts(message: bytes) -> list[Any]:
    payload = BytesParser().parsebytes(message).get_payload()
    assert isinstance(payload, list)
    return payload


def document(id: str, text: str, *spans: tuple[int, int], layer: str = "gold") -> Document:
    return Document(id, text, layers={layer: Layer(tuple(Mention(*span, "PER", score=None) for span in spans))})


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("a-token-of-ours\n")
    file.chmod(0o600)
    return file


def test_a_project_of_label_studio_goes_and_comes_back(tmp_path: Path, token: Path) -> None:
    studio, data, out = Studio(), tmp_path / "mine.jsonl", tmp_path / "pulled.jsonl"
    mine = [document("a", "Ada 😀 met Bob", (0, 3)), document("b", "Bob slept", (0, 3))]
    corpora.write(mine, data)
    with standing_in(studio) as url:
        how = ["label-studio", "--url", url, "--project", "3", "--token-file", str(token)]
        assert main(["push", *how, str(data)]) == 0
        assert main(["pull", *how, "--out", str(out)]) == 0
        first = corpora.read(out)
        assert [(one.id, one.text, [m.span for m in one.gold.mentions]) for one in first] == [
            (one.id, one.text, [m.span for m in one.gold.mentions]) for one in mine
        ]
        # We add a layer, somebody annotates there: both are in the file after the next pull.
        corpora.write([one.with_layer("ours", Layer((Mention(0, 1),))) for one in first], out)
        studio.tasks[0]["annotations"] = labelstudio.task(document("a", mine[0].text, (0, 3), (10, 13)))["annotations"]
        studio.add({"data": {"text": "A third"}, "annotations": []})
        assert main(["pull", *how, "--out", str(out)]) == 0
        again = corpora.read(out)
        assert [one.id for one in again] == ["a", "b", "103"]
        assert [m.span for m in again[0].gold.mentions] == [(0, 3), (10, 13)]
        assert again[0].layers["ours"].mentions == (Mention(0, 1),)
        # What the project has is not sent again; a layer beside gold becomes predictions.
        assert main(["push", *how, "--layer", "ours", str(out)]) == 0
        assert len(studio.tasks) == 3
        assert [one["task"] for one in studio.predictions] == [101, 102]
        assert studio.predictions[0]["model_version"] == "ours" and studio.predictions[0]["result"]


def test_a_project_of_inception_goes_and_comes_back(tmp_path: Path, token: Path) -> None:
    inception, data, out = Inception(), tmp_path / "mine.jsonl", tmp_path / "pulled.jsonl"
    mine = [document("a.txt", "Ada 😀 met Bob", (0, 3), (10, 13)), document("b", "Bob slept")]
    corpora.write(mine, data)
    with standing_in(inception) as url:
        how = ["inception", "--url", url, "--project", "1", "--user", "ada", "--token-file", str(token)]
        assert main(["push", *how, str(data)]) == 0
        assert main(["push", *how, str(data)]) == 0  # nothing is sent twice
        assert list(inception.names.values()) == ["a.txt", "b"]
        text = mine[0].text
        inception.add("a.txt", uimacas.record(document("a.txt", text, (0, 3))), "ada")
        inception.add("a.txt", uimacas.record(document("a.txt", text, (10, 13))), "bob")
        inception.add("a.txt", uimacas.record(document("a.txt", "another text", (0, 3))), "cyd")
        assert main(["pull", *how, "--out", str(out)]) == 0
    first, second = corpora.read(out)
    assert [m.span for m in first.gold.mentions] == [(0, 3)] and first.id == "a.txt"
    assert [m.span for m in first.layers["bob"].mentions] == [(10, 13)] and "cyd" not in first.layers
    assert second.text == "Bob slept" and second.gold.mentions == ()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((500, {"detail": "it broke"}), "refused (500"),
        ((302, {}), "refused (302"),
        ((200, b"<html>"), "other than JSON"),
        ((200, {"tasks": []}), "a list"),
        ((200, [{"data": {}}]), "task 1: has no text"),
        ((200, [{"data": {"text": "a"}, "annotations": [{"result": 7}]}]), "task 1"),
    ],
)
def test_what_a_server_says_wrong_is_one_line(
    answer: Answer, says: str, tmp_path: Path, token: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with standing_in(lambda _, path, *__: (200, []) if path.startswith("/api/predictions") else answer) as url:
        how = ["label-studio", "--url", url, "--project", "3", "--token-file", str(token)]
        assert main(["pull", *how, "--out", str(tmp_path / "out.jsonl")]) == 1
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1 and not (tmp_path / "out.jsonl").exists()


def test_a_server_that_is_not_there(tmp_path: Path, token: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for url, says in (("http://127.0.0.1:9", "does not answer"), ("ftp://a/b", "http://"), ("http://", "http://")):
        how = ["label-studio", "--url", url, "--project", "3", "--token-file", str(token)]
        assert main(["pull", *how, "--out", str(tmp_path / "out.jsonl")]) == 1
        assert says in capsys.readouterr().err
    how = ["inception", "--url", "http://127.0.0.1:9", "--project", "1", "--token-file", str(token)]
    assert main(["pull", *how, "--out", str(tmp_path / "out.jsonl")]) == 1
    assert "--user" in capsys.readouterr().err


def test_a_personal_token_is_exchanged() -> None:
    seen: list[str] = []

    def answer(method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        seen.append(headers.get("authorization", ""))
        return (200, {"access": "fresh"}) if path == "/api/token/refresh" else (200, [])

    with standing_in(answer) as url:
        server = label_studio.connect(url, "a.b.c")
        assert list(label_studio.pull(server, "3")) == []
    assert seen == ["", "Bearer fresh", "Bearer fresh"]


def test_a_text_that_has_changed_is_no_longer_the_same_document() -> None:
    with pytest.raises(InputError, match="another one now"):
        merged([document("a", "one")], [document("a", "two")])
    assert Server("http://a/", {}).url == "http://a"
