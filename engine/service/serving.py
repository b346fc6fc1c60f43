"""From the options on the command line to a running server."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from engine import logs
from engine.data.errors import InputError
from engine.service.app import gated
from engine.service.models.learning import Lessons
from engine.service.models.shelf import FileSource, RunSource, Shelf, Source
from engine.service.requests.access import LOCAL
from engine.service.requests.limits import Limits
from engine.service.requests.tokens import SHORTEST_TOKEN, read_token
from engine.service.state import Service
from engine.store.workspace import Workspace


@dataclass(frozen=True)
class Plan:
    """What to serve, and where."""

    models: Sequence[tuple[str, Path]] = ()
    runs: Sequence[str] = ()
    workspace: Path = Path("workspace")
    host: str = "127.0.0.1"
    port: int = 8600
    token_file: Path | None = None
    workers: int = 1
    lessons: Lessons | None = None
    """How to train on users' annotations; None if the server does not train."""
    limits: Limits = field(default_factory=Limits)


def serve(plan: Plan) -> int:
    """Serve until stopped."""
    logs.to_stderr(libraries=["uvicorn"])
    service = made(plan)
    with bound(plan.host, plan.port) as listening:
        shown = f"[{plan.host}]" if ":" in plan.host else plan.host
        print(f"Espalier serves {', '.join(service.shelf.systems)} at http://{shown}:{plan.port}", flush=True)
        server = server_of(service)
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:
            # The usual way to stop the server. Requests in progress have been answered by now.
            return 0
    return 0 if server.started else 1


def bound(host: str, port: int) -> socket.socket:
    """A socket bound to the address; InputError if that is not possible.

    The protocol is named because asyncio switches Nagle's algorithm off only where it is. Otherwise the body of every
    response would wait 40 ms for the client to acknowledge the headers.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise InputError(f"cannot listen at {host}, port {port} ({error.strerror}); see --host and --port") from None
    return made


def server_of(service: Service) -> uvicorn.Server:
    """A server for plain HTTP. A request to upgrade the connection, to a WebSocket for example, is ignored."""
    return uvicorn.Server(
        uvicorn.Config(
            gated(service),
            ws="none",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=5,
        )
    )


def made(plan: Plan) -> Service:
    """The service that the plan describes, with its models loaded; InputError if that is not possible."""
    token = None if plan.token_file is None else read_token(plan.token_file)
    if token is None and not is_local(plan.host):
        raise InputError(
            f"anybody who reaches {plan.host} could send requests: write a token of at least {SHORTEST_TOKEN}"
            " characters into a file and name it with --token-file"
        )
    sources = sources_of(plan)
    if not sources:
        raise InputError("name a model with --model SYSTEM=FILE, or a run of the workspace with --run NAME")
    return Service.of(Shelf(sources), limits=plan.limits, workers=plan.workers, token=token, lessons=plan.lessons)


def sources_of(plan: Plan) -> list[Source]:
    sources: list[Source] = [FileSource(system, path) for system, path in plan.models]
    if plan.runs:
        if not plan.workspace.is_dir():
            raise InputError("there is no such workspace; name it with --workspace", file=plan.workspace)
        workspace = Workspace.open(plan.workspace)
        sources += [RunSource(workspace, run) for run in plan.runs]
    return sources


def is_local(host: str) -> bool:
    """Whether the address can be reached from this machine only."""
    if host in LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
