"""Bodies and headers that nobody meant: answered, or refused with a sentence; never a fault of ours, never a wait."""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from engine.corpora.formats import jsonl
from engine.data.document import Document
from engine.service.app import gated
from engine.service.models.learning import Learning, Lessons
from engine.service.models.shelf import FileSource
from engine.service.requests.limits import Limits
from engine.service.state import Service
from engine.tasks.registry import TASKS, get
from engine.tasks.saving import load_model
from tests.corpora.test_shapes import RECORDS
from tests.service.serving import HERE, folder, model_file, service_of
from tests.tasks.test_contract import sample

QUICK = ("linking", "joint", "distant")
"""Models that are soon trained; the others read the same records, and have their turn in the slow tests."""
ALL = tuple(TASKS)
RECORDED = Path(__file__).parent / "recorded"
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 10**30, -(10**30), 1e308, 0.5, "", "x", "\x00", "😀", "a" * 3000, [], {}, [[]], [None]),
    *({"start": 0}, {"id": []}, "--NIL--", [0, 1], [1, 0], [[0, 1]], [{"start": 0, "end": 1}], {"gold": {}}),
)

NIF = """@prefix nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#> .
<http://a#char=0,14> a nif:Context ; nif:beginIndex 0 ; nif:endIndex 14 ; nif:isString "Rome is a city" .
<http://a#char=0,4> a nif:Phrase ; nif:beginIndex 0 ; nif:endIndex 4 ; nif:anchorOf "Rome" ;
  nif:referenceContext <http://a#char=0,14> .
"""


class Listening(Learning):
    """Takes what it is given to learn, and trains nothing."""

    def start(self, system: str, documents: Sequence[Document]) -> None:
        self.check()


@cache
def service(systems: tuple[str, ...] = QUICK) -> Service:
    # Kernels are compiled beforehand: the limit is one for answers.
    for name in systems:
        task = get(name)
        scored = task.scored(sample(name, "dev")[:3], load_model(task, model_file(name)))
        task.decide(scored)
        task.curve(scored)
    # What takes ten minutes is a hang, on a busy machine too.
    limits = Limits(body=200_000, documents=50, characters=20_000, seconds=600.0)
    made = service_of(*(FileSource(name, model_file(name)) for name in systems), limits=limits)
    return dataclasses.replace(made, learning=Listening(made.shelf, Lessons()))


@cache
def client(systems: tuple[str, ...] = QUICK) -> TestClient:
    # A fault of ours would come out of here as it is.
    made = TestClient(gated(service(systems)), base_url=HERE, raise_server_exceptions=True)
    made.__enter__()
    return made


@cache
def bodies(systems: tuple[str, ...] = QUICK) -> list[tuple[str, Any]]:
    """Paths with bodies that are right, or would be if the system could do what is asked."""
    found: list[tuple[str, Any]] = []
    for name in systems:
        records = [jsonl.record(one) for one in sample(name, "dev")[:3]]
        path = f"/v1/models/{name}"
        pin = {"kind": "link", "span": [0, 3], "entity": "x"}
        found += [(f"{path}/predict", {"document": record, "with": ["parts"], "bias": 0.1}) for record in records]
        found += [(f"{path}/predict", {"documents": records, "pins": {str(records[0].get("id")): [pin]}})]
        found += [(f"{path}/curve", {"documents": records, "precision": 0.5})]
        found += [(f"{path}/predict", {"document": record}) for record in RECORDS.values()]
    config = '<View><Text name="t" value="$t"/><Labels name="l" toName="t"><Label value="Entity"/></Labels></View>'
    region = {"id": "a", "type": "labels", "from_name": "l", "to_name": "t", "value": {"start": 0, "end": 2}}
    task = {"id": 1, "data": {"t": "Rome is a city"}, "annotations": [{"result": [region]}]}
    event = {"action": "ANNOTATION_CREATED", "project": {"id": 1, "label_config": config}, "task": task}
    xmi = {"xmi": "<a/>", "documentId": 1}
    about = {"layer": "a.B", "feature": "value", "range": {"begin": 0, "end": 1}}
    for name in systems:
        found += [
            (f"/label-studio/{name}/predict", {"tasks": [task], "label_config": config}),
            (f"/label-studio/{name}/setup", {"schema": config}),
            (f"/label-studio/{name}/webhook", {**event, "annotation": {"result": [region]}}),
            (f"/label-studio/{name}/webhook", {**event, "action": "START_TRAINING"}),
            (f"/inception/{name}/predict", {"metadata": about, "document": xmi, "typeSystem": "<a/>"}),
            (f"/inception/{name}/train", {"metadata": about, "documents": [xmi], "typeSystem": "<a/>"}),
            (f"/doccano/{name}", {"text": "Rome is a city"}),
            (f"/nif/{name}", "@prefix a: <http://a#> . a:b a:c 'd' ."),
            (f"/nif/{name}", NIF),
        ]
        for recorded in (json.loads(file.read_text(encoding="utf-8")) for file in sorted(RECORDED.glob("*.json"))):
            found.append((f"/inception/{name}/predict", recorded))
            lessons = {**recorded, "documents": [recorded["document"]]}
            found.append((f"/inception/{name}/train", lessons))
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


