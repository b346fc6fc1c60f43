"""A service of the toy: small enough that a test sees every answer coming."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from engine.service.models.shelf import FileSource
from engine.service.requests.limits import Limits
from engine.service.state import Service
from engine.tasks import registry
from engine.tasks.base import Model
from engine.tasks.saving import save_model
from tests.service.serving import client_of, service_of
from tests.ui.toy import Toy, ToySettings

COUNTS = {"Ada": 3, "Babbage": 1, "the": -4}


@pytest.fixture
def toy_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(registry.TASKS, "toy", "tests.ui.toy:Toy")
    path = tmp_path / "secret-folder" / "toy.zip"
    save_model(Toy(), Model("toy", "count", ToySettings(), COUNTS, bias=0.0, scores={"f1": 0.5}), path)
    return path


@pytest.fixture
def toy_service(toy_file: Path) -> Service:
    limits = Limits(body=100_000, batch=1_000_000, line=10_000, documents=20, characters=5_000, seconds=5.0)
    return service_of(FileSource("toy", toy_file), limits=limits)


@pytest.fixture
def client(toy_service: Service) -> Iterator[TestClient]:
    with client_of(toy_service) as made:
        yield made
