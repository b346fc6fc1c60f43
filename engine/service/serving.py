"""From the words of the command line to a server that listens."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

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
    """How to train on what people annotate; None: not at all."""
    limits: Limits = field(default_factory=Limits)


def serve(plan: Plan) -> int:
    """Serve until stopped."""
    import uvicorn

    logs.to_stderr()
    service = made(plan)
    shown = f"[{plan.host}]" if ":" in plan.host else plan.host
    print(f"Espalier serves {', '.join(service.shelf.systems)} at http://{shown}:{plan.port}", flush=True)
    uvicorn.run(
        gated(service),
        host=plan.host,
        port=plan.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
    )
    return 0


def made(plan: Plan) -> Service:
    """The service of a plan, its models loaded; InputError where it cannot be."""
    token = None if plan.token_file is None else read_token(plan.token_file)
    if token is None and not is_local(plan.host):
        raise InputError(
            f"whoever reaches {plan.host} could ask: write a token of at least {SHORTEST_TOKEN} characters into a file"
            " and name it with --token-file"
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
    """Whether only this machine can reach the address."""
    if host in LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
