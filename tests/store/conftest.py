"""The store's tests run on SQLite; with the marker `postgres` they run again on a real PostgreSQL server."""

import os
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest
import sqlalchemy as sa

HOW_TO_GET_IT = "PostgreSQL's server is not installed; on Debian: apt-get install postgresql"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/espalier.db"
    server = request.getfixturevalue("postgres_server")
    name = f"t{uuid.uuid4().hex}"
    with sa.create_engine(server, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory):
    """A server of our own on a socket of our own, gone with the tests."""
    tools = _tools()
    place = tmp_path_factory.mktemp("pg")
    socket = Path("/tmp") / f"espalier-{uuid.uuid4().hex[:8]}"
    socket.mkdir()
    data = place / "data"
    as_postgres: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        as_postgres = ["runuser", "-u", "postgres", "--"]
        for path in (place, *place.parents):
            if path.is_relative_to("/tmp") and path != Path("/tmp"):
                path.chmod(path.stat().st_mode | 0o011)
        shutil.chown(place, "postgres")
        shutil.chown(socket, "postgres")

    def run(*command: str) -> None:
        # Output goes to a file: a server that inherits a pipe would hold it open.
        with (place / "tools.log").open("ab") as output:
            subprocess.run([*as_postgres, *command], check=True, stdout=output, stderr=output)

    run(str(tools / "initdb"), "-D", str(data), "-U", "espalier", "--auth=trust", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={socket} -c fsync=off"
    run(str(tools / "pg_ctl"), "-D", str(data), "-w", "-o", options, "-l", str(place / "log"), "start")
    try:
        yield f"postgresql+psycopg://espalier@/postgres?host={socket}"
    finally:
        run(str(tools / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(socket, ignore_errors=True)


def _tools() -> Path:
    """Where initdb and pg_ctl are; installs Debian's package where we may, else says how to get it."""
    found = _find()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-q"], check=False, capture_output=True)
        subprocess.run(["apt-get", "install", "-y", "-q", "postgresql"], check=False, capture_output=True)
        found = _find()
    if found is None:
        pytest.fail(HOW_TO_GET_IT)
    return found


def _find() -> Path | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        places.append(Path(on_path))
    return places[0].parent if places else None