def mutated(body: Any, chance: random.Random) -> bytes:
    for _ in range(chance.randint(0, 2)):
        body = changed(body, chance.choice(places(body)), chance.choice(ODD))
    content = bytearray(json.dumps(body).encode() if not isinstance(body, str) else body.encode())
    for _ in range(chance.choice((0, 0, 0, 1, 3))):
        if content:
            content[chance.randrange(len(content))] = chance.randrange(256)
    return bytes(content[: chance.randrange(len(content) + 1)] if chance.random() < 0.1 else content)


def check(response: Any, seed: int | None = None) -> None:
    """Answered, or refused with one sentence; our own paths and stack traces stay with us."""
    status = response.status_code
    assert status in (200, 201, 204) or 400 <= status < 500, (seed, str(response.url), response.text)
    if status >= 400:
        message = response.json()["error"]["message"]
        assert message and "\n" not in message
    for secret in ("Traceback", str(folder()), "site-packages", 'File "'):
        assert secret not in response.text


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_changed_bodies_are_answered_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    path, body = chance.choice(bodies())
    kind = "application/jsonl" if chance.random() < 0.1 else "application/json"
    check(client().post(path, content=mutated(body, chance), headers={"content-type": kind}))


NAMES = st.sampled_from(
    ["content-type", "content-length", "content-encoding", "authorization", "host", "origin", "accept", "x-anything"]
)
VALUES = st.one_of(
    st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=40),
    st.sampled_from(
        ["gzip", "Basic a", "Bearer ", "http://[", "[::1", "application/json; charset=utf-16", "-1", "9" * 30]
    ),
)


@settings(max_examples=100)
@given(st.dictionaries(NAMES, VALUES, max_size=3), st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS"]))
def test_odd_headers_are_answered_or_refused(headers: dict[str, str], method: str) -> None:
    path = "/v1/models/joint/predict" if method == "POST" else "/v1/models"
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    response = client().request(method, path, headers=raw, content=b'{"text": "a"}' if method == "POST" else None)
    if method == "HEAD" or not response.content:
        assert response.status_code < 500
    else:
        check(response)


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_odd_paths_are_refused(path: str) -> None:
    from urllib.parse import quote

    response = client().get("/" + quote(path, safe="/%"))
    assert response.status_code < 500


def protocol(path: str) -> str:
    """What is spoken at a path: its first name, and what follows that of the system."""
    names = path.strip("/").split("/")
    return f"{names[0]} {names[-1]}" if len(names) > 2 else names[0]


def check_counts(found: Counter[tuple[str, str]], protocols: Iterable[str]) -> None:
    """Every protocol was asked, and not only what it refuses."""
    for name in set(protocols):
        assert found[name, "answered"] + found[name, "refused"] >= 50, (name, found)
        assert found[name, "answered"] > 0, (name, found)


def asked_all(number: int, sent: Any) -> Counter[tuple[str, str]]:
    """So many requests of every system and protocol: how many of each were answered and refused."""
    found: Counter[tuple[str, str]] = Counter()
    for seed in range(number):
        chance = random.Random(seed)
        path, body = chance.choice(bodies(ALL))
        response = sent(path, body, chance)
        check(response, seed)
        found[protocol(path), "answered" if response.status_code < 400 else "refused"] += 1
    check_counts(found, (protocol(path) for path, _ in bodies(ALL)))
    return found


@pytest.mark.long
def test_ten_thousand_changed_bodies_of_every_system_and_protocol() -> None:
    def sent(path: str, body: Any, chance: random.Random) -> Any:
        kind = "application/jsonl" if chance.random() < 0.1 else "application/json"
        return client(ALL).post(path, content=mutated(body, chance), headers={"content-type": kind})

    found = asked_all(10_000, sent)
    assert sum(n for (_, how), n in found.items() if how == "refused") > 1000


ODD_HEADERS = ("gzip", "Basic a", "Bearer ", "http://[", "[::1", "application/json; charset=utf-16", "-1", "9" * 30)


@pytest.mark.long
def test_ten_thousand_odd_headers_of_every_system_and_protocol() -> None:
    names = ("content-type", "content-encoding", "authorization", "host", "origin", "accept", "cookie", "x-anything")

    def sent(path: str, body: Any, chance: random.Random) -> Any:
        letters = "".join(chr(chance.randrange(32, 127)) for _ in range(chance.randrange(40)))
        raw = [(chance.choice(names).encode(), chance.choice((*ODD_HEADERS, letters)).encode()) for _ in range(2)]
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        return client(ALL).post(path, content=content, headers=raw)

    asked_all(10_000, sent)
