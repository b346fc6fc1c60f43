"""Services for tests: models of the samples, trained once, behind the same gate that a server has."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from starlette.testclient import TestClient

from engine.service.app import gated
from engine.service.models.learning import Lessons
from engine.service.models.shelf import FileSource, Shelf, Source
from engine.service.requests.limits import Limits
from engine.service.state import Service
from engine.tasks.registry import get
from engine.tasks.saving import save_model
from tests.tasks.test_contract import trained

HERE = "http://localhost"


@cache
def folder() -> Path:
    """Where the models of this process are; gone with it."""
    made = tempfile.TemporaryDirectory(prefix="espalier-service-")
    _held.append(made)
    return Path(made.name)


_held: list[tempfile.TemporaryDirectory[str]] = []


@cache
def model_file(name: str) -> Path:
    """A model of a system, trained on its sample."""
    path = folder() / f"{name}.zip"
    save_model(get(name), trained(name), path)
    return path


def service_of(
    *sources: Source,
    limits: Limits | None = None,
    token: str | None = None,
    workers: int = 1,
    lessons: Lessons | None = None,
) -> Service:
    # Answers are looked at, not timed: a busy machine may take as long as it likes.
    limits = limits or Limits(seconds=600.0)
    return Service.of(Shelf(sources), limits=limits, token=token, workers=workers, lessons=lessons)


def serving_systems(*names: str, workers: int = 1, lessons: Lessons | None = None) -> Service:
    return service_of(*(FileSource(name, model_file(name)) for name in names), workers=workers, lessons=lessons)


@contextmanager
def client_of(service: Service) -> Iterator[TestClient]:
    with TestClient(gated(service), base_url=HERE) as client:
        yield client
