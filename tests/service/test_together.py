"""Requests that come at the same time are decided together: fewer decisions, the answers of each alone."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from engine.service.app import gated
from engine.service.models.pool import THREADS
from engine.service.models.shelf import FileSource
from engine.service.models.together import MOST
from engine.service.state import Service
from tests.service.serving import HERE, service_of
from tests.ui.toy import Toy

PREDICT = "/v1/models/toy/predict"
WORDS = ("Ada", "met", "Babbage", "the")


def body(i: int) -> dict[str, Any]:
    """One of many requests: at two biases, some with pins, some with several documents, some that cannot be read."""
    record = {"id": "d", "tokens": [WORDS[(i + k) % 4] for k in range(3)]}
    asked: dict[str, Any] = {"document": record, "bias": (0.0, 2.0)[i % 2]}
    if i % 7 == 3:
        asked["pins"] = [{"kind": "type", "span": [0, len(record["tokens"][0])], "type": "word"}]
    if i % 7 == 4:
        asked = {"documents": [record, {**record, "id": "e"}], "bias": 2.0}
    if i % 7 == 5:
        asked["colour"] = "red"
    return asked


class Counted:
    """Counts what `Toy.decide` is asked for; nothing is decided before the gate is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.gate = threading.Event()
        self.sizes: list[int] = []
        decide = Toy.decide

        def counting(toy: Toy, scored: Any, *, pins: Any = None) -> Any:
            self.gate.wait(60)
            self.sizes.append(len(scored))
            if any("Bad" in document.text for document in scored.documents):
                raise RuntimeError("cannot open /home/somebody/secret")
            return decide(toy, scored, pins=pins)

        monkeypatch.setattr(Toy, "decide", counting)


async def asked(service: Service, bodies: list[dict[str, Any]], counted: Counted | None = None) -> list[Any]:
    """The answers to all of them, sent before the first is decided; without a count, one after the other."""
    transport = httpx2.ASGITransport(app=gated(service))
    async with httpx2.AsyncClient(transport=transport, base_url=HERE, timeout=None) as client:
        if counted is None:
            return [await client.post(PREDICT, json=one) for one in bodies]
        sent = [asyncio.create_task(client.post(PREDICT, json=one)) for one in bodies]
        while service.pool.busy < len(bodies):
            await asyncio.sleep(0.01)
        counted.gate.set()
        return await asyncio.gather(*sent)


def test_answers_are_those_of_each_request_alone(toy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [body(i) for i in range(THREADS + 2 * MOST + 4)]
    alone = asyncio.run(asked(service_of(FileSource("toy", toy_file)), bodies))
    counted = Counted(monkeypatch)
    service = service_of(FileSource("toy", toy_file))
    found = asyncio.run(asked(service, bodies, counted))
    assert [(one.status_code, one.json()) for one in found] == [(one.status_code, one.json()) for one in alone]
    assert {one.status_code for one in found} == {200, 422}
    answered = [one.json()["documents"] for one in found if one.status_code == 200]
    assert any(one[0]["layer"]["mentions"] for one in answered)
    # Every document was decided once, most of them in company.
    assert sum(counted.sizes) == sum(map(len, answered))
    assert len(counted.sizes) < len(answered) / 2 and max(counted.sizes) > 2
    assert service.pool.busy == 0


def test_a_fault_is_told_to_the_one_whose_it_is(toy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [{"document": {"tokens": ["Ada", "met"]}} for _ in range(THREADS + MOST)]
    bodies[THREADS + 3] = {"document": {"tokens": ["Bad"]}}
    counted = Counted(monkeypatch)
    found = asyncio.run(asked(service_of(FileSource("toy", toy_file)), bodies, counted))
    assert [one.status_code for one in found] == [500 if i == THREADS + 3 else 200 for i in range(len(bodies))]
    assert "secret" not in found[THREADS + 3].text and max(counted.sizes) == MOST


def test_what_is_long_waits_for_nobody_and_nobody_for_it(toy_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [{"document": {"tokens": ["Ada", "met"]}} for _ in range(THREADS + 4)]
    bodies[-2] = {"document": {"tokens": ["Ada"] * 20_000}}
    counted = Counted(monkeypatch)
    found = asyncio.run(asked(service_of(FileSource("toy", toy_file)), bodies, counted))
    assert {one.status_code for one in found} == {200}
    assert sorted(counted.sizes) == [1] * (THREADS + 2) + [2]


def test_a_model_that_cannot_be_loaded_is_told_to_all_and_nobody_waits(
    toy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.service.models import together

    def broken(file: object) -> None:
        raise RuntimeError("cannot open /home/somebody/secret")

    service = service_of(FileSource("toy", toy_file))
    monkeypatch.setattr(together.HELD, "get", broken)
    found = asyncio.run(asked(service, [body(0)] * 3))
    assert [one.status_code for one in found] == [500] * 3 and "secret" not in found[0].text
