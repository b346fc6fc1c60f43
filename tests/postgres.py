"""A PostgreSQL server of our own on a socket of our own, for the tests and the trials; gone when they are done."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
import sqlalchemy as sa

HOW_TO_GET_IT: Final = "PostgreSQL's server is not installed; on Debian: apt-get install postgresql"


@dataclass(frozen=True)
class PostgreSQL:
    """A server with its data in `place` and its socket in `socket`."""

    tools: Path
    place: Path
    socket: Path

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://espalier@/postgres?host={self.socket}"

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"t{uuid.uuid4().hex}"
        engine = sa.create_engine(self.url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        engine.dispose()
        return self.url.replace("/postgres?", f"/{name}?")

    def prepare(self) -> None:
        self._run("initdb", "-D", self._data, "-U", "espalier", "--auth=trust", "--no-sync")

    def start(self) -> None:
        # What was written is with the operating system, which survives the server: fsync guards against more than
        # these trials do.
        options = f"-c listen_addresses='' -c unix_socket_directories={self.socket} -c fsync=off"
        self._run("pg_ctl", "-D", self._data, "-w", "-o", options, "-l", str(self.place / "log"), "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop")

    def kill(self) -> None:
        """End the server and all that it started at once, as a crash of the machine would."""
        leader = psutil.Process(int((self.place / "data" / "postmaster.pid").read_text(encoding="ascii").split()[0]))
        processes = [leader, *leader.children()]
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # it followed its leader by itself
                process.kill()
        psutil.wait_procs(processes, timeout=20)

    @property
    def _data(self) -> str:
        return str(self.place / "data")

    def _run(self, tool: str, *options: str) -> None:
        # The server refuses to run as root.
        as_postgres = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        # Output goes to a file: a server that inherits a pipe would hold it open.
        with (self.place / "tools.log").open("ab") as output:
            command = [*as_postgres, str(self.tools / tool), *options]
            subprocess.run(command, check=True, stdout=output, stderr=output, cwd=self.place)


@contextmanager
def running(place: Path) -> Iterator[PostgreSQL]:
    """A server with its data in `place`; raises FileNotFoundError where PostgreSQL is not installed."""
    tools = _tools()
    socket = Path("/tmp") / f"espalier-{uuid.uuid4().hex[:8]}"
    socket.mkdir()
    if os.geteuid() == 0:
        for path in (place, *place.parents):
            if path.is_relative_to("/tmp") and path != Path("/tmp"):
                path.chmod(path.stat().st_mode | 0o011)
        shutil.chown(place, "postgres")
        shutil.chown(socket, "postgres")
    server = PostgreSQL(tools, place, socket)
    server.prepare()
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(socket, ignore_errors=True)


def _tools() -> Path:
    """Where initdb and pg_ctl are; installs Debian's package where we may, else says how to get it."""
    found = _find()
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-q"], check=False, capture_output=True)
        subprocess.run(["apt-get", "install", "-y", "-q", "postgresql"], check=False, capture_output=True)
        found = _find()
    if found is None:
        raise FileNotFoundError(HOW_TO_GET_IT)
    return found


def _find() -> Path | None:
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        places.append(Path(on_path))
    return places[0].parent if places else None
