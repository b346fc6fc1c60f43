"""The store's tests run on SQLite; with the marker `postgres` they run again on a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/espalier.db"
    server: postgres.PostgreSQL = request.getfixturevalue("postgres_server")
    return server.new_database()


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgres.PostgreSQL]:
    with postgres.running(tmp_path_factory.mktemp("pg")) as server:
        yield server
